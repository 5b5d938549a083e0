// SPDX-License-Identifier: Apache-2.0
#include "input/launch/any_value.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "ptx/flow/jumps.h"
#include "ptx/program/register_use.h"
#include "ptx/text/rewrite.h"

namespace ptxmc::launch {
namespace {

constexpr const char *kCounter = "pm0", *kWideCounter = "pm0_64";
constexpr std::uint32_t kByteBits = 8, kHalfBits = 16, kCounterBits = 32, kWideCounterBits = 64,
                        kWideBits = 128;

bool is_any_value(const program::Instruction& instruction, const program::RegisterUse& use) {
  const isa::Opcode opcode = instruction.opcode;
  const bool moves = opcode == isa::Opcode::mov || opcode == isa::Opcode::cvt ||
                     opcode == isa::Opcode::setp || opcode == isa::Opcode::add;
  return moves && !use.writes.empty() && !use.reads.empty() &&
         std::all_of(use.reads.begin(), use.reads.end(), [](const std::string& name) {
           return name == kCounter || name == kWideCounter || name == kAnyScratch || name == kAnySum;
         });
}

ptx::Operand vector(std::vector<ptx::Operand> elements) {
  ptx::Operand out;
  out.kind = ptx::Operand::Kind::vector;
  out.elements = std::move(elements);
  return out;
}

/// What instructions read and surely write of the registers that any value is given to.
class AnyValues {
 public:
  explicit AnyValues(const program::Body& body) : code_(body.code), uses_(body.code.size()) {
    for (std::size_t at = 0; at < code_.size(); ++at) uses_[at] = program::register_use(code_[at]);
    next_ = flow::successors(flow::jumps_of(code_).of);
    for (const program::RegisterUse& use : uses_) read_.insert(use.reads.begin(), use.reads.end());
  }

  bool is_unread(std::size_t at) const {
    if (!is_any_value(code_[at], uses_[at]) || at + 1 == code_.size()) return false;
    const std::vector<std::string>& registers = uses_[at].writes;
    return std::none_of(registers.begin(), registers.end(), [&](const std::string& name) {
      const auto in = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
      };
      return read_.contains(name) &&
             flow::is_live(
                 next_, at + 1,
                 [&](std::size_t here) { return here < code_.size() && in(uses_[here].reads); },
                 [&](std::size_t here) {
                   return here == code_.size() || (!code_[here].guard && in(uses_[here].writes));
                 });
    });
  }

  bool is_read(const std::string& name) const { return read_.contains(name); }

 private:
  const std::vector<program::Instruction>& code_;
  std::vector<program::RegisterUse> uses_;
  flow::Graph next_;
  std::set<std::string> read_;
};

program::Body without_unread(const program::Body& body) {
  const AnyValues values(body);
  program::Body out;
  std::vector<std::string> labels;  // of instructions that are left out: those of the next one
  for (std::size_t at = 0; at < body.code.size(); ++at) {
    labels.insert(labels.end(), body.code[at].labels.begin(), body.code[at].labels.end());
    if (values.is_unread(at)) continue;
    out.code.push_back(body.code[at]);
    out.code.back().labels = std::exchange(labels, {});
  }
  for (const program::RegisterDeclaration& reg : body.registers) {
    const bool scratch = reg.name == kAnyScratch || reg.name == kAnySum;
    if (!scratch || values.is_read(reg.name)) out.registers.push_back(reg);
  }
  return out;
}

}  // namespace

std::vector<ptx::Instruction> any_value(const ptx::Instruction& like, const std::string& name,
                                        std::uint32_t bits) {
  const ptx::Operand to = ptx::reg(name), any = ptx::reg(kCounter), wide = ptx::reg(kWideCounter),
                     scratch = ptx::reg(kAnyScratch);
  if (bits == 1 || bits == kHalfBits) {
    const ptx::Instruction taken =
        bits == 1 ? ptx::make(like, "setp", {"ne", "b32"}, {to, scratch, ptx::integer(0)})
                  : ptx::move(like, kCounterBits, vector({to, ptx::variable("_")}),
                              scratch);  // of any type, such as .f16
    return {ptx::move(like, kCounterBits, scratch, any), taken};
  }
  if (bits == kByteBits) return {ptx::convert(like, bits, to, kCounterBits, false, any)};
  if (bits == kWideBits) return {ptx::make(like, "mov", {"b128"}, {to, vector({wide, wide})})};
  return {ptx::move(like, bits, to, bits == kWideCounterBits ? wide : any)};
}

std::vector<ptx::Instruction> any_carry(const ptx::Instruction& like) {
  const ptx::Operand sum = ptx::reg(kAnySum);
  return {ptx::move(like, kCounterBits, sum, ptx::reg(kCounter)),
          ptx::make(like, "add", {"cc", "u32"}, {sum, sum, sum})};
}

std::shared_ptr<const program::Body> without_unread_any(std::shared_ptr<const program::Body> body) {
  for (;;) {  // the scratch register is read by such values alone
    program::Body out = without_unread(*body);
    if (out.code.size() == body->code.size() && out.registers.size() == body->registers.size()) return body;
    body = std::make_shared<program::Body>(std::move(out));
  }
}

}  // namespace ptxmc::launch
