// SPDX-License-Identifier: Apache-2.0
// Proofs of candidates. The changed module is verified on its launch, and on others that the kernel takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "repair/kernel/candidates.h"
#include "repair/kernel/kernel.h"
#include "repair/kernel/keys.h"

namespace ptxmc::repair {

/// The run came to its end, or to where no thread goes on.
bool ended(const claim::VerifyResult& verified);

class Proofs {
 public:
  /// `now`: what verify said of the module as it is.
  Proofs(const KernelAsked& asked, const KernelRun& now, const ModuleText& module);

  /// The changed module does not have the finding, and nothing that the other one had not; all threads of a block execute a barrier that
  /// is put in. Nothing: that is not so, or was not decided.
  std::optional<KernelRepair> of(const KernelCandidate& candidate, const explain::Finding& finding);

 private:
  using Verify = std::function<KernelRun(const std::string& module)>;
  /// A launch, and what verify finds there before the change.
  struct Ground {
    const Verify& verify;
    FindingKeys before;
    std::uint32_t threads = 0;  ///< of a block; 0: not known
    std::string name = {};      ///< of another launch
  };
  enum class Answer : std::uint8_t { no, yes, open };
  struct Verdict {
    Answer answer = Answer::open;
    claim::Verdict claim = claim::Verdict::incomplete;
  };

  Verdict ask(const KernelCandidate& candidate, const explain::Finding& finding, const Ground& ground) const;
  Verdict ask(const std::vector<Edit>& edits, const explain::Finding& finding, const Ground& ground) const;
  std::optional<Ground> ground_of(const OtherLaunch& other) const;
  const std::vector<Ground>& others();
  std::uint32_t threads_of(const claim::VerifyResult& verified) const;

  const KernelAsked& asked_;
  const claim::VerifyResult& verified_;
  const ModuleText& module_;
  Ground given_;
  std::optional<std::vector<Ground>> others_;
};

}  // namespace ptxmc::repair
