// SPDX-License-Identifier: Apache-2.0
// A small test as the naive enumeration has it: its text, and the same read from what `generate` prints.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ptxmc::naive {

inline constexpr int kOpen = -1;  // what a condition says nothing of

/// R a load, W a store, U an exchange, F a fence.
struct Op {
  char kind = 'R';
  std::string order = "weak", scope;
  int location = 0;
  int written = 0;  // of W and U
  int read = kOpen;
};
struct Test {
  std::vector<std::vector<Op>> threads;
  std::vector<int> cta;
  std::vector<int> cluster;  // of each thread's CTA
  std::vector<int> finals;   // by location
};

inline bool reads(const Op& op) {
  return op.kind == 'R' || op.kind == 'U';
}
inline bool writes(const Op& op) {
  return op.kind == 'W' || op.kind == 'U';
}
template <typename Visit>
void each(const Test& test, const Visit& visit) {
  for (std::size_t t = 0; t < test.threads.size(); ++t)
    for (std::size_t i = 0; i < test.threads[t].size(); ++i) visit(t, i, test.threads[t][i]);
}
/// How many operations write there.
int written(const Test& test, int location);

/// The same for all tests that differ by numbers alone.
std::string code_of(const Test& test);
/// A litmus test whose condition shows every result and every location.
std::string litmus_of(const Test& test);
/// A test as `generate` prints it, and whether it says Allowed.
std::pair<Test, bool> parsed(const std::string& text);
/// The parts of a text between these, without blanks around them.
std::vector<std::string> split(const std::string& text, const std::string& by);

}  // namespace ptxmc::naive
