// SPDX-License-Identifier: Apache-2.0
// A model cut down to what it says about one program: same answers, fewer relations. Shared by all engines.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/engine/engine.h"

namespace ptxmc::engine {

/// What holds of the base sets and relations in every execution of a program; by base id.
struct Facts {
  enum class Members : std::uint8_t { unknown, none, all };
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  std::vector<Members> sets;
  std::vector<std::uint32_t> relations;  ///< a relation with the same value, often itself; or kEmpty

  friend auto operator<=>(const Facts&, const Facts&) = default;
};

/// The facts about the base sets and relations that the model's tree names.
Facts facts_of(const Query& query);

/// A model that agrees with `model` on every execution of which the facts hold: axioms, coherence and orders
/// (same number, same sequence), and of the flags only the asked one. Definitions are left out.
relation::MemoryModel specialise(const relation::MemoryModel& model, const Facts& facts,
                                 std::optional<std::size_t> flag);

/// A specialised model as engines get it.
struct Special {
  relation::MemoryModel model;
  std::vector<std::uint32_t> dropped;  ///< enumerated base relations that only the whole model names: empty
};

/// As specialise; nothing where folding loses an enumerated relation that may have pairs: without a value for it
/// a path has no execution.
std::optional<Special> special(const relation::MemoryModel& model, const relation::Signature& signature,
                               const Facts& facts, std::optional<std::size_t> flag);

/// Answers queries about one model, with a specialised one. Programs of one kind share it. May be used by
/// several threads at a time.
class Specialiser {
 public:
  /// The model must outlive the specialiser.
  explicit Specialiser(const relation::MemoryModel& model) : model_(model) {}

  /// solve(query), which gets another query to the same effect. A query about any other model it gets as it
  /// is.
  template <typename Solve>
  Result solve(const Query& query, Solve&& solve) const {
    const Special* special = &query.model == &model_ ? find(query) : nullptr;
    if (special == nullptr) return solve(query);
    Query smaller = query.of(query.base, query.signature, special->model);
    smaller.flag = 0;
    Result result = solve(smaller);
    add_enumerated(query, *special, result);
    return result;
  }

 private:
  using Key = std::pair<Facts, std::optional<std::size_t>>;  // with the asked flag

  const Special* find(const Query& query) const;
  static void add_enumerated(const Query& query, const Special& special, Result& result);

  const relation::MemoryModel& model_;
  mutable std::mutex mutex_;
  mutable std::map<Key, std::optional<Special>> known_;  // nothing: as of special()
};

}  // namespace ptxmc::engine
