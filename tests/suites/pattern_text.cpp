// SPDX-License-Identifier: Apache-2.0
#include "pattern_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "pattern_async.h"

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
  explicit Translator(const Pattern& pattern)
      : pattern_(pattern),
        tile_(words_of_tile(pattern.threads)),
        factor_(copies_tiles(pattern.threads) ? 4 : 1) {}

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
      if (word == "gran" && rest != "4") {
        bytes_ = true;
      } else if (word == "gran") {
        continue;  // cells of four bytes
      } else if (word == "size") {
        factor_ = 2;  // two cells in a tile
      } else if (word == "view" && equals != std::string::npos) {
        aliases_.emplace_back(rest.substr(0, equals) + " @ constant", rest.substr(equals + 1));
      } else if (word == "alias" && equals != std::string::npos) {
        aliases_.emplace_back(rest.substr(0, equals), rest.substr(equals + 1));
      } else if (word == "init" && equals != std::string::npos) {
        initial_.emplace_back(rest.substr(0, equals), rest.substr(equals + 1));
      } else if (word == "mbar" && equals != std::string::npos) {
        counts_[rest.substr(0, equals)] = rest.substr(equals + 1);
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
    thread_ = std::stoi(text.substr(1));
    std::string placement;
    std::stringstream words(text.substr(open + 1, close - open - 1));
    for (std::string word; words >> word;) {
      const std::size_t digit = word.find_first_of("0123456789");
      if (!placement.empty()) placement += ", ";
      if (word.starts_with("cta")) ctas_.insert(word.substr(3));
      placement += digit == std::string::npos ? word : word.substr(0, digit) + " " + word.substr(digit);
    }
    if (placement.find("cluster") == std::string::npos) placement += ", cluster 0";
    std::string block = fmt::format(" P{} @ {} {{\n", thread_, placement);
    for (const std::string& instruction : split(text.substr(colon + 1), ';'))
      block += translate_instruction(instruction);
    blocks_ += block + " }\n";
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
    if (const std::string other = not_translated(opcode); !other.empty()) unsupported(other);
    if (!reason_.empty()) return "";
    const bool polls = opcode.find("_wait") != std::string::npos && spin;
    std::string line = written_out({opcode, operands}, polls);
    if (polls) {
      const int k = labels_++;
      return fmt::format("{}  L{}:\n  {};\n  @!%pw{} bra L{};\n", take_setup(), k, line, k, k);
    }
    if (wanted.empty()) return fmt::format("{}  {};\n", take_setup(), line);
    if (operands.empty() || std::isalpha(static_cast<unsigned char>(operands[0][0])) == 0) {
      unsupported("a value expected of `" + text + "`");
      return "";
    }
    if (!spin) {
      filter_.push_back(fmt::format("P{}:%{} == {}", thread_, operands[0], wanted));
      return fmt::format("{}  {};\n", take_setup(), line);
    }
    const int k = labels_++;
    return fmt::format("{}  L{}:\n  {};\n  setp.ne.u32 %p{}, %{}, {};\n  @%p{} bra L{};\n", take_setup(), k,
                       line, k, operands[0], wanted, k, k);
  }

  /// One instruction with PTX's operands. `polls`: of an mbarrier, whose result is the next label's
  /// predicate.
  std::string written_out(const ShortInstruction& instruction, bool polls) {
    const std::string& opcode = instruction.opcode;
    const bool barrier = opcode.starts_with("bar.") || opcode.starts_with("barrier.cta.");
    std::string line = long_opcode(opcode);
    has_response_ = has_response_ || opcode.starts_with("clusterlaunchcontrol");
    if (polls) line += fmt::format(" %pw{}", labels_);
    for (std::size_t o = 0; o < instruction.operands.size(); ++o) {
      const std::string& given = instruction.operands[o];
      std::string operand = long_size(instruction, o, factor_);
      const bool name = std::isalpha(static_cast<unsigned char>(given[0])) != 0;
      if (name) operand = "%" + given;
      // Barrier counts of the shorthand are litmus threads; in this form a litmus thread stands for a warp.
      if (barrier && o == 1 && !name) operand = std::to_string(32 * std::stoi(operand));
      if (is_address(given)) operand = address(instruction, o);
      line += (o == 0 && !polls ? " " : ", ") + operand;
    }
    return line;
  }

  std::string address(const ShortInstruction& instruction, std::size_t place) {
    const ShortAddress address = read_address(instruction.operands[place]);
    const std::string &name = address.name, &cta = address.cta;
    const bool is_alias = std::any_of(aliases_.begin(), aliases_.end(), [&](const auto& a) {
      return a.first == name || a.first == name + " @ constant";
    });
    if (instruction.opcode.ends_with("64")) wide_.insert(name);
    if (!cta.empty()) remote_ctas_.insert(cta);
    if (is_mbarrier_place(instruction, place)) {
      mbarriers_.insert(name);
      if (instruction.opcode == "mbarrier.init") initialised_.insert(name);
    } else if (!is_alias) {
      // A tile of another CTA is in shared memory whatever the instruction calls the space.
      (is_shared_place(instruction, place) || !cta.empty() ? shared_ : global_).insert(name);
    }
    if (cta.empty()) return "[" + name + address.offset + "]";
    const std::string reg = fmt::format("%m{}", remotes_++);
    setup_ += fmt::format("  mapa.shared::cluster.u32 {}, {}, {};\n", reg, name, cta);
    return "[" + reg + "]";
  }

  /// Instructions that must stand before the one just written out.
  std::string take_setup() { return std::exchange(setup_, ""); }

  std::string declaration(const std::string& space, const std::string& name) const {
    std::string value = "0";
    for (const auto& [of, initial] : initial_) {
      if (of == name) value = initial;
    }
    if (bytes_) return fmt::format("  .{} .align 16 .b8 {}[16];\n", space, name);
    if (wide_.contains(name)) return fmt::format("  .{} .b64 {} = {};\n", space, name, value);
    if (tile_ == 1) return fmt::format("  .{} .b32 {} = {};\n", space, name, value);
    std::vector<std::string> values(tile_, "0");
    values.front() = value;
    return fmt::format("  .{} .align 16 .b32 {}[{}] = {{{}}};\n", space, name, tile_,
                       fmt::join(values, ", "));
  }

  std::string print() {
    std::string text = "PTX " + pattern_.name + "\n{\n";
    for (const std::string& name : global_) text += declaration("global", name);
    for (const std::string& name : shared_) text += declaration("shared", name);
    for (const std::string& name : mbarriers_) {
      const auto count = counts_.find(name);
      text += fmt::format(
          "  .shared .b64 {}{};\n", name,
          initialised_.contains(name) ? "" : " = " + (count == counts_.end() ? "1" : count->second));
    }
    for (const auto& [alias, of] : aliases_) text += fmt::format("  {} aliases {};\n", alias, of);
    text += "}\n" + blocks_;
    for (const std::string& cta : remote_ctas_) {  // a thread block that is only copied to has a thread too
      if (!ctas_.contains(cta))
        text += fmt::format(" P{} @ cta {}, cluster 0 {{\n  mov.u32 %r, 0;\n }}\n", ++thread_, cta);
    }
    if (!filter_.empty()) text += "filter (" + fmt::format("{}", fmt::join(filter_, " /\\ ")) + ")\n";
    return text + "exists (" + condition() + ")\n";
  }

  /// "T1.a==1 & [x]==2 & ~(...)" in litmus notation.
  std::string condition() const {
    std::string text = pattern_.bad.empty() ? "1==1" : pattern_.bad;
    if (has_response_)
      text = replace_all(text, "==7", "!=0");  // the shorthand's response; here it has no number
    text = replace_all(replace_all(text, "&", "/\\"), "|", "\\/");
    for (const auto& names : {global_, shared_}) {
      for (const std::string& name : names) {
        if (tile_ > 1) text = replace_all(text, "[" + name + "]", name + "[0]");
        text = replace_all(text, "[" + name + "+4]", name + "[1]");
      }
    }
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
  std::size_t tile_;    // words of a tile
  std::size_t factor_;  // from the shorthand's bytes to those of a tile
  bool bytes_ = false;  // cells of one byte: accesses of several sizes
  bool has_response_ = false;
  std::string setup_;
  int thread_ = 0, labels_ = 0, remotes_ = 0;
  std::vector<std::pair<std::string, std::string>> aliases_, initial_;
  std::map<std::string, std::string> counts_;  // of mbarriers, where it is not 1
  std::vector<std::string> filter_;
  std::set<std::string> global_, shared_, mbarriers_, initialised_, wide_, remote_ctas_, ctas_;
};

}  // namespace

namespace {

/// An earlier test under the name of `named`, whose lines then replace its own.
Pattern variant(const std::vector<Pattern>& all, const std::string& base, std::size_t line,
                const Pattern& named) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Pattern& p) { return p.name == base; });
  if (found == all.end())
    throw std::runtime_error(fmt::format("line {}: a variant of nothing: {}", line, base));
  Pattern next = *found;
  next.name = named.name;
  next.line = named.line;
  return next;
}

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
      if (std::string base; words >> base) next = variant(all, base, number, next);
      all.push_back(next);
      continue;
    }
    if (all.empty()) throw std::runtime_error(fmt::format("line {}: outside of a test: {}", number, line));
    Pattern& current = all.back();
    if (line.starts_with("like ")) {
      current = variant(all, line.substr(5), number, current);
    } else if (line.starts_with("bad ")) {
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
