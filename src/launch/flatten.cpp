// SPDX-License-Identifier: Apache-2.0
#include "launch/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "isa/table.h"
#include "launch/entry.h"
#include "launch/function_names.h"
#include "ptx/module.h"
#include "ptx/rewrite.h"
#include "support/nearest.h"

namespace ptxmc::launch {

using ptx::convert;
using ptx::extended;
using ptx::integer;
using ptx::jump;
using ptx::make;
using ptx::move;
using ptx::reg;
using ptx::sum;
using ptx::variable;

namespace {

constexpr std::size_t kMaxInstructions = std::size_t{1} << 20;  // with all calls
constexpr std::size_t kMaxTargets = 1024;                       // of a brx.idx

/// A .param variable of a function call: each piece of it that is stored is a register.
struct Passed {
  struct Piece {
    std::uint32_t bytes = 0;
    std::string reg;
    std::uint32_t register_bits = 0;
  };
  std::string name;  // unique
  std::map<std::int64_t, Piece> pieces;
};

/// A function while its body is taken over.
struct Frame {
  Frame(const ptx::Function& f, std::string s) : function(f), names(f), suffix(std::move(s)) {}

  const ptx::Function& function;
  FunctionNames names;
  std::string suffix;  // of its names
  std::string end;     // label behind it; empty: the entry
  bool end_used = false;
  std::map<std::string, std::shared_ptr<Passed>> passed;
};

class Flattener {
 public:
  Flattener(const ptx::Module& module, const Parameters& parameters,
            const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors)
      : module_(module), parameters_(parameters), predefined_(predefined), errors_(errors) {}

  Flat run(const ptx::Function& entry) {
    Frame frame(entry, "");
    calls_.push_back(&entry);
    body(frame);
    declare_registers();
    flat_.body.scopes.emplace_back();
    return std::move(flat_);
  }

 private:
  void error(Position position, std::string message) { errors_.error(position, std::move(message)); }

  void body(Frame& frame) {
    for (const ptx::Statement& statement : frame.function.body->statements) {
      if (const auto* label = std::get_if<ptx::Label>(&statement.node)) {
        place(label->name.name + frame.suffix, label->name.position);
      } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.node)) {
        take(frame, *instruction);
      }
    }
  }

  void place(const std::string& label, Position position) {
    ptx::Label out;
    out.name.name = label;
    out.name.scope = 0;
    out.name.position = position;
    flat_.body.statements.push_back({0, std::move(out), position});
  }

  void add(ptx::Instruction instruction) {
    const Position position = instruction.position;
    if (++instructions_ > kMaxInstructions) {
      error(position, fmt::format("more than {} instructions with all calls", kMaxInstructions));
      throw ptx::TooManyErrors();
    }
    flat_.body.statements.push_back({0, std::move(instruction), position});
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
      frame.end_used = true;
      return add(jump(frame.end, renamed(frame, instruction)));
    }
    if (instruction.base == "ld" && has("param") && from_parameter(frame, instruction)) return;
    if (instruction.base == "st" && has("param") && to_parameter(frame, instruction)) return;
    add(renamed(frame, instruction));
  }

  // ---- Names ------------------------------------------------------------------------------------------------

  ptx::Instruction renamed(Frame& frame, const ptx::Instruction& instruction) {
    ptx::Instruction out = instruction;
    if (out.guard) rename(frame, *out.guard);
    for (ptx::Operand& operand : out.operands) rename(frame, operand);
    return out;
  }

  void rename(Frame& frame, ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::name && operand.name.percent && settle(operand)) return;
    if (!operand.name.name.empty()) rename(frame, operand.name);
    if (!operand.second.name.empty()) rename(frame, operand.second);
    for (ptx::Operand& element : operand.elements) rename(frame, element);
  }

  /// A predefined register that the launch settles.
  bool settle(ptx::Operand& operand) {
    if (operand.name.scope != ptx::kUndeclared || !isa::is_special_register(operand.name.name)) return false;
    const std::string special = operand.name.name;
    const Predefined value = predefined_(special);
    if (value.everywhere) {
      operand.kind = ptx::Operand::Kind::integer;
      operand.number = static_cast<std::int64_t>(*value.everywhere);
      operand.name = {};
    } else if (value.by_thread) {
      std::string name = special;
      std::replace(name.begin(), name.end(), '.', '_');
      if (name == special) name = "own_" + name;  // no predefined register is called so
      flat_.by_thread.emplace(name, special);
      operand.name.name = name;
      use_register(name, "u32");
    }
    return true;
  }

  void rename(Frame& frame, ptx::Name& name) {
    if (name.name == "_" && !name.percent) return;
    if (name.scope == ptx::kUndeclared) {
      if (!name.percent) use_of_module(name);
      return;
    }
    if (const ptx::Type* type = frame.names.find_register(name.name)) {
      const std::size_t dot = std::min(name.name.find('.'), name.name.size());
      name.name.insert(dot, frame.suffix);
      name.percent = true;
      use_register(name.name.substr(0, name.name.find('.')), *type);
    } else if (const ptx::Variable* variable = frame.names.find_variable(name.name)) {
      name.name = object(frame, *variable, name.position);
      name.scope = ptx::kUndeclared;
    } else if (parameters_.has(name.name) && frame.suffix.empty()) {
      flat_.parameters.insert(name.name);
      name.scope = ptx::kUndeclared;
    } else {
      name.name += frame.suffix;  // a label
      name.scope = 0;
    }
  }

  void use_of_module(const ptx::Name& name) {
    if (ptx::find_variable(module_, name.name) != nullptr) {
      flat_.variables.insert(name.name);
    } else if (ptx::find_function(module_, name.name) != nullptr) {
      error(name.position,
            fmt::format("the address of function `{}` is not supported: who is called through it "
                        "is not known",
                        demangled(name.name)));
    }
  }

  /// The unique name of memory that a body declares. That of a function is the same in each call of it.
  std::string object(Frame& frame, const ptx::Variable& variable, Position use) {
    if (variable.space == "param") {
      error(use, fmt::format("the address of `{}`, which is passed to a function, is not supported",
                             variable.name()));
      return variable.name();
    }
    const auto [known, fresh] = object_names_.try_emplace(&variable, variable.name());
    if (!fresh) return known->second;
    const bool dynamic = variable.linkage == ptx::Linkage::external;
    std::string& name = known->second;
    if (frame.function.entry || dynamic) {
      flat_.objects.emplace(name, &variable);
      return name;
    }
    for (int i = 1; flat_.objects.contains(name) || ptx::find_variable(module_, name) != nullptr; ++i)
      name = fmt::format("{}${}", variable.name(), i);
    flat_.objects.emplace(name, &variable);
    return name;
  }

  void use_register(const std::string& name, const ptx::Type& type) { used_.emplace(name, type); }
  void use_register(const std::string& name, std::string_view type) {
    ptx::Type named;
    named.name = type;
    use_register(name, named);
  }

  std::string fresh_register(const std::string& stem, std::string_view type) {
    std::string name = fmt::format("{}${}", stem, ++fresh_);
    use_register(name, type);
    return name;
  }

  void declare_registers() {
    std::vector<ptx::Statement> declarations;
    for (const auto& [name, type] : used_) {
      ptx::Registers out;
      out.type = type;
      ptx::Declarator& declarator = out.declarators.emplace_back();
      declarator.name.name = name;
      declarator.name.percent = true;
      declarator.name.scope = 0;
      declarations.push_back({0, std::move(out), {}});
    }
    auto& statements = flat_.body.statements;
    statements.insert(statements.begin(), std::make_move_iterator(declarations.begin()),
                      std::make_move_iterator(declarations.end()));
  }

  // ---- Parameters -------------------------------------------------------------------------------------------

  /// What an ld.param or st.param moves; nothing: it goes through a register, or its type is unknown.
  struct Access {
    std::string parameter;
    std::int64_t offset = 0;
    std::string_view type;
    std::uint32_t bytes = 0;
    std::vector<ptx::Operand> values;  // registers, or what is stored
  };

  std::optional<Access> access(const ptx::Instruction& instruction, std::size_t address, std::size_t value) {
    if (instruction.operands.size() != 2) return std::nullopt;
    const ptx::Operand& place = instruction.operands[address];
    if (place.kind != ptx::Operand::Kind::address || place.name.percent || place.comma) return std::nullopt;
    Access out;
    out.parameter = place.name.name;
    out.offset = place.number;
    if (!instruction.words.empty()) out.type = instruction.words.back();
    out.bytes = bytes_of(out.type);
    const ptx::Operand& other = instruction.operands[value];
    out.values = other.kind == ptx::Operand::Kind::vector ? other.elements : std::vector<ptx::Operand>{other};
    if (out.bytes == 0 || out.bytes > 8) return std::nullopt;
    return out;
  }

  bool from_parameter(Frame& frame, const ptx::Instruction& instruction) {
    const std::optional<Access> load = access(instruction, 1, 0);
    if (!load) return false;
    const auto passed = frame.passed.find(load->parameter);
    const bool kernel =
        passed == frame.passed.end() && frame.suffix.empty() && parameters_.has(load->parameter);
    if (!kernel && passed == frame.passed.end()) return false;
    const ptx::Instruction like = renamed_guard(frame, instruction);
    std::int64_t offset = load->offset;
    for (ptx::Operand to : load->values) {
      const bool sink = to.name.name == "_";
      const std::uint32_t bits = sink ? 0 : register_bits(frame, to);
      if (!sink) rename(frame, to);
      if (!sink && !(kernel ? from_kernel(like, *load, offset, to, bits)
                            : from_passed(like, *load, offset, *passed->second, to, bits)))
        return true;
      offset += load->bytes;
    }
    return true;
  }

  /// False: reported, or nothing more to do.
  bool from_kernel(const ptx::Instruction& like, const Access& load, std::int64_t offset,
                   const ptx::Operand& to, std::uint32_t bits) {
    const std::optional<Piece> piece = parameters_.at(load.parameter, offset, load.bytes);
    if (!piece) {
      error(like.position, fmt::format("{} bytes at {} of parameter `{}` are no number and no address",
                                       load.bytes, offset, load.parameter));
      return false;
    }
    if (const auto* number = std::get_if<std::uint64_t>(&*piece)) {
      add(move(like, bits, to, integer(extended(*number, load.bytes, load.type.starts_with('s')))));
      return true;
    }
    const Pointer& pointer = std::get<Pointer>(*piece);
    add(move(like, bits, to, variable(pointer.buffer)));
    if (pointer.offset != 0) add(sum(like, bits, to, to, integer(pointer.offset)));
    return true;
  }

  bool from_passed(const ptx::Instruction& like, const Access& load, std::int64_t offset, const Passed& from,
                   const ptx::Operand& to, std::uint32_t bits) {
    const auto piece = from.pieces.find(offset);
    if (piece == from.pieces.end() || piece->second.bytes != load.bytes) {
      error(like.position,
            fmt::format("{} bytes at {} of `{}` were not passed as such; other pieces are not supported",
                        load.bytes, offset, load.parameter));
      return false;
    }
    const ptx::Operand source = reg(piece->second.reg);
    const bool whole = bits == piece->second.register_bits && load.bytes * 8 == bits;
    add(whole ? move(like, bits, to, source)
              : convert(like, bits, to, load.bytes * 8, load.type.starts_with('s'), source));
    return true;
  }

  bool to_parameter(Frame& frame, const ptx::Instruction& instruction) {
    const std::optional<Access> store = access(instruction, 0, 1);
    const auto passed = store ? find_passed(frame, store->parameter) : nullptr;
    if (!passed) return false;
    const ptx::Instruction like = renamed_guard(frame, instruction);
    std::int64_t offset = store->offset;
    for (ptx::Operand value : store->values) {
      const bool is_register =
          value.kind == ptx::Operand::Kind::name && frame.names.find_register(value.name.name);
      const std::uint32_t bits = is_register ? register_bits(frame, value) : std::max(16u, store->bytes * 8);
      rename(frame, value);
      Passed::Piece& piece = passed->pieces[offset];
      if (piece.reg.empty() || piece.bytes != store->bytes || piece.register_bits != bits)
        piece = {store->bytes,
                 fresh_register(fmt::format("{}_{}", passed->name, offset), ptx::bits_type(bits)), bits};
      add(move(like, bits, reg(piece.reg), value));
      offset += store->bytes;
    }
    return true;
  }

  /// A .param variable of this function: a formal one, or one that it declares.
  std::shared_ptr<Passed> find_passed(Frame& frame, const std::string& name) {
    const auto known = frame.passed.find(name);
    if (known != frame.passed.end()) return known->second;
    const ptx::Variable* variable = frame.names.find_variable(name);
    if (variable == nullptr || variable->space != "param") return nullptr;
    auto out = std::make_shared<Passed>();
    out->name = name + frame.suffix;
    frame.passed.emplace(name, out);
    return out;
  }

  std::uint32_t register_bits(Frame& frame, const ptx::Operand& operand) {
    const ptx::Type* type = frame.names.find_register(operand.name.name);
    return type == nullptr ? 32 : type->name == "pred" ? 1 : bytes_of(type->name) * 8;
  }

  ptx::Instruction renamed_guard(Frame& frame, const ptx::Instruction& instruction) {
    ptx::Instruction like = instruction;
    like.operands.clear();
    if (like.guard) rename(frame, *like.guard);
    return like;
  }

  // ---- Calls ------------------------------------------------------------------------------------------------

  struct Call {
    std::vector<ptx::Operand> returns, arguments;
    ptx::Operand target;
  };

  static std::optional<Call> parts(const ptx::Instruction& instruction) {
    using Kind = ptx::Operand::Kind;
    Call out;
    std::size_t next = 0;
    const auto& operands = instruction.operands;
    if (next < operands.size() && operands[next].kind == Kind::list) out.returns = operands[next++].elements;
    if (next == operands.size() || operands[next].kind != Kind::name) return std::nullopt;
    out.target = operands[next++];
    if (next < operands.size() && operands[next].kind == Kind::list)
      out.arguments = operands[next++].elements;
    return out;
  }

  const ptx::Function* function_of(const std::string& name) const {
    for (const ptx::Item& item : module_.items) {
      const auto* alias = std::get_if<ptx::Alias>(&item);
      if (alias != nullptr && alias->name.name == name)
        return ptx::find_function(module_, alias->function.name);
    }
    return ptx::find_function(module_, name);
  }

  void call(Frame& frame, const ptx::Instruction& instruction) {
    const std::optional<Call> call = parts(instruction);
    if (!call) return error(instruction.position, "expected `call (results), function, (arguments)`");
    const std::string& name = call->target.name.name;
    if (call->target.name.percent || frame.names.find_register(name) != nullptr)
      return error(call->target.position,
                   fmt::format("a call through register `%{}`: who is called is not known", name));
    const ptx::Function* target = function_of(name);
    if (target == nullptr || !target->body) return of_runtime(frame, instruction, *call, name);
    if (std::find(calls_.begin(), calls_.end(), target) != calls_.end())
      return error(call->target.position,
                   fmt::format("`{}` is called within itself: recursion is not supported", demangled(name)));
    const std::size_t wanted = target->parameters.size(), results = target->returns.size();
    if (call->arguments.size() != wanted || call->returns.size() != results)
      return error(instruction.position,
                   fmt::format("`{}` takes {} and returns {}, found {} and {}", demangled(name), wanted,
                               results, call->arguments.size(), call->returns.size()));
    inline_call(frame, instruction, *call, *target);
  }

  void inline_call(Frame& frame, const ptx::Instruction& instruction, const Call& call,
                   const ptx::Function& target) {
    const int number = ++inlined_;
    Frame callee(target, fmt::format("$f{}", number));
    callee.end = fmt::format("return$f{}", number);
    ptx::Instruction like = renamed_guard(frame, instruction);
    if (like.guard) {
      like.guard_negated = !like.guard_negated;
      callee.end_used = true;
      add(jump(callee.end, like));
      like.guard.reset();
    }
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ptx::Variable& formal = target.parameters[i];
      ptx::Operand value = call.arguments[i];
      if (formal.space != "reg") {
        if (!bind(frame, callee, formal, value)) return;
        continue;
      }
      rename(frame, value);
      ptx::Operand to = reg(formal.name() + callee.suffix);
      use_register(to.name.name, formal.type);
      add(move(like, formal.type.name == "pred" ? 1 : bytes_of(formal.type.name) * 8, to, value));
    }
    for (std::size_t i = 0; i < call.returns.size(); ++i) {
      if (target.returns[i].space != "reg" && !bind(frame, callee, target.returns[i], call.returns[i]))
        return;
    }
    calls_.push_back(&target);
    body(callee);
    calls_.pop_back();
    place(callee.end, instruction.position);
    for (std::size_t i = 0; i < call.returns.size(); ++i) {
      const ptx::Variable& formal = target.returns[i];
      if (formal.space != "reg") continue;
      ptx::Operand to = call.returns[i];
      rename(frame, to);
      use_register(formal.name() + callee.suffix, formal.type);
      add(move(like, formal.type.name == "pred" ? 1 : bytes_of(formal.type.name) * 8, to,
               reg(formal.name() + callee.suffix)));
    }
  }

  /// A .param formal is the .param variable that the caller names, or holds the register that it gives.
  bool bind(Frame& frame, Frame& callee, const ptx::Variable& formal, const ptx::Operand& actual) {
    auto passed = find_passed(frame, actual.name.name);
    if (!passed) {
      error(actual.position,
            fmt::format("`{}` is passed in a .param variable: expected one here", formal.name()));
      return false;
    }
    callee.passed.emplace(formal.name(), std::move(passed));
    return true;
  }

  /// Functions of CUDA's run-time library, which have no body.
  void of_runtime(Frame& frame, const ptx::Instruction& instruction, const Call& call,
                  const std::string& name) {
    const ptx::Instruction like = renamed_guard(frame, instruction);
    if (name == "__assertfail") return add(make(like, "trap", {}, {}));
    if (name != "vprintf") {
      const std::string hint = ptx::find_function(module_, name) == nullptr
                                   ? "no function is named so"
                                   : "its body is not in this module";
      return error(call.target.position, fmt::format("call of `{}`: {}", demangled(name), hint));
    }
    for (const ptx::Operand& result : call.returns) {
      const auto passed = find_passed(frame, result.name.name);
      if (!passed) continue;
      Passed::Piece& piece = passed->pieces[0];
      piece = {4, fresh_register(passed->name + "_0", "b32"), 32};
      add(move(like, 32, reg(piece.reg), integer(0)));
    }
  }

  void indexed_branch(Frame& frame, const ptx::Instruction& instruction) {
    const bool fits =
        instruction.operands.size() == 2 && instruction.operands[1].kind == ptx::Operand::Kind::name;
    const ptx::Targets* targets =
        fits ? frame.names.find_targets(instruction.operands[1].name.name) : nullptr;
    if (targets == nullptr || targets->names.size() > kMaxTargets)
      return error(instruction.position,
                   "expected `brx.idx index, targets`, targets a label with .branchtargets");
    ptx::Instruction like = renamed_guard(frame, instruction);
    std::string skip;
    if (like.guard) {
      skip = fmt::format("behind${}", ++fresh_);
      ptx::Instruction around = like;
      around.guard_negated = !around.guard_negated;
      add(jump(skip, around));
      like.guard.reset();
    }
    ptx::Operand index = instruction.operands[0];
    rename(frame, index);
    std::vector<std::string> labels;
    for (const ptx::Name& name : targets->names) labels.push_back(name.name + frame.suffix);
    for (ptx::Instruction& one : ptx::indexed_branch(like, index, labels, fresh_register("index", "pred")))
      add(std::move(one));
    if (!skip.empty()) place(skip, instruction.position);
  }

  const ptx::Module& module_;
  const Parameters& parameters_;
  const std::function<Predefined(const std::string&)>& predefined_;
  ptx::Errors& errors_;
  Flat flat_;
  std::map<std::string, ptx::Type> used_;  // registers and their types
  std::map<const ptx::Variable*, std::string> object_names_;
  std::vector<const ptx::Function*> calls_;  // the entry, and what is called within
  std::size_t instructions_ = 0;
  int fresh_ = 0, inlined_ = 0;
};

}  // namespace

Flat flatten(const ptx::Module& module, const ptx::Function& entry, const Parameters& parameters,
             const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors) {
  return Flattener(module, parameters, predefined, errors).run(entry);
}

}  // namespace ptxmc::launch
