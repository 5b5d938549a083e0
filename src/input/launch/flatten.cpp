// SPDX-License-Identifier: Apache-2.0
#include "input/launch/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "input/launch/call_targets.h"
#include "input/launch/entry.h"
#include "input/launch/flat_body.h"
#include "input/launch/passing.h"
#include "ptx/text/module.h"
#include "ptx/text/rewrite.h"
#include "ptx/text/vectors.h"
#include "support/recursion.h"

namespace ptxmc::launch {

using ptx::jump;
using ptx::make;
using ptx::move;
using ptx::reg;

namespace {

constexpr std::size_t kMaxTargets = 1024;  // of a brx.idx

/// The operands of a call.
struct Call {
  std::vector<ptx::Operand> returns, arguments;
  ptx::Operand target;
  std::string list;  // of a call through a register: who it may mean; empty: nothing says it
};

std::optional<Call> parts(const ptx::Instruction& instruction) {
  using Kind = ptx::Operand::Kind;
  Call out;
  std::size_t next = 0;
  const auto& operands = instruction.operands;
  if (next < operands.size() && operands[next].kind == Kind::list) out.returns = operands[next++].elements;
  if (next == operands.size() || operands[next].kind != Kind::name) return std::nullopt;
  out.target = operands[next++];
  if (next < operands.size() && operands[next].kind == Kind::list) out.arguments = operands[next++].elements;
  if (next < operands.size() && operands[next].kind == Kind::name) out.list = operands[next].name.name;
  return out;
}

std::uint32_t bits_of(const ptx::Type& type) {
  return type.name == "pred" ? 1 : bytes_of(type.name) * 8;
}

class Flattener {
 public:
  Flattener(const ptx::Module& module, const Parameters& parameters,
            const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors)
      : module_(module), flat_(module, parameters, predefined, errors), passing_(flat_, parameters) {}

  Flat run(const ptx::Function& entry) {
    Frame frame(entry, "");
    calls_.push_back(&entry);
    body(frame);
    return flat_.take();
  }

 private:
  void body(Frame& frame) {
    for (const ptx::Statement& statement : frame.function.body->statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement.node)) {
        flat_.place(label->name.name + frame.suffix, label->name.position);
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.node)) {
        take(frame, *instruction);
      }
    }
  }

  void take(Frame& frame, const ptx::Instruction& instruction) {
    const auto has = [&](std::string_view word) {
      return std::any_of(instruction.words.begin(), instruction.words.end(), [&](std::string_view w) {
        return w == word || w.starts_with(fmt::format("{}::", word));
      });
    };
    if (instruction.base == "call") return call(frame, instruction);
    if (instruction.base == "brx" && has("idx")) return indexed_branch(frame, instruction);
    if (instruction.base == "ret" && !frame.end.empty()) {
      const ptx::Instruction like = flat_.renamed(frame, instruction);
      // 11.4.6: a function that is .noreturn does not return; what one does that returns is not defined
      return flat_.add(frame.returns() ? jump(frame.end, like) : trap(like, "never-returns"));
    }
    if (instruction.base == "ld" && has("param") && passing_.from_parameter(frame, instruction)) return;
    if (instruction.base == "st" && has("param") && passing_.to_parameter(frame, instruction)) return;
    flat_.add(flat_.renamed(frame, instruction));
  }

  void call(Frame& frame, const ptx::Instruction& instruction) {
    const std::optional<Call> call = parts(instruction);
    if (!call) return flat_.error(instruction.position, "expected `call (results), function, (arguments)`");
    ptx::Instruction like = flat_.renamed_guard(frame, instruction);
    const std::string behind = skip(like);
    const std::string& name = call->target.name.name;
    if (call->target.name.percent || frame.names.find_register(name) != nullptr) {
      through_register(frame, like, *call);
    } else {
      const ptx::Function* target = called_by(module_, name);
      if (target == nullptr || !target->body) {
        of_runtime(frame, like, *call);
      } else {
        inline_call(frame, like, *call, *target);
      }
    }
    if (!behind.empty()) flat_.place(behind, instruction.position);
  }

  /// Takes the guard off what is to be replaced: a branch around it, to the label that is returned. Empty: it has none.
  std::string skip(ptx::Instruction& like) {
    if (!like.guard) return "";
    const std::string behind = flat_.fresh_label("behind");
    ptx::Instruction around = like;
    around.guard_negated = !around.guard_negated;
    flat_.add(jump(behind, around));
    like.guard.reset();
    return behind;
  }

  /// A comparison and a body for each function that the register may hold. What holds none of them is undefined
  /// behaviour (9.7.11.5): such a thread traps.
  void through_register(Frame& frame, const ptx::Instruction& like, const Call& call) {
    const auto targets = call_targets(module_, frame.names, call.list);
    if (!targets)
      return flat_.error(
          call.target.position,
          fmt::format("a call through register `%{}` needs a .callprototype, .calltargets or a "
                      "call table: `call (results), %{}, (arguments), prototype`",
                      call.target.name.name, call.target.name.name));
    const ptx::Prototype* const prototype = frame.names.find_prototype(call.list);
    ptx::Operand address = call.target;
    flat_.rename(frame, address);
    const std::string end = flat_.fresh_label("called");
    for (const ptx::Function* target : *targets) {
      const std::string other = flat_.fresh_label("other");
      const std::string differs = flat_.fresh_register("differs", "pred");
      flat_.add(make(like, "setp", {"ne", "u64"}, {reg(differs), address, flat_.address_of(*target)}));
      ptx::Instruction guarded = like;
      guarded.guard = reg(differs).name;
      guarded.guard_negated = false;
      flat_.add(jump(other, guarded));
      if (target->body) {
        inline_call(frame, like, call, *target);
        if (prototype != nullptr && prototype->no_return) flat_.add(trap(like, "never-returns"));  // 11.3.3
      } else {
        flat_.error(call.target.position,
                    fmt::format("`{}`, which may be called here, has no body in this module",
                                demangled(target->name.name)));
      }
      flat_.add(jump(end, like));
      flat_.place(other, like.position);
    }
    flat_.add(trap(like, "no-function"));
    if (targets->empty()) return_unknown(frame, like, call);
    flat_.place(end, like.position);
  }

  /// No body writes the results, which what comes behind the call may read.
  void return_unknown(Frame& frame, const ptx::Instruction& like, const Call& call) {
    for (const ptx::Operand& result : call.returns) {
      const ptx::Variable* variable = frame.names.find_variable(result.name.name);
      const auto passed = passing_.find_passed(frame, result.name.name);
      if (variable != nullptr && passed)
        passing_.return_unknown(like, *passed, bytes_of(variable->type.name));
    }
  }

  bool fits(const Call& call, const ptx::Function& target) {
    const auto refuse = [&](Position position, const std::string& message) {
      flat_.error(position, message);
      return false;
    };
    const std::string name = demangled(target.name.name);
    if (std::find(calls_.begin(), calls_.end(), &target) != calls_.end())
      return refuse(call.target.position,
                    fmt::format("`{}` is called within itself: recursion is not supported", name));
    const std::size_t wanted = target.parameters.size(), results = target.returns.size();
    if (call.arguments.size() == wanted && call.returns.size() == results) return true;
    return refuse(call.target.position,
                  fmt::format("`{}` takes {} argument{} and returns {}, found {} and {}", name, wanted,
                              wanted == 1 ? "" : "s", results, call.arguments.size(), call.returns.size()));
  }

  void inline_call(Frame& frame, const ptx::Instruction& like, const Call& call,
                   const ptx::Function& target) {
    if (!fits(call, target)) return;
    ptx::check_read(module_, target);
    const int number = ++inlined_;
    Frame callee(target, fmt::format("$f{}", number));
    callee.end = fmt::format("return$f{}", number);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ptx::Variable& formal = target.parameters[i];
      if (formal.space != "reg") {
        if (!bind(frame, callee, formal, call.arguments[i])) return;
        continue;
      }
      ptx::Operand value = call.arguments[i];
      flat_.rename(frame, value);
      flat_.add(move(like, bits_of(formal.type), own(callee, formal), value));
    }
    for (std::size_t i = 0; i < call.returns.size(); ++i) {
      if (target.returns[i].space != "reg" && !bind(frame, callee, target.returns[i], call.returns[i]))
        return;
    }
    calls_.push_back(&target);
    const std::size_t begin = flat_.size();
    recursion_.deeper([&] { body(callee); });
    calls_.pop_back();
    flat_.insert(begin, for_locals(callee, like, "local-begins"));
    flat_.insert(begin, unset(callee, like));
    if (!callee.returns()) flat_.add(trap(like, "never-returns"));
    flat_.place(callee.end, like.position);
    for (ptx::Instruction& one : for_locals(callee, like, "local-ends")) flat_.add(std::move(one));
    std::vector<ptx::Instruction> passed;
    // What this call has passed, the next one has not.
    for (const ptx::Variable& formal : target.parameters) {
      if (formal.space != "reg") unset(*callee.passed.at(formal.name()), like, passed);
    }
    unset_carry(like, passed);
    for (ptx::Instruction& one : passed) flat_.add(std::move(one));
    for (std::size_t i = 0; i < call.returns.size(); ++i) {
      const ptx::Variable& formal = target.returns[i];
      if (formal.space != "reg") continue;
      ptx::Operand to = call.returns[i];
      flat_.rename(frame, to);
      flat_.add(move(like, bits_of(formal.type), to, own(callee, formal)));
    }
  }

  /// Lifetimes of the local variables of a function begin, or end.
  static std::vector<ptx::Instruction> for_locals(const Frame& callee, const ptx::Instruction& like,
                                                  std::string_view what) {
    std::vector<ptx::Instruction> out;
    for (const std::string& name : callee.locals)
      out.push_back(make(like, "call", {what}, {ptx::variable(name)}));
    return out;
  }

  /// Registers of a function and what it returns have any value at the beginning of each call; those of its parameters are passed.
  std::vector<ptx::Instruction> unset(const Frame& callee, const ptx::Instruction& like) {
    std::vector<ptx::Instruction> out;
    const auto passes = [&](const std::string& name) {
      return std::any_of(callee.function.parameters.begin(), callee.function.parameters.end(),
                         [&](const ptx::Variable& formal) { return formal.name() + callee.suffix == name; });
    };
    for (const auto& [name, type] : callee.registers) {
      if (passes(name)) continue;
      if (type->vector == 0) add_any(like, name, bits_of(*type), out);
      for (std::uint8_t i = 0; i < type->vector; ++i)
        add_any(like, fmt::format("{}.{}", name, ptx::component(i)), bits_of(*type), out);
    }
    for (const ptx::Variable& formal : callee.function.returns) {
      if (formal.space != "reg") unset(*callee.passed.at(formal.name()), like, out);
    }
    unset_carry(like, out);
    return out;
  }
  void unset_carry(const ptx::Instruction& like, std::vector<ptx::Instruction>& out) {
    for (ptx::Instruction& one : flat_.any_carry(like)) out.push_back(std::move(one));
  }
  void unset(const Passed& passed, const ptx::Instruction& like, std::vector<ptx::Instruction>& out) {
    for (const auto& [offset, piece] : passed.pieces) add_any(like, piece.reg, piece.bits(), out);
  }
  void add_any(const ptx::Instruction& like, const std::string& name, std::uint32_t bits,
               std::vector<ptx::Instruction>& out) {
    for (ptx::Instruction& one : flat_.any_value(like, name, bits)) out.push_back(std::move(one));
  }

  /// The register of a formal that is one.
  ptx::Operand own(const Frame& callee, const ptx::Variable& formal) {
    ptx::Operand out = reg(formal.name() + callee.suffix);
    flat_.use_register(out.name.name, formal.type);
    return out;
  }

  /// A .param formal is the .param variable that the caller names.
  bool bind(Frame& frame, Frame& callee, const ptx::Variable& formal, const ptx::Operand& actual) {
    auto passed = passing_.find_passed(frame, actual.name.name);
    if (!passed) {
      flat_.error(actual.position,
                  fmt::format("`{}` is passed in a .param variable: expected one here", formal.name()));
      return false;
    }
    callee.passed.emplace(formal.name(), std::move(passed));
    return true;
  }

  /// Functions of CUDA's run-time library, which have no body.
  void of_runtime(Frame& frame, const ptx::Instruction& like, const Call& call) {
    const std::string& name = call.target.name.name;
    if (name == "__assertfail") return flat_.add(trap(like, "assertion-failed"));
    if ((name == "malloc" || name == "free") && heap_call(frame, like, call)) return;
    if (name == "cudaGraphSetConditional") return;  // it says how its graph goes on, and writes no memory
    if (name != "vprintf") {
      const std::string hint = ptx::find_function(module_, name) == nullptr
                                   ? "no function is named so"
                                   : "its body is not in this module";
      return flat_.error(call.target.position, fmt::format("call of `{}`: {}", demangled(name), hint));
    }
    for (const ptx::Operand& result : call.returns) {
      if (const auto passed = passing_.find_passed(frame, result.name.name))
        passing_.return_unknown(like, *passed, 4);
    }
  }

  /// malloc or free, as an instruction. False: it is not called as that is.
  bool heap_call(Frame& frame, const ptx::Instruction& like, const Call& call) {
    constexpr std::uint32_t kBytes = 8;  // of a size, and of a pointer
    const bool allocates = call.target.name.name == "malloc";
    if (call.arguments.size() != 1 || call.returns.size() != (allocates ? 1 : 0)) return false;
    std::vector<ptx::Operand> operands;
    for (const auto* passed : {&call.returns, &call.arguments}) {
      for (const ptx::Operand& one : *passed) {
        const auto variable = passing_.find_passed(frame, one.name.name);
        if (!variable) return false;
        const auto whole = passing_.whole(like, *variable, kBytes);
        if (!whole) return true;  // reported
        operands.push_back(*whole);
      }
    }
    flat_.add(make(like, "call", {allocates ? "malloc" : "free"}, std::move(operands)));
    return true;
  }

  void indexed_branch(Frame& frame, const ptx::Instruction& instruction) {
    const bool fits =
        instruction.operands.size() == 2 && instruction.operands[1].kind == ptx::Operand::Kind::name;
    const ptx::Targets* targets =
        fits ? frame.names.find_targets(instruction.operands[1].name.name) : nullptr;
    if (targets == nullptr || targets->calls || targets->names.size() > kMaxTargets)
      return flat_.error(instruction.position,
                         "expected `brx.idx index, targets`, targets a label with .branchtargets");
    ptx::Instruction like = flat_.renamed_guard(frame, instruction);
    const std::string behind = skip(like);
    ptx::Operand index = instruction.operands[0];
    flat_.rename(frame, index);
    std::vector<std::string> labels;
    for (const ptx::Name& name : targets->names) labels.push_back(name.name + frame.suffix);
    const std::string predicate = flat_.fresh_register("index", "pred");
    for (ptx::Instruction& one : ptx::indexed_branch(like, index, labels, predicate, trap(like, "no-label")))
      flat_.add(std::move(one));
    if (!behind.empty()) flat_.place(behind, instruction.position);
  }

  const ptx::Module& module_;
  FlatBody flat_;
  Passing passing_;
  std::vector<const ptx::Function*> calls_;  // the entry, and what is called within
  Recursion recursion_;
  int inlined_ = 0;
};

}  // namespace

Flat flatten(const ptx::Module& module, const ptx::Function& entry, const Parameters& parameters,
             const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors) {
  return Flattener(module, parameters, predefined, errors).run(entry);
}

}  // namespace ptxmc::launch
