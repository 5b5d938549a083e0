// SPDX-License-Identifier: Apache-2.0
// How the nodes of a model's tree are built from one another, as the witness check sees it: of its own, for
// it shares no analysis with the engines or with cat.
#pragma once

#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "model/relation/signature.h"
#include "model/relation/tree.h"

namespace ptxmc::check {

using NodeId = std::variant<relation::Set, relation::Rel>;

/// Indexed as Tree::sets, Tree::relations.
struct NodeMarks {
  std::vector<bool> sets, relations;
};

/// The nodes that are built from a variable of the group, directly or through the bodies of other groups.
NodeMarks mark_mentions(const relation::Tree& tree, std::uint32_t group);

/// Base relations of Provider::enumerated that any of the nodes is built from.
std::set<std::uint32_t> enumerated_bases(const relation::Tree& tree, const relation::Signature& signature,
                                         std::vector<NodeId> nodes);

}  // namespace ptxmc::check
