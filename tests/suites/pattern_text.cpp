// SPDX-License-Identifier: Apache-2.0
#include "pattern_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ptxmc::testing {
namespace {

std::string trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!trim(part).empty()) parts.push_back(trim(part));
  }
  return parts;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Collects one test's pieces while its lines are translated.
class Translator {
 public:
  explicit Translator(const Pattern& pattern) : pattern_(pattern) {}

  Translation run() {
    for (const std::string& setting : pattern_.settings) read_setting(setting);
    for (const std::string& thread : pattern_.threads) read_thread(thread);
    if (!reason_.empty()) return {"", reason_};
    return {print(), ""};
  }

 private:
  void unsupported(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  void read_setting(const std::string& setting) {
    std::stringstream stream(setting);
    std::string word, rest;
    stream >> word;
    while (stream >> rest) {
      const std::size_t equals = rest.find('=');
      if (word == "alias" && equals != std::string::npos) {
        aliases_.emplace_back(rest.substr(0, equals), rest.substr(equals + 1));
      } else if (word == "init" && equals != std::string::npos) {
        initial_.emplace_back(rest.substr(0, equals), rest.substr(equals + 1));
      } else {
        unsupported("setting `" + setting + "`");
      }
    }
  }

  /// "T0 (cta0 gpu0): i ; i": a block.
  void read_thread(const std::string& text) {
    const std::size_t open = text.find('('), close = text.find(')'), colon = text.find(':', close);
    if (open == std::string::npos || close == std::string::npos || colon == std::string::npos) {
      return unsupported("thread line `" + text + "`");
    }
    std::string placement;
    std::stringstream words(text.substr(open + 1, close - open - 1));
    for (std::string word; words >> word;) {
      const std::size_t digit = word.find_first_of("0123456789");
      if (!placement.empty()) placement += ", ";
      placement += digit == std::string::npos ? word : word.substr(0, digit) + " " + word.substr(digit);
    }
    std::string block = fmt::format(" P{} @ {} {{\n", threads_, placement);
    for (const std::string& instruction : split(text.substr(colon + 1), ';'))
      block += translate_instruction(instruction);
    blocks_ += block + " }\n";
    ++threads_;
  }

  std::string translate_instruction(std::string text) {
    bool spin = false;
    if (text.starts_with("spin until ")) {
      spin = true;
      text = trim(text.substr(11));
    }
    std::string wanted;
    if (const std::size_t equals = text.find("=="); equals != std::string::npos) {
      wanted = trim(text.substr(equals + 2));
      text = trim(text.substr(0, equals));
    }
    const std::size_t space = text.find(' ');
    const std::string opcode = text.substr(0, space);
    std::vector<std::string> operands =
        space == std::string::npos ? std::vector<std::string>{} : split(text.substr(space), ',');
    if (text.find("mbarrier") != std::string::npos || text.find("async") != std::string::npos ||
        text.find("tcgen05") != std::string::npos || text.find("wgmma") != std::string::npos) {
      unsupported(opcode);
    }
    const bool barrier = opcode.starts_with("bar");
    std::string line = opcode;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const bool name = std::isalpha(static_cast<unsigned char>(operands[o][0])) != 0;
      std::string operand = name ? "%" + operands[o] : operands[o];
      // Barrier counts of the shorthand are litmus threads; in this form a litmus thread stands for a warp.
      if (barrier && o == 1 && !name) operand = std::to_string(32 * std::stoi(operand));
      line += (o == 0 ? " " : ", ") + operand;
      note_variable(operand, opcode);
    }
    if (wanted.empty()) return "  " + line + ";\n";
    if (operands.empty() || std::isalpha(static_cast<unsigned char>(operands[0][0])) == 0) {
      unsupported("a value expected of `" + text + "`");
      return "";
    }
    if (!spin) {
      filter_.push_back(fmt::format("P{}:%{} == {}", threads_, operands[0], wanted));
      return "  " + line + ";\n";
    }
    const int k = labels_++;
    return fmt::format("  L{}:\n  {};\n  setp.ne.u32 %p{}, %{}, {};\n  @%p{} bra L{};\n", k, line, k,
                       operands[0], wanted, k, k);
  }

  void note_variable(const std::string& operand, const std::string& opcode) {
    if (!operand.starts_with('[')) return;
    const std::string name = operand.substr(1, operand.size() - 2);
    if (name.find_first_of("+:") != std::string::npos) return unsupported("address " + operand);
    const bool is_alias =
        std::any_of(aliases_.begin(), aliases_.end(), [&](const auto& a) { return a.first == name; });
    if (is_alias) return;
    (opcode.find(".shared") != std::string::npos ? shared_ : global_).insert(name);
  }

  std::string print() {
    std::string text = "PTX " + pattern_.name + "\n{\n";
    for (const std::string& name : global_) {
      std::string value = "0";
      for (const auto& [of, initial] : initial_) {
        if (of == name) value = initial;
      }
      text += fmt::format("  .global .b32 {} = {};\n", name, value);
    }
    for (const std::string& name : shared_) text += fmt::format("  .shared .b32 {} = 0;\n", name);
    for (const auto& [alias, of] : aliases_) text += fmt::format("  {} aliases {};\n", alias, of);
    text += "}\n" + blocks_;
    if (!filter_.empty()) text += "filter (" + fmt::format("{}", fmt::join(filter_, " /\\ ")) + ")\n";
    return text + "exists (" + condition() + ")\n";
  }

  /// "T1.a==1 & [x]==2 & ~(...)" in litmus notation.
  std::string condition() const {
    std::string text = pattern_.bad.empty() ? "1==1" : pattern_.bad;
    text = replace_all(replace_all(text, "&", "/\\"), "|", "\\/");
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool thread =
          text[i] == 'T' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
      if (!thread) {
        out += text[i];
        continue;
      }
      const std::size_t dot = text.find('.', i);
      out += "P" + text.substr(i + 1, dot - i - 1) + ":%";
      i = dot;
    }
    return out;
  }

  const Pattern& pattern_;
  std::string reason_, blocks_;
  int threads_ = 0, labels_ = 0;
  std::vector<std::pair<std::string, std::string>> aliases_, initial_;
  std::vector<std::string> filter_;
  std::set<std::string> global_, shared_;
};

}  // namespace

std::vector<Pattern> read_patterns(const std::string& text) {
  std::vector<Pattern> all;
  std::stringstream stream(text);
  std::size_t number = 0;
  for (std::string raw; std::getline(stream, raw);) {
    ++number;
    const std::string line = trim(raw);
    if (line.empty() || line.starts_with('#') || line.starts_with("note ")) continue;
    if (line.starts_with("test ")) {
      std::stringstream words(line.substr(5));
      Pattern next;
      words >> next.name;
      next.line = number;
      if (std::string base; words >> base) {  // a variant of an earlier test
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const Pattern& p) { return p.name == base; });
        if (found == all.end())
          throw std::runtime_error(fmt::format("line {}: a variant of nothing: {}", number, base));
        const std::string name = next.name;
        next = *found;
        next.name = name;
        next.line = number;
      }
      all.push_back(next);
      continue;
    }
    if (all.empty()) throw std::runtime_error(fmt::format("line {}: outside of a test: {}", number, line));
    Pattern& current = all.back();
    if (line.starts_with("bad ")) {
      current.bad = line.substr(4);
    } else if (line.starts_with("expect ")) {
      current.expectations = split(line.substr(7), ' ');
    } else if (line[0] == 'T' && line.find('(') != std::string::npos) {
      const std::string key = line.substr(0, line.find(' '));
      const auto same = std::find_if(current.threads.begin(), current.threads.end(),
                                     [&](const std::string& t) { return t.substr(0, t.find(' ')) == key; });
      if (same == current.threads.end()) {
        current.threads.push_back(line);
      } else {
        *same = line;
      }
    } else {
      current.settings.push_back(line);
    }
  }
  return all;
}

Translation translate(const Pattern& pattern) {
  return Translator(pattern).run();
}

}  // namespace ptxmc::testing
