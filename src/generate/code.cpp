// SPDX-License-Identifier: Apache-2.0
#include "generate/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptxmc::generate {

namespace {

constexpr const char* kWgmmaFence = "wgmma.fence.sync.aligned";

/// Prints the code of one thread.
class Writer {
 public:
  Writer(const Sketch& sketch, std::size_t thread, const std::vector<Storage>& storage)
      : sketch_(sketch), thread_(sketch.threads[thread]), storage_(storage) {}

  std::vector<std::string> lines() {
    registers_.resize(thread_.operations.size(), -1);
    // 9.7.14.7.1: some wgmma.fence comes before the first wgmma.mma_async.
    if (std::any_of(thread_.operations.begin(), thread_.operations.end(),
                    [](const Operation& o) { return o.unfenced; }))
      add(kWgmmaFence);
    // Results first, so that the condition speaks of %r0, %r1, ... in the order of the reads.
    for (std::size_t i = 0; i < thread_.operations.size(); ++i)
      if (to_register(thread_.operations[i])) registers_[i] = next_++;
    for (std::size_t i = 0; i < thread_.operations.size(); ++i) write(i);
    return std::move(lines_);
  }

 private:
  int expected(int source) const {
    return thread_.operations[static_cast<std::size_t>(source)].read.value_or(0);
  }
  std::string source_register(const Operation& operation) const {
    return fmt::format("%r{}", registers_[static_cast<std::size_t>(operation.source)]);
  }

  std::string_view space(const Operation& operation) const {
    return storage_[static_cast<std::size_t>(operation.location)].space == Space::shared ? "shared"
                                                                                         : "global";
  }

  std::string variable(const Operation& operation) const {
    return location_name(operation.location) + (operation.alias ? "_alias" : "");
  }

  /// The register's value without what it is in the outcome: a dependency that constants do not fold away (D13).
  std::string address(const Operation& operation) {
    if (operation.dependency != Dependency::address) return fmt::format("[{}]", variable(operation));
    const int index = next_++, base = wide_++, offset = wide_++;
    add(fmt::format("sub.u32 %r{}, {}, {}", index, source_register(operation), expected(operation.source)));
    add(fmt::format("and.b32 %r{}, %r{}, 1", index, index));
    add(fmt::format("mul.wide.u32 %rd{}, %r{}, 4", offset, index));
    add(fmt::format("mov.u64 %rd{}, {}", base, variable(operation)));
    add(fmt::format("add.u64 %rd{}, %rd{}, %rd{}", base, base, offset));
    return fmt::format("[%rd{}]", base);
  }

  std::string written(const Operation& operation) {
    if (operation.dependency != Dependency::data) return fmt::format("{}", operation.value);
    const int difference = operation.value - expected(operation.source);
    if (difference == 0) return source_register(operation);
    const int sum = next_++;
    add(fmt::format("{}.u32 %r{}, {}, {}", difference > 0 ? "add" : "sub", sum, source_register(operation),
                    std::abs(difference)));
    return fmt::format("%r{}", sum);
  }

  std::string guard(const Operation& operation) {
    if (operation.dependency != Dependency::control) return "";
    const int predicate = predicates_++;
    add(fmt::format("setp.eq.u32 %p{}, {}, {}", predicate, source_register(operation),
                    expected(operation.source)));
    return fmt::format("@%p{} ", predicate);
  }

  void write(std::size_t i) {
    const Operation& o = thread_.operations[i];
    const std::string order = print(o.order);
    if (copies(o.access_kind)) return add_copy(o);
    if (committed(o.access_kind)) return add_committed(o);
    if (by_wgmma(o.access_kind)) return add_wgmma(o, registers_[i]);
    if (o.access_kind == AccessKind::tensor) return add_tensor(o, registers_[i]);
    switch (o.kind) {
      case Kind::load: {
        const std::string from = address(o), when = guard(o);
        return add(fmt::format("{}ld.{}.{}.u32 %r{}, {}", when, order, space(o), registers_[i], from));
      }
      case Kind::store: {
        const std::string to = address(o), value = written(o), when = guard(o);
        return add(fmt::format("{}st.{}.{}.u32 {}, {}", when, order, space(o), to, value));
      }
      case Kind::exchange: {
        const std::string at = address(o), value = written(o), when = guard(o);
        return add(fmt::format("{}atom.{}.{}.exch.b32 %r{}, {}, {}", when, order, space(o), registers_[i], at,
                               value));
      }
      case Kind::reduction: {
        const std::string at = address(o), value = written(o), when = guard(o);
        return add(fmt::format("{}atom.{}.{}.exch.b32 _, {}, {}", when, order, space(o), at, value));
      }
      case Kind::fence:
      case Kind::fence_sc:
      case Kind::fence_acq_rel:
        return add("fence." + order);
      case Kind::proxy:
        return add(o.word);
      case Kind::wait:
        if (o.word == "cp.async.bulk.wait_group 0") add("cp.async.bulk.commit_group");
        return add(o.word);
      case Kind::barrier:
        return add_barrier(o);
      case Kind::result: {
        const auto source = static_cast<std::size_t>(o.source);
        return add(fmt::format("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r{}}}, [{}]", registers_[source],
                               product_name(thread_.operations[source])));
      }
    }
  }

  /// What it writes is in a buffer of its own, and what it reads goes to one.
  void add_copy(const Operation& o) {
    const std::string place = variable(o), buffer = buffer_name(o);
    const std::string& to = writes(o.kind) ? place : buffer;
    const std::string& from = writes(o.kind) ? buffer : place;
    if (o.access_kind == AccessKind::cp_async)
      return add(fmt::format("cp.async.ca.shared.global [{}], [{}], 4", to, from));
    if (o.access_kind == AccessKind::bulk_group)
      return add(fmt::format("cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], 16", to, from));
    if (o.access_kind == AccessKind::multicast)
      return add(
          fmt::format("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                      "[{}], [{}], 16, [m{}], {}",
                      to, from, o.object, 1U << rank_of(receiver(o))));
    add(fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m{}], 16", o.object));
    add(fmt::format("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [{}], [{}], 16, [m{}]", to,
                    from, o.object));
  }

  const Thread& receiver(const Operation& copy) const {
    const auto thread = std::find_if(sketch_.threads.begin(), sketch_.threads.end(),
                                     [&](const Thread& other) { return receives(other, copy); });
    return thread == sketch_.threads.end() ? thread_ : *thread;
  }

  /// %cluster_ctarank: CTAs of a cluster are numbered as threads name them.
  unsigned rank_of(const Thread& thread) const {
    std::vector<int> ctas;
    for (const Thread& other : sketch_.threads) {
      if (other.cta == thread.cta) break;
      if (other.cluster == thread.cluster && std::find(ctas.begin(), ctas.end(), other.cta) == ctas.end())
        ctas.push_back(other.cta);
    }
    return thread.cluster < 0 ? 0 : static_cast<unsigned>(ctas.size());
  }

  int group() const { return sketch_.pair ? 2 : 1; }

  /// The location is what it writes, or an operand of what it writes to a place of its own.
  void add_committed(const Operation& o) {
    const bool reads = multiplies(o.access_kind);
    const std::string to = reads ? product_name(o) : variable(o), from = reads ? variable(o) : buffer_name(o);
    if (o.access_kind == AccessKind::tensor_copy || o.access_kind == AccessKind::copy_source)
      return add(fmt::format("tcgen05.cp.cta_group::{}.128x256b [{}], desc({})", group(), to, from));
    const bool is_b = o.access_kind == AccessKind::mma_b;
    // 9.7.16.4.2, of f16 and f32: M = 128 and N = 8, of two CTAs 256 and 16.
    add(fmt::format("tcgen05.mma.cta_group::{}.kind::f16 [{}], desc({}), desc({}), {}, 0", group(), to,
                    is_b ? "a1" : from, is_b ? from : "b0", sketch_.pair ? "0x10040010" : "0x8020010"));
  }

  /// The location is in operand B, which all threads of the warpgroup read, or loaded into registers of A; the result is the first
  /// element of theirs.
  void add_wgmma(const Operation& o, int result) {
    const int more = std::exchange(next_, next_ + 3);
    std::string a = "desc(a0)", b = fmt::format("desc({})", variable(o)), transposed = "0, 0";
    if (o.access_kind == AccessKind::wgmma_a) {
      const int loaded = next_++;
      add(fmt::format("ld.{}.{}.u32 %r{}, [{}]", print(o.order), space(o), loaded, variable(o)));
      a = fmt::format("{{%r{0}, %r{0}, %r{0}, %r{0}}}", loaded);
      b = "desc(b0)";
      transposed = "0";
    }
    if (!o.unfenced) add(kWgmmaFence);
    add(
        fmt::format("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%r{}, %r{}, %r{}, %r{}}}, {}, {}, "
                    "0, 1, 1, {}",
                    result, more, more + 1, more + 2, a, b, transposed));
    add("wgmma.commit_group.sync.aligned");
  }

  void add_tensor(const Operation& o, int result) {
    if (reads(o.kind))
      return add(fmt::format("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r{}}}, [{}]", result, variable(o)));
    const int value = next_++;
    add(fmt::format("mov.u32 %r{}, {}", value, o.value));
    add(fmt::format("tcgen05.st.sync.aligned.32x32b.x1.b32 [{}], {{%r{}}}", variable(o), value));
  }

  void add_barrier(const Operation& o) {
    if (o.word == "bar.sync") return add(fmt::format("bar.sync {}, 64", o.value));
    if (o.word == "barrier.cluster") {
      add("barrier.cluster.arrive");
      return add("barrier.cluster.wait");
    }
    if (o.word == "mbarrier.arrive") return add(fmt::format("mbarrier.arrive.shared.b64 _, [m{}]", o.value));
    if (o.word == "mbarrier.arrive.cluster") return add_remote_arrival(o);
    if (o.word == "mbarrier.expect_tx")
      return add(fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m{}], 16", o.value));
    if (o.word == "tcgen05.commit")
      return add(fmt::format("tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.b64 [m{}]",
                             group(), o.value));
    if (o.word == "tcgen05.commit.cluster") return add_multicast_commit(o);
    if (o.word == "cp.async.mbarrier.arrive")
      return add(fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m{}]", o.value));
    add(fmt::format("W{}:", o.value));
    const int predicate = predicates_++;
    const std::string_view order = o.word == "mbarrier.wait.cluster" ? ".acquire.cluster" : "";
    add(fmt::format("mbarrier.try_wait.parity{}.shared.b64 %p{}, [m{}], 0", order, predicate, o.value));
    add(fmt::format("@!%p{} bra W{}", predicate, o.value));
  }

  const Thread& waiting_for(int object) const {
    for (const Thread& thread : sketch_.threads)
      for (const Operation& other : thread.operations)
        if (other.word == "mbarrier.wait.cluster" && other.value == object) return thread;
    return thread_;
  }

  void add_multicast_commit(const Operation& o) {
    const int mask = halves_++;
    add(fmt::format("mov.b16 %rs{}, {}", mask, 1U << rank_of(waiting_for(o.value))));
    add(fmt::format(
        "tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
        "[m{}], %rs{}",
        group(), o.value, mask));
  }

  /// At the object of the CTA that waits.
  void add_remote_arrival(const Operation& o) {
    const int object = next_++;
    add(fmt::format("mapa.shared::cluster.u32 %r{}, m{}, {}", object, o.value,
                    rank_of(waiting_for(o.value))));
    add(fmt::format("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r{}]", object));
  }

  void add(std::string line) { lines_.push_back(std::move(line)); }

  const Sketch& sketch_;
  const Thread& thread_;
  const std::vector<Storage>& storage_;
  std::vector<int> registers_;  // by operation: of its result
  int next_ = 0, wide_ = 0, halves_ = 0, predicates_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::string buffer_name(const Operation& operation) {
  return fmt::format("b{}", operation.object);
}

std::string product_name(const Operation& operation) {
  return fmt::format("d{}", operation.object);
}

bool to_register(const Operation& operation) {
  return reads(operation.kind) && !copies(operation.access_kind);
}

bool is_bulk(AccessKind access_kind) {
  return access_kind == AccessKind::bulk || access_kind == AccessKind::bulk_group ||
         access_kind == AccessKind::multicast;
}

std::vector<std::string> code_of(const Sketch& sketch, std::size_t thread,
                                 const std::vector<Storage>& storage) {
  return Writer(sketch, thread, storage).lines();
}

}  // namespace ptxmc::generate
