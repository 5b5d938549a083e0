// SPDX-License-Identifier: Apache-2.0
// Program: what a litmus test or a module with its launch means before lowering, whatever notation it came from: memory
// objects, bodies, the threads that run them, tasks, and the property that is asked.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/program/instruction.h"
#include "ptx/program/memory.h"
#include "ptx/program/property.h"
#include "support/diagnostic.h"
#include "support/origins.h"
#include "support/source.h"

namespace ptxmc::program {

/// Where a thread runs. Absent cta: a fresh one; absent cluster: one per CTA. Numbers are per GPU (design:
/// Placement). A thread that shares its warp with no other, and names no lane, stands for all 32 lanes; the
/// threads of a shared warp are lanes of it: 0, 1, ... in the order of the text, unless they name their
/// lanes.
struct Placement {
  bool host = false;
  int gpu = 0;
  std::optional<int> cluster;
  std::optional<int> cta;
  std::optional<int> warp;
  std::optional<int> lane;  // of the warp, 0 to 31
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// One thread instance.
struct Thread {
  int number = 0;  // the N of PN
  Placement placement;
  std::shared_ptr<const Body> body;
  Position position;

  const std::vector<RegisterDeclaration>& registers() const { return body->registers; }
  const std::vector<Instruction>& code() const { return body->code; }
};

/// Gives the thread a body of its own: the old one, changed.
template <typename Change>
void change_body(Thread& thread, Change&& change) {
  Body body = *thread.body;
  change(body);
  thread.body = std::make_shared<const Body>(std::move(body));
}

/// A task: a grid, or a host function where its threads are host threads.
struct Kernel {
  std::string name;
  std::vector<int> threads;               // their numbers, in the order of the text
  std::vector<std::string> after;         // direct dependencies: edges of a graph
  std::vector<std::string> programmatic;  // the same, for programmatic dependent launch
  Position position;
  // A launch has a function, and sides of the grid and of its thread blocks.
  std::string function;
  std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
};
struct KernelGraph {
  std::string name;
  std::vector<std::string> kernels;
  Position position;
};  // nodes; edges are the kernels'
struct Kernels {
  std::vector<Kernel> kernels;
  std::vector<KernelGraph> graphs;
  std::vector<Instruction> calls;  // that the host made before the program starts
  bool stated = false;             // the test has the section
};

struct Program {
  SourcePtr source;
  OriginsPtr origins;  // of the source's lines; null: it was not compiled from anything
  std::string name;
  std::vector<Diagnostic> notes;    // about what was read past
  std::vector<Variable> variables;  // in order of appearance; includes undeclared ones that are used
  std::vector<RegisterInit> register_inits;
  std::vector<Thread> threads;
  Kernels kernels;  // not stated: all device threads are one grid
  Property property;
  // PTX-form declarations or thread blocks: bar.* counts are in PTX threads (32 a litmus thread)
  bool native = false;
};

}  // namespace ptxmc::program
