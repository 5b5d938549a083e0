// SPDX-License-Identifier: Apache-2.0
// A module and the launches of a plan as a program: each PTX thread is a thread, and the threads of a launch share a
// body.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "input/launch/launch.h"
#include "input/launch/memory.h"
#include "ptx/program/inner_map.h"
#include "ptx/program/program.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// Threads of all launches together that a program is made of.
constexpr std::uint64_t kMaxThreads = 2048;

/// What of the launches a program is made of, and how much of it: the defaults are what the exact engines take.
struct Choice {
  // of each launch, by number, with their clusters; nothing: all
  std::optional<std::vector<std::uint64_t>> ctas;
  std::uint64_t whole = 0;                // launches of so many threads are taken whole, whatever `ctas` says
  std::uint64_t threads = kMaxThreads;    // of the CTAs that are chosen, at most
  std::uint64_t elements = kMaxElements;  // of a variable, at most
};

/// How the initial value of a register rests on the place of its block in the grid: so many times a coordinate of the block's cluster, and
/// something that is the same for the blocks of one rank in all clusters.
struct OfGrid {
  unsigned axis = 0;  // x, y, z
  std::uint32_t factor = 0;
};

/// What of the launches the program does not say.
struct Beside {
  std::uint64_t ctas = 0;        // of the largest grid
  Extents grid, block, cluster;  // that one, and its thread blocks
  std::size_t launches = 0;
  std::uint64_t threads = 0;                  // of all launches, whole
  std::vector<std::uint64_t> ran;             // of these, those in the program
  std::vector<program::InnerMap> inner_maps;  // without it, what has them is refused
  /// How the launch says the size of a variable, without the number: "argument 0: buffer:".
  std::map<std::string, std::string> sizes;
  /// Variables of the module that have the values which the module gives them, though a host may have set others.
  std::vector<std::string> module_values;
  /// "--cooperative": what the launch lacks for the grid barrier of a kernel; empty: nothing.
  std::string cooperation;
  /// The blocks of each launch are one cluster, or it is cooperative: all of them run at once.
  bool resident = true;
  /// The registers that rest on the place of their block, where some blocks of a launch were left out.
  std::map<std::string, OfGrid> of_grid;
  bool peers = false;  // the last thread is one of peers; without `Beside` they are refused
};

/// Throws InputError, in terms of the module's text or of the plan, for what does not fit together and for what is more
/// than the extent says.
program::Program make_program(const ptx::Module& module, const Plan& plan, const Choice& choice = {},
                              Beside* beside = nullptr);

}  // namespace ptxmc::launch
