// SPDX-License-Identifier: Apache-2.0
#include "repair/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>

#include "repair/shipped_costs.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace ptxmc::repair {

namespace {

std::vector<std::string> parts_of(std::string_view mnemonic) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t dot = mnemonic.find('.');
    out.emplace_back(mnemonic.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    mnemonic.remove_prefix(dot + 1);
  }
}

std::string_view line_at(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

Costs::Costs(const SourcePtr& text) {
  Diagnostics errors(text);
  std::uint32_t number = 0;
  for (std::string_view rest = text->text; !rest.empty();) {
    std::string_view line = line_at(rest);
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const Position at{number, 1, static_cast<std::uint32_t>(line.size())};
    if (line.starts_with("source:")) {
      source_ += (source_.empty() ? "" : "; ") + std::string(trimmed(line.substr(7)));
      continue;
    }
    const std::size_t gap = line.find_first_of(" \t");
    const std::string name(line.substr(0, gap));
    const std::string value(gap == std::string_view::npos ? "" : trimmed(line.substr(gap)));
    char* end = nullptr;
    const double ns = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(ns) || ns < 0) {
      errors.error(at, "expected an instruction and its nanoseconds, `fence.acq_rel.gpu 412.5` say");
    } else if (!rows_.emplace(name, ns).second) {
      errors.error(at, fmt::format("`{}` has two rows", name));
    }
  }
  if (errors.has_errors()) throw InputError(errors);
}

const Costs& Costs::shipped() {
  static const Costs costs(std::make_shared<const Source>(Source{"costs.txt", std::string(kShippedCosts)}));
  return costs;
}

// The row with most words of those whose words all are the instruction's, in their order.
std::optional<double> Costs::of(std::string_view mnemonic) const {
  const std::vector<std::string> words = parts_of(mnemonic);
  std::optional<double> best;
  std::size_t most = 0;
  for (const auto& [name, ns] : rows_) {
    const std::vector<std::string> row = parts_of(name);
    if (row.front() != words.front()) continue;
    std::size_t at = 0;
    for (const std::string& word : words) at += at < row.size() && row[at] == word;
    if (at != row.size() || row.size() <= most) continue;
    most = row.size();
    best = ns;
  }
  return best;
}

double strength(std::string_view mnemonic) {
  double out = 0;
  for (const std::string& word : parts_of(mnemonic)) {
    if (word == "relaxed" || word == "volatile") out += 1;
    if (word == "acquire" || word == "release") out += 2;
    if (word == "acq_rel") out += 3;
    if (word == "sc") out += 8;
    if (word == "cluster") out += 1;
    if (word == "gpu") out += 2;
    if (word == "sys") out += 4;
  }
  const bool fence = mnemonic.starts_with("fence") || mnemonic.starts_with("membar");
  if (mnemonic.starts_with("membar")) out += mnemonic.ends_with("gl") ? 10 : 8;
  if (fence) out += 4;
  if (mnemonic.starts_with("bar")) out += 12;
  if (mnemonic == "fence.proxy.async") out += 2;
  if (mnemonic.find("wait") != std::string_view::npos) out += 6;
  return out + 1;
}

}  // namespace ptxmc::repair
