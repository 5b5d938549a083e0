// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bridge/extract/ctas.h"
#include "bridge/extract/kernels.h"
#include "bridge/extract/objects.h"
#include "bridge/extract/rendezvous.h"
#include "bridge/extract/tensor_text.h"
#include "bridge/extract/values.h"
#include "bridge/extract/variables.h"
#include "support/overloaded.h"

namespace ptxmc::extract {

namespace {

/// ".release.gpu"; a volatile access names no scope.
std::string words(const trace::Strength& strength) {
  using isa::Semantics;
  switch (strength.semantics) {
    case Semantics::weak:
    case Semantics::volatile_:
      return fmt::format(".{}", isa::name_of(strength.semantics));
    case Semantics::mmio:
      return ".mmio.relaxed.sys";
    default:
      return fmt::format(".{}.{}", isa::name_of(strength.semantics), isa::name_of(strength.scope));
  }
}

class Writer {
 public:
  Writer(const Log& log, const Slice& slice)
      : log_(log),
        slice_(slice),
        variables_(log, slice),
        ctas_(log, slice, variables_),
        kernels_(log, slice),
        tensor_(slice),
        objects_(plan_objects(slice)),
        meetings_(slice) {}

  LitmusTest run(const std::string& name) {
    for (std::size_t i = 0; i < slice_.entries.size(); ++i) step(i);
    LitmusTest out;
    line(fmt::format("PTX {}", name));
    line("{");
    for (const std::string& declaration : variables_.declarations()) line("  " + declaration);
    for (const auto& [address, object] : variables_.objects()) {
      const ObjectPlan& plan = objects_.at(address);
      line(fmt::format("  .shared .b64 {}{};", object,
                       plan.initialised ? fmt::format(" = {}", plan.count) : std::string()));
    }
    for (const std::string& declaration : tensor_.declarations()) line("  " + declaration);
    if (far_shared_ > 0) line(fmt::format("  .shared .align 16 .b8 near[{}] = {{0}};", far_shared_));
    if (far_global_ > 0) line(fmt::format("  .global .align 16 .b8 far[{}] = {{0}};", far_global_));
    line("}");
    const std::size_t kernels = text_.size();
    if (kernels_.several()) ++lines_;
    for (std::size_t t = 0; t < slice_.threads.size(); ++t) thread(t, out);
    for (const auto& [address, plan] : objects_) helper(address, plan);
    others();
    if (!reads_.empty()) line(fmt::format("filter ({})", fmt::join(reads_, " /\\ ")));
    line("exists (true)");
    if (kernels_.several()) text_.insert(kernels, kernels_.section() + "\n");
    out.sites.resize(lines_ + 1);
    out.text = std::move(text_);
    return out;
  }

 private:
  struct Line {
    std::string text;
    std::size_t entry = 0;
  };

  std::size_t index_of(trace::Thread thread) const {
    return static_cast<std::size_t>(std::find(slice_.threads.begin(), slice_.threads.end(), thread) -
                                    slice_.threads.begin());
  }
  bool is_of_one_gpu() const {
    return std::all_of(log_.warps.begin(), log_.warps.end(),
                       [&](const auto& warp) { return warp.gpu == log_.warps.front().gpu; });
  }

  // ---- One step -------------------------------------------------------------------------------------------
  void step(std::size_t i) {
    const Entry& entry = slice_.entries[i];
    at_ = i;
    code_of_ = index_of(entry.thread);
    std::visit([&](const auto& s) { write(s); }, entry.step);
  }
  void put(const std::string& text) { code_[code_of_].push_back({std::exchange(before_, {}) + text, at_}); }
  std::string reg() { return fmt::format("%r{}", registers_[code_of_]++); }

  // ---- Shared memory of another CTA -----------------------------------------------------------------------
  bool is_remote(trace::Address address) const {
    return ctas_.is_remote(slice_.entries[at_].thread, address);
  }
  /// A name as an operand of this thread, at an address of the CTA that it is of.
  std::string reach(const std::string& name, trace::Address address) {
    if (!is_remote(address)) return name;
    const std::string target = fmt::format("%a{}", remote_++);
    const std::string variable = name.substr(0, name.find('+'));
    before_ += fmt::format("mapa.shared::cluster.u32 {}, {}, {}; ", target, variable, ctas_.rank_of(address));
    return target + name.substr(variable.size());
  }
  std::string place(trace::Address address) { return reach(variables_.place(address), address); }
  std::string object(trace::Address address) { return reach(variables_.object(address), address); }
  std::string shared_space(trace::Address address) const {
    return is_remote(address) ? ".shared::cluster" : ".shared::cta";
  }

  /// One access, or all those of a vector.
  void write(const MemoryAccess& s) {
    if (s.element != 0) return;  // with the first one
    if (s.proxy != isa::Proxy::generic) throw Unwritten{"an access goes through another proxy"};
    if (s.bytes.bytes > 8) throw Unwritten{"an access of 16 bytes cannot be split"};
    const auto bits = s.bytes.bytes * 8;
    const bool updates = s.effect == trace::Effect::update;
    if (updates && s.elements > 1) throw Unwritten{"an atomic of several elements"};
    if (updates && bits < 32) throw Unwritten{"an atomic of 16 bits"};
    const std::string space = is_remote(s.bytes.begin)              ? ".shared::cluster"
                              : variables_.is_shared(s.bytes.begin) ? ".shared"
                                                                    : ".global";
    const std::string place = this->place(s.bytes.begin), how = words(s.strength) + space;
    const std::string vector = s.elements > 1 ? fmt::format(".v{}", s.elements) : std::string();
    const std::string type = fmt::format("{}.b{}", vector, bits);
    const bool keeps = s.polls && s.writes();  // an atomic that writes what it reads
    const auto load = [&](const std::string& to) {
      return keeps ? fmt::format("atom{}.or{} {}, [{}], 0", how, type, to, place)
                   : fmt::format("ld{}{} {}, [{}]", how, type, to, place);
    };
    // A turn before the last one, on the same line: it may have read anything.
    const std::string turn = s.polls ? load(results(s.elements)) + "; " : "";
    const std::string target = s.reads() ? filtered_results(s.elements) : std::string();
    if (!s.writes() || keeps) return put(turn + load(target));
    const std::string values = written_values(s.elements);
    if (!updates) return put(fmt::format("st{}{} [{}], {}", how, type, place, values));
    put(fmt::format("atom{}.exch{} {}, [{}], {}", how, type, target, place, values));
  }

  /// An element of the access that is written now.
  const MemoryAccess& element(unsigned number) const {
    return std::get<MemoryAccess>(slice_.entries[at_ + number].step);
  }
  static std::string braced(const std::vector<std::string>& all) {
    return all.size() == 1 ? all.front() : fmt::format("{{{}}}", fmt::join(all, ", "));
  }
  std::string results(unsigned elements) {
    std::vector<std::string> out;
    while (out.size() < elements) out.push_back(reg());
    return braced(out);
  }

  /// What decides nothing may be another value in all schedules, and so may what decides only what the slice does not have.
  std::string filtered_results(unsigned elements) {
    std::vector<std::string> out;
    for (unsigned number = 0; number < elements; ++number) {
      const MemoryAccess& s = element(number);
      out.push_back(reg());
      const std::set<std::int64_t> seen = values_.seen_by(s);
      if (s.strong() && s.decides && (s.writes() || is_followed(elements)))
        reads_.push_back(filter_of(out.back(), seen));
    }
    return braced(out);
  }

  std::string written_values(unsigned elements) {
    std::vector<std::string> out;
    for (unsigned number = 0; number < elements; ++number)
      out.push_back(std::to_string(values_.put_by(element(number))));
    return braced(out);
  }

  /// Its thread does something after its elements.
  bool is_followed(unsigned elements) const {
    const trace::Thread own = slice_.entries[at_].thread;
    return std::any_of(slice_.entries.begin() + static_cast<std::ptrdiff_t>(at_ + elements),
                       slice_.entries.end(), [&](const Entry& entry) { return entry.thread == own; });
  }

  std::string filter_of(const std::string& target, const std::set<std::int64_t>& values) const {
    std::vector<std::string> all;
    for (const std::int64_t value : values)
      all.push_back(fmt::format("P{}:{} == {}", code_of_, target, value));
    return all.size() == 1 ? all.front() : fmt::format("({})", fmt::join(all, " \\/ "));
  }

  void write(const Fence& s) {
    if (s.memory == isa::Space::generic) return put("fence" + words(s.strength));
    put(fmt::format("fence.{}.sync_restrict::{}.{}", isa::name_of(s.strength.semantics),
                    isa::name_of(s.memory), isa::name_of(s.strength.scope)));
  }
  void write(const ProxyFence& s) {
    if (s.proxy != isa::Proxy::async) throw Unwritten{"a fence of another proxy is between them"};
    const std::string space(isa::name_of(s.space));
    if (s.strength.semantics != isa::Semantics::weak) {
      return put(fmt::format("fence.proxy.async::generic.{}.sync_restrict::{}{}.cluster",
                             isa::name_of(s.strength.semantics), space, s.reads_only ? "::read" : ""));
    }
    put("fence.proxy.async" + (space.empty() ? space : "." + space));
  }
  void write(const GridWait&) { put("griddepcontrol.wait"); }
  void write(const InitFence&) { put("fence.mbarrier_init.release.cluster"); }
  void write(const WarpSync& s) {
    std::uint32_t mask = 0;
    for (const Entry& entry : slice_.entries) {
      const auto* other = std::get_if<WarpSync>(&entry.step);
      if (other != nullptr && other->number == s.number) mask |= 1U << lane(index_of(entry.thread));
    }
    if ((mask & (mask - 1)) != 0) put(fmt::format("bar.warp.sync {:#x}", mask));
  }
  void write(const BarrierStep& s) {
    const std::string text = meetings_.text(s, slice_.entries[at_].thread);
    if (!text.empty()) put(text);
  }
  void write(const Init& s) {
    put(fmt::format("mbarrier.init.shared::cta.b64 [{}], {}", variables_.object(s.object),
                    objects_.at(s.object).count));
  }
  void write(const Invalidation& s) {
    put(fmt::format("mbarrier.inval.shared::cta.b64 [{}]", variables_.object(s.object)));
  }
  void write(const Arrive& s) {
    if (s.commits.cta_group != 0 && is_remote(s.object))
      throw Unwritten{"a tcgen05.commit arrives in another CTA"};
    const std::string object = this->object(s.object);
    const std::string space = shared_space(s.object);
    if (s.commits.cta_group != 0) return put(tensor_.commit(s.commits, object));
    if (s.after_copies)
      return put(fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [{}]", object));
    const std::int64_t bytes =
        s.bytes > 0 && expected_.emplace(s.object, s.phase).second ? bytes_of(slice_, s.object, s.phase) : 0;
    const std::string strength = words(s.strength);
    if (bytes > 0 && s.count == 1)
      return put(
          fmt::format("mbarrier.arrive.expect_tx{}{}.b64 _, [{}], {}", strength, space, object, bytes));
    if (bytes > 0)
      put(fmt::format("mbarrier.expect_tx.relaxed.{}{}.b64 [{}], {}", is_remote(s.object) ? "cluster" : "cta",
                      space, object, bytes));
    if (s.count > 0)
      put(fmt::format("mbarrier.arrive{}{}.b64 _, [{}], {}", strength, space, object, s.count));
  }
  void write(const PhaseWait& s) {
    const ObjectPlan& plan = objects_.at(s.object);
    if (!plan.is_over(s.phase)) put(wait(words(s.strength), s.object, s.phase));
  }
  std::string wait(const std::string& strength, trace::Address object, trace::Phase phase) {
    const unsigned label = labels_++;
    return fmt::format("W{}: mbarrier.try_wait.parity{}.shared::cta.b64 %p{}, [{}], {}; @!%p{} bra W{}",
                       label, strength, label, variables_.object(object), objects_.at(object).parity(phase),
                       label, label);
  }

  void write(const WgmmaFence&) {}
  void write(const TensorAccess& s) { put(tensor_.access(s, reg())); }
  void write(const TensorWait& s) {
    put(s.stores ? "tcgen05.wait::st.sync.aligned" : "tcgen05.wait::ld.sync.aligned");
  }
  void write(const TensorFence& s) {
    put(s.after ? "tcgen05.fence::after_thread_sync" : "tcgen05.fence::before_thread_sync");
  }
  void write(const Copy& s) {
    if (s.tracking == trace::Tracking::wgmma) throw Unwritten{"one is of a wgmma.mma_async"};
    const bool copies = s.proxy == isa::Proxy::async || s.tracking == trace::Tracking::cp_async;
    if (!copies) throw Unwritten{"one is of a st.async or red.async, or of a tensor map"};
    issued_.emplace(code_of_, s.tracking);
    const bool writes = s.written() != nullptr;
    const trace::Address here = copied_from(writes ? *s.written() : *s.read());
    const std::string place = this->place(here);
    const std::uint64_t bytes = copied(s);
    const bool shared = variables_.is_shared(here);
    // What an mbarrier object tracks is written to shared memory.
    const bool within = s.tracking == trace::Tracking::mbarrier && shared &&
                        (!writes || (s.read() != nullptr && variables_.is_shared(s.read()->begin)));
    std::string other;
    if (writes && s.read() != nullptr) {
      const trace::Address there = copied_from(*s.read());
      if (is_remote(there)) throw Unwritten{"a copy from the shared memory of another CTA"};
      other = this->place(there);
    } else {
      const bool near = within || !shared;
      other = within ? reach("near", s.object) : (near ? "near" : "far");
      std::uint64_t& size = near ? far_shared_ : far_global_;
      size = std::max(size, bytes);
    }
    const std::string& to = writes ? place : other;
    const std::string& from = writes ? other : place;
    const bool to_shared = writes == shared;
    if (s.tracking == trace::Tracking::cp_async)
      return put(fmt::format("cp.async.cg.shared.global [{}], [{}], {}", to, from, bytes));
    const bool strong = s.strength.semantics != isa::Semantics::weak;
    const std::string name =
        fmt::format("{}{}", s.reduces ? "cp.reduce.async.bulk" : "cp.async.bulk",
                    strong ? fmt::format(".relaxed.{}", isa::name_of(s.strength.scope)) : std::string());
    const std::string whole = strong && !s.reduces ? ".b128" : "";
    const std::string spaces = within      ? ".shared::cluster.shared::cta"
                               : to_shared ? shared_space(here) + ".global"
                                           : ".global.shared::cta";
    if (to_shared && s.reduces) throw Unwritten{"a reduction into shared memory"};
    if (s.reduces && s.through_map && !is_of_one_gpu())  // R149, R151: written as one of scope sys
      throw Unwritten{"a tensor reduction of scope gpu beside another GPU"};
    if (s.tracking == trace::Tracking::mbarrier)
      return put(fmt::format("{}{}.mbarrier::complete_tx::bytes{} [{}], [{}], {}, [{}]", name, spaces, whole,
                             to, from, bytes, object(s.object)));
    put(fmt::format("{}{}.bulk_group{} [{}], [{}], {}", name, spaces,
                    s.reduces ? reduction(s.element) : whole, to, from, bytes));
  }
  /// One of elements of these bytes: what it computes is not in question.
  static const char* reduction(std::uint8_t element) {
    return element == 8 ? ".add.u64" : element == 2 ? ".add.noftz.f16" : ".add.u32";
  }
  void write(const Commit& s) {
    if (s.tracking == trace::Tracking::wgmma) return;  // no operation of these groups is written
    put(s.tracking == trace::Tracking::cp_async ? "cp.async.commit_group" : "cp.async.bulk.commit_group");
  }
  void write(const GroupWait& s) {
    if (s.tracking == trace::Tracking::wgmma) return;
    put(s.tracking == trace::Tracking::cp_async
            ? fmt::format("cp.async.wait_group {}", s.pending)
            : fmt::format("cp.async.bulk.wait_group{} {}", s.reads_only ? ".read" : "", s.pending));
  }

  // ---- Text -----------------------------------------------------------------------------------------------
  void line(const std::string& text) {
    text_ += text + "\n";
    ++lines_;
  }

  /// Writes the head of a thread of the test.
  void head(std::size_t number, const trace::Placement& at, const std::string& warp = "",
            const std::string& code = "") {
    line(fmt::format("P{} @ {}{} {{{}", number, placement(at), warp, code));
    kernels_.add(number, at.task);
  }

  /// Threads of one warp are its lanes, in the order of the text.
  unsigned lane(std::size_t t) const {
    unsigned out = 0;
    for (std::size_t other = 0; other < t; ++other)
      out += slice_.threads[other] / trace::kLanes == slice_.threads[t] / trace::kLanes ? 1 : 0;
    return out;
  }

  /// The entry that was written for this one.
  std::size_t first_element(std::size_t entry) const {
    const auto* access = std::get_if<MemoryAccess>(&slice_.entries[entry].step);
    return access == nullptr ? entry : entry - access->element;
  }

  void thread(std::size_t t, LitmusTest& out) {
    const std::uint32_t warp = slice_.threads[t] / trace::kLanes;
    if (tensor_.used() && lane(t) != 0)
      throw Unwritten{"two threads of a warp, which executes tcgen05 as one"};
    // A warp without a number is the one that reaches the lanes of its address (R288).
    head(t, log_.warps.at(warp), tensor_.used() ? "" : fmt::format(", warp {}", warp));
    if (kernels_.launches_dependents(log_.warps.at(warp).task)) line("  griddepcontrol.launch_dependents;");
    for (std::size_t n = meetings_.before_slice(log_.warps.at(warp).cluster, slice_.threads[t]); n > 0; --n)
      line("  barrier.cluster.arrive.relaxed;");
    for (const Line& code : code_[t]) {
      line("  " + code.text + ";");
      out.sites.resize(lines_ + 1);
      out.sites[lines_] = slice_.entries[code.entry].site;
      if (code.entry == first_element(slice_.begin)) out.first_line = lines_;
      if (code.entry == first_element(slice_.end)) out.second_line = lines_;
    }
    // Copies that are still under way would be a finding of their own.
    for (const auto& [tracking, end] :
         {std::pair{trace::Tracking::cp_async, "  cp.async.wait_all;"},
          std::pair{trace::Tracking::bulk_group,
                    "  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"}}) {
      if (issued_.contains({t, tracking})) line(end);
    }
    line("}");
  }

  /// CTAs that others reach, and of which the slice has no thread.
  void others() {
    for (const trace::Placement& place : ctas_.without_thread())
      head(slice_.threads.size() + helpers_++, place, "", " exit; }");
  }

  /// The arrivals of others, which order nothing.
  void helper(trace::Address address, const ObjectPlan& plan) {
    const auto needed = [](const ObjectPlan::Missing& m) { return m.arrivals > 0 || m.bytes > 0; };
    if (std::none_of(plan.missing.begin(), plan.missing.end(), needed)) return;
    const std::string& object = variables_.object(address);
    head(slice_.threads.size() + helpers_++, ctas_.of(address));
    for (std::size_t i = 0; i < plan.missing.size(); ++i) {
      const ObjectPlan::Missing& missing = plan.missing[i];
      if (i > 0) line("  " + wait(".relaxed.cta", address, plan.base + i - 1) + ";");
      if (missing.bytes > 0)
        line(
            fmt::format("  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{}], {};", object, missing.bytes));
      if (missing.arrivals > 0)
        line(fmt::format("  mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [{}], {};", object,
                         missing.arrivals));
    }
    line("}");
  }

  const Log& log_;
  const Slice& slice_;
  Variables variables_;
  Ctas ctas_;
  Kernels kernels_;
  TensorText tensor_;
  std::map<trace::Address, ObjectPlan> objects_;
  Rendezvous meetings_;
  std::set<std::pair<trace::Address, trace::Phase>> expected_;
  std::map<std::size_t, std::vector<Line>> code_;
  std::map<std::size_t, unsigned> registers_;
  Values values_;
  std::vector<std::string> reads_;                            // of the filter
  std::set<std::pair<std::size_t, trace::Tracking>> issued_;  // by which threads
  std::uint64_t far_shared_ = 0, far_global_ = 0;
  std::size_t at_ = 0, code_of_ = 0;
  std::string before_;  // of the next line
  unsigned remote_ = 0;
  unsigned labels_ = 0, lines_ = 0;
  std::size_t helpers_ = 0;
  std::string text_;
};

}  // namespace

std::variant<LitmusTest, std::string> write_litmus(const Log& log, const Slice& slice,
                                                   const std::string& name) {
  try {
    return Writer(log, slice).run(name);
  } catch (const Unwritten& unwritten) {
    return unwritten.why;
  }
}

}  // namespace ptxmc::extract
