// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <new>

#include "face/cli/answers.h"
#include "support/beyond_limits.h"
#include "support/budget.h"
#include "support/check.h"

using namespace ptxmc;
using namespace ptxmc::cli;

TEST_CASE("what is too large, too long or too much is unknown, not refused") {
  const Diagnostics none{nullptr};
  CHECK(answer_of(BeyondLimits(none)) == Answer::unknown);
  CHECK(answer_of(InputError(none)) == Answer::refused);
  CHECK(answer_of(OutOfTime()) == Answer::unknown);
  CHECK(answer_of(std::bad_alloc()) == Answer::unknown);
  CHECK(answer_of(InternalError("a bug")) == Answer::internal);
  CHECK(open_word(BeyondLimits(none)) == "too-large");
  CHECK(open_word(InputError(none)).empty());
}

TEST_CASE("an incomplete result may be allowed, and nothing else") {
  constexpr Allowed kAllowed{true};
  CHECK(status_of(Answer::incomplete) == Status::unknown);
  CHECK(status_of(Answer::incomplete, kAllowed) == Status::ok);
  for (const Answer answer :
       {Answer::finding, Answer::unmet, Answer::unknown, Answer::refused, Answer::internal})
    CHECK((status_of(answer, kAllowed) == status_of(answer) && status_of(answer) != Status::ok));
}

TEST_CASE("nothing is wrong only where that is known") {
  repair::Repairs repairs;
  CHECK(answer_of(repairs) == Answer::as_stated);
  repairs.before.hangs_open = "unroll-bound";
  CHECK(answer_of(repairs) == Answer::unknown);
  repairs.wanted.race_free = true;
  CHECK(answer_of(repairs) == Answer::unmet);
  repairs.open = true;
  CHECK(answer_of(repairs) == Answer::unknown);

  repair::RepairedKernel kernel;
  kernel.clean = true;
  CHECK(answer_of(kernel) == Answer::unknown);
  kernel.verdict = claim::Verdict::proven;
  CHECK(answer_of(kernel) == Answer::as_stated);
  kernel.out_of_time = true;
  CHECK(answer_of(kernel) == Answer::unknown);

  repair::Weakened weakened;
  CHECK(answer_of(weakened) == Answer::as_stated);
  weakened.before.open = "timeout";
  CHECK(answer_of(weakened) == Answer::unknown);
  weakened.before.undefined = true;
  CHECK(answer_of(weakened) == Answer::finding);
}

TEST_CASE("a comparison of which nothing was decided is unknown") {
  observed::Comparison comparison;
  CHECK(answer_of(comparison) == Answer::unknown);  // of a log without outcomes
  comparison.observed = 1;
  CHECK(answer_of(comparison) == Answer::as_stated);
  comparison.other = "sc";
  CHECK(answer_of(comparison) == Answer::as_stated);
  comparison.other_unknown = "timeout";
  CHECK(answer_of(comparison) == Answer::unknown);
  comparison.rows = {{"x", 0, observed::Standing::unseen}};
  CHECK(answer_of(comparison) == Answer::unmet);
  comparison.rows = {{"x", 1, observed::Standing::forbidden}};
  CHECK(answer_of(comparison) == Answer::finding);
}
