// SPDX-License-Identifier: Apache-2.0
// One pass over the instructions. Each becomes the user's own mnemonic and operands; what a litmus test may
// write and PTX may not (an address or a descriptor as an operand, branches that compare, a leader's guard)
// is computed into scratch registers before it.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/text/descriptor.h"
#include "gpu/text/thread_writer.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Role;

namespace {

/// "st.global.u32" of "@!%p st.global.u32 [x], 1".
std::string written_mnemonic(const std::string& text) {
  std::size_t begin = 0;
  if (!text.empty() && text[0] == '@') {
    begin = text.find(' ');
    if (begin == std::string::npos) return "";
    ++begin;
  }
  return text.substr(begin, text.find_first_of(" ;", begin) - begin);
}

/// Short forms whose names PTX does not know.
bool is_short_name(std::string_view mnemonic) {
  return mnemonic == "goto" || (mnemonic.size() == 3 && mnemonic[0] == 'b' && mnemonic != "bra");
}

/// What a word that has no effect on the model still needs.
isa::Target target_of_words(const std::string& mnemonic) {
  isa::Target target;
  const auto has = [&](std::string_view word) { return mnemonic.find(word) != std::string::npos; };
  if (has(".L1::") || has(".L2::cache_hint")) target = both(target, {74, 80, false});
  if (has(".L2::64B") || has(".L2::128B")) target = both(target, {74, 75, false});
  if (has(".L2::256B")) target = both(target, {74, 80, false});
  if (has("barrier.cluster.") && (has(".release") || has(".acquire"))) target = both(target, {80, 90, false});
  if (has("bar.cta.") || has("barrier.cta.")) target = both(target, {78, 70, false});
  return target;
}

/// What an operand that may be left out needs.
isa::Target target_of_operands(const Instruction& instruction, const std::vector<RegisterType>& registers) {
  const bool arrives = isa::traits(instruction.opcode).family == isa::Family::mbarrier &&
                       instruction.find(Role::result) != nullptr;
  const bool counts = instruction.find(Role::count) != nullptr || instruction.find(Role::bytes) != nullptr;
  if (arrives && counts && !instruction.modifiers.no_complete) return {78, 90, false};
  const Operand* source = instruction.find(Role::source_bytes);
  if (source == nullptr) return {};
  const auto* reg = std::get_if<program::Register>(&source->value);
  const bool ignores = reg != nullptr && std::any_of(registers.begin(), registers.end(), [&](const auto& r) {
                         return r.name == reg->name && r.type.cls == isa::TypeClass::predicate;
                       });
  return ignores ? isa::Target{75, 80, false} : isa::Target{};
}

}  // namespace

ThreadText Writer::run() {
  initialise();
  for (const Instruction& instruction : thread_.code()) {
    passed_.insert(instruction.labels.begin(), instruction.labels.end());
    for (const std::string& label : instruction.labels) {
      text_.body.push_back(label + ":");
      converged_ = false;
    }
    if (instruction.opcode != Opcode::nop) write(instruction);
  }
  declare();
  return std::move(text_);
}

std::string Writer::scratch(std::string_view type, std::string_view purpose) {
  scratch_.emplace_back(fmt::format("%ptxmc_{}{}", purpose, scratch_.size()), type);
  return scratch_.back().first;
}

std::string Writer::name(const std::string& reg) const {
  if (reg == "_") return reg;
  if (isa::is_special_register(reg)) {
    const auto found = spelling_.specials.find(reg);
    if (found != spelling_.specials.end()) return found->second;
  }
  return "%" + reg;
}

std::string Writer::base(const std::string& variable) const {
  const auto found = spelling_.variables.find(variable);
  return found == spelling_.variables.end() ? variable : found->second;
}

/// ".v2 " or ".v4 ": a component is declared with its vector (5.4.2).
std::string vector_of(const std::vector<RegisterType>& registers, const std::string& vector) {
  const bool four = std::any_of(registers.begin(), registers.end(),
                                [&](const RegisterType& reg) { return reg.name == vector + ".z"; });
  return four ? ".v4 " : ".v2 ";
}

/// A line for each type.
void Writer::declare() {
  std::vector<std::pair<std::string, std::string>> all;  // type, name
  for (const RegisterType& reg : text_.registers) {
    const std::string vector = reg.name.substr(0, reg.name.find('.'));
    const bool component = vector != reg.name;
    if (component && !reg.name.ends_with(".x")) continue;
    all.emplace_back((component ? vector_of(text_.registers, vector) : "") + register_type(reg.type),
                     "%" + vector);
  }
  for (const auto& [name, type] : scratch_) all.emplace_back(type, name);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same = i > 0 && all[i].first == all[i - 1].first;
    if (same) {
      text_.declarations.back() += ", " + all[i].second;
    } else {
      text_.declarations.push_back(fmt::format(".reg {} {}", all[i].first, all[i].second));
    }
  }
  for (std::string& declared : text_.declarations) declared += ";";
}

std::uint16_t Writer::bits_of(const std::string& reg) const {
  for (const RegisterType& r : text_.registers) {
    if (r.name == reg) return r.type.cls == isa::TypeClass::predicate ? 1 : r.type.bits;
  }
  return 32;
}

Names names_in(const Instruction& instruction) {
  Names names;
  if (instruction.guard) names.read.insert(instruction.guard->reg);
  for (const Operand& operand : instruction.operands) {
    const auto& value = operand.value;
    const bool to = isa::is_written(operand.place.role);
    std::set<std::string>& set = to ? names.written : names.read;
    if (const auto* r = std::get_if<program::Register>(&value)) set.insert(r->name);
    if (const auto* r = std::get_if<program::NegatedRegister>(&value)) names.read.insert(r->name);
    if (const auto* a = std::get_if<program::Address>(&value)) names.read.insert(a->base_register);
    if (const auto* p = std::get_if<program::RegisterPair>(&value)) {
      set.insert(p->first);
      set.insert(p->second);
    }
    if (const auto* t = std::get_if<program::TensorAddress>(&value)) {
      names.read.insert(t->map.base_register);
      for (const auto& coordinate : t->coordinates) {
        if (const auto* r = std::get_if<program::Register>(&coordinate)) names.read.insert(r->name);
      }
    }
    if (const auto* v = std::get_if<program::VectorOperand>(&value)) {
      for (const auto& element : v->elements) {
        if (const auto* r = std::get_if<program::Register>(&element)) set.insert(r->name);
      }
      // The accumulator of a wgmma is read as well
      if (to && instruction.opcode == Opcode::wgmma_mma) names.read.insert(set.begin(), set.end());
    }
  }
  return names;
}

/// Registers that may be read, or kept for the condition, without having been written: zero in a litmus test,
/// undefined in PTX.
std::set<std::string> Writer::read_early() const {
  std::set<std::string> sure, early;
  bool straight = true;
  for (const Instruction& instruction : thread_.code()) {
    const Names names = names_in(instruction);
    for (const std::string& reg : names.read) {
      if (!sure.contains(reg)) early.insert(reg);
    }
    straight = straight && !instruction.has(isa::Trait::ends) && instruction.find(Role::label) == nullptr;
    if (straight && !instruction.guard) sure.insert(names.written.begin(), names.written.end());
  }
  for (const RegisterType& reg : text_.registers) {
    if (!sure.contains(reg.name)) early.insert(reg.name);
  }
  return early;
}

void Writer::initialise() {
  const std::set<std::string> early = read_early();
  for (const RegisterType& reg : text_.registers) {
    const auto init = std::find_if(
        facts_.test().register_inits.begin(), facts_.test().register_inits.end(),
        [&](const program::RegisterInit& i) { return i.thread == thread_.number && i.name == reg.name; });
    const bool given = init != facts_.test().register_inits.end();
    if (!given && !early.contains(reg.name)) continue;
    const std::string target = name(reg.name);
    const std::string value = !given                           ? "0"
                              : init->value.address_of.empty() ? std::to_string(init->value.integer)
                                                               : base(init->value.address_of);
    const bool address = given && !init->value.address_of.empty();
    if (address && reg.type.bits < 64 && facts_.space(init->value.address_of) != isa::Space::shared) {
      facts_.refuse(init->position, fmt::format("the address of `{}` in `{}`, a register of {} bits",
                                                init->value.address_of, reg.name, reg.type.bits));
    }
    if (reg.type.cls == isa::TypeClass::predicate) {
      line(fmt::format("setp.ne.s32 {}, {}, 0;", target, value));
    } else if (reg.type.bits == 128) {
      const std::string half = scratch(".b64", "half");
      line(fmt::format("mov.b64 {}, {};", half, value));
      line(fmt::format("mov.b128 {0}, {{{1}, {1}}};", target, half));
    } else if (given && is_register(value) && reg.type.bits == 64 &&
               facts_.space(init->value.address_of) == isa::Space::shared) {
      line(fmt::format("cvt.u64.u32 {}, {};", target, value));
    } else {
      line(fmt::format("mov.b{} {}, {};", reg.type.bits, target, value));
    }
  }
}

/// The user's own words where they are complete and PTX's.
std::string Writer::mnemonic(const Instruction& original, const Instruction& instruction) {
  const std::string written = written_mnemonic(original.text);
  const isa::Resolution resolution = isa::resolve(written, isa::Notation::any);
  const bool own = resolution.resolved && !is_short_name(written) && !resolution.resolved->cache_policy &&
                   resolution.resolved->form->opcode == instruction.opcode &&
                   resolution.resolved->modifiers == instruction.modifiers;
  if (!own) return isa::mnemonic(instruction.opcode, instruction.modifiers);
  text_.target = both(text_.target, target_of_words(written));
  return written;
}

/// "@%p " or "", and what is computed for it.
std::string Writer::guard_of(const Instruction& instruction) {
  const bool leader = text_.lanes == Lanes::all && instruction.has(isa::Trait::acts);
  if (!instruction.guard) return leader ? fmt::format("@{} ", spelling_.leader) : "";
  const std::string own = name(instruction.guard->reg);
  if (!leader) return fmt::format("@{}{} ", instruction.guard->negated ? "!" : "", own);
  const std::string reg = scratch(".pred", "guard");
  if (instruction.guard->negated) {
    line(fmt::format("not.pred {}, {};", reg, own));
    line(fmt::format("and.pred {0}, {0}, {1};", reg, spelling_.leader));
  } else {
    line(fmt::format("and.pred {}, {}, {};", reg, own, spelling_.leader));
  }
  return fmt::format("@{} ", reg);
}

void Writer::check(const Instruction& instruction) const {
  const isa::Modifiers& m = instruction.modifiers;
  const auto refuse = [&](const std::string& what) { facts_.refuse(instruction.position, what); };
  if (instruction.opcode == Opcode::api_call) refuse(fmt::format("`{}`", instruction.text));
  const bool memory = isa::traits(instruction.opcode).family == isa::Family::memory;
  if (memory && m.proxy != isa::Proxy::generic && texture(instruction) == nullptr)
    refuse(fmt::format("`{}`: an access through the {} proxy needs an object that the host binds",
                       instruction.text, isa::name_of(m.proxy)));
  if (memory && m.packed != isa::Packed::none && m.atomic == isa::AtomicOp::none)
    refuse(fmt::format("`{}`: ld and st have no packed types", instruction.text));
  if (m.atomic == isa::AtomicOp::mul || m.atomic == isa::AtomicOp::div)
    refuse(fmt::format("`{}`: there is no such atomic operation", instruction.text));
  if (instruction.opcode == Opcode::fence_proxy && m.proxy != isa::Proxy::alias &&
      m.proxy != isa::Proxy::async && m.proxy != isa::Proxy::tensormap)
    refuse(fmt::format("`{}`: there is no such proxy fence", instruction.text));
}

/// Adds the count that a CTA barrier leaves out.
void Writer::count(Instruction& instruction) const {
  const auto barrier = std::find_if(instruction.operands.begin(), instruction.operands.end(),
                                    [](const Operand& o) { return o.place.role == Role::barrier; });
  if (spelling_.barrier_threads == 0 || barrier == instruction.operands.end()) return;
  if (instruction.find(Role::instance) != nullptr || instruction.find(Role::count) != nullptr) return;
  const isa::Place place{Role::count, isa::Kind::number, isa::Width::word};
  instruction.operands.insert(barrier + 1,
                              {program::Integer{spelling_.barrier_threads}, instruction.position, place});
}

void Writer::write(const Instruction& original) {
  Instruction instruction = original;
  instruction.modifiers = facts_.completed(original);
  check(instruction);
  count(instruction);
  text_.target = both(text_.target, isa::target_of(instruction.opcode, instruction.modifiers));
  text_.target = both(text_.target, target_of_operands(instruction, text_.registers));
  const bool converge = isa::needs_convergence(instruction.opcode, instruction.modifiers);
  if (text_.lanes == Lanes::all && converge && !converged_) {
    line("bar.warp.sync 0xffffffff;");
    converged_ = true;
  }
  const std::string guard = guard_of(instruction);
  bound(instruction);
  if (write_short(instruction, guard)) return;
  const std::string words = mnemonic(original, instruction);
  std::string operands;
  for (const Operand& each : instruction.operands)
    operands += (operands.empty() ? " " : ", ") + operand(instruction, each);
  line(fmt::format("{}{}{};", guard, words, operands));
  if (instruction.opcode == Opcode::bra) converged_ = false;
  broadcast(instruction);
}

/// A jump backwards uses fuel.
void Writer::bound(const Instruction& instruction) {
  const Operand* target = instruction.find(Role::label);
  if (target == nullptr || !passed_.contains(std::get<program::LabelName>(target->value).name)) return;
  text_.jumps_back = true;
  if (spelling_.fuel.empty()) return;
  text_.uses_end = true;
  const std::string spent = scratch(".pred", "spent");
  line(fmt::format("sub.u32 {0}, {0}, 1;", spelling_.fuel));
  line(fmt::format("setp.eq.u32 {}, {}, 0;", spent, spelling_.fuel));
  line(fmt::format("@{} bra {};", spent, spelling_.end));
}

bool Writer::is_read(const std::string& reg) const {
  return std::any_of(thread_.code().begin(), thread_.code().end(),
                     [&](const Instruction& i) { return names_in(i).read.contains(reg); });
}

/// Where only the leader ran, the others learn the result.
void Writer::broadcast(const Instruction& instruction) {
  const Operand* result = instruction.find(Role::result);
  if (text_.lanes != Lanes::all || !instruction.has(isa::Trait::acts) || result == nullptr) return;
  const auto* to = std::get_if<program::Register>(&result->value);
  if (to == nullptr || !is_read(to->name)) return;
  if (text_.warps > 1)
    facts_.fail(instruction.position,
                "not supported yet: a thread that stands for a warpgroup uses the result of `" +
                    instruction.text + "`");
  const std::uint16_t bits = bits_of(to->name);
  const std::string reg = name(to->name);
  if (bits == 32) {
    line(fmt::format("shfl.sync.idx.b32 {0}, {0}, 0, 31, 0xffffffff;", reg));
  } else if (bits == 64) {
    const std::string low = scratch(".b32", "low"), high = scratch(".b32", "high");
    line(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, reg));
    for (const std::string& half : {low, high})
      line(fmt::format("shfl.sync.idx.b32 {0}, {0}, 0, 31, 0xffffffff;", half));
    line(fmt::format("mov.b64 {}, {{{}, {}}};", reg, low, high));
  } else {
    facts_.fail(instruction.position,
                "not supported yet: a warp shares a result of " + std::to_string(bits) + " bits");
  }
}

std::string register_type(const isa::Type& type) {
  if (type.cls == isa::TypeClass::predicate) return ".pred";
  // Untyped registers are of every type of their width (9.4.1); what reads them as numbers takes no floating ones.
  return type.is_floating() ? fmt::format(".b{}", type.bits) : fmt::format(".{}", isa::name_of(type));
}

Lanes lanes_of(const program::Thread& thread, bool lane) {
  if (lane) return Lanes::own;
  const bool collective = std::any_of(thread.code().begin(), thread.code().end(),
                                      [](const Instruction& i) { return i.has(isa::Trait::collective); });
  return collective ? Lanes::all : Lanes::leader;
}

ThreadText write_thread(const Facts& facts, const program::Thread& thread, Lanes lanes,
                        const Spelling& spelling) {
  return Writer(facts, thread, lanes, spelling).run();
}

}  // namespace ptxmc::gpu
