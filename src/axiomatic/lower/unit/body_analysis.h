// SPDX-License-Identifier: Apache-2.0
// What follows from the code of a body alone: where control goes, its loops, its registers. Found once for a body,
// however many threads run it and however often they are lowered.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "axiomatic/lower/memory/errors.h"
#include "axiomatic/lower/unit/counters.h"
#include "axiomatic/lower/unit/loops.h"
#include "ptx/flow/jumps.h"
#include "ptx/program/program.h"
#include "ptx/program/register_use.h"

namespace ptxmc::lower {

class BodyAnalysis {
 public:
  /// `thread`: the first that runs the body. Fails at labels that are unknown or stand twice.
  BodyAnalysis(const program::Program& program, const program::Thread& thread, const Errors& errors);

  /// Registers by index: those of the code and those that threads which run it are started with; sorted.
  const std::vector<std::string>& registers() const { return registers_; }
  std::size_t index(const std::string& name) const { return indices_.at(name); }
  std::optional<std::size_t> find(const std::string& name) const;
  bool is_special(std::size_t index) const { return special_[index] != 0; }
  /// A predefined register that changes by itself.
  bool changes(std::size_t index) const { return changes_[index] != 0; }
  const std::optional<isa::Type>& declared(std::size_t index) const { return declared_[index]; }

  const flow::Jump& jump(std::size_t at) const { return jumps_[at]; }
  const std::vector<Loop>& loops() const { return loops_.loops; }
  /// Loops that hold an instruction, or the end: outer first.
  const std::vector<std::size_t>& enclosing(std::size_t at) const { return loops_.enclosing[at]; }
  /// What a loop counts, by its index.
  const std::vector<Counter>& counters(std::size_t loop) const { return counters_[loop]; }
  bool has(isa::Opcode opcode) const { return opcodes_.contains(opcode); }
  /// Every path from the beginning to the end comes by `at`, once.
  bool always_executed(std::size_t at) const;
  /// Something in the loop polls an mbarrier.
  bool polls(const Loop& loop) const;
  /// The same, and nothing else there depends on memory.
  bool only_polls(const Loop& loop) const;
  /// Registers that are read before they are written, from an instruction (or the end) on.
  const std::vector<char>& live(std::size_t at) const;

 private:
  void find_registers(const program::Program& program);
  void find_jumps(const Errors& errors);
  void find_live() const;

  const program::Body& body_;
  std::vector<std::string> registers_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<std::optional<isa::Type>> declared_;
  std::vector<char> special_, changes_;
  std::vector<program::RegisterUse> uses_;  // per instruction
  std::vector<flow::Jump> jumps_;
  CodeLoops loops_;
  std::vector<std::vector<Counter>> counters_;  // per loop
  std::set<isa::Opcode> opcodes_;
  mutable std::vector<std::vector<char>> live_;  // only liveness asks
};

/// The analyses of a program's bodies, each made when it is first asked for.
class BodyAnalyses {
 public:
  BodyAnalyses(const program::Program& program, const Errors& errors) : program_(program), errors_(errors) {}

  const BodyAnalysis& of(const program::Thread& thread);

 private:
  const program::Program& program_;
  const Errors& errors_;
  std::map<const program::Body*, std::unique_ptr<const BodyAnalysis>> known_;
};

}  // namespace ptxmc::lower
