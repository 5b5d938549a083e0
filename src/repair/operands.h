// SPDX-License-Identifier: Apache-2.0
// Changes of what a program does, where none of its order helps: what an access names, how many bytes it takes at once, which
// value a loop waits for. All that they put in stands elsewhere in the test, and none takes away that threads hear of each other.
#pragma once

#include "repair/change.h"
#include "repair/runs.h"

namespace ptxmc::repair {

/// What a code does with a place that it names by a variable.
struct Access {
  std::size_t code = 0, index = 0;
  const program::Operand* operand = nullptr;
  const program::Variable* variable = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  ///< of a load, a store or an atomic; 0: not known here
  bool reads = false, writes = false;
  bool object = false;  ///< an operation on an mbarrier object: arrivals are its writes, waits its reads
};
/// The accesses of all codes, those that threads of the device run, in the order of the text.
std::vector<Access> accesses_of(const Runs& runs);
/// Threads of both codes may mean the same memory by the name of a variable.
bool share(const Runs& runs, const program::Variable& variable, std::size_t a, std::size_t b);
/// "x", "x+4"
std::string place_name(const program::Variable& variable, std::int64_t offset);
/// Without options.
Site operand_site();

// `all` is accesses_of(runs).
/// An access, or an operation on an mbarrier object, names another place of the test that others access.
void add_places(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites);
/// A loop that waits for a value waits for another one that is written there.
void add_values(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites);
/// An access of bytes that others access in other sizes (8.7.2) is one of as many as they, or several.
void add_sizes(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites);

}  // namespace ptxmc::repair
