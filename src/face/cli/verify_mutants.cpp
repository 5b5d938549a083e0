// SPDX-License-Identifier: Apache-2.0
#include "face/cli/verify_mutants.h"

#include <fmt/format.h>

#include <optional>

#include "face/cli/progress.h"
#include "report/json/mutants.h"
#include "report/text/mutants.h"
#include "session/mutants.h"
#include "support/refuse.h"

namespace ptxmc::cli {

void refuse_with_mutants(const VerifyOptions& options) {
  if (options.common.format == Format::sarif || options.common.format == Format::junit || options.summary ||
      !options.trace)
    refuse(
        "--mutate compares findings, in words or as JSON: not with --format sarif or junit, nor with "
        "--summary or --no-orders");
}

bool print_mutants(const std::string& input, const explore::VerificationTask& task,
                   const VerifyOptions& options, const session::VerifySettings& settings,
                   const session::Verification& unchanged, Streams& streams, std::ostream& out) {
  ProgressLine line(streams, options.common.progress, options.common.quiet);
  std::optional<session::Session> exact;
  if (options.confirm) exact.emplace(options.common.settings);
  session::MutantSettings mutants{settings, exact ? &*exact : nullptr, options.common.settings.jobs,
                                  [&](std::size_t tried, std::size_t all) { line.show(tried, all, input); }};
  mutants.verify.until = unchanged.limits.budget;
  const explain::Mutants tried = session::try_mutants(task, unchanged, mutants);
  line.clear();
  const claim::VerifyResult& verified = unchanged.verified;
  out << (options.common.format == Format::json
              ? report::mutants_json(verified.name, verified.file(), tried)
              : fmt::format("Verify {}\n{}", verified.name, report::mutants_text(tried)));
  return tried.left == 0;
}

}  // namespace ptxmc::cli
