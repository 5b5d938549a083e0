// SPDX-License-Identifier: Apache-2.0
// MemoryModel: what a cat text says, as data. Both engines, the witness check and the reports interpret this
// and nothing else.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/relation/tree.h"
#include "support/source.h"

namespace ptxmc::relation {

/// `order NAME over REL`: for each unordered pair {a, b} with (a, b) or (b, a) in REL, a != b, an execution
/// chooses exactly one direction (for a partial order declaration: at most one). Nothing else is implied: no
/// transitivity.
struct OrderDeclaration {
  std::string name;
  Rel over;
  bool partial = false;
  Position position;
  SourcePtr source = nullptr;  ///< the text that `position` is in
  std::string section = {};    ///< as of a Definition
};

enum class Test : std::uint8_t { acyclic, irreflexive, empty };

/// An axiom (an execution must satisfy it) or a flag (an execution that satisfies it raises the flag).
/// What a flag is to the program is no matter of its name: see RoleDeclaration.
struct Constraint {
  Test test = Test::empty;
  bool negated = false;               ///< `~empty r`
  std::variant<Set, Rel> expression;  ///< a Set only with Test::empty
  std::string name;                   ///< after `as`; else "axiom N"
  std::string section;  ///< section numbers from the comment beside it, as data ("8.10.1"); may be empty
  Position position;
  SourcePtr source = nullptr;  ///< the text that `position` is in
  std::string role = {};       ///< that a `role` statement gives a flag of this name; empty: none
};

/// A named definition, in the order of the text; for printing, explanations and graphs.
struct Definition {
  std::string name;
  std::variant<Set, Rel> value;
  std::string section;
  Position position;
  SourcePtr source = nullptr;  ///< the text that `position` is in
};

/// `role ROLE = NAME`: what ptxmc itself asks a text about (base causality, say) is the definition or flag
/// NAME. Which roles there are is not known here; model/roles.h checks them.
struct RoleDeclaration {
  std::string role;
  std::string name;                             ///< of the definition, order, base relation or flag
  std::optional<std::variant<Set, Rel>> value;  ///< the definition of that name that is in force there
  bool flag = false;                            ///< a flag has that name
  Position position;
  SourcePtr source = nullptr;  ///< the text that `position` is in
};

struct MemoryModel {
  std::string name;
  SourcePtr source;
  Tree tree;
  std::vector<OrderDeclaration> orders;
  std::vector<Definition> definitions;
  std::vector<Constraint> axioms;
  std::vector<Constraint> flags;
  std::vector<RoleDeclaration> roles;
  Rel coherence;  ///< the relation named `co`: a final value is any write that is maximal in it
};

}  // namespace ptxmc::relation
