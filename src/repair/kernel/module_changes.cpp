// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/module_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ptx/program/register_use.h"
#include "repair/kernel/nesting.h"
#include "repair/order.h"

namespace ptxmc::repair {

using program::Instruction;

namespace {

std::string name_of(const std::string& instruction) {
  return instruction.substr(0, instruction.find(' '));
}

std::string base_of(const Instruction& i) {
  for (const program::Operand& operand : i.operands) {
    if (const auto* address = std::get_if<program::Address>(&operand.value))
      return address->variable.empty() ? i.text.substr(std::min(i.text.find('['), i.text.size()))
                                       : address->variable;
  }
  return "";
}

bool meet(const std::vector<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.contains(name); });
}

/// An access that moves, and what computes its operands.
class Moving {
 public:
  explicit Moving(const Instruction& access) : accesses_{&access} { add(access); }

  /// It computes an operand of what moves, or loads it.
  bool needs(const Instruction& i) const {
    const bool computes = isa::traits(i.opcode).family == isa::Family::arithmetic || loads(i);
    return computes && meet(program::register_use(i).writes, reads_) && !i.guard && i.labels.empty();
  }
  void take(const Instruction& i) {
    add(i);
    if (loads(i)) accesses_.push_back(&i);
  }
  /// Neither registers nor memory tell on which side of it those stand.
  bool passes(const Instruction& i) const {
    const program::RegisterUse use = program::register_use(i);
    if (meet(use.writes, reads_) || meet(use.writes, writes_) || meet(use.reads, writes_)) return false;
    const bool barrier = isa::traits(i.opcode).family == isa::Family::barrier;
    if (barrier && accesses_.size() > 1) return false;  // what is loaded may be written before it
    return std::all_of(accesses_.begin(), accesses_.end(),
                       [&](const Instruction* access) { return lets_pass(*access, i); });
  }

 private:
  static bool loads(const Instruction& i) {
    return i.opcode == isa::Opcode::ld && i.modifiers.semantics == isa::Semantics::weak;
  }
  /// It is no access, or of another place.
  static bool lets_pass(const Instruction& access, const Instruction& passed) {
    if (isa::traits(passed.opcode).family != isa::Family::memory) return true;
    return passed.modifiers.space != access.modifiers.space || base_of(passed) != base_of(access) ||
           (loads(passed) && loads(access));
  }
  void add(const Instruction& i) {
    const program::RegisterUse use = program::register_use(i);
    reads_.insert(use.reads.begin(), use.reads.end());
    writes_.insert(use.writes.begin(), use.writes.end());
  }

  std::set<std::string> reads_, writes_;
  std::vector<const Instruction*> accesses_;
};

}  // namespace

ModuleChanges::ModuleChanges(const ModuleText& module, const program::Program& program)
    : module_(module), program_(program) {
  std::set<const program::Body*> seen;
  for (const program::Thread& thread : program.threads) {
    if (!seen.insert(thread.body.get()).second) continue;
    for (const Instruction& i : thread.code()) {
      if (!i.position.known() || i.text.empty()) continue;
      std::vector<Position>& all = copies_[key_of(i)];
      if (std::find(all.begin(), all.end(), i.position) == all.end()) all.push_back(i.position);
    }
  }
}

std::string ModuleChanges::key_of(const Instruction& i) const {
  std::string key;
  for (const SourceFrame& frame : origin_at(program_.origins, i.position).frames)
    key += fmt::format("{}:{}:{} ", frame.path, frame.line, frame.column);
  return key.empty() ? key : key + std::string(module_.mnemonic(i.position));
}

std::vector<Position> ModuleChanges::copies(const Instruction& i) const {
  const auto found = copies_.find(key_of(i));
  if (found == copies_.end() || found->first.empty()) return {i.position};
  return found->second;
}

std::string ModuleChanges::line(const Instruction& i) const {
  const std::size_t others = copies(i).size() - 1;
  return line_text(program_.origins, i.position) +
         (others == 0 ? "" : fmt::format(" and {} {}", others, others == 1 ? "copy" : "copies"));
}

std::optional<SourceChange> ModuleChanges::beside(const Instruction& i, bool behind) const {
  const Origin origin = origin_at(program_.origins, i.position);
  if (!origin.known() || origin.shown().is_in_toolkit()) return std::nullopt;
  return SourceChange{origin.shown(), behind, ""};
}

std::optional<SourceChange> ModuleChanges::statement(const Instruction& i, bool behind,
                                                     const std::string& what) const {
  std::optional<SourceChange> out = beside(i, behind);
  const std::optional<std::string> words = statement_of(what);
  if (!out || !words) return std::nullopt;
  out->statement = *words;
  return out;
}

std::optional<SourceChange> ModuleChanges::move(const Instruction& from, const Instruction& to,
                                                bool behind) const {
  std::optional<SourceChange> out = beside(to, behind);
  const std::optional<SourceChange> there = beside(from, behind);
  if (!out || !there || out->at.path != there->at.path || out->at.line == there->at.line) return std::nullopt;
  out->taken = there->at.line;
  return out;
}

Option ModuleChanges::behind(const Instruction& i, const std::string& what) const {
  Option out{fmt::format("after {}: insert {}", line(i), what), {}, name_of(what), ""};
  out.source = statement(i, true, what);
  for (const Position at : copies(i)) out.edits.push_back(module_.put_behind(at, what));
  return out;
}

Option ModuleChanges::before(const Instruction& i, const std::string& what) const {
  Option out{fmt::format("before {}: insert {}", line(i), what), {}, name_of(what), ""};
  out.source = statement(i, false, what);
  for (const Position at : copies(i)) out.edits.push_back(module_.put_before(at, what));
  return out;
}

std::optional<Option> ModuleChanges::respelt_as(const Instruction& i, isa::Semantics semantics,
                                                isa::Scope scope) const {
  const std::string old(mnemonic(i));
  const std::optional<Spelt> to = respelt(old, semantics, scope, isa::Notation::any);
  if (!to || to->mnemonic == old || !at_most(i.modifiers, to->modifiers)) return std::nullopt;
  return respelt_as(i, to->mnemonic);
}

Option ModuleChanges::respelt_as(const Instruction& i, const std::string& to) const {
  const std::string old(mnemonic(i));
  Option out{fmt::format("{}: {} -> {}", line(i), old, to), {}, to, old};
  for (const Position at : copies(i)) out.edits.push_back(module_.respell(at, to));
  return out;
}

Option ModuleChanges::with_operand(const Instruction& i, std::size_t n, const std::string& operand,
                                   const std::string& words) const {
  const std::string old(mnemonic(i));
  Option out{fmt::format("{}: {} {}", line(i), old, words), {}, old, old};
  for (const Position at : copies(i)) out.edits.push_back(module_.replace_operand(at, n, operand));
  return out;
}

Option ModuleChanges::with_other_parity(const Instruction& i, std::size_t n, const std::string& name) const {
  const std::string old(mnemonic(i));
  Option out{
      fmt::format("{}: {} for the phase of the other parity than {}", line(i), old, name), {}, old, old};
  for (const Position at : copies(i)) {
    const std::string other = fmt::format("%ptxmc{}", at.line);
    out.edits.push_back(
        module_.put_before(at, fmt::format(".reg .b32 {0}; xor.b32 {0}, {1}, 1", other, name)));
    out.edits.push_back(module_.replace_operand(at, n, other));
  }
  return out;
}

Option ModuleChanges::hoisted(const Instruction& barrier, const Instruction& to) const {
  const std::string text = module_.instruction(barrier.position);
  Option out{fmt::format("{}: {} stands before {}", line(barrier), barrier.text,
                         line_text(program_.origins, to.position)),
             {module_.put_before(to.position, text)},
             std::string(mnemonic(barrier)),
             std::string(mnemonic(barrier))};
  out.source = move(barrier, to, false);
  for (const Position at : copies(barrier)) out.edits.push_back(module_.remove(at));
  return out;
}

std::optional<Option> ModuleChanges::moved(const std::vector<Instruction>& code, std::size_t from,
                                           std::size_t to, bool behind) const {
  const bool up = to < from;
  if (from == to || from >= code.size() || to >= code.size() || up == behind) return std::nullopt;
  if (!Nesting(code).together(std::min(from, to), std::max(from, to))) return std::nullopt;
  Moving moving(code[from]);
  std::vector<std::size_t> moves{from};
  const std::size_t low = up ? to : from + 1, high = up ? from : to + 1;
  for (std::size_t n = 0; n < high - low; ++n) {
    const std::size_t k = up ? high - 1 - n : low + n;
    if (up && moving.needs(code[k])) {
      moving.take(code[k]);
      moves.insert(moves.begin(), k);
    } else if (!moving.passes(code[k])) {
      return std::nullopt;
    }
  }
  std::string text;
  Option out{fmt::format("{}: {} stands {} {}", line(code[from]), mnemonic(code[from]),
                         behind ? "after" : "before", line_text(program_.origins, code[to].position)),
             {},
             std::string(mnemonic(code[from])),
             std::string(mnemonic(code[from]))};
  out.moves = true;
  out.source = move(code[from], code[to], behind);
  for (const std::size_t k : moves) {
    if (!code[k].position.known()) return std::nullopt;
    text += (text.empty() ? "" : "; ") + module_.instruction(code[k].position);
    out.edits.push_back(module_.remove(code[k].position));
  }
  out.edits.push_back(behind ? module_.put_behind(code[to].position, text)
                             : module_.put_before(code[to].position, text));
  return out;
}

}  // namespace ptxmc::repair
