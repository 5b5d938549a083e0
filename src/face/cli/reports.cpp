// SPDX-License-Identifier: Apache-2.0
#include "face/cli/reports.h"

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "face/cli/modules.h"
#include "support/beyond_limits.h"
#include "support/budget.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr const char *kLate = "timeout", *kLarge = "memory", *kKilled = "killed";  // why work is stopped

/// What `report` returns, or what went wrong in it; `stopped(reason)` where it was stopped.
template <typename Stop, typename F>
TestReport guarded(const Options& options, const std::string& file, Stop&& stopped, F&& report) {
  try {
    return report();
  } catch (const BeyondLimits& error) {
    TestReport open = gave_up(options, file, "", "too-large");
    for (Diagnostic why : error.diagnostics()) {
      why.severity = Severity::note;
      open.messages += render(why);
    }
    return open;
  } catch (const InputError& error) {
    return bad_input(options, file, error);
  } catch (const OutOfTime&) {
    return stopped(kLate);
  } catch (const std::bad_alloc&) {
    return stopped(kLarge);
  } catch (const std::exception& error) {
    return failed(options, file, error.what());
  }
}

/// `--strict`: what a text is warned of is wrong.
void refuse_warned(const std::vector<Diagnostic>& warnings) {
  if (warnings.empty()) return;
  Diagnostics diagnostics(warnings.front().source);
  for (const Diagnostic& warning : warnings) diagnostics.error(warning.position, warning.message);
  throw InputError(diagnostics);
}

}  // namespace

void report_on(const Work& work, std::size_t input, std::size_t skip,
               const std::function<void(const litmus::Test&)>& begin,
               const std::function<void(TestReport)>& emit,
               const std::function<void(const Stopped&)>& so_far) {
  const Input& source = work.inputs[input];
  std::vector<litmus::Test> tests;
  std::vector<Diagnostic> warnings;
  const auto unreadable = [&](const char* reason) { return gave_up(work.options, source.name, "", reason); };
  TestReport unread = guarded(work.options, source.name, unreadable, [&] {
    std::vector<litmus::Test> parsed;
    if (source.error.empty() && is_launch_name(source.name)) {
      parsed.push_back(read_launch(source, work.options, work.in));
      warnings = parsed.back().notes;
    } else {
      parsed = parse_input(read_input(source, work.in), &warnings);
    }
    if (work.options.strict && !is_launch_name(source.name)) refuse_warned(warnings);
    tests = std::move(parsed);
    return TestReport{};
  });
  if (tests.empty()) return emit(std::move(unread));
  for (std::size_t i = skip; i < tests.size(); ++i) {
    begin(tests[i]);
    std::string told;
    for (const Diagnostic& warning : warnings) told += render(warning);
    if (i != 0 || work.options.quiet) told.clear();
    const auto warned = [&](TestReport report) {
      report.messages.insert(0, told);
      return report;
    };
    std::optional<Stopped> known;
    const SoFar note = [&](const auto& report) {
      known = Stopped{report(kLate), report(kLarge), report(kKilled)};
      if (so_far) so_far({warned(known->late), warned(known->large), warned(known->killed)});
    };
    const auto stopped = [&](std::string_view reason) {
      if (!known) return gave_up(work.options, source.name, tests[i].name, std::string(reason));
      return reason == kLate ? known->late : known->large;
    };
    const auto treat = [&] { return work.treat(work.session, work.options, tests[i], note); };
    emit(warned(guarded(work.options, source.name, stopped, treat)));
  }
}

std::string pack(std::uint64_t number) {
  std::string out(sizeof number, '\0');
  std::memcpy(out.data(), &number, sizeof number);
  return out;
}

std::uint64_t unpack_number(std::string_view text) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  return number;
}

std::string pack(const TestReport& report) {
  if (report.write) {
    std::ostringstream written;
    report.write(written);
    return pack({std::move(written).str(), report.messages, report.status, report.tally});
  }
  std::string out;
  out.push_back(static_cast<char>(report.status));
  out.push_back(static_cast<char>(report.tally));
  return out + pack(report.output.size()) + report.output + report.messages;
}

TestReport unpack_report(std::string_view text) {
  TestReport out;
  out.status = static_cast<Status>(text[0]);
  out.tally = static_cast<Tally>(text[1]);
  const std::uint64_t size = unpack_number(text.substr(2));
  const std::size_t begin = 2 + sizeof size;
  out.output = text.substr(begin, size);
  out.messages = text.substr(begin + size);
  return out;
}

}  // namespace ptxmc::cli
