// SPDX-License-Identifier: Apache-2.0
// Models folded to what they say about a kind of program (axiomatic/engine/specialise.h), so that two texts can be asked whether
// they differ there at all: a clause about tensor memory says nothing about a test of two stores.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/engine/specialise.h"
#include "harness.h"

namespace ptxmc::testing {

/// What tests have in common that get the same folded model: their facts about all base sets and relations. May be
/// used by several threads.
class Kinds {
 public:
  Kinds();
  /// Number of the kind of this program.
  std::size_t of(const Prepared& prepared);
  const engine::Facts& facts(std::size_t kind) const;
  /// For a program of which nothing is known.
  const engine::Facts& none() const { return none_; }

 private:
  mutable std::mutex mutex_;
  relation::MemoryModel everything_;  // names each base set and relation
  std::map<engine::Facts, std::size_t> numbers_;
  std::deque<engine::Facts> facts_;
  engine::Facts none_;
};

/// What a model says about a kind of program, of its flags only one; nothing where it cannot be folded.
struct Folded {
  std::optional<relation::MemoryModel> model;
  std::string text;    ///< equal texts: equal models, names and positions aside. Empty without model
  bool never = false;  ///< whatever the rest is, it does not raise the flag
};
Folded fold(const relation::MemoryModel& model, const engine::Facts& facts, std::optional<std::size_t> flag);

/// The answers of one model to questions about programs, by the text that is left of it for each kind of program.
/// May be used by several threads.
class Answerer {
 public:
  /// Both must outlive it.
  Answerer(const relation::MemoryModel& model, const Kinds& kinds) : model_(model), kinds_(kinds) {}

  /// The condition (no flag), or whether some execution raises a flag; `no` for a flag that the model lacks.
  Answer ask(const Prepared& prepared, std::size_t kind, const std::string& flag);
  /// What the model says about programs of that kind; the whole model where it cannot be folded.
  std::shared_ptr<const relation::MemoryModel> left_of(std::size_t kind, const std::string& flag);
  /// Whether a mutant says the same of that question about programs of that kind, since the same is left of it.
  bool same(Answerer& mutant, std::size_t kind, const std::string& flag);

 private:
  using Key = std::pair<std::size_t, std::string>;
  struct Left {  // of Folded, without the model
    std::string text;
    bool never = false;
  };
  std::shared_ptr<const Folded> folded(std::size_t kind, const std::string& flag);
  void keep(std::size_t kind, const std::string& flag, std::shared_ptr<const Folded> folded);
  Left left(std::size_t kind, const std::string& flag);
  const std::string& whole(const std::string& flag);  // text without any fact
  std::optional<std::size_t> number(const std::string& flag) const;
  bool lacks(const std::string& flag) const { return !flag.empty() && !number(flag); }

  const relation::MemoryModel& model_;
  const Kinds& kinds_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Folded>> folded_;  // not all
  std::map<Key, bool> same_;                             // of a mutant
  std::map<Key, Left> left_;
  std::map<std::string, std::string> whole_;
};

/// The tree below axioms, flags, orders and coherence as text.
std::string tree_text(const relation::MemoryModel& model);

}  // namespace ptxmc::testing
