// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/spin_loops.h"

#include <algorithm>
#include <optional>
#include <set>

#include "dynamic/exec/exit_target.h"
#include "dynamic/exec/straight_paths.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

constexpr unsigned kMostRounds = 16;  // until it is known what differs from turn to turn

bool only_takes_time(Opcode opcode) {
  return opcode == Opcode::nanosleep || opcode == Opcode::nop;
}

/// Reads that change nothing: ld, or an atomic that adds nothing. A packed value has no register for each element.
bool reads_without_change(const Code& code, const Step& step) {
  if (step.modifiers().semantics == isa::Semantics::weak) return false;
  if (step.instruction->opcode == Opcode::ld)
    return step.element_count == step.elements.size() || (step.element_count == 1 && !step.elements.empty());
  if (step.instruction->opcode != Opcode::atom || step.element_count != 1 || step.to == kNoSlot ||
      step.element_bytes > sizeof(std::uint64_t))
    return false;
  const auto& op = step.modifiers().atomic;
  const auto number = [&](Role role) -> std::optional<std::int64_t> {
    const auto found =
        std::find_if(code.constants.begin(), code.constants.end(), [&](const Constant& constant) {
          return constant.slot == step.slot(role) && constant.variable.empty() && !constant.special;
        });
    return found == code.constants.end() ? std::nullopt
                                         : std::optional(static_cast<std::int64_t>(found->number));
  };
  const std::optional<std::int64_t> value = number(Role::value);
  if (op == isa::AtomicOp::cas)
    return step.slot(Role::value) == step.slot(Role::comparand) ||
           (value && value == number(Role::comparand));
  const bool adds = op == isa::AtomicOp::add || op == isa::AtomicOp::or_ || op == isa::AtomicOp::xor_;
  return adds && value == 0;
}

/// An atomic that takes a lock, or leaves it as it is.
bool may_take(const Step& step) {
  constexpr std::uint16_t kWidest = 64;
  const auto& type = step.modifiers().type;
  return step.instruction->opcode == Opcode::atom && step.element_count == 1 && step.to != kNoSlot &&
         step.has(Role::value) && (!type || type->bits <= kWidest);
}

bool is_swap(const Step& step) {
  return step.instruction->opcode == Opcode::atom && step.modifiers().atomic == isa::AtomicOp::cas;
}

/// Registers that one mov alone writes, from another: compilers make a constant anew for each use of it.
class RegisterCopies {
 public:
  explicit RegisterCopies(const Code& code) : code_(code), source_(code.slots, kNoSlot) {
    std::vector<char> writers(code.slots, 0);
    for (const Step& step : code.steps) {
      Slots written;
      add_written(code, step, written);
      const bool copies = step.instruction->opcode == Opcode::mov && step.guard == kNoSlot &&
                          step.source_count == 1 && step.elements.size() < 2 && step.to != kNoSlot;
      for (const Slot slot : written) {
        source_[slot] = copies && writers[slot] == 0 ? step.sources[0] : kNoSlot;
        writers[slot] = 1;
      }
    }
  }
  /// What the register holds wherever it is read.
  std::optional<std::uint64_t> number(Slot slot) const {
    const Constant* found = constant(slot);
    if (found == nullptr || !found->variable.empty() || found->special) return std::nullopt;
    return found->number;
  }
  /// Both hold one constant wherever they are read.
  bool same_constant(Slot a, Slot b) const {
    const Constant *first = constant(a), *second = constant(b);
    return first != nullptr && second != nullptr && first->variable == second->variable &&
           first->number == second->number && !first->special && !second->special;
  }

 private:
  const Constant* constant(Slot slot) const {
    if (slot == kNoSlot) return nullptr;
    for (unsigned i = 0; i < kMostRounds && source_[slot] != kNoSlot; ++i) slot = source_[slot];
    const auto found = std::find_if(code_.constants.begin(), code_.constants.end(),
                                    [&](const Constant& constant) { return constant.slot == slot; });
    return found == code_.constants.end() ? nullptr : &*found;
  }
  const Code& code_;
  std::vector<Slot> source_;
};

/// What may follow a wait that has failed, or a read of memory, until it is tried again.
class WaitTurn {
 public:
  WaitTurn(const Code& code, const flow::Graph& before, const RegisterCopies& copies, std::size_t wait,
           const std::set<std::size_t>& waits)
      : code_(code),
        before_(before),
        copies_(copies),
        wait_(wait),
        polls_(!waits.contains(wait)),
        waits_(waits),
        varies_(code.slots, 0) {
    for (const Slot slot : read_by(code.steps[wait])) {
      if (slot != kNoSlot) given_.insert(slot);
    }
  }

  /// Does it come back to the wait without doing anything: on every path, or on all that what was read leads to?
  bool comes_back() {
    if (given_.empty()) return false;
    for (unsigned round = 0; round < kMostRounds; ++round) {
      in_turns_ = {};
      differing_.clear();
      loop_.assign(code_.steps.size(), false);
      paths_ = 0;
      doubtful_ = false;
      again_.reset();
      told_.reset();
      if (!follow({start(), {}, {}, std::nullopt}, wait_ + 1, 0) || doubtful_) return false;
      bool carried = round == 0;  // all that may be written is known after it
      const std::vector<Slot> unsettled = unsettled_at(code_, loop_, before_, wait_);
      for (const Slot slot : in_turns_.read) {
        if (!in_turns_.written.contains(slot) || varies_[slot] != 0) continue;
        // Compilers make what does not change anew in each turn.
        if (std::find(unsettled.begin(), unsettled.end(), slot) == unsettled.end()) continue;
        varies_[slot] = 1;
        carried = true;
      }
      if (!carried) return at_one_place() && (!told_ || others_do_nothing(*told_));
    }
    return false;
  }

  /// Registers, beside the result of the wait, that may hold something else at the wait if there were other
  /// turns before it. None is read any more of a try ahead of a loop.
  std::vector<Slot> left_behind() const {
    std::vector<Slot> out = again_ ? std::vector<Slot>{} : unsettled_at(code_, loop_, before_, wait_);
    std::erase_if(out, [&](Slot slot) { return given_.contains(slot); });
    return out;
  }
  std::vector<trace::Site> avoids() const { return {avoided_.begin(), avoided_.end()}; }
  /// What is computed in it and differs from turn to turn: of those that are told, too, what was read.
  const std::set<std::size_t>& differing() const { return told_ ? differing_ : in_turns_.differing; }

  PollLoop loop() const {
    PollLoop out{loop_, {}, again_, told_, {}};
    if (told_)
      out.left_behind = unsettled_at(code_, flow::cycle_of(*told_, successors(code_)), before_, *told_);
    for (const Slot slot : in_turns_.read) {
      if (!given_.contains(slot)) out.inputs.push_back(slot);
    }
    return out;
  }

 private:
  /// A thread on its way: what is known of its registers, which of them it may have written, and surely has, and who has told
  /// others.
  struct Path {
    Facts facts;
    Slots written, own;
    std::optional<std::size_t> told;
  };
  /// What is done on a way that comes back.
  struct Done {
    StraightPath way;
    Slots read, written;  // what is read before it is written
    std::set<std::size_t> differing;
    bool doubtful = false;
  };

  Facts start() const {
    Facts state = constants_of(code_);
    for (const Slot clock : code_.clocks) state.of[clock] = Fact::varies;
    for (std::size_t slot = 0; slot < varies_.size(); ++slot) {
      if (varies_[slot] != 0) state.of[slot] = Fact::varies;
    }
    for (const Slot slot : given_) {
      state.rows[slot][0] = 0;
      state.of[slot] = polls_ ? Fact::awaited : Fact::number;
    }
    return state;
  }

  /// The location and what it would write there, or the object and the phase, are others than those of the first try: it is
  /// another wait.
  bool operands_differ(const Path& path) const {
    const Step& wait = code_.steps[wait_];
    const auto differs = [&](Slot slot) {
      return path.written.contains(slot) &&
             (path.facts.of[slot] == Fact::varies || path.facts.of[slot] == Fact::awaited);
    };
    const bool writes = wait.instruction->opcode == Opcode::atom;
    if (writes && (differs(wait.slot(Role::value)) || differs(wait.slot(Role::comparand)))) return true;
    return differs(wait.address.base) || differs(wait.mbarrier.base) || differs(wait.slot(Role::parity)) ||
           differs(wait.slot(Role::state));
  }

  /// The first try, too, is of the location, or the object and the phase, that the others are of.
  bool at_one_place() const {
    const Step& wait = code_.steps[wait_];
    const std::vector<Slot> unsettled = unsettled_at(code_, loop_, before_, wait_);
    const auto is_settled = [&](Slot slot) {
      return std::find(unsettled.begin(), unsettled.end(), slot) == unsettled.end();
    };
    return is_settled(wait.address.base) && is_settled(wait.mbarrier.base) &&
           is_settled(wait.slot(Role::parity)) && is_settled(wait.slot(Role::state));
  }

  /// Those that are told what was read do nothing until they are told again: they may be any number of times.
  bool others_do_nothing(std::size_t told) const {
    const std::vector<bool> round = flow::cycle_of(told, successors(code_));
    for (std::size_t at = 0; at < round.size(); ++at) {
      const Step& step = code_.steps[at];
      const bool idle = step.act == Act::none || is_pure(step) || only_takes_time(step.instruction->opcode);
      if (round[at] && at != told && at != wait_ && !idle) return false;
    }
    return true;
  }

  /// From one instruction to the wait; false: elsewhere.
  bool follow(Path path, std::size_t at, unsigned length) {
    if (++paths_ > kMostPaths) {
      doubtful_ = true;
      return false;
    }
    Done done;
    for (; length < kLongestTurn && at < code_.steps.size(); ++length) {
      if (at == wait_) return !operands_differ(path) && returns(path, done);
      if (waits_.contains(at) && tries_the_same(code_.steps[at], path.own) && left_alike(path, at)) {
        if (again_ && again_ != at) doubtful_ = true;
        again_ = at;
        return returns(path, done);
      }
      const Step& step = code_.steps[at];
      done.way.push_back(at);
      note_read(step.guard, path, done);
      if (polls_ && tells_others(step)) {
        // A turn without a read: that of another thread.
        if (path.told || !write_told(path, step, done)) return false;
        path.told = at++;
        continue;
      }
      const Facts& facts = path.facts;
      const bool knows = step.guard == kNoSlot || facts.of[step.guard] == Fact::number;
      const bool executes =
          step.guard == kNoSlot || !knows || ((facts.rows[step.guard][0] & 1U) != 0) != step.guard_negated;
      if (is_pure(step)) {
        if (executes) compute(path, at, done);
        ++at;
      } else if (!knows && step.traps != Step::Trap::none) {  // who goes that way comes back no more
        avoided_.insert(step.site);
        at = step.traps == Step::Trap::if_taken ? at + 1 : step.target - code_.first;
      } else if (!executes || (step.act != Act::none && only_takes_time(step.instruction->opcode))) {
        ++at;
      } else if (step.act != Act::none) {
        return false;
      } else if (knows) {
        at = step.target - code_.first;
      } else {
        const bool chosen = polls_ && facts.of[step.guard] != Fact::varies;
        const bool there = follow(path, step.target - code_.first, length + 1);
        const bool here = follow(path, at + 1, length + 1);
        if (!chosen && there != here) doubtful_ = true;  // it may be left for another reason
        return (there || here) && returns(path, done);
      }
    }
    return false;
  }

  /// It comes back, or what follows it does.
  bool returns(const Path& path, const Done& done) {
    for (const std::size_t step : done.way) loop_[step] = true;
    in_turns_.read.insert(done.read.begin(), done.read.end());
    in_turns_.written.insert(done.written.begin(), done.written.end());
    in_turns_.differing.insert(done.differing.begin(), done.differing.end());
    doubtful_ = doubtful_ || done.doubtful || (path.told && told_.value_or(*path.told) != *path.told);
    if (path.told) told_ = path.told;
    return true;
  }

  /// Another wait, for what this one is for.
  bool tries_the_same(const Step& other, const Slots& own) const {
    const Step& wait = code_.steps[wait_];
    const auto same = [&](Slot a, Slot b) {
      return (a == b && !own.contains(a)) || copies_.same_constant(a, b);
    };
    const isa::Modifiers &ours = wait.modifiers(), &theirs = other.modifiers();
    if (ours.semantics != theirs.semantics || ours.scope != theirs.scope) return false;
    if (wait.instruction->opcode == Opcode::atom) {
      return is_swap(wait) && is_swap(other) && ours.type == theirs.type && ours.space == theirs.space &&
             same(wait.address.base, other.address.base) && wait.address.offset == other.address.offset &&
             same(wait.slot(Role::value), other.slot(Role::value)) &&
             same(wait.slot(Role::comparand), other.slot(Role::comparand));
    }
    return same(wait.mbarrier.base, other.mbarrier.base) && wait.mbarrier.offset == other.mbarrier.offset &&
           same(wait.slot(Role::parity), other.slot(Role::parity)) &&
           same(wait.slot(Role::state), other.slot(Role::state));
  }

  /// Whether this wait or the other one succeeds makes no difference: both lead to one place, where no register that
  /// was written on either way is read any more.
  bool left_alike(const Path& path, std::size_t other) const {
    Facts here = start(), there = path.facts;
    const Step& step = code_.steps[wait_];
    const bool swaps = step.instruction->opcode == Opcode::atom;
    const auto swapped = swaps ? copies_.number(step.slot(Role::comparand)) : 0;
    if (!swapped) return false;
    const StraightPath first = path_out(code_, here, wait_, *swapped),
                       second = path_out(code_, there, other, *swapped);
    const auto meet = meeting(first, second);
    if (!meet) return false;
    Slots written = path.own;
    written.insert(written_.begin(), written_.end());
    for (const StraightPath* way : {&first, &second}) add_written(code_, *way, *meet, written);
    for (const std::size_t at : {wait_, other}) add_written(code_, code_.steps[at], written);
    return none_is_read_from(code_, *meet, written);
  }

  /// What the thread read is what all learn, as the others add nothing (Polls::told_by_one, told_by_lanes see to that). False:
  /// it tells something else.
  bool write_told(Path& path, const Step& step, Done& done) {
    const Slot told = step.slot(step.instruction->opcode == Opcode::shuffle ? Role::value : Role::predicate);
    note_read(told, path, done);
    if (path.facts.of[told] == Fact::varies) return false;
    for (const Slot slot : {step.to, step.second}) {
      if (slot != kNoSlot) note_written(slot, Fact::awaited, true, path, done);
    }
    return true;
  }

  static void note_read(Slot slot, const Path& path, Done& done) {
    if (slot != kNoSlot && !path.own.contains(slot)) done.read.insert(slot);
  }

  /// `surely`: whatever its guard is.
  void note_written(Slot slot, Fact fact, bool surely, Path& path, Done& done) {
    path.facts.of[slot] = fact;
    done.written.insert(slot);
    path.written.insert(slot);
    written_.insert(slot);
    if (surely) path.own.insert(slot);
  }

  void compute(Path& path, std::size_t at, Done& done) {
    const Step& step = code_.steps[at];
    Facts& facts = path.facts;
    Fact fact = Fact::number;
    const auto rests_on = [&](Slot slot) {
      if (slot == kNoSlot) return;
      note_read(slot, path, done);
      fact = std::max(fact, facts.of[slot]);
    };
    rests_on(step.guard);
    for (std::size_t i = 0; i < step.source_count; ++i) rests_on(step.sources[i]);
    for (const Role role : {Role::predicate, Role::state, Role::a}) rests_on(step.slot(role));
    rests_on(step.address.base);
    if (step.reads_clock) fact = Fact::varies;
    const bool guarded = step.guard != kNoSlot && facts.of[step.guard] != Fact::number;
    const bool plain = step.compute != nullptr && !step.is_unknown && !step.divides && !step.reads_clock &&
                       step.elements.size() < 2 && step.fit.from == 64 && !guarded;
    if (fact == Fact::number && !plain) fact = Fact::fixed;
    // What is read is put through the loop again, by what each instruction computes alone.
    if (polls_ && fact != Fact::varies && (step.is_unknown || step.divides || step.fit.from != 64))
      done.doubtful = true;
    for (const auto& [from, to] : step.opposites) {
      facts.rows[to][0] = (facts.rows[from][0] & 1U) ^ 1U;
      facts.of[to] = facts.of[from];
    }
    if (fact == Fact::number) step.compute(facts.rows.data(), step, 1);
    const auto write = [&](Slot slot) {
      if (slot == kNoSlot) return;
      if (guarded) rests_on(slot);  // or it stays
      note_written(slot, fact, !guarded, path, done);
    };
    for (const Slot slot : {step.to, step.second}) write(slot);
    for (const Slot slot : step.elements) write(slot);
    if (step.compute != nullptr) write(step.slot(Role::state));
    if (fact != Fact::varies) return;
    done.differing.insert(at);
    differing_.insert(at);
  }

  const Code& code_;
  const flow::Graph& before_;
  const RegisterCopies& copies_;
  std::size_t wait_;
  Slots given_;  // registers of what was read, or of whether it is over
  bool polls_;   // memory: what is read decides whether it comes back
  const std::set<std::size_t>& waits_;
  std::vector<char> varies_;  // registers that an earlier turn leaves otherwise
  std::vector<bool> loop_;    // what is on a way back
  std::optional<std::size_t> again_, told_;
  bool doubtful_ = false;
  Done in_turns_;                    // on all ways that come back
  Slots written_;                    // on any way
  std::set<std::size_t> differing_;  // the same
  std::set<trace::Site> avoided_;    // branches on any way of which the other way ends in a trap
  unsigned paths_ = 0;
};

}  // namespace

void find_spin_loops(Code& code) {
  const RegisterCopies copies(code);
  const flow::Graph before_each = flow::reversed(successors(code));
  std::set<std::size_t> waits;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    const Opcode opcode = code.steps[i].instruction->opcode;
    if (opcode == Opcode::mbarrier_try_wait || opcode == Opcode::mbarrier_test_wait) waits.insert(i);
  }
  // One may lead to another, so none is a wait of a loop before all that it leads to are.
  std::set<std::size_t> differing;
  for (std::size_t before = waits.size() + 1; before != waits.size();) {
    before = waits.size();
    differing.clear();
    for (auto wait = waits.begin(); wait != waits.end();) {
      WaitTurn turn(code, before_each, copies, *wait, waits);
      const bool good = turn.comes_back();
      if (good) differing.insert(turn.differing().begin(), turn.differing().end());
      code.steps[*wait].left_behind = good ? turn.left_behind() : std::vector<Slot>{};
      code.steps[*wait].avoids = good ? turn.avoids() : std::vector<trace::Site>{};
      wait = good ? std::next(wait) : waits.erase(wait);
    }
  }
  for (const std::size_t wait : waits) code.steps[wait].waits_in_loop = true;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    const bool reads = reads_without_change(code, code.steps[i]);
    if (!reads && !may_take(code.steps[i])) continue;
    WaitTurn turn(code, before_each, copies, i, waits);
    if (!turn.comes_back()) continue;
    auto& loop = reads ? code.steps[i].polls : code.steps[i].takes;
    loop = std::make_shared<const PollLoop>(turn.loop());
    code.steps[i].left_behind = turn.left_behind();
    code.steps[i].avoids = turn.avoids();
    differing.insert(turn.differing().begin(), turn.differing().end());
  }
  // Compilers try once ahead of a loop.
  std::set<std::size_t> taking;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    if (code.steps[i].takes != nullptr && is_swap(code.steps[i])) taking.insert(i);
  }
  for (std::size_t i = 0; i < code.steps.size() && !taking.empty(); ++i) {
    if (taking.contains(i) || !may_take(code.steps[i]) || !is_swap(code.steps[i])) continue;
    WaitTurn turn(code, before_each, copies, i, taking);
    if (!turn.comes_back()) continue;
    code.steps[i].takes = std::make_shared<const PollLoop>(turn.loop());
    code.steps[i].left_behind = turn.left_behind();
    code.steps[i].avoids = turn.avoids();
  }
  for (const std::size_t at : differing) code.steps[at].counts_turns = true;
}

}  // namespace ptxmc::exec
