// SPDX-License-Identifier: Apache-2.0
// A function's text while it is written: lines, and registers that are declared because they are used.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ptxmc::gpu {

class Text {
 public:
  template <typename... A>
  void operator()(fmt::format_string<A...> format, A&&... arguments) {
    body_ += "  " + fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }
  void label(std::string_view name) { body_ += fmt::format("{}:\n", name); }
  void raw(std::string_view line) { body_ += fmt::format("{}\n", line); }

  std::string word(std::string_view name) { return use(".b32", "w", name); }
  std::string wide(std::string_view name) { return use(".b64", "d", name); }
  std::string truth(std::string_view name) { return use(".pred", "p", name); }
  /// A register that no other call returns.
  std::string new_word() { return word(fmt::format("t{}", next_++)); }
  std::string new_wide() { return wide(fmt::format("t{}", next_++)); }
  std::string new_truth() { return truth(fmt::format("t{}", next_++)); }
  std::string new_label() { return fmt::format("h_{}", next_++); }

  std::string declarations() const {
    std::string out;
    for (const auto& [type, names] : registers_) {
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      out += fmt::format("  .reg {} {};\n", type, list);
    }
    return out;
  }
  const std::string& body() const { return body_; }

 private:
  std::string use(std::string_view type, std::string_view letter, std::string_view name) {
    std::string reg = fmt::format("%h{}_{}", letter, name);
    registers_[std::string(type)].insert(reg);
    return reg;
  }

  std::string body_;
  std::map<std::string, std::set<std::string>> registers_;
  int next_ = 0;
};

}  // namespace ptxmc::gpu
