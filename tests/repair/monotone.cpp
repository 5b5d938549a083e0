// SPDX-License-Identifier: Apache-2.0
// monotone SEED COUNT [all]: repairs of random programs, found as usual and by asking about every set of changes, are the same. What the
// search rests on, that order which is added takes executions away and no more, is so asked of the engines. `all`: beside barriers,
// phases, arrivals and moves, too.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string_view>

#include "generate.h"
#include "input/litmus/parse.h"
#include "repair/repair.h"
#include "support/diagnostic.h"

using namespace ptxmc;

namespace {

std::set<std::vector<std::string>> repairs_of(const session::Session& session, const litmus::Test& test,
                                              bool all_kinds, bool monotone, bool& open) {
  repair::Asked asked;
  asked.changes = 2;
  asked.repairs = 0;
  asked.monotone = monotone;
  asked.wanted = repair::wrong_with(repair::look(session, test, {}));  // all of it, or nothing
  asked.ordering_alone = !all_kinds;
  const repair::Repairs found = repair::find_repairs(session, test, asked);
  open = open || found.open;
  std::set<std::vector<std::string>> out;
  for (const repair::Repair& repair : found.repairs) out.insert(repair.what);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
  const bool all_kinds = argc > 3 && std::string_view(argv[3]) == "all";
  testing::Shape shape = testing::tiny_shape();
  shape.max_threads = 2;
  shape.most_threads = 3;
  shape.max_accesses = 5;
  const session::Session session{session::Settings{}};
  std::size_t compared = 0, repaired = 0, open_ones = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string text = testing::generate_test(seed + i, shape);
    try {
      const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"random", text}));
      bool open = false;
      const auto quick = repairs_of(session, test, all_kinds, true, open),
                 slow = repairs_of(session, test, all_kinds, false, open);
      if (open) {
        ++open_ones;
        continue;
      }
      ++compared;
      repaired += !slow.empty();
      if (quick == slow) continue;
      std::cout << "seed " << seed + i << ": the search misses or adds repairs\n" << text;
      for (const auto& what : slow)
        std::cout << (quick.contains(what) ? "  both: " : "  all: ")
                  << fmt::format("{}\n", fmt::join(what, " + "));
      for (const auto& what : quick) {
        if (!slow.contains(what)) std::cout << "  search: " << fmt::format("{}\n", fmt::join(what, " + "));
      }
      return 1;
    } catch (const InputError&) {  // beyond what a test may be
    }
  }
  std::cout << fmt::format("{} programs compared, {} repaired, {} left open\n", compared, repaired,
                           open_ones);
  return repaired == 0 ? 1 : 0;
}
