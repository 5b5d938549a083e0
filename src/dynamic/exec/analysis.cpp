// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/analysis.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "dynamic/exec/arithmetic.h"
#include "dynamic/exec/counter_atomics.h"
#include "dynamic/exec/exit_reads.h"
#include "dynamic/exec/idle_loops.h"
#include "dynamic/exec/looked_at.h"
#include "dynamic/exec/spin_loops.h"
#include "dynamic/exec/traps.h"
#include "dynamic/exec/try_results.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;

/// The registers whose values may decide where a thread goes, or what others read.
class Deciding {
 public:
  explicit Deciding(Code& code) : code_(code), relevant_(code.slots, 0), points_(code.slots, 0) {}

  void run() {
    find_variables();
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : code_.steps) changed |= step_changes(step);
    }
    std::optional<Looked> looked;
    for (Step& step : code_.steps) {
      const Opcode opcode = step.instruction->opcode;
      const bool waits = opcode == Opcode::mbarrier_try_wait || opcode == Opcode::mbarrier_test_wait;
      step.decides = (opcode == Opcode::ld || opcode == Opcode::atom || opcode == Opcode::multimem_load ||
                      opcode == Opcode::cancel_query || waits) &&
                     gives(step);
      if (!waits || !step.decides || step.waits_in_loop || step.is_tried_ahead) continue;
      if (!looked)
        looked.emplace(code_, [&](const Step& store) { return (of_shared(store) & carrying_) != 0; });
      step.decides = looked->decides(step.site - code_.first);
    }
  }

 private:
  bool mark(Slot slot) {
    if (slot == kNoSlot || relevant_[slot] != 0) return false;
    relevant_[slot] = 1;
    return true;
  }
  bool is_relevant(Slot slot) const { return slot != kNoSlot && relevant_[slot] != 0; }
  bool gives(const Step& step) const {
    const bool atomic = step.instruction->opcode == Opcode::atom;  // its elements are operands, too
    const auto& all = atomic ? step.results : step.elements;
    return is_relevant(step.to) || is_relevant(step.second) ||
           std::any_of(all.begin(), all.end(), [&](Slot slot) { return is_relevant(slot); });
  }

  bool step_changes(const Step& step) {
    bool changed = false;
    const bool pure = step.compute != nullptr || step.is_unknown;
    if (pure && !gives(step)) return false;
    changed |= mark(step.guard);
    for (std::size_t i = 0; i < step.source_count; ++i) changed |= mark(step.sources[i]);
    if (pure) {
      for (const auto& [from, to] : step.opposites) changed |= mark(from);
      changed |= mark(step.slot(isa::Role::predicate));
      return changed | mark(step.slot(isa::Role::state));
    }
    if (step.instruction->opcode == Opcode::ld) {
      const Variables before = carrying_;
      if (gives(step)) carrying_ |= of_shared(step);
      return changed | mark(step.address.base) | (carrying_ != before);
    }
    if (step.instruction->opcode == Opcode::st && (of_shared(step) & carrying_) != 0) {
      for (const Slot slot : step.elements) changed |= mark(slot);
      changed |= mark(step.slot(isa::Role::value));
    }
    // What is stored may come back, with what it rests on; that it was read in some order decides nothing.
    for (std::size_t role = 0; role < kRoles; ++role) {
      if (step.by_role[role] != step.to && role != static_cast<std::size_t>(isa::Role::value))
        changed |= mark(step.by_role[role]);
    }
    if (gives(step)) changed |= mark(step.slot(isa::Role::value));
    for (const Slot slot : {step.address.base, step.source.base, step.mbarrier.base, step.tensor.base})
      changed |= mark(slot);
    for (const Slot slot : step.coordinates) changed |= mark(slot);
    for (const auto& [role, place] : step.in_tensor) changed |= mark(place.base);
    return changed;
  }

  /// Variables of shared memory, a bit each; many share one.
  using Variables = std::uint64_t;
  static constexpr Variables kAny = ~Variables{0};

  /// Those that a register may hold an address of.
  void find_variables() {
    std::map<std::string, unsigned> numbers;
    for (const Constant& constant : code_.constants) {
      if (constant.variable.empty()) continue;
      const unsigned number = numbers.emplace(constant.variable, numbers.size()).first->second;
      points_[constant.slot] = Variables{1} << (number % 64);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step& step : code_.steps) {
        if (step.compute == nullptr && step.instruction->opcode != Opcode::cvta) continue;
        Variables all = step.address.base == kNoSlot ? 0 : points_[step.address.base];
        for (std::size_t i = 0; i < step.source_count; ++i) all |= points_[step.sources[i]];
        if (step.has(isa::Role::a)) all |= points_[step.slot(isa::Role::a)];
        for (const Slot slot : {step.to, step.second}) {
          if (slot == kNoSlot || (points_[slot] | all) == points_[slot]) continue;
          points_[slot] |= all;
          changed = true;
        }
      }
    }
  }

  /// Which of them an access may be to. A value that is left in one for other threads decides what they decide by it.
  Variables of_shared(const Step& step) const {
    if (step.address.base == kNoSlot) return 0;
    const Variables known = points_[step.address.base];
    const isa::Space space = step.address.space;
    const bool shared = space == isa::Space::shared || space == isa::Space::shared_cta;
    return known != 0 ? known : (shared ? kAny : 0);
  }

  Code& code_;
  std::vector<char> relevant_;
  std::vector<Variables> points_;  // by register
  Variables carrying_ = 0;         // whose contents may decide
};

/// Products that a sum may take: by whatever moves between the two, the compiler of PTX sees through.
void find_products(Code& code) {
  const bool sums = std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) {
    return step.compute != nullptr && takes_product(*step.instruction);
  });
  for (Step& step : code.steps)
    step.may_fuse = sums && step.compute != nullptr && is_product(*step.instruction);
}

/// Which NaN an instruction gives, the manual leaves open for .f32 (9.7.3); for .f64 it rests on those that it reads.
void find_floats(Code& code) {
  for (Step& step : code.steps) {
    const auto& type = step.instruction->modifiers.type;
    if (step.compute == nullptr || !type || !type->is_floating()) continue;
    switch (step.instruction->opcode) {
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::fma:
      case Opcode::mad:
      case Opcode::min:
      case Opcode::max:
      case Opcode::neg:
      case Opcode::abs:
      case Opcode::div:
      case Opcode::rcp:
      case Opcode::sqrt:
      case Opcode::cvt:
        step.gives_float = type->bits == 32 || type->bits == 64;
        break;
      default:
        break;
    }
  }
}

/// A read of memory by whose value control may go, or which waits.
bool heeds_value(const Step& step) {
  if (step.polls != nullptr || step.takes != nullptr) return true;
  const isa::Space space = step.address.space;
  const bool given = step.act == Act::load && (space == isa::Space::param || space == isa::Space::const_);
  return step.decides && !given && step.act != Act::mbarrier_wait && step.act != Act::query_cancel;
}

/// A fence, or an operation that releases or acquires: an atomic is part of a pattern of it by what it reads or writes (8.8).
bool orders_by_values(const Step& step) {
  const isa::Semantics semantics = step.modifiers().semantics;
  const bool barrier =
      step.act == Act::barrier || step.act == Act::cluster_arrive || step.act == Act::cluster_wait;
  const bool releases = semantics == isa::Semantics::acquire || semantics == isa::Semantics::release ||
                        semantics == isa::Semantics::acq_rel || semantics == isa::Semantics::sc;
  return step.act == Act::fence || step.act == Act::proxy_fence || (releases && !barrier);
}

}  // namespace

void analyse(Code& code) {
  find_traps(code);
  find_spin_loops(code);
  find_idle_loops(code);
  find_try_results(code);
  Deciding(code).run();
  find_counting(code);
  find_exit_reads(code);
  find_products(code);
  find_floats(code);
  code.heeds_order = std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) {
    return heeds_value(step) || orders_by_values(step);
  });
}

}  // namespace ptxmc::exec
