// SPDX-License-Identifier: Apache-2.0
#include "model/cat/walk.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "support/overloaded.h"

namespace ptxmc::cat {

namespace {

using namespace relation;

// Calls visit with each operand of a node; a variable's are the variables and bodies of its group.
template <typename Visit>
void for_operands(const Tree&, const SetNode& node, Visit visit) {
  std::visit(Overloaded{[](const BaseSet&) {}, [](const EmptySet&) {}, [](const Universe&) {},
                        [&](const Domain& n) { visit(n.r); }, [&](const Range& n) { visit(n.r); },
                        [&](const auto& n) { visit(n.a), visit(n.b); }},
             node);
}

template <typename Visit>
void for_operands(const Tree& tree, const RelNode& node, Visit visit) {
  std::visit(
      Overloaded{[](const BaseRel&) {}, [](const EmptyRel&) {}, [](const Identity&) {},
                 [](const OrderChoice&) {}, [&](const Restrict& n) { visit(n.s); },
                 [&](const Product& n) { visit(n.a), visit(n.b); }, [&](const Inverse& n) { visit(n.a); },
                 [&](const Closure& n) { visit(n.a); }, [&](const FromReads& n) { visit(n.co); },
                 [&](const Variable& n) {
                   for (const Rel v : tree.groups()[n.group].variables) visit(v);
                   for (const Rel body : tree.groups()[n.group].bodies) visit(body);
                 },
                 [&](const auto& n) { visit(n.a), visit(n.b); }},
      node);
}

bool marked(const Below& marks, Set s) {
  return marks.sets[s.index];
}
bool marked(const Below& marks, Rel r) {
  return marks.relations[r.index];
}

class Walker {
 public:
  explicit Walker(const Tree& tree) : tree_(tree) {
    below_.sets.resize(tree.sets().size());
    below_.relations.resize(tree.relations().size());
  }

  Below run(const std::vector<SetOrRel>& roots) {
    for (const SetOrRel& root : roots) std::visit([&](auto value) { push(value); }, root);
    while (!work_.empty()) {
      const SetOrRel next = work_.back();
      work_.pop_back();
      std::visit(
          [&](auto value) { for_operands(tree_, tree_.node(value), [&](auto operand) { push(operand); }); },
          next);
    }
    return std::move(below_);
  }

 private:
  void push(Set s) {
    if (!below_.sets[s.index]) work_.emplace_back(s);
    below_.sets[s.index] = true;
  }
  void push(Rel r) {
    if (!below_.relations[r.index]) work_.emplace_back(r);
    below_.relations[r.index] = true;
  }

  const Tree& tree_;
  Below below_;
  std::vector<SetOrRel> work_;
};

}  // namespace

Below nodes_below(const Tree& tree, const std::vector<SetOrRel>& roots) {
  return Walker(tree).run(roots);
}

void mark_above(const Tree& tree, Below& marks) {
  bool any = false;
  const auto look = [&](auto operand) { any = any || marked(marks, operand); };
  const auto mark = [&](std::vector<bool>::reference mark, const auto& node) {
    if (mark) return false;
    any = false;
    for_operands(tree, node, look);
    mark = any;
    return any;
  };
  const auto mark_sets = [&] {
    bool changed = false;
    for (std::size_t i = 0; i < marks.sets.size(); ++i) changed |= mark(marks.sets[i], tree.sets()[i]);
    return changed;
  };
  const auto mark_variables = [&] {
    bool changed = false;
    for (const RecGroup& group : tree.groups()) {
      for (const Rel v : group.variables) changed |= mark(marks.relations[v.index], tree.node(v));
    }
    return changed;
  };
  mark_sets();
  for (bool again = true; again;) {
    for (std::size_t i = 0; i < marks.relations.size(); ++i) mark(marks.relations[i], tree.relations()[i]);
    again = mark_variables();
    again |= mark_sets();
  }
}

Depths depths(const Tree& tree, std::size_t most) {
  Depths out{std::vector<std::size_t>(tree.sets().size()), std::vector<std::size_t>(tree.relations().size())};
  bool changed = true;
  const auto deepen = [&](std::size_t& depth, const auto& node) {
    std::size_t longest = 0;
    for_operands(tree, node, [&](auto operand) {
      if constexpr (std::is_same_v<decltype(operand), Set>) {
        longest = std::max(longest, 1 + out.sets[operand.index]);
      } else {
        longest = std::max(longest, 1 + out.relations[operand.index]);
      }
    });
    longest = std::min(longest, most);
    changed = changed || longest != depth;
    depth = longest;
  };
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < out.sets.size(); ++i) deepen(out.sets[i], tree.sets()[i]);
    for (std::size_t i = 0; i < out.relations.size(); ++i) {
      const RelNode& node = tree.relations()[i];
      if (!std::holds_alternative<Variable>(node)) deepen(out.relations[i], node);
    }
  }
  return out;
}

bool depends_on_group(const Tree& tree, SetOrRel root, std::uint32_t group) {
  const Below below = nodes_below(tree, {root});
  for (const Rel variable : tree.groups()[group].variables) {
    if (below.relations[variable.index]) return true;
  }
  return false;
}

}  // namespace ptxmc::cat
