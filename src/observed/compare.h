// SPDX-License-Identifier: Apache-2.0
// What a model allows of a test beside what was observed, or what another model allows.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::observed {

/// How a state stands.
enum class Standing : std::uint8_t {
  seen,       ///< allowed and observed
  unseen,     ///< allowed, never observed
  forbidden,  ///< observed, although the model forbids it
  open,       ///< of one side alone, and the answer of the other is incomplete
  undefined,  ///< observed; the test's behaviour is undefined, so anything may happen
};

/// The enumerator.
std::string_view name_of(Standing standing);

/// One side: the model.
struct Allowed {
  std::set<std::string> states;   ///< canonical
  std::set<std::string> symbols;  ///< names in states that stand for any value: unknown initial values
  std::string unknown;            ///< why the list may be incomplete; empty: it is complete
  bool undefined = false;
};

struct Row {
  std::string state;
  std::uint64_t count = 0;  ///< observed
  Standing standing = Standing::seen;
};

/// One test.
struct Comparison {
  std::string test, family;
  std::string file, model;
  std::string other;      ///< the model that stands for the observer; empty: a log
  std::vector<Row> rows;  ///< by state
  std::uint64_t observed = 0, hung = 0;
  std::uint64_t weak = 0;  ///< of the observed outcomes: no interleaving of the instructions has them
  double seconds = 0;
  std::string unknown;  ///< as in Allowed
  bool undefined = false;
  std::string other_unknown;  ///< of the other model
  bool other_undefined = false;
  std::string explanation;  ///< why the model forbids what was observed

  std::size_t rows_of(Standing standing) const;
};

/// Sets rows, unknown, undefined and observed. An observed state may name more than the model's states do
/// (what the filter names, say): the rest does not count.
Comparison compare(const Allowed& allowed, const std::map<std::string, std::uint64_t>& observed);
/// The same of what another model allows in place of what was observed.
Comparison compare_models(const Allowed& allowed, const Allowed& other);
/// How many of the observed outcomes sequential consistency, whose side `sc` is, forbids.
std::uint64_t count_weak(const Allowed& sc, const std::map<std::string, std::uint64_t>& observed);

}  // namespace ptxmc::observed
