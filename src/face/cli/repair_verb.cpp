// SPDX-License-Identifier: Apache-2.0
// The verb `repair`.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "face/cli/answers.h"
#include "face/cli/inputs.h"
#include "face/cli/modules.h"
#include "face/cli/output_file.h"
#include "face/cli/repair_verbs.h"
#include "face/cli/verbs.h"
#include "input/litmus/parse.h"
#include "input/litmus/print.h"
#include "repair/repair.h"
#include "report/json/line.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string proven(const repair::Found& found, const litmus::Test& test) {
  std::string out;
  const auto add = [&](bool is, const char* words) {
    if (is) out += fmt::format("{}{}", out.empty() ? "" : "; ", words);
  };
  const bool forall = test.property.is_forall();
  add(test.property.condition && found.outcome == false,
      forall ? "all executions satisfy the condition" : "no execution satisfies the condition");
  add(found.races == false, "no race");
  add(found.hangs == false, "no thread waits forever");
  return out;
}

namespace {

std::string price(const repair::Repairs& repairs, double cost) {
  return repairs.measured ? fmt::format("{:+.0f} ns", cost) : fmt::format("strength {:.0f}", cost);
}

/// Why there may be more repairs than those; empty: there are none.
std::string limits_of(const repair::Repairs& repairs, const Options& options) {
  if (repairs.out_of_time) return "timeout: there may be more";
  if (repairs.open) return "some changes were left open: there may be more";
  if (repairs.more) return "there are more (--repairs 0: all)";
  if (repairs.beyond)
    return fmt::format("larger sets than {} changes were not looked at", options.repair.changes);
  return "";
}

std::string text_of(const repair::Repairs& repairs, const Options& options, const litmus::Test& test) {
  const std::string& file = test.source->name;
  if (repairs.wanted.nothing() && !repairs.before.decided())
    return fmt::format("Repair {} unknown ({}): nothing wrong was found, and not everything was decided\n\n",
                       test.name, repairs.before.why_open());
  if (repairs.wanted.nothing() || repairs.before.has(repairs.wanted))
    return fmt::format("Repair {} nothing is wrong\n\n", test.name);
  std::string out = fmt::format("Repair {} {}\n", test.name, repairs.wanted.text(test));
  if (repairs.outcome_stays)
    out += fmt::format("Note no repair within {} change{} forbids the outcome, too{}: it may be intended\n",
                       options.repair.changes, options.repair.changes == 1 ? "" : "s",
                       repairs.outcome_open ? ", as far as they were decided" : "");
  if (repairs.repairs.empty()) {
    const bool open = repairs.open || repairs.out_of_time;
    out += fmt::format("{} within {} change{}{}\n",
                       open ? "Unknown: no repair was found" : "None: there is no repair",
                       options.repair.changes, options.repair.changes == 1 ? "" : "s",
                       repairs.by_order ? "; more of them may do (--changes)" : "");
  }
  std::size_t number = 0;
  for (const repair::Repair& repair : repairs.repairs) {
    out += fmt::format("{}. {} change{}, {}\n", ++number, repair.what.size(),
                       repair.what.size() == 1 ? "" : "s", price(repairs, repair.cost));
    for (const std::string& what : repair.what) out += fmt::format("  {}\n", what);
    out += fmt::format("  proof: {} ({})\n", proven(repair.proof, test), repair.proof.engine);
    out += repair::unified_diff(file, "repaired", test.source->text, repair.text);
  }
  const std::string limits = limits_of(repairs, options);
  if (!limits.empty() && !repairs.repairs.empty()) out += fmt::format("Limits {}\n", limits);
  return out + "\n";
}

}  // namespace

Json json_of(const repair::Found& found) {
  Json out = Json::object();
  const auto add = [&](const char* name, std::optional<bool> value) {
    out[name] = value ? Json(*value) : Json(nullptr);
  };
  add("outcome", found.outcome);
  add("races", found.races);
  add("hangs", found.hangs);
  out["undefined"] = found.undefined;
  out["findings"] = found.findings;
  out["engine"] = found.engine;
  return out;
}

namespace {

std::string json_line(const repair::Repairs& repairs, const Options& options, const litmus::Test& test) {
  Json out = report::json_head("repair");
  out.update({{"test", test.name},
              {"file", test.source->name},
              {"wanted", repairs.wanted.text(test)},
              {"before", json_of(repairs.before)},
              {"unit", repairs.measured ? "ns" : "strength"},
              {"repairs", Json::array()},
              {"outcome_stays", repairs.outcome_stays},
              {"changes_at_most", options.repair.changes},
              {"more", repairs.more || repairs.beyond},
              {"open", answer_of(repairs) == Answer::unknown || repairs.open || repairs.out_of_time},
              {"sites", repairs.sites},
              {"questions", repairs.questions}});
  if (!repairs.before.decided()) out["unknown"] = repairs.before.why_open();
  for (const repair::Repair& repair : repairs.repairs) {
    out["repairs"].push_back(
        {{"changes", repair.what},
         {"cost", repair.cost},
         {"proof", json_of(repair.proof)},
         {"diff", repair::unified_diff(test.source->name, "repaired", test.source->text, repair.text)}});
  }
  return report::json_text(out);
}

std::string print(const repair::Repairs& repairs, const Options& options, const litmus::Test& test) {
  switch (options.format) {
    case Format::text:
      return text_of(repairs, options, test);
    case Format::json:
      return json_line(repairs, options, test);
    default:
      refuse_format("repair", "text and json");
  }
}

}  // namespace

litmus::Test in_litmus_notation(const litmus::Test& test) {
  if (!test.source->name.ends_with(".test")) return test;
  return litmus::parse(std::make_shared<const Source>(Source{test.source->name, litmus::print(test)}));
}

void write_over(const std::string& file, const std::string& text) {
  if (file == "-" || file.ends_with(".test"))
    refuse(fmt::format("--write: {} is no litmus file to write over; -o writes the report", file));
  OutputFile out(file, {});
  out.stream() << text;
  out.commit();
}

std::optional<repair::Costs> costs_of(const Options& options) {
  if (options.repair.costs.empty()) return std::nullopt;
  std::istringstream nothing;
  return repair::Costs(read_input({options.repair.costs, ""}, nothing));
}

namespace {

TestReport treat_repair(const session::Session& session, const Options& options, const litmus::Test& given,
                        const SoFar&) {
  const litmus::Test test = in_litmus_notation(given);
  repair::Asked asked;
  if (!options.repair.wanted.empty()) asked.wanted = repair::wanted_by(options.repair.wanted, test);
  asked.changes = options.repair.changes;
  asked.repairs = options.repair.repairs;
  asked.all_kinds = options.repair.all_kinds;
  const std::optional<repair::Costs> costs = costs_of(options);
  if (costs) asked.costs = &*costs;
  asked.budget = session.settings().timeout;
  const repair::Repairs repairs = repair::find_repairs(session, test, asked);

  TestReport report;
  report.output = print(repairs, options, test);
  take_answer(report, answer_of(repairs), Tally::explained);
  if (options.repair.write && !repairs.repairs.empty())
    write_over(test.source->name, repairs.repairs.front().text);
  for (const auto* problems : {&repairs.before.problems, &repairs.problems}) {
    for (const std::string& problem : *problems)
      report.messages += fmt::format("{}: internal error: {}\n", test.source->name, problem);
  }
  return report;
}

}  // namespace

void take_tests_only(const Options& options, const char* verb) {
  for (const std::string& file : options.files) {
    if (!is_launch_name(file)) continue;
    refuse(fmt::format(
        "'{}' is no litmus test, which {} takes: `ptxmc verify --emit-litmus DIR` writes the test of a race "
        "in a kernel, and `ptxmc import` that of a launch",
        file, verb));
  }
}

namespace {

Status repair_inputs(const Options& options, Streams& streams) {
  const auto launches = std::count_if(options.files.begin(), options.files.end(), is_launch_name);
  if (launches != 0 && launches == std::ssize(options.files)) return repair_kernels(options, streams);
  take_tests_only(options, "repair beside tests");
  return treat_files(options, streams, treat_repair);
}

}  // namespace

Status repair_files(const Options& options, Streams& streams) {
  return list_or_ask(options, streams, [&] { return repair_inputs(options, streams); });
}

}  // namespace ptxmc::cli
