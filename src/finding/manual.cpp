// SPDX-License-Identifier: Apache-2.0
#include "finding/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <system_error>
#include <vector>

namespace ptxmc::finding {

namespace {

constexpr const char* kManual = "https://docs.nvidia.com/cuda/parallel-thread-execution/";

struct Anchor {
  std::string_view section, name;
};

constexpr Anchor kAnchors[] = {
    {"2.2.2", "cluster-of-cooperative-thread-arrays"},
    {"5.1.3", "constant-state-space"},
    {"5.1.7", "shared-state-space"},
    {"5.4.5", "alignment"},
    {"6.4.1", "addresses-as-operands"},
    {"6.4.1.1", "generic-addressing"},
    {"8.2", "memory-operations"},
    {"8.2.6", "initialization"},
    {"8.5", "scope"},
    {"8.6", "proxies"},
    {"8.7.1", "conflict-and-data-races"},
    {"8.7.2", "mixed-size-limitations"},
    {"8.8", "release-acquire-patterns"},
    {"8.9.6", "coherence-order"},
    {"9.7", "instructions"},
    {"9.7.8.6", "data-movement-and-conversion-instructions-shfl-sync"},
    {"9.7.8.24.6", "data-movement-and-conversion-instructions-cp-async-bulk"},
    {"9.7.8.24.9", "data-movement-and-conversion-instructions-cp-async-bulk-tensor"},
    {"9.7.12.1", "parallel-synchronization-and-communication-instructions-bar"},
    {"9.7.12.2", "parallel-synchronization-and-communication-instructions-bar-warp-sync"},
    {"9.7.12.4", "parallel-synchronization-and-communication-instructions-membar"},
    {"9.7.12.13", "parallel-synchronization-and-communication-instructions-griddepcontrol"},
    {"9.7.12.15", "parallel-synchronization-and-communication-instructions-mbarrier"},
    {"9.7.12.15.4", "parallel-synchronization-and-communication-instructions-mbarrier-phase"},
    {"9.7.12.15.10", "parallel-synchronization-and-communication-instructions-mbarrier-inval"},
    {"9.7.12.15.13", "parallel-synchronization-and-communication-instructions-mbarrier-arrive"},
    {"9.7.12.15.16", "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait"},
    {"9.7.13.5.1", "warp-level-sparse-matrix-storage"},
    {"9.7.14.7.1", "asynchronous-warpgroup-level-matrix-instructions-wgmma-fence"},
    {"9.7.14.7.3", "asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group"},
    {"9.7.16.1", "tensor-memory"},
    {"9.7.16.1.2", "tensor-memory-allocation"},
    {"9.7.16.6.2", "tcgen05-memory-consistency-model-pipelined-instructions"},
    {"9.7.16.6.3", "tcgen05-memory-consistency-model-inter-thread-sync"},
    {"9.7.16.7.1", "tcgen05-instructions-tcgen05-alloc-dealloc-relinquish-alloc-permit"},
    {"9.7.16.8.1", "tcgen05-tensor-memory-ld-st-access-restrictions"},
    {"9.7.17.4", "miscellaneous-instructions-trap"},
    {"9.7.17.5", "miscellaneous-instructions-setmaxnreg"},
};

constexpr std::string_view kEdition = "PTX ISA 9.4, ", kInstructions = "9.7.";

/// Sections of chapter 9.7: those of number `first` to `last` in `from` (PTX ISA 8.4; tensor cores: 8.7) are in `to` in PTX
/// ISA 9.4, their numbers so much larger.
using Path = std::array<int, 3>;  // a zero is none
struct Moved {
  Path from;
  int first, last;
  Path to;
  int by;
};
constexpr int kAll = 99;

/// The first row that fits a section is its own: inner ones say how the end of a section moves, the last ones how its beginning does.
constexpr Moved kMoved[] = {
    {{1}, 5, kAll, {1}, 1},            // after clmad
    {{8, 24}, 3, 5, {10, 28, 3}, -2},  // copies that are no bulk ones
    {{8, 24}, 6, 8, {10, 28, 4}, -5},  // bulk copies
    {{8, 24}, 9, 11, {10, 28, 5}, -6},
    {{8, 24}, 12, 13, {10, 28, 6}, -11},
    {{8}, 13, 15, {10}, 2},  // after multimem.st.async and st.bulk
    {{8}, 16, kAll, {10}, 4},
    {{12, 15}, 2, 5, {15, 16}, 1},     // mbarrier: after layouts
    {{12, 15}, 6, 7, {15, 16}, 2},     // after success
    {{12, 15}, 8, 17, {15, 16}, 3},    // after report-on
    {{12, 15}, 18, 18, {15}, -1},      // tensormap.cp_fenceproxy
    {{12}, 8, kAll, {15}, 1},          // after multimem.red.async
    {{13}, 3, kAll, {16}, 1},          // after block scaling
    {{16, 10}, 8, kAll, {18, 10}, 1},  // after decompression
    {{}, 5, 8, {}, 2},                 // after mixed precision and alternate formats
    {{}, 9, 14, {}, 3},                // after fabric
    {{}, 15, 15, {}, 4},
    {{}, 16, 16, {}, 2},
    {{}, 17, 17, {}, 4},
};

/// The numbers of "12.15.16", and how many characters they take.
std::vector<int> numbers_of(std::string_view text, std::size_t& size) {
  std::vector<int> out;
  size = 0;
  while (size < text.size()) {
    const char* const begin = text.data() + size;
    int number = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    if (error != std::errc()) break;
    out.push_back(number);
    size = static_cast<std::size_t>(end - text.data());
    if (size + 1 >= text.size() || text[size] != '.' ||
        std::isdigit(static_cast<unsigned char>(text[size + 1])) == 0)
      break;
    ++size;
  }
  return out;
}

std::size_t length(const Path& path) {
  return static_cast<std::size_t>(std::find(path.begin(), path.end(), 0) - path.begin());
}

bool fits(const Moved& row, const std::vector<int>& section) {
  const std::size_t at = length(row.from);
  return section.size() > at &&
         std::equal(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(at), row.from.begin()) &&
         section[at] >= row.first && section[at] <= row.last;
}

std::vector<int> in_newest(const std::vector<int>& section) {
  const auto* row = std::find_if(std::begin(kMoved), std::end(kMoved),
                                 [&](const Moved& one) { return fits(one, section); });
  if (row == std::end(kMoved)) return section;
  std::vector<int> out(row->to.begin(), row->to.begin() + static_cast<std::ptrdiff_t>(length(row->to)));
  const auto moved = section.begin() + static_cast<std::ptrdiff_t>(length(row->from));
  out.push_back(*moved + row->by);
  out.insert(out.end(), moved + 1, section.end());
  return out;
}

}  // namespace

std::string citation(std::string_view sections) {
  std::string out(kEdition);
  while (!sections.empty()) {
    const std::size_t at = std::min(sections.find(kInstructions), sections.size());
    const std::size_t behind = std::min(at + kInstructions.size(), sections.size());
    out.append(sections.substr(0, behind));
    sections.remove_prefix(behind);
    std::size_t size = 0;
    const std::vector<int> section = numbers_of(sections, size);
    if (section.empty()) continue;
    out += fmt::format("{}", fmt::join(in_newest(section), "."));
    sections.remove_prefix(size);
  }
  return out;
}

std::string manual_url(std::string_view section) {
  const auto* row = std::find_if(std::begin(kAnchors), std::end(kAnchors),
                                 [&](const Anchor& one) { return one.section == section; });
  std::string out = kManual;
  if (row == std::end(kAnchors)) return out;
  out += '#';
  return out.append(row->name);
}

}  // namespace ptxmc::finding
