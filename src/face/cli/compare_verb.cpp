// SPDX-License-Identifier: Apache-2.0
// `compare`: what the model allows beside what a log has observed, or beside another model.
#include <fmt/format.h>

#include <map>
#include <ostream>

#include "face/cli/answers.h"
#include "face/cli/compared.h"
#include "face/cli/inputs.h"
#include "face/cli/output_file.h"
#include "face/cli/verbs.h"
#include "input/litmus/hash.h"
#include "observed/log.h"
#include "report/html/compare.h"
#include "report/json/compare.h"
#include "report/json/line.h"
#include "report/json/merged.h"
#include "report/text/compare.h"
#include "report/text/merged.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// `--merge`: one log of several.
Status merge(const CompareOptions& options, std::ostream& out, Streams& streams) {
  std::vector<std::string> logs = options.logs;
  logs.insert(logs.end(), options.check.files.begin(), options.check.files.end());
  const observed::MergedLog log = read_logs(logs, streams);
  const bool text = options.merged_format.value_or(Format::json) == Format::text;
  std::map<std::string, std::size_t> named;
  for (const observed::LoggedTest& test : log.tests()) {
    if (text && ++named[test.name] > 1) {
      refuse(
          fmt::format("two tests are named {}, which the text of the herd family does not tell "
                      "apart; --format json does",
                      test.name));
    }
  }
  for (const observed::LoggedTest& test : log.tests())
    out << (text ? report::merged_text(test) : report::merged_json(test));
  if (!options.check.quiet)
    streams.err << fmt::format("{} tests of {} logs\n", log.tests().size(), logs.size());
  return Status::ok;
}

class Compare {
 public:
  Compare(const CompareOptions& options, Streams& streams)
      : options_(options),
        streams_(streams),
        comparer_(options.check, options.against, streams),
        log_(read_logs(options.logs, streams)) {}

  Status all(std::ostream& out) {
    for (const Input& input : expand_inputs(options_.check.files)) {
      try {
        for (const litmus::Test& test : parse_input(read_input(input, streams_.in))) one(test, input.name);
      } catch (const InputError& error) {
        streams_.err << error.what();
        if (as_json()) out << report::json_errors("compare", input.name, error.diagnostics());
        count(answer_of(error));
      } catch (const Refused& refused) {
        streams_.err << refused.why;
        if (as_json()) out << report::json_error("compare", input.name, refused.why);
        count(Answer::refused);
      }
    }
    if (options_.check.format == Format::html) {
      out << report::compare_html(comparisons_);
    } else if (as_json()) {
      for (const observed::Comparison& comparison : comparisons_) out << report::compare_json(comparison);
    } else {
      for (const observed::Comparison& comparison : comparisons_) {
        const bool dull = comparison.rows_of(observed::Standing::forbidden) == 0;
        if (!options_.check.quiet || !dull) out << report::compare_text(comparison);
      }
      out << report::summary_text(comparisons_, options_.against);
    }
    if (absent_ != 0) streams_.err << fmt::format("{} tests are in no log\n", absent_);
    if (absent_ != 0 && comparisons_.empty()) count(Answer::unknown);  // nothing was compared
    return worse(status_, comparer_.status());
  }

 private:
  bool as_json() const { return options_.check.format == Format::json; }

  void one(const litmus::Test& test, const std::string& file) {
    if (!options_.against.empty()) {
      comparisons_.push_back(comparer_.with_model(test, file));
      return;
    }
    if (!log_.knows(test.name)) {
      ++absent_;
      return;
    }
    const observed::LoggedTest* logged = log_.find(test.name, litmus::meaning_hash(test));
    if (logged == nullptr) {
      streams_.err << fmt::format("{}: error: the log is of another test named {}\n", file, test.name);
      count(Answer::refused);
      return;
    }
    comparisons_.push_back(comparer_.with_log(test, file, *logged));
  }

  void count(Answer answer) { status_ = worse(status_, status_of(answer)); }

  const CompareOptions& options_;
  Streams& streams_;
  Comparer comparer_;
  observed::MergedLog log_;
  std::vector<observed::Comparison> comparisons_;
  std::size_t absent_ = 0;
  Status status_ = Status::ok;
};

}  // namespace

Status compare_files(const CompareOptions& options, Streams& streams) {
  const auto action = [&](std::ostream& out) {
    return options.merge ? merge(options, out, streams) : Compare(options, streams).all(out);
  };
  if (!options.merge && options.logs.empty() == options.against.empty()) {
    streams.err << "ptxmc: error: compare needs --log or --against, and not both\n";
    return Status::input;
  }
  std::vector<std::string> inputs = options.logs;
  inputs.insert(inputs.end(), options.check.files.begin(), options.check.files.end());
  inputs.push_back(options.check.settings.model);
  inputs.push_back(options.against);
  return with_output(options.check.output, inputs, streams, action);
}

}  // namespace ptxmc::cli
