// SPDX-License-Identifier: Apache-2.0
// What `verify` says of a run: findings, claim and coverage.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dynamic/exec/grid_cover.h"
#include "dynamic/exec/run.h"
#include "dynamic/order/finding.h"
#include "finding/acceptance.h"
#include "finding/selection.h"
#include "ptx/program/program.h"

namespace ptxmc::claim {

/// What the exact engine says of a finding's litmus test.
struct ExactAnswer {
  std::optional<bool> races;  ///< nothing: it was not decided, and `why` says for what reason
  std::string why;
  std::string file;  ///< in which the litmus test is, if it was written
};

/// The second access of a finding is so many iterations of a loop after the first one, each counted by its own thread.
struct Iterations {
  std::int64_t later = 0;  ///< negative: it is in an earlier one
  bool outer = false;      ///< the loop is one around the innermost loop that both are in
};

/// A read that takes what was there before a write that the run has before it.
struct PassedWrite {
  trace::Site read = 0, write = 0;
};

/// Why not all orders of contended accesses were taken.
enum class OrdersLeft : std::uint8_t {
  none,           ///< all were
  too_many,       ///< there are more than `--choices`
  ended,          ///< a run was cut
  long_order,     ///< one has too many turns
  unknown_write,  ///< not all writes at the locations are known
  not_followed,   ///< lanes of one warp, or swaps that may fail
  together,       ///< of several locations
  by_execution,   ///< only execution forbids others, and no order of memory (8.9.5)
  by_contents,    ///< other first contents of memory may allow others
};

/// Runs with the turns at contended locations in different orders (exec::Turns).
struct TurnOrders {
  std::size_t taken = 0;               ///< how many
  bool all = false;                    ///< there are no others
  bool alike = false;                  ///< some stand for others that differ in nothing else
  OrdersLeft left = OrdersLeft::none;  ///< if there are, why they were not taken
};

/// What is asked of the severity of what is found (severity.h).
struct Severities {
  bool strict = false;    ///< warnings are errors
  bool practice = false;  ///< idioms of code that ships are waived
};

/// A run that elects another lane than the lowest ends so.
struct ElectedHang {
  unsigned lane = 0;
  std::vector<exec::Waiting> waiting;
};

/// Thread blocks of a grid, and threads of a block: x, y and z.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
};

/// What users accept of the findings in the report of a run (explain/verify/acceptance.h), in the order of that report.
struct AcceptedFindings {
  std::vector<finding::Acceptance> findings;  ///< empty: it was not asked
  std::vector<std::string> fingerprints;      ///< of each
  bool any = false;                           ///< an error or a warning is accepted
  bool every_error = true, every_warning = true;
  bool stops = false;  ///< an accepted one is a fault or a hang: what follows it was not run
};

/// A run, and what is said of it beside its outcome.
struct VerifyResult {
  std::string name;                  ///< of the kernel, or the test
  bool launched = false;             ///< a launch of a module; else a test
  std::optional<LaunchShape> shape;  ///< of a launch that is the only one
  const program::Program* program = nullptr;
  std::vector<std::uint64_t> ctas;  ///< that ran, if that was not all of them
  std::uint64_t of_ctas = 0;        ///< how many the launch has
  bool all_can_run = false;         ///< together, with --cta all
  std::string compared;             ///< of the others: how their memory was
  /// Whether the blocks that did not run do what those do that ran, and no two of all blocks access one byte; nothing: it was not asked,
  /// or is not answered yet.
  std::optional<exec::GridCover::Answer> grid;
  bool grid_pending = false;       ///< all runs together answer that; until then it is taken for granted
  bool orders = true;              ///< what orders accesses was looked at
  std::string model;               ///< with the readings that are not its own
  std::string under;               ///< the model and the readings; empty: the defaults
  bool groups_of_warps = false;    ///< by the readings a wgmma.wait_group waits for its warp's own part alone
  bool matrices_in_order = false;  ///< exec::MatrixRows::in_warp_order
  std::string waived;       ///< an exact claim, under readings that allow what is warned of; empty: none
  bool peers = false;       ///< writers outside of the launch ran as its last thread
  std::string cooperation;  ///< launch::Beside::cooperation
  bool resident = true;     ///< launch::Beside::resident
  std::map<std::string, std::string> sizes;  ///< launch::Beside::sizes
  std::vector<std::string> module_values;    ///< launch::Beside::module_values
  const exec::Run* run = nullptr;
  exec::Outcome outcome;
  /// of what is unordered in some schedule with the same synchronization
  std::vector<trace::Finding> findings;
  trace::LeftOpen left_open;   ///< by some run
  bool waits_settled = false;  ///< loops that poll memory are let go on by the same writes in all schedules
  TurnOrders turns;            ///< the findings, faults and decisions are those of all of them
  std::map<std::size_t, ExactAnswer> exact;      ///< by the finding's number
  std::map<std::size_t, Iterations> iterations;  ///< the same

  /// The contents of the run that shows it, by the finding's number; of faults by their sites.
  std::map<std::size_t, exec::Contents> contents;
  std::map<trace::Site, exec::Contents> fault_contents;
  std::map<std::size_t, PassedWrite> passed;  ///< by the finding's number, of the run that shows it
  std::size_t schedules = 0;                  ///< that ran beside, as timing decides
  /// Lanes that elect.sync elected, a run each; `all`: each that it may elect, or it elects none.
  struct Elected {
    std::size_t lanes = 0;
    bool all = true;
    std::optional<ElectedHang> hang;  ///< of a lane, while that of the lowest goes on
  };
  Elected elected;
  Severities severities;
  bool relays = false;  ///< a proof rests on atomics that release what they acquired from narrower releases
  /// of findings: what it leaves out is no part of the answer, and bounds the claim
  finding::Selection selection;
  AcceptedFindings accepted;

  /// The file of the module, or the test; empty where it is not known.
  std::string file() const { return program->source == nullptr ? "" : program->source->name; }
  bool partial() const { return !ctas.empty(); }
  /// What holds of the CTAs that ran holds of all, or may.
  bool is_of_all() const {
    return !partial() || grid_pending || (grid && grid->verdict == exec::GridCover::Verdict::covered);
  }
};

/// An error was found; or none was but those that are waived or known; or none was, and that is no proof, or one of all schedules.
enum class Verdict : std::uint8_t { violated, incomplete, proven, waived };
std::string_view name_of(Verdict verdict);

}  // namespace ptxmc::claim
