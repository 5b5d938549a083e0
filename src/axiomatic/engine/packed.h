// SPDX-License-Identifier: Apache-2.0
// Many states in little memory: of each observable which of its values, in as many bits as it takes to tell them
// apart. A store-buffering ring of 20 threads has a million states, of 8 bytes each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::engine {

class PackedStates {
 public:
  /// `domains`: per observable the values that it may have, in any order, perhaps with repetitions. None is empty.
  PackedStates(const event::ProgramGraph& graph, std::vector<std::vector<event::Value>> domains);

  void reserve(std::size_t states) { keys_.reserve(states * words_); }

  /// One value per observable, each in its domain.
  void add(const std::vector<event::Value>& values, bool satisfied);

  /// All states of another of the same domains, behind those that there are.
  void append(const PackedStates& other);

  /// Ascending, as sort_states has it; on up to `jobs` threads.
  void sort(std::size_t jobs = 1);

  std::size_t size() const { return keys_.size() / words_; }
  std::size_t satisfied() const { return satisfied_; }  ///< how many satisfy the proposition
  /// The first that satisfies the proposition, or that does not.
  std::optional<std::size_t> first(bool satisfied) const;

  /// Whether the state with these values satisfies the proposition; nothing: there is none. The states are
  /// sorted.
  std::optional<bool> judged(const std::vector<event::Value>& values) const;

  /// Ascending as signed numbers of the observable, each once.
  const std::vector<event::Value>& domain(std::size_t observable) const { return domains_[observable]; }

  /// Calls f(codes, satisfied) for the states number `begin` to `end` - 1: per observable the index in its domain.
  void for_each(std::size_t begin, std::size_t end,
                const std::function<void(const std::vector<std::uint32_t>&, bool)>& f) const;

 private:
  // Bits `shift` and up of word `word`; the first observable is in the highest bits of the first word, so that keys
  // compare as states do.
  struct Field {
    std::uint32_t word, shift, bits;
  };
  void place_fields();
  bool contains(const std::vector<std::uint64_t>& key) const;

  std::vector<std::vector<event::Value>> domains_;
  std::vector<event::Width> widths_;
  std::vector<Field> fields_;        // one per observable, and one of whether the proposition fails
  std::size_t words_ = 1;            // of a key
  std::vector<std::uint64_t> keys_;  // of all states, one after the other
  std::vector<std::uint64_t> key_;   // of the state at hand
  std::size_t satisfied_ = 0;
};

}  // namespace ptxmc::engine
