// SPDX-License-Identifier: Apache-2.0
#include "ptx_arithmetic.h"

#include <sstream>

namespace ptxmc::gpu {

namespace {

/// "@%p mad.lo.u32 %a, %b, 3, %c;" as {"@%p", "mad.lo.u32", "%a", "%b", "3", "%c"}.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::string flat = line;
  for (char& c : flat) {
    if (c == ',' || c == ';') c = ' ';
  }
  std::istringstream in(flat);
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

bool ends(const std::string& text, const std::string& with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

}  // namespace

PtxArithmetic::PtxArithmetic(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines_.push_back(trimmed(line));
}

std::uint64_t PtxArithmetic::value(const std::string& operand) const {
  if (operand[0] == '%' || operand[0] == '[') {
    const auto found = registers.find(operand);
    return found == registers.end() ? 0 : found->second;
  }
  if (operand[0] == '-' || (operand[0] >= '0' && operand[0] <= '9'))
    return static_cast<std::uint64_t>(std::stoll(operand, nullptr, 0));
  return 0;  // the address of a symbol
}

bool PtxArithmetic::run(const std::string& from, const std::string& stop) {
  const auto find = [&](const std::string& label) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i] == label + ":") return i;
    }
    return lines_.size();
  };
  std::size_t at = from.empty() ? 0 : find(from);
  for (int steps = 0; at < lines_.size() && steps < 100000; ++steps) {
    const std::string& line = lines_[at++];
    if (line.rfind(stop, 0) == 0) return true;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0][0] == '@') {
      const bool negated = words[0][1] == '!';
      if ((value(words[0].substr(negated ? 2 : 1)) != 0) == negated) continue;
      words.erase(words.begin());
    }
    if (words[0] == "bra") {
      at = find(words[1]);
    } else if (words.size() > 2) {
      execute(words);
    }
  }
  return false;
}

void PtxArithmetic::execute(const std::vector<std::string>& w) {
  const std::string op = w[0].substr(0, w[0].find('.'));
  const bool wide_result = ends(w[0], "64");
  const auto a = [&](std::size_t i) { return value(w[i]); };
  const auto word = [&](std::size_t i) { return static_cast<std::uint32_t>(value(w[i])); };
  const bool high = w[0].find(".hi.") != std::string::npos, wide = w[0].find(".wide.") != std::string::npos;
  std::uint64_t r = 0;
  if (op == "mov" || op == "cvta" || (op == "ld" && w[0].find(".param.") != std::string::npos)) {
    r = a(2);
  } else if (op == "add") {
    r = a(2) + a(3);
  } else if (op == "sub") {
    r = a(2) - a(3);
  } else if (op == "mul") {
    const std::uint64_t product = std::uint64_t{word(2)} * word(3);
    registers[w[1]] = high ? product >> 32 : wide ? product : product & 0xffffffff;
    return;
  } else if (op == "mad") {
    r = a(2) * a(3) + a(4);
  } else if (op == "and") {
    r = a(2) & a(3);
  } else if (op == "xor") {
    r = a(2) ^ a(3);
  } else if (op == "shr") {
    r = a(2) >> a(3);
  } else if (op == "rem") {
    r = a(2) % a(3);
  } else if (op == "div") {
    r = a(2) / a(3);
  } else if (op == "selp") {
    r = a(4) != 0 ? a(2) : a(3);
  } else if (op == "setp") {
    const bool is_signed = ends(w[0], "s32");
    const bool less =
        is_signed ? static_cast<std::int32_t>(word(2)) < static_cast<std::int32_t>(word(3)) : a(2) < a(3);
    const std::string relation = w[0].substr(5, 2);
    registers[w[1]] = relation == "lt"   ? less
                      : relation == "ge" ? !less
                      : relation == "eq" ? a(2) == a(3)
                                         : a(2) != a(3);
    return;
  } else {
    return;
  }
  registers[w[1]] = wide_result ? r : r & 0xffffffff;
}

}  // namespace ptxmc::gpu
