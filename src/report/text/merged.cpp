// SPDX-License-Identifier: Apache-2.0
#include "report/text/merged.h"

#include <fmt/format.h>

namespace ptxmc::report {

std::string merged_text(const observed::LoggedTest& test) {
  const bool forbids = test.condition.starts_with("~exists"),
             requires_all = test.condition.starts_with("forall");
  const std::uint64_t yes = test.positive(), no = test.observed - yes;
  const bool good = yes + no != 0 && (forbids ? yes == 0 : requires_all ? no == 0 : yes > 0);
  std::string out = fmt::format("Test {} {}\nHistogram ({} states)\n", test.name,
                                forbids        ? "Forbidden"
                                : requires_all ? "Required"
                                               : "Allowed",
                                test.states.size());
  for (const auto& [state, count] : test.states)
    out += fmt::format("{:<8}{}{}\n", count, test.satisfied.count(state) != 0 ? "*>" : ":>", state);
  out += fmt::format("{}\n\nWitnesses\nPositive: {}, Negative: {}\n",
                     yes + no == 0 ? "Undef"
                     : good        ? "Ok"
                                   : "No",
                     forbids ? no : yes, forbids ? yes : no);
  if (!test.condition.empty())
    out += fmt::format("Condition {} is {}validated\n", test.condition, good ? "" : "NOT ");
  if (!test.hash.empty()) out += fmt::format("Hash={}\n", test.hash);
  out += fmt::format("Observation {} {} {} {}\n", test.name,
                     yes + no == 0 ? "Unknown"
                     : yes == 0    ? "Never"
                     : no == 0     ? "Always"
                                   : "Sometimes",
                     yes, no);
  out += fmt::format("Time {} {:.2f}\n", test.name, test.seconds);
  if (test.hung != 0) out += fmt::format("Hung {} {}\n", test.name, test.hung);
  if (test.stuck != 0)
    out += fmt::format("Hung {} a launch of {} instances did not end\n", test.name, test.stuck);
  if (test.unrecorded != 0) out += fmt::format("Unrecorded {} {}\n", test.name, test.unrecorded);
  for (const std::string& id : test.ids) out += fmt::format("Run {} {}\n", test.name, id);
  for (const std::string& device : test.devices) out += fmt::format("Device {} {}\n", test.name, device);
  return out + fmt::format("Rate {} {:.4g} instances/s, {:.4g} of them weak/s, {} runs\n\n", test.name,
                           test.per_second(test.instances), test.per_second(yes), test.runs);
}

}  // namespace ptxmc::report
