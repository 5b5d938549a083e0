// SPDX-License-Identifier: Apache-2.0
// The part of a run that two accesses need: the threads that make them, those through which the shortest chain of
// synchronization between them goes, whether or not it orders anything, and what these did between the two.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "bridge/extract/log.h"

namespace ptxmc::extract {

constexpr std::size_t kMaxSliceThreads = 4;
constexpr std::size_t kMaxSteps = 256;  // of all threads together

struct End {
  trace::Site site = 0;
  trace::Thread thread = 0;
};

struct Question {
  End first, second;   // in the order of the run
  trace::Range bytes;  // that both access; of an mbarrier, the object
};

struct Slice {
  Question question;
  std::vector<trace::Thread> threads;  // the first one's and the second one's are the first two
  std::vector<Entry> entries;          // in the order of the run; from the first access to the second
  std::size_t begin = 0;  // the first access; what is before it are writes that a loop might have read
  std::size_t end = 0;    // the second one
  /// The phase of each object when the first access happened, as far as a thread arrives after it.
  std::map<trace::Address, trace::Phase> phases;
};

/// Entries of the log: the second access, and the last execution of the first one before it. If that is a
/// strong write, a thread that comes after it need not come after those before it (8.9.5): each of them is
/// one more first end.
struct Ends {
  std::size_t first = 0, second = 0;
};
struct AllEnds {
  std::vector<Ends> pairs;  // in the order of the run
  bool complete = true;     // else some first ends were left out
};
AllEnds find_ends(const Log& log, const Question& question);

/// Or why there is none, as the rest of "not confirmed: ...".
std::variant<Slice, std::string> slice(const Log& log, const Question& question, const Ends& ends);

}  // namespace ptxmc::extract
