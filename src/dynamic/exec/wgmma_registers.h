// SPDX-License-Identifier: Apache-2.0
// Registers that wgmma.mma_async uses: after which fence it finds what was written to them, and when they are
// free again (9.7.14.7, R245 to R248).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/exec/run.h"

namespace ptxmc::exec {

/// Names the registers of accumulators and of A fragments that steps of the code touch (Step::watched).
void watch_matrix_registers(Code& code);

/// The registers of one warp, at one moment of a run.
class WgmmaRegisters {
 public:
  struct Problem {
    RuleId kind;
    std::string what;
    const Step* product = nullptr;  // one of them is enough for each
  };

  /// Any other instruction, executed by some lane, reads or writes registers.
  std::optional<Problem> touch(const Code& code, const Step& step);
  /// A wgmma.mma_async; `first_is_free`: it needs no fence before it for being the first (reading wgmma-first-fence).
  std::optional<Problem> use(const Code& code, const Step& step, bool first_is_free);
  void fence() { fenced_ = ++now_; }
  void commit() { ++committed_; }
  std::uint64_t committed() const { return committed_; }  // groups
  void wait(std::uint64_t pending);

 private:
  struct Use {
    const Step* step = nullptr;  // null: none
    std::uint64_t group = 0;
  };
  struct Watched {
    std::uint64_t touched = 0;  // when
    const Step* by = nullptr;
    Use accumulator, multiplicand;  // the last
  };
  void resize(const Code& code);
  bool is_under_way(const Use& use) const { return use.step != nullptr && use.group > complete_; }

  std::vector<Watched> registers_;
  std::uint64_t now_ = 0, fenced_ = 0, waited_ = 0;  // in fences; 0: none yet
  std::uint64_t committed_ = 0, complete_ = 0;       // groups
};

}  // namespace ptxmc::exec
