// SPDX-License-Identifier: Apache-2.0
// `compare`: what the model allows beside what a log has observed, or beside another model.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>

#include "cli/check_test.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "isa/opcode.h"
#include "report/compare.h"
#include "report/herd.h"
#include "report/log.h"
#include "report/value.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

/// "1:r0", "[x]" or "a[1]".
litmus::StateName name_of(std::string text) {
  litmus::StateName name;
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    name.thread = std::stoi(text.substr(0, colon));
    name.name = text.substr(colon + 1);
    return name;
  }
  if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
  const std::size_t bracket = text.find('[');
  name.name = text.substr(0, bracket);
  if (bracket != std::string::npos)
    name.element = static_cast<std::uint32_t>(std::stoul(text.substr(bracket + 1)));
  return name;
}

/// A value as states print it: a signed or an unsigned 64-bit number. Nothing: a symbol.
std::optional<std::int64_t> value_of(const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t number = 0;
  if (const auto r = std::from_chars(text.data(), end, number); r.ec == std::errc() && r.ptr == end)
    return number;
  std::uint64_t large = 0;
  if (const auto r = std::from_chars(text.data(), end, large); r.ec == std::errc() && r.ptr == end)
    return static_cast<std::int64_t>(large);
  return std::nullopt;
}

/// The test, asking whether it can end in this canonical state. Nothing when a value is not a number.
std::optional<litmus::Test> asking_for(const litmus::Test& test, const std::string& state) {
  litmus::Conjunction all;
  for (std::size_t at = 0; at < state.size();) {
    const std::size_t end = std::min(state.find(';', at), state.size());
    const std::size_t equals = state.find('=', at);
    if (equals >= end) return std::nullopt;
    const auto value = value_of(state.substr(equals + 1, end - equals - 1));
    if (!value) return std::nullopt;
    litmus::Comparison is;
    is.left = name_of(state.substr(at, equals - at));
    is.right = litmus::InitialValue{*value, ""};
    all.parts.push_back(std::make_shared<litmus::Condition>(litmus::Condition{is, {}}));
    at = std::min(state.find_first_not_of(' ', end + 1), state.size());
  }
  litmus::Test asking = test;
  asking.verdicts.clear();
  asking.quantifier = litmus::Quantifier::exists;
  asking.condition = std::make_shared<litmus::Condition>(litmus::Condition{all, {}});
  return asking;
}

/// What matrix instructions compute is abstract in the model: equal where all operands are, and no number
/// that hardware would show.
bool has_abstract_values(const litmus::Test& test) {
  return std::any_of(test.threads.begin(), test.threads.end(), [](const litmus::Thread& thread) {
    return std::any_of(thread.code.begin(), thread.code.end(), [](const litmus::Instruction& instruction) {
      return isa::traits(instruction.opcode).family == isa::Family::matrix;
    });
  });
}

class Compare {
 public:
  Compare(const CompareOptions& options, Streams& streams)
      : options_(options),
        streams_(streams),
        session_(quick(options.check.settings)),
        sequential_(sequential(options.check.settings)) {
    for (const std::string& file : options.logs) {
      for (report::LoggedTest& test : report::read_log(read_input({file, ""}, streams.in))) add(test);
    }
    if (!options.against.empty()) {
      Settings settings = quick(options.check.settings);
      settings.model = options.against;
      other_.emplace(settings);
    }
  }

  Status all(std::ostream& out) {
    for (const Input& input : expand_inputs(options_.check.files)) {
      try {
        for (const litmus::Test& test : parse_input(read_input(input, streams_.in))) one(test, input.name);
      } catch (const InputError& error) {
        streams_.err << error.what();
        status_ = worse(status_, Status::input);
      }
    }
    if (options_.check.format == Format::html) {
      out << report::compare_html(comparisons_);
    } else {
      for (const report::Comparison& comparison : comparisons_) {
        const bool dull = comparison.rows_of(report::Standing::forbidden) == 0;
        if (!options_.check.quiet || !dull) out << report::compare_text(comparison);
      }
      out << report::summary_text(comparisons_, options_.against);
    }
    if (absent_ != 0) streams_.err << fmt::format("{} tests are in no log\n", absent_);
    return status_;
  }

 private:
  static Settings quick(Settings settings) {
    settings.witnesses = 1;
    return settings;
  }

  /// What it forbids is a weak outcome.
  static Settings sequential(const Settings& given) {
    Settings settings = quick(given);
    settings.model = "sc";
    settings.readings = {};
    return settings;
  }

  /// Logs of several machines add up.
  void add(report::LoggedTest& test) {
    const auto [known, fresh] = logged_.try_emplace(test.name, test);
    if (fresh) return;
    if (known->second.hash != test.hash) {
      Diagnostics diagnostics;
      diagnostics.error({}, fmt::format("the logs have two different tests named {}", test.name));
      throw InputError(diagnostics);
    }
    for (const auto& [state, count] : test.states) known->second.states[state] += count;
    known->second.observed += test.observed;
    known->second.hung += test.hung;
    known->second.seconds += test.seconds;
  }

  void one(const litmus::Test& test, const std::string& file) {
    report::LoggedTest observed;
    if (other_) {
      for (const std::string& state : allowed_by(*other_, test).states) observed.states[state] = 1;
    } else {
      const auto logged = logged_.find(test.name);
      if (logged == logged_.end()) {
        ++absent_;
        return;
      }
      observed = logged->second;
      if (!observed.hash.empty() && observed.hash != report::meaning_hash(test)) {
        streams_.err << fmt::format("{}: error: the log is of another test named {}\n", file, test.name);
        status_ = worse(status_, Status::input);
        return;
      }
    }
    report::Comparison comparison = report::compare(allowed_by(session_, test), observed.states);
    comparison.test = test.name;
    comparison.other = options_.against;
    comparison.family = std::filesystem::path(file).parent_path().filename().string();
    comparison.hung = observed.hung;
    comparison.seconds = observed.seconds;
    if (!other_) comparison.weak = report::count_weak(allowed_by(sequential_, test), observed.states);
    judge(test, comparison);
    comparisons_.push_back(std::move(comparison));
  }

  void judge(const litmus::Test& test, report::Comparison& comparison) {
    if (comparison.rows_of(report::Standing::open) != 0) status_ = worse(status_, Status::unknown);
    const bool differs = !options_.against.empty() && comparison.rows_of(report::Standing::unseen) != 0;
    if (differs) status_ = worse(status_, Status::unmet);
    for (const report::Row& row : comparison.rows) {
      if (row.standing != report::Standing::forbidden) continue;
      status_ = worse(status_, Status::unmet);
      const std::optional<litmus::Test> asking = asking_for(test, row.state);
      if (!asking) continue;
      Options how = options_.check;
      how.format = Format::text;
      const TestReport why = explain_outcome(how, *asking);
      comparison.explanation += fmt::format("Why {} is forbidden:\n{}\n", row.state, why.output);
      streams_.err << why.messages;
      status_ = worse(status_, why.status);
    }
  }

  report::Allowed allowed_by(const Session& session, const litmus::Test& test) {
    const std::unique_ptr<Analysis> analysis = check_test(session, test);
    report::Allowed out;
    for (const engine::State& state : analysis->decision.result.states)
      out.states.insert(report::canonical_state(report::print_state(analysis->graph, state)));
    for (const auto& [value, name] : analysis->graph.symbols) out.symbols.insert(name);
    out.undefined = analysis->judgement.answer == report::Answer::undefined;
    const engine::Result& result = analysis->decision.result;
    if (!result.complete) out.unknown = result.unknown.empty() ? "incomplete" : result.unknown;
    if (result.complete && analysis->graph.cut) out.unknown = std::string(report::kUnrollBound);
    if (out.unknown.empty() && has_abstract_values(test)) out.unknown = "matrix-values";
    for (const std::string& problem : analysis->problems) {
      streams_.err << fmt::format("{}: internal error: {}\n", test.name, problem);
      status_ = Status::failure;
    }
    return out;
  }

  const CompareOptions& options_;
  Streams& streams_;
  Session session_;
  Session sequential_;
  std::optional<Session> other_;
  std::map<std::string, report::LoggedTest> logged_;
  std::vector<report::Comparison> comparisons_;
  std::size_t absent_ = 0;
  Status status_ = Status::ok;
};

}  // namespace

Status compare_files(const CompareOptions& options, Streams& streams) {
  if (options.logs.empty() == options.against.empty()) {
    streams.err << "ptxmc: error: compare needs --log or --against, and not both\n";
    return Status::input;
  }
  Compare compare(options, streams);
  if (options.check.output.empty()) return compare.all(streams.out);
  std::ofstream file(options.check.output, std::ios::binary);
  const Status status = compare.all(file);
  file.flush();
  if (file) return status;
  streams.err << fmt::format("ptxmc: error: '{}': cannot write this file\n", options.check.output);
  return Status::input;
}

}  // namespace ptxmc::cli
