// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "ptx/program/register_use.h"
#include "repair/rendezvous.h"

namespace ptxmc::repair {

using isa::Opcode;

namespace {

bool meets(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& name) { return std::find(b.begin(), b.end(), name) != b.end(); });
}

/// The variable that an access names; empty: by a register.
std::string variable_of(const program::Instruction& instruction) {
  for (const program::Operand& operand : instruction.operands) {
    if (const auto* address = std::get_if<program::Address>(&operand.value)) return address->variable;
  }
  return "";
}

/// Two accesses of one thread whose order tells what they do.
bool conflict(const program::Instruction& a, const program::Instruction& b) {
  const auto accesses = [](const program::Instruction& instruction) {
    return isa::traits(instruction.opcode).family == isa::Family::memory;
  };
  if (!accesses(a) || !accesses(b) || (a.opcode == Opcode::ld && b.opcode == Opcode::ld)) return false;
  const std::string first = variable_of(a), second = variable_of(b);
  return first.empty() || second.empty() || first == second;
}

/// What comes before it, or after it, in the program may not change sides: fences and barriers, and accesses that acquire or release
/// (8.8).
bool orders(const program::Instruction& instruction) {
  using isa::Semantics;
  if (!acts(instruction)) return false;
  const Semantics semantics = instruction.modifiers.semantics;
  return isa::traits(instruction.opcode).family != isa::Family::memory || semantics == Semantics::acquire ||
         semantics == Semantics::release || semantics == Semantics::acq_rel || semantics == Semantics::sc;
}

/// Where one instruction may stand instead, as far as registers and the ways of the program let it.
class Moves {
 public:
  Moves(const Runs& runs, std::size_t code, std::size_t i, std::vector<Site>& sites)
      : runs_(runs),
        layout_(runs.layout),
        code_(code),
        i_(i),
        own_(program::register_use(layout_.instruction(code, i))),
        sites_(sites) {}

  void run() {
    if (!moves()) return;
    synchronized_ = false;
    for (std::size_t k = i_ + 1; k < layout_.size(code_) && passes(k); ++k) {
      if (synchronized_ && !inside_loop(k) && (acts(layout_.instruction(code_, k)) || jumps(k)))
        add(static_cast<std::ptrdiff_t>(k), fmt::format("after line {}", layout_.line(code_, k)));
    }
    synchronized_ = false;
    for (std::size_t k = i_; k-- > 0 && passes(k);) {
      const bool joins = !layout_.instruction(code_, k).labels.empty();
      if (joins && !in_loop(layout_, code_, k)) return;
      if (synchronized_ && acts(layout_.instruction(code_, k)) && (k == 0 || !inside_loop(k - 1)))
        add(static_cast<std::ptrdiff_t>(k) - 1, fmt::format("before line {}", layout_.line(code_, k)));
    }
  }

 private:
  bool moves() const {
    const program::Instruction& now = layout_.instruction(code_, i_);
    const isa::Family family = isa::traits(now.opcode).family;
    const bool access = family == isa::Family::memory || family == isa::Family::mbarrier ||
                        now.opcode == Opcode::tcgen05_commit || now.opcode == Opcode::tcgen05_alloc ||
                        now.opcode == Opcode::bar_arrive;
    const bool waits = now.opcode == Opcode::mbarrier_try_wait || now.opcode == Opcode::mbarrier_test_wait;
    return access && now.labels.empty() && !waits && !in_loop(layout_, code_, i_);
  }
  bool jumps(std::size_t k) const {
    return isa::traits(layout_.instruction(code_, k).opcode).family == isa::Family::control;
  }
  /// Past instruction k; not into another way of the program.
  bool passes(std::size_t k) {
    const program::Instruction& passed = layout_.instruction(code_, k);
    if (passed.text.empty() || isa::traits(passed.opcode).has(isa::Trait::ends)) return false;
    if (jumps(k) && !in_loop(layout_, code_, k)) return false;
    const program::RegisterUse use = program::register_use(passed);
    if (meets(own_.writes, use.reads) || meets(own_.writes, use.writes) || meets(own_.reads, use.writes))
      return false;
    if (conflict(layout_.instruction(code_, i_), passed)) return false;
    synchronized_ = synchronized_ || orders(passed);
    return true;
  }
  /// A loop goes on after instruction k.
  bool inside_loop(std::size_t k) const {
    return k + 1 < layout_.size(code_) && in_loop(layout_, code_, k) && in_loop(layout_, code_, k + 1) &&
           layout_.instruction(code_, k + 1).labels.empty();
  }
  void add(std::ptrdiff_t behind, const std::string& where) {
    const Span& span = layout_.codes()[code_].spans[i_];
    const std::string text = layout_.text().substr(span.guard, span.end - span.guard);
    const Point point{code_, behind, false, true, false};
    add_site(sites_, Kind::order, Effect::other,
             {fmt::format("{} line {}: {} stands {}", threads_of(runs_.test, layout_, code_),
                          layout_.line(code_, i_), layout_.mnemonic(code_, i_), where),
              {layout_.remove(code_, i_), point.insert(layout_, {text})},
              "",
              ""});
  }

  const Runs& runs_;
  const Layout& layout_;
  const std::size_t code_, i_;
  const program::RegisterUse own_;
  std::vector<Site>& sites_;
  bool synchronized_ = false;  // something that orders was passed
};

}  // namespace

void add_moves(const Runs& runs, std::vector<Site>& sites) {
  for (std::size_t code = 0; code < runs.codes(); ++code) {
    if (runs.first(code).host) continue;
    for (std::size_t i = 0; i < runs.layout.size(code); ++i) Moves(runs, code, i, sites).run();
  }
}

}  // namespace ptxmc::repair
