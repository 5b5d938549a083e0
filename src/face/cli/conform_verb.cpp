// SPDX-License-Identifier: Apache-2.0
// `conform`: runs a suite of tests as a campaign (run --campaign), sets the model beside what was observed (compare),
// and says of all of it what the GPU did, by axiom, section, scope, proxy and family.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "face/cli/answers.h"
#include "face/cli/compared.h"
#include "face/cli/conform_suite.h"
#include "face/cli/inputs.h"
#include "face/cli/interrupt.h"
#include "face/cli/output_file.h"
#include "face/cli/run_tests.h"
#include "face/cli/verbs.h"
#include "input/litmus/hash.h"
#include "model/models.h"
#include "observed/certificate_file.h"
#include "observed/log.h"
#include "observed/missed.h"
#include "report/html/certificate.h"
#include "report/json/certificate.h"
#include "report/text/certificate.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

#ifndef PTXMC_VERSION
#define PTXMC_VERSION "unversioned"
#endif

namespace ptxmc::cli {

namespace {

constexpr double kSuiteSeconds = 600;

/// A test of the suite, as it was read.
struct Chosen {
  litmus::Test test;
  std::string hash;
  const SuiteTest* row = nullptr;
};

/// A test hung, failed or has not begun, or none ran.
bool is_incomplete(const observed::Certificate& certificate) {
  using observed::Course;
  return count_of(certificate, Course::ran) == 0 || count_of(certificate, Course::hung) +
                                                            count_of(certificate, Course::failed) +
                                                            count_of(certificate, Course::absent) !=
                                                        0;
}

class Conformance {
 public:
  Conformance(const ConformOptions& options, Streams& streams)
      : options_(options),
        streams_(streams),
        suite_(read_suite(options.suite.empty() ? suite_folder() : options.suite)),
        check_(options.check) {
    if (check_.settings.model.empty()) check_.settings.model = suite_.model;
    check_.verb = "compare";
    choose();
  }

  /// Runs what is to run. Nothing: there is nothing to certify, and `status` says why.
  std::optional<observed::Certificate> certificate(Status& status) {
    std::vector<std::string> logs = options_.logs;
    if (logs.empty()) {
      status = campaign();
      if (interrupted_) return std::nullopt;
      logs.push_back(campaign_path());
    }
    const observed::MergedLog log = read_logs(logs, streams_);
    const std::map<std::string, observed::MissedTest> missed = missed_in(logs);
    const bool no_gpu = status == Status::input && log.tests().empty();
    if (no_gpu || (log.tests().empty() && missed.empty())) {
      status = worse(status, Status::unknown);
      return std::nullopt;
    }
    observed::Certificate out = of_logs(log, missed);
    status = worse(status == Status::failure ? status : Status::ok,
                   worse(compared_, is_incomplete(out) ? Status::unknown : Status::ok));
    return out;
  }

 private:
  void choose() {
    for (const SuiteTest& row : suite_.tests) {
      for (litmus::Test& test : parse_input(read_input({row.file, ""}, streams_.in))) {
        if (!options_.gpu.shard.takes(test.name)) continue;
        std::string hash = litmus::meaning_hash(test);
        chosen_.push_back({std::move(test), std::move(hash), &row});
      }
    }
  }

  std::string campaign_path() const {
    if (!options_.gpu.output.empty()) return options_.gpu.output;
    const Shard& shard = options_.gpu.shard;
    return shard.whole() ? "ptxmc-conform.jsonl"
                         : fmt::format("ptxmc-conform-{}-of-{}.jsonl", shard.index, shard.count);
  }

  Status campaign() {
    GpuOptions how = options_.gpu;
    if (!how.campaign.seconds) how.campaign.seconds = kSuiteSeconds;
    how.output = campaign_path();
    how.quiet = true;  // the certificate says it
    for (const SuiteTest& row : suite_.tests) how.files.push_back(row.file);
    const Interruptible interruptible;
    const Status status = run_campaign(how, streams_);
    interrupted_ = interrupted();
    if (interrupted_) streams_.err << "interrupted: the same command goes on from here\n";
    return status;
  }

  /// By name: the last word of the logs on a test that they could not run.
  std::map<std::string, observed::MissedTest> missed_in(const std::vector<std::string>& logs) const {
    std::map<std::string, observed::MissedTest> out;
    for (const std::string& log : logs) {
      for (observed::MissedTest& test :
           observed::read_missed(read_input({log, ""}, streams_.in, kMaxLogBytes)))
        out[test.name] = std::move(test);
    }
    return out;
  }

  observed::Certificate of_logs(const observed::MergedLog& log,
                                const std::map<std::string, observed::MissedTest>& missed) {
    Comparer comparer(check_, "", streams_);
    observed::Certificate out;
    out.program = PTXMC_VERSION;
    out.model = comparer.model_name();
    const model::Profile* profile = model::find_profile(out.model);
    out.manual = profile == nullptr ? "a model of the user's" : std::string(profile->description);
    out.suite = suite_.version;
    if (!options_.gpu.shard.whole()) out.shard = options_.gpu.shard.print();
    for (const Chosen& chosen : chosen_) {
      observed::CertifiedTest test = blank(chosen);
      const observed::LoggedTest* logged = log.find(chosen.test.name, chosen.hash);
      if (logged == nullptr && log.knows(chosen.test.name))
        refuse(fmt::format("'{}': the log is of another test named {}", chosen.row->file, chosen.test.name));
      if (logged != nullptr) {
        ran(comparer, chosen, *logged, test);
        out.devices.insert(logged->devices.begin(), logged->devices.end());
      } else if (const auto found = missed.find(chosen.test.name); found != missed.end()) {
        test.course = course_of(found->second);
        test.why = found->second.why;
      }
      out.tests.push_back(std::move(test));
    }
    compared_ = comparer.status();
    return out;
  }

  static observed::CertifiedTest blank(const Chosen& chosen) {
    observed::CertifiedTest test;
    test.hash = chosen.hash;
    test.subjects = subjects_of(chosen.test);
    for (const auto& [axis, names] : chosen.row->subjects) test.subjects[axis] = names;
    test.comparison.test = chosen.test.name;
    test.comparison.file = chosen.row->name;
    test.comparison.family = std::filesystem::path(chosen.row->name).parent_path().filename().string();
    test.subjects[observed::Axis::family] = {test.comparison.family};
    return test;
  }

  static void ran(Comparer& comparer, const Chosen& chosen, const observed::LoggedTest& logged,
                  observed::CertifiedTest& test) {
    test.course = logged.observed == 0 ? observed::Course::hung : observed::Course::ran;
    try {
      test.comparison = comparer.with_log(chosen.test, chosen.row->name, logged);
    } catch (const Refused& error) {
      refuse(error.why);
    }
  }

  static observed::Course course_of(const observed::MissedTest& missed) {
    if (missed.fate == "skipped") return observed::Course::skipped;
    return missed.fate == "hung" ? observed::Course::hung : observed::Course::failed;
  }

  const ConformOptions& options_;
  Streams& streams_;
  const Suite suite_;
  Options check_;
  std::vector<Chosen> chosen_;
  bool interrupted_ = false;
  Status compared_ = Status::ok;
};

std::string certificate_as(Format format, const observed::Certificate& certificate,
                           const observed::Certificate* other, bool quiet) {
  switch (format) {
    case Format::html:
      return report::certificate_html(certificate, other);
    case Format::json:
      return report::certificate_json(certificate, other);
    default:
      return report::certificate_text(certificate, other, quiet);
  }
}

/// What a certificate that was read says for the exit status.
Status status_of_read(const observed::Certificate& certificate) {
  const observed::CertificateSum sum = sum_of(certificate);
  if (sum.violations != 0) return Status::unmet;
  return sum.open != 0 || is_incomplete(certificate) ? Status::unknown : Status::ok;
}

observed::Certificate certificate_in(const std::string& file, Streams& streams) {
  return observed::read_certificate(read_input({file, ""}, streams.in, kMaxLogBytes));
}

}  // namespace

Status conform(const ConformOptions& options, Streams& streams) {
  std::optional<observed::Certificate> other;
  if (!options.against.empty()) other = certificate_in(options.against, streams);
  std::optional<observed::Certificate> certificate;
  Status status = Status::ok;
  if (!options.from.empty()) {
    certificate = certificate_in(options.from, streams);
    status = status_of_read(*certificate);
  } else {
    certificate = Conformance(options, streams).certificate(status);
  }
  if (!certificate) return status;
  std::vector<std::string> inputs = options.logs;
  inputs.insert(inputs.end(), {options.from, options.against});
  const auto write = [&](const std::string& file, Format format) {
    return with_output(file, inputs, streams, [&](std::ostream& out) {
      out << certificate_as(format, *certificate, other ? &*other : nullptr, options.gpu.quiet);
      return Status::ok;
    });
  };
  if (!options.html.empty()) status = worse(status, write(options.html, Format::html));
  return worse(status, write(options.check.output, options.check.format));
}

}  // namespace ptxmc::cli
