// SPDX-License-Identifier: Apache-2.0
#include "generate/sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ptxmc::generate {

namespace {

/// Of a copy: what it reads or writes beside its location.
std::string buffer_name(const Operation& operation) {
  return fmt::format("b{}", operation.object);
}
/// The others that read leave in a buffer what they read.
bool to_register(const Operation& operation) {
  return reads(operation.kind) && !copies(operation.means);
}
bool is_bulk(Means means) {
  return means == Means::bulk || means == Means::bulk_group;
}

/// Prints the code of one thread.
class Writer {
 public:
  Writer(const Thread& thread, const std::vector<Storage>& storage) : thread_(thread), storage_(storage) {}

  std::vector<std::string> lines() {
    registers_.resize(thread_.operations.size(), -1);
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
    if (copies(o.means)) return add_copy(o);
    if (o.means == Means::tensor) return add_tensor(o, registers_[i]);
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
    }
  }

  /// What it writes is in a buffer of its own, and what it reads goes to one.
  void add_copy(const Operation& o) {
    const std::string place = variable(o), buffer = buffer_name(o);
    const std::string& to = writes(o.kind) ? place : buffer;
    const std::string& from = writes(o.kind) ? buffer : place;
    if (o.means == Means::cp_async)
      return add(fmt::format("cp.async.ca.shared.global [{}], [{}], 4", to, from));
    if (o.means == Means::bulk_group)
      return add(fmt::format("cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], 16", to, from));
    add(fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m{}], 16", o.object));
    add(fmt::format("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [{}], [{}], 16, [m{}]", to,
                    from, o.object));
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
    if (o.word == "cp.async.mbarrier.arrive")
      return add(fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m{}]", o.value));
    add(fmt::format("W{}:", o.value));
    const int predicate = predicates_++;
    add(fmt::format("mbarrier.try_wait.parity.shared.b64 %p{}, [m{}], 0", predicate, o.value));
    add(fmt::format("@!%p{} bra W{}", predicate, o.value));
  }

  void add(std::string line) { lines_.push_back(std::move(line)); }

  const Thread& thread_;
  const std::vector<Storage>& storage_;
  std::vector<int> registers_;  // by operation: of its result
  int next_ = 0, wide_ = 0, predicates_ = 0;
  std::vector<std::string> lines_;
};

struct Uses {
  bool array = false, alias = false;
};

std::string variable(Space space, const std::string& name, int count, int value) {
  std::string text = fmt::format("  .{} .{} {}",
                                 space == Space::tensor   ? "tensor"
                                 : space == Space::shared ? "shared"
                                                          : "global",
                                 space == Space::tensor ? "b32" : "u32", name);
  if (space == Space::tensor) return text + fmt::format("[{}] = {{{}}};\n", count, value);
  if (count == 1) return text + fmt::format(" = {};\n", value);
  return text + fmt::format("[{}] = {{{}}};\n", count,
                            fmt::join(std::vector<int>(static_cast<std::size_t>(count), value), ", "));
}

constexpr int kBulk = 4, kTensor = 32;  // elements of a bulk copy, and of what a warp accesses of a column

/// On the other side of copies, in the other space.
std::string buffers(const Sketch& sketch, const std::vector<Storage>& storage) {
  std::string text;
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (!copies(o.means)) continue;
      const bool shared = storage[static_cast<std::size_t>(o.location)].space == Space::shared;
      text += variable(shared ? Space::global : Space::shared, buffer_name(o), is_bulk(o.means) ? kBulk : 1,
                       o.value);
    }
  }
  return text;
}

std::string declarations(const Sketch& sketch, const std::vector<Storage>& storage) {
  std::vector<Uses> uses(static_cast<std::size_t>(sketch.locations));
  std::set<int> objects;
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      const bool arrives = o.word == "mbarrier.arrive" || o.word == "cp.async.mbarrier.arrive";
      if (o.kind == Kind::barrier && arrives) objects.insert(o.value);
      if (o.means == Means::bulk) objects.insert(o.object);
      if (!accesses(o.kind)) continue;
      Uses& use = uses[static_cast<std::size_t>(o.location)];
      use.array |= o.dependency == Dependency::address;
      use.alias |= o.alias;
    }
  }
  std::string text;
  for (int i = 0; i < sketch.locations; ++i) {
    const Uses& use = uses[static_cast<std::size_t>(i)];
    const Storage& there = storage[static_cast<std::size_t>(i)];
    const std::string name = location_name(i);
    const int count = there.space == Space::tensor ? kTensor : there.bulk ? kBulk : use.array ? 2 : 1;
    text += variable(there.space, name, count, 0);
    if (use.alias) text += fmt::format("  {}_alias aliases {};\n", name, name);
  }
  text += buffers(sketch, storage);
  for (const int object : objects) text += fmt::format("  .shared .b64 m{} = 1;\n", object);
  return text;
}

/// Several GPUs, or clusters, are named where there are any.
std::string heading(const Sketch& sketch, std::size_t number) {
  const Thread& thread = sketch.threads[number];
  std::string place;
  const bool gpus =
      std::any_of(sketch.threads.begin(), sketch.threads.end(), [](const Thread& t) { return t.gpu != 0; });
  if (gpus) place += fmt::format("gpu {}, ", thread.gpu);
  if (thread.cluster >= 0) place += fmt::format("cluster {}, ", thread.cluster);
  return fmt::format("P{} @ {}cta {}", number, place, thread.cta);
}

std::string columns(const std::vector<std::vector<std::string>>& cells) {
  std::size_t rows = 0;
  for (const auto& column : cells) rows = std::max(rows, column.size());
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::size_t width = 0;
      for (const std::string& cell : cells[c]) width = std::max(width, cell.size());
      text += fmt::format("{} {:<{}} ", c == 0 ? "" : "|", row < cells[c].size() ? cells[c][row] : "", width);
    }
    text += ";\n";
  }
  return text;
}

std::string condition(const Sketch& sketch, const std::vector<Storage>& storage) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    int result = 0;
    for (const Operation& o : sketch.threads[t].operations) {
      if (!reads(o.kind)) continue;
      const bool named = to_register(o);
      const int number = named ? result++ : 0;
      if (!o.read) continue;
      parts.push_back(
          named ? fmt::format("P{}:%r{} == {}", t, number, *o.read)
                : fmt::format("{}{} == {}", buffer_name(o), is_bulk(o.means) ? "[0]" : "", *o.read));
    }
  }
  const auto indexed = [&](std::size_t location) {
    if (storage[location].bulk || storage[location].space == Space::tensor) return true;
    for (const Thread& thread : sketch.threads)
      for (const Operation& o : thread.operations)
        if (accesses(o.kind) && static_cast<std::size_t>(o.location) == location &&
            o.dependency == Dependency::address)
          return true;
    return false;
  };
  for (std::size_t i = 0; i < sketch.finals.size(); ++i)
    if (sketch.finals[i])
      parts.push_back(fmt::format("{}{} == {}", location_name(static_cast<int>(i)), indexed(i) ? "[0]" : "",
                                  *sketch.finals[i]));
  return fmt::format("exists ({})\n", fmt::join(parts, " /\\ "));
}

}  // namespace

std::vector<Storage> storage_of(const Sketch& sketch) {
  std::vector<Storage> all(static_cast<std::size_t>(sketch.locations));
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (!accesses(o.kind)) continue;
      Storage& storage = all[static_cast<std::size_t>(o.location)];
      storage.bulk |= is_bulk(o.means);
      // Bulk groups copy from shared memory, the others to it.
      const bool shared = copies(o.means) && writes(o.kind) == (o.means != Means::bulk_group);
      if (shared) storage.space = Space::shared;
      if (o.means == Means::tensor) storage.space = Space::tensor;
    }
  }
  return all;
}

std::string print(const Order& order) {
  std::string text(isa::name_of(order.semantics));
  if (order.scope != isa::Scope::none) text += fmt::format(".{}", isa::name_of(order.scope));
  return text;
}

std::string location_name(int location) {
  constexpr std::string_view kNames = "xyzwabcdefgh";
  const auto index = static_cast<std::size_t>(location);
  return index < kNames.size() ? std::string(1, kNames[index]) : fmt::format("v{}", location);
}

std::string print(const Sketch& sketch, std::string_view verdict) {
  std::string text = fmt::format("PTX {}\n", sketch.name);
  if (!sketch.doc.empty()) text += fmt::format("\"{}\"\n", sketch.doc);
  if (!verdict.empty()) text += fmt::format("{}\n", verdict);
  const std::vector<Storage> storage = storage_of(sketch);
  text += "{\n" + declarations(sketch, storage) + "}\n";

  std::vector<std::vector<std::string>> code;
  bool blocks = false;  // labels, and braces of operands, are not for columns
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    code.push_back({heading(sketch, t)});
    for (std::string& line : Writer(sketch.threads[t], storage).lines()) {
      blocks |= line.back() == ':' || line.find('{') != std::string::npos;
      code.back().push_back(std::move(line));
    }
  }
  if (!blocks) return text + columns(code) + condition(sketch, storage);
  for (const std::vector<std::string>& lines : code) {
    text += lines.front() + " {\n";
    for (std::size_t i = 1; i < lines.size(); ++i)
      text += lines[i].back() == ':' ? lines[i] + "\n" : "  " + lines[i] + ";\n";
    text += "}\n";
  }
  return text + condition(sketch, storage);
}

}  // namespace ptxmc::generate
