// SPDX-License-Identifier: Apache-2.0
#include "input/launch/usage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "input/launch/entry.h"

namespace ptxmc::launch {

namespace {

using ptx::Operand;

bool has_word(const ptx::Instruction& instruction, std::string_view word) {
  return std::find(instruction.words.begin(), instruction.words.end(), word) != instruction.words.end();
}

class UsageReader {
 public:
  UsageReader(const ptx::Module& module, const ptx::Function& entry) : entry_(entry) {
    for (const ptx::Item& item : module.items) {
      if (const auto* function = std::get_if<ptx::Function>(&item); function != nullptr && function->body)
        functions_.emplace(function->name.name, function);
    }
  }

  Usage run() {
    for (const ptx::Variable& parameter : entry_.parameters) out_.parts.try_emplace(parameter.name());
    for (const ptx::Statement& statement : entry_.body->statements) {
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.node)) parts(*instruction);
    }
    std::vector<const ptx::Function*> open = {&entry_};
    std::set<const ptx::Function*> seen = {&entry_};
    while (!open.empty()) {
      const ptx::Function* function = open.back();
      open.pop_back();
      std::set<std::string> names;
      for (const ptx::Statement& statement : function->body->statements) {
        if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.node)) {
          for (const Operand& operand : instruction->operands) add(operand, names);
        } else if (const auto* targets = std::get_if<ptx::Targets>(&statement.node)) {
          for (const ptx::Name& name : targets->names) names.insert(name.name);
        }
      }
      for (const std::string& name : names) {
        const auto called = functions_.find(name);
        if (called != functions_.end() && seen.insert(called->second).second) open.push_back(called->second);
      }
      out_.names.merge(names);
    }
    return std::move(out_);
  }

 private:
  static void add(const Operand& operand, std::set<std::string>& names) {
    names.insert(operand.name.name);
    for (const Operand& element : operand.elements) add(element, names);
  }

  /// What a load takes, and what becomes of it.
  void parts(const ptx::Instruction& instruction) {
    const std::vector<Operand>& operands = instruction.operands;
    if (instruction.base == "cvta" && has_word(instruction, "to") && operands.size() == 2) {
      const auto loaded = loaded_.find(operands[1].name.name);
      if (loaded != loaded_.end()) out_.parts[loaded->second.first][loaded->second.second].address = true;
    }
    const bool is_load = instruction.base == "ld" && !instruction.words.empty() &&
                         instruction.words.front().starts_with("param") && operands.size() == 2;
    if (!is_load || operands[1].number < 0) return;
    const auto known = out_.parts.find(operands[1].name.name);
    if (known == out_.parts.end()) return;
    const std::string type(instruction.words.back());
    const std::vector<Operand> one = {operands[0]};
    const std::vector<Operand>& targets =
        operands[0].kind == Operand::Kind::vector ? operands[0].elements : one;
    auto offset = static_cast<std::uint64_t>(operands[1].number);
    for (const Operand& target : targets) {
      known->second.try_emplace(offset, Usage::Part{type, false});
      loaded_[target.name.name] = {known->first, offset};
      offset += bytes_of(type);
    }
  }

  const ptx::Function& entry_;
  std::map<std::string, const ptx::Function*> functions_;
  // registers: of which parameter, where
  std::map<std::string, std::pair<std::string, std::uint64_t>> loaded_;
  Usage out_;
};

}  // namespace

Usage usage_of(const ptx::Module& module, const ptx::Function& entry) {
  return UsageReader(module, entry).run();
}

std::vector<std::string> parameter_types(const ptx::Function& entry) {
  const std::string whole = demangled(entry.name.name);
  if (whole == entry.name.name || !whole.ends_with(')')) return {};
  std::vector<std::string> out;
  int depth = 0;
  std::size_t end = whole.size() - 1;
  for (std::size_t i = whole.size(); i-- > 0;) {
    const char c = whole[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if (c == '(' || c == '<' || c == '[') --depth;
    const bool first = depth == 0;
    if (!first && !(depth == 1 && c == ',')) continue;
    std::string type = whole.substr(i + 1, end - i - 1);
    type.erase(0,
               type.find_first_not_of(' ') == std::string::npos ? type.size() : type.find_first_not_of(' '));
    if (!type.empty()) out.push_back(std::move(type));
    end = i;
    if (first) break;
  }
  std::reverse(out.begin(), out.end());
  if (out.size() != entry.parameters.size()) out.clear();
  return out;
}

}  // namespace ptxmc::launch
