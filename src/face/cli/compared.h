// SPDX-License-Identifier: Apache-2.0
// What the model allows of a test beside what was observed, or beside another model: what `compare` and `conform`
// have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/cli/child.h"
#include "face/cli/present.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "input/litmus/test.h"
#include "observed/compare.h"
#include "observed/merge.h"
#include "session/analysis.h"

namespace ptxmc::cli {

/// The test is none that ptxmc takes.
struct Refused {
  std::string why;
};

/// Logs of runs as one. Warnings go to standard error. Throws InputError.
observed::MergedLog read_logs(const std::vector<std::string>& files, Streams& streams);

/// Asks the model of tests, each in a process of its own where there are limits.
class Comparer {
 public:
  /// `check.settings` has the model; `against`: the other one, or empty. `check` must live as long.
  Comparer(const Options& check, const std::string& against, Streams& streams);

  /// Beside the other model. These two throw Refused.
  observed::Comparison with_model(const litmus::Test& test, const std::string& file);
  /// Beside what a log has of this test; what is forbidden but observed is explained.
  observed::Comparison with_log(const litmus::Test& test, const std::string& file,
                                const observed::LoggedTest& logged);
  const std::string& model_name() const { return session_.model_name(); }
  /// The worst of all that was compared.
  Status status() const { return status_; }

 private:
  observed::Comparison judged(const litmus::Test& test, const std::string& file,
                              observed::Comparison comparison);
  void explain_forbidden(const litmus::Test& test, observed::Comparison& comparison);
  TestReport explained(const Options& how, const litmus::Test& asking);
  observed::Allowed allowed_by(const session::Session& session, const litmus::Test& test);

  const Options& check_;
  const std::string against_;
  Streams& streams_;
  const Confines confines_;
  session::Session session_;
  session::Session sequential_;
  std::optional<session::Session> other_;
  Status status_ = Status::ok;
};

}  // namespace ptxmc::cli
