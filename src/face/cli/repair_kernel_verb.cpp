// SPDX-License-Identifier: Apache-2.0
// `repair` on kernels: what `verify` finds, and patches of the module after which it does not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "face/cli/answers.h"
#include "face/cli/child.h"
#include "face/cli/colors.h"
#include "face/cli/inputs.h"
#include "face/cli/modules.h"
#include "face/cli/other_launches.h"
#include "face/cli/output_file.h"
#include "face/cli/repair_verbs.h"
#include "face/cli/verbs.h"
#include "face/cli/verify_task.h"
#include "repair/kernel/kernel.h"
#include "repair/text.h"
#include "support/refuse.h"
#include "support/source_files.h"

namespace ptxmc::cli {

namespace {

using Json = nlohmann::ordered_json;
using claim::Verdict;

constexpr double kMostSecondsElsewhere = 1.5;  // for each other launch

/// What a launch came to.
struct KernelReport {
  std::string output, messages;
  Status status = Status::ok;
};

std::string claim_of(Verdict answer) {
  return answer == Verdict::proven       ? "in all schedules of this launch"
         : answer == Verdict::incomplete ? "in the schedules that were looked at"
                                         : "other findings remain";
}

std::string place_text(const explain::Place& place) {
  return fmt::format("{}: {}{}", explain::line_of(place), place.text,
                     place.access.empty() ? "" : ": " + place.access);
}

/// That there is no repair; what a limit left untried is said first.
std::string none_text(const repair::KernelRepairs& found, const Options& options) {
  const std::string kind = found.repairs.empty() ? "" : " that orders the two";
  const std::size_t most = options.repair.changes;
  const std::string changes = fmt::format("{} change{}", most, most == 1 ? "" : "s");
  if (found.of == 0) return fmt::format("Unknown: no candidate{}\n", kind);
  if (found.tried == found.of)
    return fmt::format("Unknown: none of {} candidates of up to {} is a repair{}\n", found.of, changes, kind);
  return fmt::format("Unknown: tried {} of {} candidates, and none is a repair{}; the others {}\n",
                     found.tried, found.of, kind,
                     found.cut ? "were left out by a limit" : fmt::format("have more than {}", changes));
}

/// A unified diff of the CUDA source; empty: it is not found, or cannot hold the change as a statement.
std::string source_diff(const repair::KernelRepair& repair, const std::string& module,
                        const Options& options) {
  if (repair.source.empty()) return "";
  const std::string& path = repair.source.front().at.path;
  SourceFiles files(options.sources, module);
  const SourcePtr source = files.find(path);
  const bool one_file = std::all_of(repair.source.begin(), repair.source.end(),
                                    [&](const auto& change) { return change.at.path == path; });
  if (source == nullptr || !one_file) return "";
  const std::optional<std::string> after = repair::with_changes(source->text, repair.source);
  return after ? repair::unified_diff(source->name, "repaired", source->text, *after) : "";
}

/// The launches on which it was verified beside the given one.
std::string elsewhere_text(const repair::KernelRepair& repair) {
  std::string holds, fails;
  for (const repair::Elsewhere& one : repair.elsewhere) {
    std::string& to = one.holds ? holds : fails;
    to += (to.empty() ? "with " : "; with ") + one.launch;
  }
  return (holds.empty() ? "" : fmt::format("  holds too {}\n", holds)) +
         (fails.empty() ? "" : fmt::format("  note: an error stays {}\n", fails));
}

std::string text_of(const repair::KernelRepairs& found, const std::string& file, const std::string& before,
                    const Options& options) {
  std::string out = fmt::format("{}: {}  [{}]\n", name_of(found.finding.severity),
                                explain::title_of(found.finding), found.finding.name);
  for (const explain::Place& place : found.finding.places) {
    out += fmt::format("  {}\n", place_text(place));
    if (&place - found.finding.places.data() == 1) break;  // the first pair
  }
  if (!found.test.empty()) out += fmt::format("  no repair by an extracted test: {}\n", found.test);
  if (found.taken() == nullptr) out += none_text(found, options);
  std::size_t number = 0;
  for (const repair::KernelRepair& repair : found.repairs) {
    out += fmt::format("{}. {} change{}\n", ++number, repair.what.size(), repair.what.size() == 1 ? "" : "s");
    for (const std::string& what : repair.what) out += fmt::format("  {}\n", what);
    if (!repair.orders) out += "  note: the two accesses race no more, and still come in any order\n";
    out += fmt::format("  proof: verify finds it no more, and nothing else, {}\n", claim_of(repair.claim));
    out += elsewhere_text(repair);
    out += source_diff(repair, file, options);
    out += repair::unified_diff(file, "repaired", before, repair.text);
  }
  return out;
}

Json repairs_json(const repair::KernelRepairs& found, const std::string& file, const std::string& before,
                  const Options& options) {
  Json out = {
      {"rule", found.finding.name}, {"cause", fmt::format("{}", fmt::join(found.finding.cause, "; "))},
      {"places", Json::array()},    {"repairs", Json::array()},
      {"tried", found.tried},       {"of", found.of}};
  for (const explain::Place& place : found.finding.places)
    out["places"].push_back(
        {{"line", place.position.line}, {"text", place.text}, {"origin", place.origin.text()}});
  for (const repair::KernelRepair& repair : found.repairs) {
    Json launches = Json::array();
    for (const repair::Elsewhere& one : repair.elsewhere)
      launches.push_back(
          {{"launch", one.launch}, {"holds", one.holds}, {"claim", claim::name_of(one.claim)}});
    out["repairs"].push_back({{"changes", repair.what},
                              {"orders", repair.orders},
                              {"claim", claim::name_of(repair.claim)},
                              {"launches", launches},
                              {"cost", repair.cost},
                              {"source_diff", source_diff(repair, file, options)},
                              {"diff", repair::unified_diff(file, "repaired", before, repair.text)}});
  }
  return out;
}

KernelReport report_of(const repair::RepairedKernel& repaired, const std::string& kernel,
                       const std::string& file, const Options& options) {
  KernelReport report;
  std::string before = repaired.before;
  Json findings = Json::array();
  std::string text;
  for (const repair::KernelRepairs& found : repaired.findings) {
    text += text_of(found, file, before, options);
    findings.push_back(repairs_json(found, file, before, options));
    if (found.taken() != nullptr) before = found.taken()->text;
  }
  report.status = status_of(answer_of(repaired));
  if (options.format == Format::json) {
    report.output = Json{{"kernel", kernel},
                         {"module", file},
                         {"findings", findings},
                         {"clean", repaired.clean},
                         {"claim", claim::name_of(repaired.verdict)}}
                        .dump() +
                    "\n";
    return report;
  }
  const bool nothing = repaired.findings.empty();
  const bool whole = repaired.verdict == Verdict::proven;
  report.output = fmt::format("Repair {}{}\n", kernel,
                              !nothing ? ""
                              : whole  ? " nothing is wrong"
                                       : fmt::format(" unknown: {}", repaired.claim)) +
                  text;
  if (nothing && !whole) {
    for (const std::string& why : repaired.open) report.output += fmt::format("Limits {}\n", why);
  }
  if (!repaired.findings.empty())
    report.output += fmt::format(
        "Together {}{}\n{}\n",
        repaired.clean ? "verify finds no error after the first repair of each" : "findings remain",
        repaired.clean && !whole ? ", and its claim is bounded" : "",
        options.quiet ? "" : "does not cover: launches with other sizes, arguments or contents\n");
  return report;
}

KernelReport repair_one(const Input& input, const Options& options, Streams& streams) {
  VerifyOptions launched;
  launched.common = options;
  launched.cta = options.repair.cta;
  const Budget budget(options.settings.timeout);
  const SourcePtr module = read_module(input, streams.in);
  std::string kernel;
  repair::KernelAsked asked;
  const auto run = [&](const Instead& instead, const Budget& until) {
    session::VerifySettings settings = settings_of(launched);
    settings.until = until;
    std::vector<explore::VerificationTask> subjects =
        read_subjects(input, launched, settings, streams.in, instead);
    repair::KernelRun out;
    out.task = std::make_unique<explore::VerificationTask>(std::move(subjects.front()));
    out.verification = session::verify(*out.task, settings);
    return out;
  };
  asked.verify = [&](const std::string& text) {
    repair::KernelRun out = run({&text}, budget);
    kernel = out.verification->verified.name;
    return out;
  };
  for (const LaunchVariant& other : launch_variants(read_plan(input, options, streams.in)))
    asked.others.push_back({other.name, [&run, &budget, change = other.change](const std::string& text) {
                              return run({&text, change}, budget.at_most(kMostSecondsElsewhere));
                            }});
  asked.exact = options.settings;
  asked.changes = options.repair.changes;
  asked.repairs = options.repair.repairs;
  const std::optional<repair::Costs> costs = costs_of(options);
  if (costs) asked.costs = &*costs;
  asked.budget = budget;
  const repair::RepairedKernel repaired = repair::repair_kernel(module->text, asked);
  KernelReport report = report_of(repaired, kernel, module->name, options);
  if (options.repair.write && repaired.after != repaired.before) write_over(module->name, repaired.after);
  return report;
}

/// Within the limits of time and memory; what is wrong with the input is a message.
KernelReport guarded(const Input& input, const Options& options, Streams& streams) {
  const auto work = [&] {
    KernelReport report;
    try {
      report = repair_one(input, options, streams);
    } catch (const std::exception& error) {
      const Answer answer = answer_of(error);
      if (answer == Answer::internal) throw;
      const std::string open = open_word(error);
      report = {"", open.empty() ? error.what() : fmt::format("{}: unknown: {}\n", input.name, open),
                status_of(answer)};
    }
    return Json{
        {"status", static_cast<int>(report.status)}, {"output", report.output}, {"messages", report.messages}}
        .dump();
  };
  const Outcome outcome =
      run_confined(confines_or_share(options.settings.timeout, options.settings.memory), work);
  if (!outcome.unknown.empty())
    return {"", fmt::format("{}: unknown: {}\n", input.name, outcome.unknown), Status::unknown};
  const Json read = Json::parse(outcome.text);
  return {read["output"], read["messages"], static_cast<Status>(read["status"].get<int>())};
}

}  // namespace

Status repair_kernels(const Options& options, Streams& streams) {
  if (options.format != Format::text && options.format != Format::json)
    refuse_format("repair", "text and json");
  if (!options.repair.wanted.empty())
    refuse("--want is for litmus tests: of a kernel what verify finds is to go");
  streams.out.flush();
  return with_output(options.output, Named(options.files, options.sources), streams, [&](std::ostream& out) {
    Status status = Status::ok;
    for (const std::string& file : options.files) {
      const KernelReport report = guarded({file, ""}, options, streams);
      out << painted_report(report.output, options, streams) << std::flush;
      streams.err << painted_messages(report.messages, options, streams);
      status = worse(status, report.status);
    }
    return status;
  });
}

}  // namespace ptxmc::cli
