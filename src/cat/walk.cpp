// SPDX-License-Identifier: Apache-2.0
#include "cat/walk.h"

namespace ptxmc::cat {

namespace {

using namespace relation;

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
          [&](auto value) { std::visit([&](const auto& node) { children(node); }, tree_.node(value)); },
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

  void children(const BaseSet&) {}
  void children(const EmptySet&) {}
  void children(const Universe&) {}
  void children(const SetUnion& n) { push(n.a), push(n.b); }
  void children(const SetIntersection& n) { push(n.a), push(n.b); }
  void children(const SetDifference& n) { push(n.a), push(n.b); }
  void children(const Domain& n) { push(n.r); }
  void children(const Range& n) { push(n.r); }
  void children(const BaseRel&) {}
  void children(const EmptyRel&) {}
  void children(const Identity&) {}
  void children(const Restrict& n) { push(n.s); }
  void children(const Product& n) { push(n.a), push(n.b); }
  void children(const Union& n) { push(n.a), push(n.b); }
  void children(const Intersection& n) { push(n.a), push(n.b); }
  void children(const Difference& n) { push(n.a), push(n.b); }
  void children(const Sequence& n) { push(n.a), push(n.b); }
  void children(const Inverse& n) { push(n.a); }
  void children(const Closure& n) { push(n.a); }
  void children(const OrderChoice&) {}
  void children(const FromReads& n) { push(n.co); }
  void children(const Variable& n) {
    for (const Rel variable : tree_.groups()[n.group].variables) push(variable);
    for (const Rel body : tree_.groups()[n.group].bodies) push(body);
  }

  const Tree& tree_;
  Below below_;
  std::vector<SetOrRel> work_;
};

}  // namespace

Below nodes_below(const Tree& tree, const std::vector<SetOrRel>& roots) {
  return Walker(tree).run(roots);
}

bool depends_on_group(const Tree& tree, SetOrRel root, std::uint32_t group) {
  const Below below = nodes_below(tree, {root});
  for (const Rel variable : tree.groups()[group].variables) {
    if (below.relations[variable.index]) return true;
  }
  return false;
}

}  // namespace ptxmc::cat
