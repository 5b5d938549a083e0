// SPDX-License-Identifier: Apache-2.0
// One pass over the instructions. Each becomes the user's own mnemonic and operands; what a litmus test may
// write and PTX may not (an address or a descriptor as an operand, branches that compare, a leader's guard)
// is computed into scratch registers before it.
#include "gpu/thread_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "gpu/collective.h"
#include "gpu/descriptor.h"
#include "isa/opcode.h"
#include "isa/table.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using litmus::Instruction;
using litmus::Operand;

namespace {

constexpr int kHardwareBarriers = 16;
constexpr int kWarp = 32;

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
  const bool arrives =
      instruction.opcode == Opcode::mbarrier_arrive || instruction.opcode == Opcode::mbarrier_arrive_drop;
  const std::size_t count = instruction.operands.size();
  if (arrives && count == 3 && !instruction.modifiers.no_complete) return {78, 90, false};
  if (instruction.opcode != Opcode::cp_async || count != 4) return {};
  const auto* reg = std::get_if<litmus::Register>(&instruction.operands[3].value);
  const bool ignores = reg != nullptr && std::any_of(registers.begin(), registers.end(), [&](const auto& r) {
                         return r.name == reg->name && r.type.cls == isa::TypeClass::predicate;
                       });
  return ignores ? isa::Target{75, 80, false} : isa::Target{};
}

bool is_register(const std::string& text) {
  return text.starts_with('%');
}

class Writer {
 public:
  Writer(const Facts& facts, const litmus::Thread& thread, Lanes lanes, const Spelling& spelling)
      : facts_(facts), thread_(thread), spelling_(spelling) {
    text_.lanes = lanes;
    text_.registers = registers_of(facts, thread);
    for (const Instruction& instruction : thread.code) {
      if (needs_warpgroup(instruction.opcode)) text_.warps = 4;
    }
  }

  ThreadText run() {
    initialise();
    for (const Instruction& instruction : thread_.code) {
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

 private:
  void line(std::string text) { text_.body.push_back("  " + std::move(text)); }
  std::string scratch(std::string_view type, std::string_view purpose);
  void declare();
  void initialise();
  std::set<std::string> read_early() const;
  void write(const Instruction& original);
  void bound(const Instruction& instruction);
  bool write_short(const Instruction& instruction, const std::string& guard);
  void check(const Instruction& instruction) const;
  void count(Instruction& instruction) const;
  std::string mnemonic(const Instruction& original, const Instruction& instruction);
  std::string guard_of(const Instruction& instruction);
  std::string operand(const Instruction& instruction, std::size_t i);
  std::string address_of(const Instruction& instruction, std::size_t i, const std::string& variable);
  Instruction with_constants(const Instruction& instruction) const;
  std::string descriptor(const Instruction& instruction, std::size_t i);
  std::string tensor(const litmus::TensorAddress& operand);
  std::string generic(const std::string& symbol);
  std::string vector(const Instruction& instruction, std::size_t i);
  std::string constant(const Instruction& instruction, std::size_t i, std::int64_t value);
  std::string base(const std::string& variable) const;
  std::string name(const std::string& reg) const;
  void branch_if(const Instruction& instruction, const std::string& guard);
  void barrier(const Instruction& instruction, const std::string& guard);
  void atomic(const Instruction& instruction, const std::string& guard);
  void broadcast(const Instruction& instruction);
  std::uint16_t bits_of(const std::string& reg) const;
  bool is_read(const std::string& reg) const;

  const Facts& facts_;
  const litmus::Thread& thread_;
  const Spelling& spelling_;
  ThreadText text_;
  std::vector<std::pair<std::string, std::string>> scratch_;  // name, type
  std::set<std::string> passed_;                              // labels
  bool converged_ = false;                                    // since the last label or branch
};

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

/// A line for each type.
void Writer::declare() {
  std::vector<std::pair<std::string, std::string>> all;  // type, name
  for (const RegisterType& reg : text_.registers) all.emplace_back(register_type(reg.type), "%" + reg.name);
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

// ---- Initial values
// ----------------------------------------------------------------------------------------

/// Registers that an instruction writes, reads.
struct Names {
  std::set<std::string> written, read;
};

Names names_in(const Instruction& instruction) {
  Names names;
  if (instruction.guard) names.read.insert(instruction.guard->reg);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const auto& value = instruction.operands[i].value;
    const bool to = i == 0 && isa::traits(instruction.opcode).has_result;
    std::set<std::string>& set = to ? names.written : names.read;
    if (const auto* r = std::get_if<litmus::Register>(&value)) set.insert(r->name);
    if (const auto* r = std::get_if<litmus::NegatedRegister>(&value)) names.read.insert(r->name);
    if (const auto* a = std::get_if<litmus::Address>(&value)) names.read.insert(a->base_register);
    if (const auto* p = std::get_if<litmus::RegisterPair>(&value)) {
      set.insert(p->first);
      set.insert(p->second);
    }
    if (const auto* t = std::get_if<litmus::TensorAddress>(&value)) {
      names.read.insert(t->map.base_register);
      for (const auto& coordinate : t->coordinates) {
        if (const auto* r = std::get_if<litmus::Register>(&coordinate)) names.read.insert(r->name);
      }
    }
    if (const auto* v = std::get_if<litmus::VectorOperand>(&value)) {
      for (const auto& element : v->elements) {
        if (const auto* r = std::get_if<litmus::Register>(&element)) set.insert(r->name);
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
  for (const Instruction& instruction : thread_.code) {
    const Names names = names_in(instruction);
    for (const std::string& reg : names.read) {
      if (!sure.contains(reg)) early.insert(reg);
    }
    straight = straight && instruction.opcode != Opcode::bra &&
               instruction.opcode != Opcode::branch_compare && instruction.opcode != Opcode::exit &&
               instruction.opcode != Opcode::ret;
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
        [&](const litmus::RegisterInit& i) { return i.thread == thread_.number && i.name == reg.name; });
    const bool given = init != facts_.test().register_inits.end();
    if (!given && !early.contains(reg.name)) continue;
    const std::string target = name(reg.name);
    const std::string value = !given                           ? "0"
                              : init->value.address_of.empty() ? std::to_string(init->value.integer)
                                                               : base(init->value.address_of);
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

// ---- Operands
// ----------------------------------------------------------------------------------------------

std::string offset_text(std::int64_t bytes) {
  return bytes == 0 ? "" : fmt::format("{:+}", bytes);
}

/// An address where PTX wants a register.
std::string Writer::address_of(const Instruction& instruction, std::size_t i, const std::string& variable) {
  const std::string symbol = base(variable);
  const bool takes_names = instruction.opcode == Opcode::mov || instruction.opcode == Opcode::mapa ||
                           instruction.opcode == Opcode::cvta;
  const std::optional<Use> use = use_of(instruction, i);
  const int bits = use ? use->bits : 64;
  const bool narrow = is_register(symbol) && facts_.space(variable) == isa::Space::shared;
  if (takes_names && (!narrow || bits == 32)) return symbol;
  const std::string reg = scratch(fmt::format(".b{}", bits), "address");
  line(narrow && bits == 64 ? fmt::format("cvt.u64.u32 {}, {};", reg, symbol)
                            : fmt::format("mov.b{} {}, {};", bits, reg, symbol));
  return reg;
}

/// A tcgen05.mma whose instruction descriptor is a register that the thread sets once, to a constant: with
/// it.
Instruction Writer::with_constants(const Instruction& instruction) const {
  Instruction out = instruction;
  if (instruction.opcode != Opcode::tcgen05_mma) return out;
  auto& operand = out.operands[tensor_descriptor(instruction)].value;
  const auto* reg = std::get_if<litmus::Register>(&operand);
  if (reg == nullptr) return out;
  std::vector<const Instruction*> writers;
  for (const Instruction& other : thread_.code) {
    if (names_in(other).written.contains(reg->name)) writers.push_back(&other);
  }
  if (writers.size() != 1 || writers[0]->opcode != Opcode::mov || writers[0]->guard) return out;
  if (const auto* k = std::get_if<litmus::Integer>(&writers[0]->operands[1].value)) operand = *k;
  return out;
}

std::string Writer::descriptor(const Instruction& instruction, std::size_t i) {
  const auto& d = std::get<litmus::Descriptor>(instruction.operands[i].value);
  const auto fields = descriptor_fields(with_constants(instruction), i);
  if (!fields)
    facts_.fail(instruction.position,
                "not supported yet: a matrix descriptor whose instruction descriptor is not constant");
  const std::string address = scratch(".b32", "start"), result = scratch(".b64", "desc");
  line(is_register(base(d.variable))
           ? fmt::format("add.u32 {}, {}, {};", address, base(d.variable), d.offset)
           : fmt::format("mov.u32 {}, {}{};", address, base(d.variable), offset_text(d.offset)));
  line(fmt::format("shr.u32 {0}, {0}, 4;", address));
  line(fmt::format("and.b32 {0}, {0}, 0x3fff;", address));
  line(fmt::format("cvt.u64.u32 {}, {};", result, address));
  line(fmt::format("or.b64 {0}, {0}, {1:#x};", result, *fields));
  return result;
}

/// A constant, in a register where PTX wants one: predicates, metadata of sparse matrices, masks of CTAs.
std::string Writer::constant(const Instruction& instruction, std::size_t i, std::int64_t value) {
  const bool sparse = instruction.modifiers.matrix.sparse;
  if (sparse && i == (instruction.opcode == Opcode::mma ? 4U : 3U)) {
    const std::string reg = scratch(".b32", "metadata");
    line(fmt::format("mov.b32 {}, {};", reg, value));
    return reg;
  }
  const std::optional<Use> use = use_of(instruction, i);
  if (use && use->bits == 1) {
    const std::string reg = scratch(".pred", "truth");
    line(fmt::format("setp.ne.s32 {}, {}, 0;", reg, value));
    return reg;
  }
  if (instruction.opcode != Opcode::tcgen05_commit) return std::to_string(value);
  const std::string mask = scratch(".b16", "mask");
  line(fmt::format("mov.b16 {}, {};", mask, value));
  return mask;
}

/// The generic address of a tensor map, and coordinates.
std::string Writer::tensor(const litmus::TensorAddress& operand) {
  std::string map = operand.map.variable.empty() ? name(operand.map.base_register) : "";
  if (map.empty()) {
    map = scratch(".b64", "map");
    line(fmt::format("mov.b64 {}, {};", map, base(operand.map.variable)));
    line(fmt::format("cvta.{0}.u64 {1}, {1};", isa::name_of(facts_.space(operand.map.variable)), map));
  }
  std::string coordinates;
  for (const auto& coordinate : operand.coordinates) {
    if (!coordinates.empty()) coordinates += ", ";
    const auto* r = std::get_if<litmus::Register>(&coordinate);
    coordinates += r != nullptr ? name(r->name) : std::to_string(std::get<litmus::Integer>(coordinate).value);
  }
  return fmt::format("[{}, {{{}}}]", map, coordinates);
}

/// Of an address in shared memory.
std::string Writer::generic(const std::string& symbol) {
  std::string reg = scratch(".b64", "generic");
  line(is_register(symbol) ? fmt::format("cvt.u64.u32 {}, {};", reg, symbol)
                           : fmt::format("mov.b64 {}, {};", reg, symbol));
  line(fmt::format("cvta.shared.u64 {0}, {0};", reg));
  return reg;
}

std::string Writer::operand(const Instruction& instruction, std::size_t i) {
  const auto& value = instruction.operands[i].value;
  if (const auto* r = std::get_if<litmus::Register>(&value)) return name(r->name);
  if (const auto* r = std::get_if<litmus::NegatedRegister>(&value)) return "!" + name(r->name);
  if (const auto* k = std::get_if<litmus::Integer>(&value)) return constant(instruction, i, k->value);
  if (const auto* l = std::get_if<litmus::LabelName>(&value)) return l->name;
  if (std::holds_alternative<litmus::Sink>(value)) return "_";
  if (const auto* a = std::get_if<litmus::Address>(&value)) {
    std::string from = a->variable.empty() ? name(a->base_register) : base(a->variable);
    if (!a->variable.empty() && address_space(instruction, i) == isa::Space::generic &&
        facts_.space(a->variable) == isa::Space::shared) {
      from = generic(from);
    } else if (instruction.opcode == Opcode::st_bulk && !a->variable.empty()) {  // takes registers only
      const std::string symbol = std::exchange(from, scratch(".b64", "address"));
      line(is_register(symbol) ? fmt::format("cvt.u64.u32 {}, {};", from, symbol)
                               : fmt::format("mov.b64 {}, {};", from, symbol));
    }
    return fmt::format("[{}{}]", from, offset_text(a->offset));
  }
  if (const auto* a = std::get_if<litmus::AddressOf>(&value)) return address_of(instruction, i, a->variable);
  if (const auto* p = std::get_if<litmus::RegisterPair>(&value))
    return fmt::format("{}|{}", name(p->first), name(p->second));
  if (std::holds_alternative<litmus::Descriptor>(value)) return descriptor(instruction, i);
  if (const auto* t = std::get_if<litmus::TensorAddress>(&value)) return tensor(*t);
  if (std::holds_alternative<litmus::VectorOperand>(value)) return vector(instruction, i);
  facts_.refuse(instruction.position, fmt::format("`{}`", instruction.text));
}

/// Tensor instructions take registers only.
std::string Writer::vector(const Instruction& instruction, std::size_t i) {
  const bool registers = isa::traits(instruction.opcode).family == isa::Family::tensor;
  std::string out;
  for (const auto& element : std::get<litmus::VectorOperand>(instruction.operands[i].value).elements) {
    if (!out.empty()) out += ", ";
    if (const auto* r = std::get_if<litmus::Register>(&element)) out += name(r->name);
    if (std::holds_alternative<litmus::Sink>(element)) out += "_";
    const auto* k = std::get_if<litmus::Integer>(&element);
    if (k == nullptr) continue;
    std::string text = std::to_string(k->value);
    if (registers) {
      const std::string number = std::exchange(text, scratch(".b32", "word"));
      line(fmt::format("mov.b32 {}, {};", text, number));
    }
    out += text;
  }
  return "{" + out + "}";
}

// ---- Instructions
// ------------------------------------------------------------------------------------------

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
  const bool leader = text_.lanes == Lanes::all && has_effect(instruction.opcode);
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
  if (memory && m.proxy != isa::Proxy::generic)
    refuse(fmt::format("`{}`: an access through the {} proxy needs an object that the host binds",
                       instruction.text, isa::name_of(m.proxy)));
  if (m.packed != isa::Packed::none)
    refuse(fmt::format("`{}`: ld and st have no packed types", instruction.text));
  if (m.atomic == isa::AtomicOp::mul || m.atomic == isa::AtomicOp::div)
    refuse(fmt::format("`{}`: there is no such atomic operation", instruction.text));
  if (instruction.opcode == Opcode::fence_proxy && m.proxy != isa::Proxy::alias &&
      m.proxy != isa::Proxy::async && m.proxy != isa::Proxy::tensormap)
    refuse(fmt::format("`{}`: there is no such proxy fence", instruction.text));
}

/// Adds the count that a CTA barrier leaves out.
void Writer::count(Instruction& instruction) const {
  const isa::Modifiers& m = instruction.modifiers;
  const bool red = instruction.opcode == Opcode::bar_red;
  if (spelling_.barrier_threads == 0 || m.instance_first || m.warp) return;
  if (instruction.opcode != Opcode::bar_sync && !red) return;
  if (instruction.operands.size() != (red ? 3U : 1U)) return;
  const Operand number{litmus::Integer{spelling_.barrier_threads}, instruction.position};
  instruction.operands.insert(instruction.operands.begin() + (red ? 2 : 1), number);
}

void Writer::write(const Instruction& original) {
  Instruction instruction = original;
  instruction.modifiers = facts_.completed(original);
  check(instruction);
  count(instruction);
  if (!isa::has_target(instruction.opcode))
    facts_.cannot_run(instruction.position,
                      fmt::format("the PTX version that `{}` needs is not known", instruction.text));
  text_.target = both(text_.target, isa::target_of(instruction.opcode, instruction.modifiers));
  text_.target = both(text_.target, target_of_operands(instruction, text_.registers));
  const bool converge = needs_convergence(instruction.opcode, instruction.modifiers);
  if (text_.lanes == Lanes::all && converge && !converged_) {
    line("bar.warp.sync 0xffffffff;");
    converged_ = true;
  }
  const std::string guard = guard_of(instruction);
  bound(instruction);
  if (write_short(instruction, guard)) return;
  const std::string words = mnemonic(original, instruction);
  std::string operands;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i)
    operands += (i == 0 ? " " : ", ") + operand(instruction, i);
  line(fmt::format("{}{}{};", guard, words, operands));
  if (instruction.opcode == Opcode::bra) converged_ = false;
  broadcast(instruction);
}

/// A jump backwards uses fuel.
void Writer::bound(const Instruction& instruction) {
  if (instruction.opcode != Opcode::bra && instruction.opcode != Opcode::branch_compare) return;
  const auto* label = std::get_if<litmus::LabelName>(&instruction.operands.back().value);
  if (label == nullptr || !passed_.contains(label->name)) return;
  text_.jumps_back = true;
  if (spelling_.fuel.empty()) return;
  text_.uses_end = true;
  const std::string spent = scratch(".pred", "spent");
  line(fmt::format("sub.u32 {0}, {0}, 1;", spelling_.fuel));
  line(fmt::format("setp.eq.u32 {}, {}, 0;", spent, spelling_.fuel));
  line(fmt::format("@{} bra {};", spent, spelling_.end));
}

/// What is no PTX instruction as it stands.
bool Writer::write_short(const Instruction& instruction, const std::string& guard) {
  const isa::Modifiers& m = instruction.modifiers;
  switch (instruction.opcode) {
    case Opcode::exit:
    case Opcode::ret:
      text_.uses_end = true;
      line(fmt::format("{}bra {};", guard, spelling_.end));
      return true;
    case Opcode::branch_compare:
      branch_if(instruction, guard);
      return true;
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
      if (!m.instance_first) return false;
      barrier(instruction, guard);
      return true;
    case Opcode::atom:
    case Opcode::red: {
      const bool acquires = instruction.opcode == Opcode::red && (m.semantics == isa::Semantics::acquire ||
                                                                  m.semantics == isa::Semantics::acq_rel);
      if (m.atomic != isa::AtomicOp::sub && !acquires) return false;
      atomic(instruction, guard);
      return true;
    }
    default:
      return false;
  }
}

/// beq a, b, label ...
void Writer::branch_if(const Instruction& instruction, const std::string& guard) {
  const std::string taken = scratch(".pred", "taken");
  std::string left = operand(instruction, 0);
  if (std::holds_alternative<litmus::Integer>(instruction.operands[0].value)) {
    const std::string reg = scratch(".b64", "left");
    line(fmt::format("mov.b64 {}, {};", reg, left));
    left = reg;
  }
  line(fmt::format("setp.{}.s64 {}, {}, {};", isa::name_of(instruction.modifiers.compare), taken, left,
                   operand(instruction, 1)));
  PTXMC_CHECK(guard.empty(), "a guarded short branch");
  line(fmt::format("@{} bra {};", taken, operand(instruction, 2)));
  converged_ = false;
}

std::int64_t constant_at(const Facts& facts, const Instruction& instruction, std::size_t i) {
  const auto* integer = std::get_if<litmus::Integer>(&instruction.operands[i].value);
  if (integer == nullptr)
    facts.refuse(instruction.position,
                 fmt::format("`{}`: the short form with an operand that is not constant", instruction.text));
  return integer->value;
}

/// bar.cta.sync INSTANCE [, id [, count]]: a hardware barrier for each pair of instance and id, counted in
/// the litmus threads that name it.
void Writer::barrier(const Instruction& instruction, const std::string& guard) {
  using Key = std::pair<std::int64_t, std::int64_t>;
  const auto key_of = [&](const Instruction& i) {
    return Key{constant_at(facts_, i, 0), i.operands.size() > 1 ? constant_at(facts_, i, 1) : 0};
  };
  const auto is_short = [](const Instruction& i) {
    return i.modifiers.instance_first && (i.opcode == Opcode::bar_sync || i.opcode == Opcode::bar_arrive);
  };
  const Key key = key_of(instruction);
  std::set<Key> keys;
  int members = 0;
  for (const litmus::Thread& thread : facts_.test().threads) {
    bool member = false;
    for (const Instruction& other : thread.code) {
      if (!is_short(other)) continue;
      keys.insert(key_of(other));
      member = member || key_of(other) == key;
    }
    members += member ? 1 : 0;
  }
  const auto number = std::distance(keys.begin(), keys.find(key));
  if (number >= kHardwareBarriers) facts_.refuse(instruction.position, "more than 16 barriers");
  const std::int64_t count = instruction.operands.size() > 2 ? constant_at(facts_, instruction, 2) : members;
  line(fmt::format("{}bar.{} {}, {};", guard, instruction.opcode == Opcode::bar_sync ? "sync" : "arrive",
                   number, count * kWarp));
}

/// atom.sub adds what is negated; a red that acquires is an atom whose result nobody reads.
void Writer::atomic(const Instruction& instruction, const std::string& guard) {
  Instruction changed = instruction;
  isa::Modifiers& m = changed.modifiers;
  const std::string type = fmt::format(".b{}", m.type->bits);
  const bool atom = instruction.opcode == Opcode::atom;
  std::string value = operand(instruction, instruction.operands.size() - 1);
  if (m.atomic == isa::AtomicOp::sub) {
    m.atomic = isa::AtomicOp::add;
    if (m.type->bits == 64) m.type->cls = isa::TypeClass::unsigned_;
    const std::string negative = scratch(type, "negative");
    line(fmt::format("mov{} {}, {};", type, negative, value));
    line(fmt::format("neg.s{} {}, {};", m.type->bits, negative, negative));
    value = negative;
  }
  const bool acquires = m.semantics == isa::Semantics::acquire || m.semantics == isa::Semantics::acq_rel;
  const bool returns = atom || acquires;
  changed.opcode = returns ? Opcode::atom : Opcode::red;
  std::string destination;
  if (returns) destination = (atom ? operand(instruction, 0) : scratch(type, "unused")) + ", ";
  line(fmt::format("{}{} {}{}, {};", guard, isa::mnemonic(changed.opcode, m), destination,
                   operand(instruction, atom ? 1 : 0), value));
}

bool Writer::is_read(const std::string& reg) const {
  return std::any_of(thread_.code.begin(), thread_.code.end(),
                     [&](const Instruction& i) { return names_in(i).read.contains(reg); });
}

/// Where only the leader ran, the others learn the result.
void Writer::broadcast(const Instruction& instruction) {
  if (text_.lanes != Lanes::all || !has_effect(instruction.opcode) ||
      !isa::traits(instruction.opcode).has_result || instruction.operands.empty())
    return;
  const auto* to = std::get_if<litmus::Register>(&instruction.operands[0].value);
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

}  // namespace

std::string register_type(const isa::Type& type) {
  return type.cls == isa::TypeClass::predicate ? ".pred" : fmt::format(".{}", isa::name_of(type));
}

Lanes lanes_of(const litmus::Thread& thread, bool lane) {
  if (lane) return Lanes::own;
  const bool collective = std::any_of(thread.code.begin(), thread.code.end(),
                                      [](const Instruction& i) { return is_collective(i.opcode); });
  return collective ? Lanes::all : Lanes::leader;
}

ThreadText write_thread(const Facts& facts, const litmus::Thread& thread, Lanes lanes,
                        const Spelling& spelling) {
  return Writer(facts, thread, lanes, spelling).run();
}

}  // namespace ptxmc::gpu
