// SPDX-License-Identifier: Apache-2.0
// The lattice of changes. A site is a place where a program can be changed: an instruction, a point between two, or a barrier
// that several threads meet at. Its options are what can be done there, each with those that are weaker; a change is one of
// them. Changes at different sites are independent, and a site is changed once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "repair/source_change.h"
#include "repair/text.h"

namespace ptxmc::repair {

enum class Kind : std::uint8_t {
  instruction,  ///< its order, its scope, or what it waits for
  fence,        ///< a fence of memory order at a point
  proxy,        ///< a fence of a proxy, of tensor memory or of wgmma at a point
  wait,         ///< a wait for asynchronous operations at a point
  barrier,      ///< a barrier that threads of a CTA, a cluster or a warp meet at
  signal,       ///< a wait for the phase of an mbarrier object, or an arrival, or which one is waited for
  order,        ///< an instruction stands after, or before, another one
  operand,      ///< another place, value or size of an access
};

/// How a change bears on the executions of a program.
enum class Effect : std::uint8_t {
  orders,  ///< it adds order and takes no execution's end away: what is strengthened further stays repaired
  waits,   ///< the same, but a thread may wait forever
  other,   ///< neither is known
};

struct Option {
  std::string what;  ///< "st.weak -> st.release.gpu", "fence.acq_rel.gpu behind line 7"
  std::vector<Edit> edits;
  /// the mnemonic that it puts in, for the table of costs; of a change of one, the new one
  std::string instruction;
  std::string before;                    ///< the mnemonic that it replaces; empty: it puts one in
  std::size_t copies = 1;                ///< of the instruction, in so many threads
  std::vector<std::size_t> weaker = {};  ///< options of the site that are weaker, all of them
  /// mnemonics of what else it puts in; one that was not measured is free
  std::vector<std::string> beside = {};
  std::size_t nesting = 0;                  ///< in so many branches and loops of a kernel
  std::optional<SourceChange> source = {};  ///< the same in a kernel's source; nothing: it is no statement
  bool moves = false;  ///< an access of a kernel stands elsewhere: it may access other values there
};

/// Where at one point an instruction stands that is put in: waits before fences, and those before or after
/// what threads meet at.
enum class Rank : std::uint8_t { wait, fence, meeting, late };

struct Site {
  Kind kind = Kind::instruction;
  Effect effect = Effect::orders;
  Rank rank = Rank::fence;
  std::vector<Option> options;  ///< the last is the strongest
};

/// An option of a site.
struct Change {
  std::size_t site = 0, option = 0;
  friend auto operator<=>(const Change&, const Change&) = default;
};
using Changes = std::vector<Change>;  ///< ascending by site

/// What can be tried.
struct Reach {
  bool half_fences = true;  ///< fence.acquire and fence.release (PTX 8.6)
  bool sequential = false;  ///< fence.sc, too
  bool meetings = false;    ///< barriers, phases and arrivals; what is waited for, and moves
  bool pairs = false;       ///< two of these together
  bool operands = false;    ///< other places, values and sizes, without all of these
};

/// Everything that can be made stronger, or put in.
std::vector<Site> strengthenings(const litmus::Test& test, const Layout& layout, const Reach& reach);
/// Everything that can be made weaker, or left out; the last option of a site leaves least.
std::vector<Site> relaxations(const litmus::Test& test, const Layout& layout);

/// The text of a test with changes made.
std::string changed(const Layout& layout, const std::vector<Site>& sites, const Changes& changes);

}  // namespace ptxmc::repair
