// SPDX-License-Identifier: Apache-2.0
// How a test is decided, as data. Defaults here are the program's and the library's defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "axiomatic/lower/lower.h"
#include "model/readings.h"

namespace ptxmc::session {

enum class EngineChoice : std::uint8_t { explicit_, smt, auto_, both };
enum class Recheck : std::uint8_t { off, first, all };

/// So many states, and more, may come packed.
constexpr std::size_t kManyStates = 1024;

/// How a test is decided.
struct Settings {
  std::string model;                           ///< profile or cat file; empty: the default profile
  std::optional<std::string> model_text = {};  ///< in cat; `model` is what it is called
  EngineChoice engine = EngineChoice::auto_;
  std::optional<int> unroll;  ///< given by the user: answers within the bound count as known
  bool all_turns = false;     ///< of loops that only wait, too
  /// of those that are accessed alike, too (axiomatic/lower/finish/cell_symmetry.cpp)
  bool all_cells = false;
  bool unbounded = false;
  std::optional<double> timeout;      ///< seconds a test
  std::optional<std::size_t> memory;  ///< bytes a test
  bool verdict_only = false;
  bool count = false;  ///< with it: how many states there are
  Recheck recheck = Recheck::first;
  std::size_t witnesses = ~std::size_t{0};  ///< how many states keep a witness (engine::Query::witnesses)
  /// that of the state that answers the condition is kept, however few others are
  bool decisive_witness = false;
  /// many states may come packed (engine::Query::packs_from): what is printed knows them
  bool packed = false;
  model::Readings readings;
  lower::ProgressModel progress_model = lower::ProgressModel::fair;  ///< of --property liveness
  std::size_t jobs = 1;       ///< threads for one test (engine::Query::jobs)
  bool sensitivity = false;   ///< try the other readings, one at a time, too
  std::optional<bool> flags;  ///< nothing: for a user's cat file, and where the stated verdict needs them
};

}  // namespace ptxmc::session
