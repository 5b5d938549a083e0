// SPDX-License-Identifier: Apache-2.0
// The scaling families: what each member's condition must come out as, on both engines, for members small
// enough.
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "harness.h"
#include "model/models.h"
#include "suites.h"

namespace ptxmc::testing {
namespace {

struct Family {
  const char* prefix;  ///< of the file name, below scaling/
  int largest;         ///< member tried
  bool holds;          ///< the condition, quantifier included, as the doc strings state it
  bool all_states;     ///< also compare the states of both engines
};

constexpr std::array<Family, 12> kFamilies{{
    {"SB-ring-", 8, false, false},
    {"SB-ring-weak1-", 8, true, false},
    {"IRIW-sc-", 6, false, false},
    {"IRIW-ar-", 6, true, false},
    {"AtomInc-", 5, true, false},
    {"AtomInc-lost-", 5, false, false},
    {"Ticketlock-", 4, false, false},
    {"all-states/SB-all-", 6, false, true},
    {"all-states/IRIW-all-", 4, false, true},
    {"all-states/AtomInc-all-", 4, true, true},
    {"all-states/Writers-all-", 5, true, true},
    {"all-states/Ticket-all-", 3, true, true},
}};

}  // namespace

std::size_t scaling(const SuiteOptions& options) {
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  std::size_t errors = 0, members = 0;
  for (const Family& family : kFamilies) {
    std::size_t tried = 0;
    for (int n = 2; n <= family.largest; ++n) {
      const auto path = options.suites / "scaling" / fmt::format("{}{:02}.litmus", family.prefix, n);
      if (!std::filesystem::exists(path)) continue;
      ++tried;
      const Prepared prepared = prepare(path.string(), read_file(path), {});
      for (Engine engine : {Engine::explicit_, Engine::smt}) {
        const Answer answer = condition_holds(engine, prepared, model);
        if (answer == (family.holds ? Answer::yes : Answer::no)) continue;
        fmt::print("ERROR {}: the condition {}; {}: {}\n", path.string(),
                   family.holds ? "holds" : "does not hold", name_of(engine), name_of(answer));
        ++errors;
      }
      if (!family.all_states) continue;
      Counts counts;
      CompareOptions compare;
      compare.all_flags = false;
      if (const auto failure = compare_engines(prepared, model, compare, counts)) {
        fmt::print("ERROR {}: {}: {}\n", path.string(), failure->kind, failure->detail);
        ++errors;
      }
    }
    if (tried == 0) {
      fmt::print("ERROR: no member of {}\n", family.prefix);
      ++errors;
    }
    members += tried;
  }
  fmt::print("{} members of {} families, both engines\n", members, kFamilies.size());
  return errors;
}

}  // namespace ptxmc::testing
