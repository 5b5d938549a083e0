// SPDX-License-Identifier: Apache-2.0
#include "face/cli/compared.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "explain/words/values.h"
#include "face/cli/answers.h"
#include "face/cli/inputs.h"
#include "face/cli/number_in.h"
#include "face/cli/reports.h"
#include "face/cli/verbs.h"
#include "observed/log.h"
#include "ptx/isa/opcode.h"
#include "session/analysis.h"
#include "support/diagnostic.h"
#include "support/printable.h"

namespace ptxmc::cli {

namespace {

/// "1:r0", "[x]" or "a[1]". Nothing: it is no name of a state.
std::optional<program::StateName> state_name_in(std::string_view text) {
  program::StateName name;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    name.thread = number_in<int>(text.substr(0, colon));
    name.name = text.substr(colon + 1);
    if (!name.thread || name.name.empty()) return std::nullopt;
    return name;
  }
  if (text.starts_with('[') && text.ends_with(']') && text.size() > 2) {
    name.name = text.substr(1, text.size() - 2);
    return name;
  }
  const std::size_t bracket = text.find('[');
  name.name = text.substr(0, bracket);
  if (name.name.empty()) return std::nullopt;
  if (bracket == std::string_view::npos) return name;
  if (!text.ends_with(']')) return std::nullopt;
  name.element = number_in<std::uint32_t>(text.substr(bracket + 1, text.size() - bracket - 2));
  return name.element ? std::optional(name) : std::nullopt;
}

/// A value as states print it: a signed or an unsigned 64-bit number. Nothing: a symbol.
std::optional<std::int64_t> value_of(const std::string& text) {
  if (const auto number = number_in<std::int64_t>(text)) return number;
  if (const auto large = number_in<std::uint64_t>(text)) return static_cast<std::int64_t>(*large);
  return std::nullopt;
}

/// The test, asking whether it can end in this canonical state. Nothing when it is none, or a value is not a
/// number.
std::optional<litmus::Test> asking_for(const litmus::Test& test, const std::string& state) {
  program::Conjunction all;
  for (std::size_t at = 0; at < state.size();) {
    const std::size_t end = std::min(state.find(';', at), state.size());
    const std::size_t equals = state.find('=', at);
    if (equals >= end) return std::nullopt;
    const auto value = value_of(state.substr(equals + 1, end - equals - 1));
    const auto name = state_name_in(std::string_view(state).substr(at, equals - at));
    if (!value || !name) return std::nullopt;
    program::Comparison is;
    is.left = *name;
    is.right = program::InitialValue{*value, ""};
    all.parts.push_back(std::make_shared<program::Condition>(program::Condition{is, {}}));
    at = std::min(state.find_first_not_of(' ', end + 1), state.size());
  }
  litmus::Test asking = test;
  asking.verdicts.clear();
  asking.property.quantifier = program::Quantifier::exists;
  asking.property.condition = std::make_shared<program::Condition>(program::Condition{all, {}});
  return asking;
}

/// What matrix instructions compute is abstract in the model: equal where all operands are, and no number
/// that hardware would show.
bool has_abstract_values(const litmus::Test& test) {
  return std::any_of(test.threads.begin(), test.threads.end(), [](const program::Thread& thread) {
    return std::any_of(thread.code().begin(), thread.code().end(),
                       [](const program::Instruction& instruction) {
                         return isa::traits(instruction.opcode).family == isa::Family::matrix;
                       });
  });
}

/// What is allowed, and what was wrong: as messages.
struct Comparable {
  observed::Allowed allowed;
  std::string problems;  ///< of ptxmc
  std::string refused;   ///< of the test: no answer, then
};

// As text, for another process: strings with their sizes.
void put_text(std::string& out, const std::string& text) {
  out += cli::pack(text.size());
  out += text;
}

std::string pack_answer(const Comparable& answer) {
  std::string out(1, answer.allowed.undefined ? '1' : '0');
  for (const std::string* text : {&answer.allowed.unknown, &answer.problems, &answer.refused})
    put_text(out, *text);
  for (const auto* list : {&answer.allowed.states, &answer.allowed.symbols}) {
    out += cli::pack(list->size());
    for (const std::string& text : *list) put_text(out, text);
  }
  return out;
}

std::string take_text(std::string_view& rest) {
  const std::uint64_t size = unpack_number(rest);
  std::string out(rest.substr(sizeof size, size));
  rest.remove_prefix(sizeof size + size);
  return out;
}

Comparable unpack_answer(std::string_view rest) {
  Comparable out;
  out.allowed.undefined = rest.front() == '1';
  rest.remove_prefix(1);
  for (std::string* text : {&out.allowed.unknown, &out.problems, &out.refused}) *text = take_text(rest);
  for (auto* list : {&out.allowed.states, &out.allowed.symbols}) {
    std::uint64_t count = unpack_number(rest);
    rest.remove_prefix(sizeof count);
    for (; count > 0; --count) list->insert(take_text(rest));
  }
  return out;
}

Comparable open_comparable(const std::string& reason) {
  Comparable answer;
  answer.allowed.unknown = reason;
  return answer;
}

Comparable comparable_of(const session::Session& session, const litmus::Test& test) {
  const std::unique_ptr<session::Analysis> analysis = check_test(session, test);
  Comparable answer;
  observed::Allowed& out = answer.allowed;
  for (const engine::State& state : analysis->decision.result.states)
    out.states.insert(observed::canonical_state(explain::print_state(analysis->graph, state)));
  for (const auto& [value, name] : analysis->graph.symbols) out.symbols.insert(name);
  out.undefined = analysis->judgement.answer == explain::Answer::undefined;
  const engine::Result& result = analysis->decision.result;
  if (!result.complete) out.unknown = result.unknown.empty() ? "incomplete" : result.unknown;
  if (result.complete && analysis->graph.cut) out.unknown = std::string(explain::kUnrollBound);
  if (out.unknown.empty() && !analysis->judgement.undefined) out.unknown = analysis->judgement.unknown;
  if (out.unknown.empty() && has_abstract_values(test)) out.unknown = "matrix-values";
  const bool open = std::any_of(result.states.begin(), result.states.end(), [&](const engine::State& state) {
    return std::any_of(state.names.begin(), state.names.end(),
                       [&](const std::string& name) { return !name.empty() && !out.symbols.contains(name); });
  });
  if (out.unknown.empty() && open) out.unknown = "terms";  // values that any number may be
  for (const std::string& problem : analysis->problems) {
    answer.problems += fmt::format("{}: internal error: {}\n", test.name, problem);
  }
  return answer;
}

Comparable guarded_comparable(const session::Session& session, const litmus::Test& test) {
  try {
    return comparable_of(session, test);
  } catch (const std::exception& error) {
    const Answer answer = answer_of(error);
    if (answer == Answer::internal) throw;
    return answer == Answer::unknown ? open_comparable(open_word(error)) : Comparable{{}, "", error.what()};
  }
}

session::Settings one_witness(session::Settings settings) {
  settings.witnesses = 1;
  return settings;
}

/// What it forbids is a weak outcome.
session::Settings sequential_settings(const session::Settings& given) {
  session::Settings settings = one_witness(given);
  settings.model = "sc";
  settings.readings = {};
  return settings;
}

}  // namespace

/// Throws InputError.
observed::MergedLog read_logs(const std::vector<std::string>& files, Streams& streams) {
  observed::MergedLog all;
  std::vector<std::string> warnings;
  for (const std::string& file : files)
    all.add(observed::read_log(read_input({file, ""}, streams.in, kMaxLogBytes), &warnings), file, &warnings);
  for (const std::string& warning : warnings) streams.err << printable(warning) << "\n";
  return all;
}

Comparer::Comparer(const Options& check, const std::string& against, Streams& streams)
    : check_(check),
      against_(against),
      streams_(streams),
      confines_(confines_or_share(check.settings.timeout, check.settings.memory)),
      session_(one_witness(check.settings)),
      sequential_(sequential_settings(check.settings)) {
  if (against.empty()) return;
  session::Settings settings = one_witness(check.settings);
  settings.model = against;
  other_.emplace(settings);
}

observed::Comparison Comparer::with_model(const litmus::Test& test, const std::string& file) {
  const observed::Allowed other = allowed_by(*other_, test);
  return judged(test, file, observed::compare_models(allowed_by(session_, test), other));
}

observed::Comparison Comparer::with_log(const litmus::Test& test, const std::string& file,
                                        const observed::LoggedTest& logged) {
  observed::Comparison comparison = observed::compare(allowed_by(session_, test), logged.states);
  comparison.hung = logged.hung;
  comparison.seconds = logged.seconds;
  comparison.weak = observed::count_weak(allowed_by(sequential_, test), logged.states);
  return judged(test, file, std::move(comparison));
}

observed::Comparison Comparer::judged(const litmus::Test& test, const std::string& file,
                                      observed::Comparison comparison) {
  comparison.test = test.name;
  comparison.file = file;
  comparison.model = session_.model_name();
  comparison.other = against_;
  comparison.family = std::filesystem::path(file).parent_path().filename().string();
  status_ = worse(status_, status_of(answer_of(comparison)));
  explain_forbidden(test, comparison);
  return comparison;
}

void Comparer::explain_forbidden(const litmus::Test& test, observed::Comparison& comparison) {
  for (const observed::Row& row : comparison.rows) {
    if (row.standing != observed::Standing::forbidden) continue;
    const std::optional<litmus::Test> asking = asking_for(test, row.state);
    if (!asking) continue;
    Options how = check_;
    how.format = Format::text;
    const TestReport why = explained(how, *asking);
    comparison.explanation += fmt::format("Why {} is forbidden:\n{}\n", row.state, why.output);
    streams_.err << why.messages;
    status_ = worse(status_, why.status);
  }
}

TestReport Comparer::explained(const Options& how, const litmus::Test& asking) {
  const Outcome outcome = run_confined(confines_, [&] { return cli::pack(explain_outcome(how, asking)); });
  if (outcome.unknown.empty()) return unpack_report(outcome.text);
  return cli::gave_up(how, asking.name, asking.name, outcome.unknown);
}

observed::Allowed Comparer::allowed_by(const session::Session& session, const litmus::Test& test) {
  Comparable answer;
  const Outcome outcome =
      run_confined(confines_, [&] { return pack_answer(guarded_comparable(session, test)); });
  if (outcome.unknown.empty()) answer = unpack_answer(outcome.text);
  if (!outcome.unknown.empty()) answer.allowed.unknown = outcome.unknown;
  if (!answer.refused.empty()) throw Refused{answer.refused};
  if (!answer.problems.empty()) {
    streams_.err << answer.problems;
    status_ = worse(status_, status_of(Answer::internal));
  }
  return answer.allowed;
}

}  // namespace ptxmc::cli
