// SPDX-License-Identifier: Apache-2.0
// Programs are pairs of instruction sequences. Two programs that differ only by exchanging x and y, or the
// two threads, are one: the lexicographically least of the variants is kept.
#include "small_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ptxmc::testing {
namespace {

/// One letter of the alphabet: `{}` stands for the location.
struct Letter {
  const char* pattern;
  bool access;  ///< has a location
  bool reads;   ///< has a destination register, `#`
};

constexpr std::array<Letter, 14> kLetters{{
    {"st.weak {}, 1", true, false},
    {"st.relaxed.gpu {}, 2", true, false},
    {"st.release.gpu {}, 1", true, false},
    {"st.release.cta {}, 2", true, false},
    {"ld.weak #, {}", true, true},
    {"ld.relaxed.gpu #, {}", true, true},
    {"ld.acquire.gpu #, {}", true, true},
    {"ld.acquire.cta #, {}", true, true},
    {"atom.acq_rel.gpu.add #, {}, 1", true, true},
    {"red.relaxed.gpu.add {}, 1", true, false},
    {"fence.sc.gpu", false, false},
    {"fence.acq_rel.cta", false, false},
    {"fence.proxy.alias", false, false},
    {"bar.cta.sync 1, 0, 2", false, false},
}};

constexpr const char* kLocations[] = {"x", "y", "a"};  // a is an alias of x

/// An instruction: letter and location.
using Instruction = std::pair<int, int>;
using Sequence = std::vector<Instruction>;

std::vector<Instruction> instructions() {
  std::vector<Instruction> all;
  for (int letter = 0; letter < static_cast<int>(kLetters.size()); ++letter) {
    const bool weak = letter == 0 || letter == 4;  // aliases matter for weak accesses
    const int locations = !kLetters[static_cast<std::size_t>(letter)].access ? 1 : weak ? 3 : 2;
    for (int location = 0; location < locations; ++location) all.emplace_back(letter, location);
  }
  return all;
}

std::vector<Sequence> sequences(int length) {
  const std::vector<Instruction> alphabet = instructions();
  std::vector<Sequence> all, current{{}};
  for (int k = 0; k < length; ++k) {
    std::vector<Sequence> longer;
    for (const Sequence& sequence : current) {
      for (const Instruction& instruction : alphabet) {
        longer.push_back(sequence);
        longer.back().push_back(instruction);
      }
    }
    all.insert(all.end(), longer.begin(), longer.end());
    current = std::move(longer);
  }
  std::erase_if(all, [](const Sequence& s) {
    return std::none_of(s.begin(), s.end(),
                        [](Instruction i) { return kLetters[static_cast<std::size_t>(i.first)].access; });
  });
  return all;
}

bool uses_alias(const Sequence& s) {
  return std::any_of(s.begin(), s.end(), [](Instruction i) { return i.second == 2; });
}

Sequence exchange_locations(Sequence s) {
  for (auto& [letter, location] : s) {
    if (kLetters[static_cast<std::size_t>(letter)].access) location = 1 - location;
  }
  return s;
}

bool shares_location(const Sequence& a, const Sequence& b) {
  const auto cells = [](const Sequence& s) {
    unsigned mask = 0;
    for (const auto& [letter, location] : s) {
      if (kLetters[static_cast<std::size_t>(letter)].access) mask |= location == 1 ? 2u : 1u;
    }
    return mask;
  };
  return (cells(a) & cells(b)) != 0;
}

bool least_variant(const Sequence& a, const Sequence& b) {
  const std::pair<Sequence, Sequence> now{a, b};
  if (std::pair(b, a) < now) return false;
  if (uses_alias(a) || uses_alias(b)) return true;
  const Sequence c = exchange_locations(a), d = exchange_locations(b);
  return std::pair(c, d) >= now && std::pair(d, c) >= now;
}

std::string print(const Sequence& a, const Sequence& b, bool one_cta) {
  std::string text = "PTX small\n{ x=0; y=0; a aliases x; }\n";
  text += fmt::format("P0@cta 0,gpu 0 | P1@cta {},gpu 0 ;\n", one_cta ? 0 : 1);
  std::string observed;
  const auto cell = [&](const Sequence& s, std::size_t row, int thread) -> std::string {
    if (row >= s.size()) return "";
    const Letter& letter = kLetters[static_cast<std::size_t>(s[row].first)];
    std::string line = letter.pattern;
    if (const auto at = line.find("{}"); at != std::string::npos)
      line.replace(at, 2, kLocations[s[row].second]);
    if (const auto at = line.find('#'); at != std::string::npos) {
      line.replace(at, 1, fmt::format("r{}", row));
      observed += fmt::format("P{}:r{}; ", thread, row);
    }
    return line;
  };
  for (std::size_t row = 0; row < std::max(a.size(), b.size()); ++row) {
    const std::string left = cell(a, row, 0), right = cell(b, row, 1);
    text += fmt::format("{} | {} ;\n", left, right);
  }
  return text + "locations [" + observed + "x; y;]\nexists (x == 0)\n";
}

}  // namespace

void for_each_small_program(std::size_t size, const std::function<void(const std::string& text)>& visit) {
  const std::vector<Sequence> all =
      sequences(static_cast<int>(std::max<std::size_t>(size, 2)) / 2 + static_cast<int>(size % 2));
  for (const Sequence& a : all) {
    for (const Sequence& b : all) {
      if (a.size() + b.size() > size || !shares_location(a, b) || !least_variant(a, b)) continue;
      for (bool one_cta : {true, false}) visit(print(a, b, one_cta));
    }
  }
}

}  // namespace ptxmc::testing
