// SPDX-License-Identifier: Apache-2.0
// ptxmc as a library: is message passing safe, why, and does a kernel that has it race?
#include <ptxmc/ptxmc.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace api = ptxmc::api;

namespace {

/// A message that is passed by a flag, with a store and a load of it that order it, or not.
std::string message_passing(bool ordered) {
  const std::string store = ordered ? "st.release.gpu flag, 1" : "st.relaxed.gpu flag, 1";
  const std::string load = ordered ? "ld.acquire.gpu r0, flag" : "ld.relaxed.gpu r0, flag";
  return "PTX message\n{ data=0; flag=0; }\n P0 @ cta 0 | P1 @ cta 1 ;\n st.weak data, 1 | " + load +
         " ;\n " + store + " | ld.weak r1, data ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
}

/// Two threads write one word.
constexpr const char* kKernel = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry both(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

int failures = 0;
void expect(bool met, const std::string& what) {
  std::cout << (met ? "as expected: " : "NOT as expected: ") << what << "\n";
  if (!met) ++failures;
}

}  // namespace

int main() {
  std::cout << "ptxmc " << api::version() << "\n";
  const api::Checker checker;
  const api::Result weak = checker.check(message_passing(false));
  expect(weak.answer == api::Answer::allowed && weak.witness, "without order the old message may be read");
  expect(checker.check(message_passing(true)).answer == api::Answer::forbidden, "with order it is not");
  const api::Explanation why = checker.explain(message_passing(true));
  expect(why.axioms.size() == 1 && why.axioms.front().axiom == "Causality", "by Causality");
  expect(checker.races(message_passing(false)).answer == api::RaceAnswer::racy,
         "the accesses of the message race");
  expect(checker.liveness(message_passing(true)).hangs == false, "nobody waits for ever");

  api::Options options;
  options.engine = api::Engine::smt;
  options.model_text = api::model_text("sc");
  expect(api::Checker(options).check(message_passing(false)).answer == api::Answer::forbidden,
         "under sequential consistency order is not needed, says the solver");

  api::Kernel kernel;
  kernel.module = kKernel;
  kernel.block = "64";
  kernel.arguments = {"buffer:4K"};
  const api::VerifyResult verified = api::verify(kernel);
  expect(verified.answer == api::VerifyAnswer::finding && !verified.findings.empty(),
         "the kernel's writes race");

  const api::Result bad = checker.check("PTX bad\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n");
  expect(bad.answer == api::Answer::error && bad.diagnostics.at(0).line == 4, "what is refused has a place");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
