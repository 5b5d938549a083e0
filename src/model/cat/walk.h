// SPDX-License-Identifier: Apache-2.0
// Which nodes of a tree a value is made of.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "model/relation/tree.h"

namespace ptxmc::cat {

using SetOrRel = std::variant<relation::Set, relation::Rel>;

/// Nodes below some values, themselves and the bodies of its `let rec` groups included; indexed as
/// Tree::sets, relations.
struct Below {
  std::vector<bool> sets;
  std::vector<bool> relations;
};
/// Without recursion: a tree may be as deep as its text is long. Cost: the size of the tree.
Below nodes_below(const relation::Tree& tree, const std::vector<SetOrRel>& roots);

/// Marks what is built from a marked node; a `let rec` variable is built from the bodies
/// of its group. Indexed as Below.
/// Nodes refer to earlier nodes of their sort, so this is one pass over the tree unless a set is made of
/// relations, or a marked body comes to mark its variable.
void mark_above(const relation::Tree& tree, Below& marks);

/// The longest chain of operands below each node, up to `most`; a `let rec` variable ends one. Indexed as Below.
struct Depths {
  std::vector<std::size_t> sets, relations;
};
Depths depths(const relation::Tree& tree, std::size_t most);

/// Whether the value depends on a variable of that (possibly still open) `let rec` group.
bool depends_on_group(const relation::Tree& tree, SetOrRel root, std::uint32_t group);

}  // namespace ptxmc::cat
