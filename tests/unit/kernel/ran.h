// SPDX-License-Identifier: Apache-2.0
// Kernels from text, run.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../launch/launched.h"
#include "dynamic/exec/run.h"

namespace ptxmc::exec {

using launch::Words;

/// A kernel whose parameter `p` is a buffer `out`, run once.
struct Ran {
  program::Program program;
  std::unique_ptr<Run> run;
  Outcome outcome;

  Ran(const std::string& body, const std::string& block, const std::string& before = "",
      const std::string& grid = "1", Options options = {}) {
    Words words;
    words.grid = grid;
    words.block = block;
    words.arguments = {"out=buffer:4K:zero"};
    program = launch::launched(
        ".param .u64 p",
        ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<4>; .reg .b16 %rs<5>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
        "add.u64 %rd3, %rd1, %rd2;\n" +
            body + "\nret;",
        words, before);
    run = std::make_unique<Run>(program, nullptr);
    outcome = run->run(options);
  }
  std::uint64_t out(std::uint32_t element) const { return run->memory("out", element).bits; }
  std::string fault() const {
    return outcome.faults.size() != 1 ? std::to_string(outcome.faults.size()) + " faults"
                                      : std::string(name_of(outcome.faults.front().rule));
  }
};

}  // namespace ptxmc::exec
