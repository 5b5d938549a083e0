// SPDX-License-Identifier: Apache-2.0
// Greedy descent on the syntax tree: take the first simpler test that still fails, until none does. Each step
// makes a test smaller in a well-founded measure, so the descent ends; validity is left to the parser and the
// lowering, which reject what a step broke (a register without a definition, a branch without a label ...).
#include "shrink.h"

#include <optional>
#include <set>
#include <utility>

#include "input/litmus/parse.h"
#include "input/litmus/print.h"
#include "support/diagnostic.h"

namespace ptxmc::testing {
namespace {

using namespace litmus;

ConditionPtr make(Condition condition) {
  return std::make_shared<const Condition>(std::move(condition));
}

std::vector<ConditionPtr> smaller(const Condition& condition);

/// Each part alone, all but one part, and all with one part made smaller.
template <typename Node>
std::vector<ConditionPtr> smaller_parts(const std::vector<ConditionPtr>& all) {
  std::vector<ConditionPtr> out(all.begin(), all.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all.size() > 2) {
      Node fewer{all};
      fewer.parts.erase(fewer.parts.begin() + static_cast<std::ptrdiff_t>(k));
      out.push_back(make({fewer, {}}));
    }
    for (const ConditionPtr& less : smaller(*all[k])) {
      Node other{all};
      other.parts[k] = less;
      out.push_back(make({other, {}}));
    }
  }
  return out;
}

/// Conditions one step smaller that can stand for the whole.
std::vector<ConditionPtr> smaller(const Condition& condition) {
  struct Visitor {
    std::vector<ConditionPtr> operator()(const Comparison&) const { return {}; }
    std::vector<ConditionPtr> operator()(const Conjunction& c) const {
      return smaller_parts<Conjunction>(c.parts);
    }
    std::vector<ConditionPtr> operator()(const Disjunction& d) const {
      return smaller_parts<Disjunction>(d.parts);
    }
    std::vector<ConditionPtr> operator()(const Negation& n) const { return {n.part}; }
    std::vector<ConditionPtr> operator()(const Implication& i) const { return {i.left, i.right}; }
  };
  return std::visit(Visitor{}, condition.node);
}

/// The condition with threads above `removed` renumbered; null when it names the removed thread.
struct Renumber {
  int removed;

  bool name(StateName& n) const {
    if (!n.thread) return true;
    if (*n.thread == removed) return false;
    if (*n.thread > removed) --*n.thread;
    return true;
  }
  bool term(ConditionTerm& t) const {
    StateName* n = std::get_if<StateName>(&t);
    return n == nullptr || name(*n);
  }
  ConditionPtr operator()(const ConditionPtr& condition) const {
    if (!condition) return condition;
    Condition copy = *condition;
    bool good = true;
    const auto all = [&](std::vector<ConditionPtr>& parts) {
      std::erase_if(parts, [&](ConditionPtr& part) { return !(part = (*this)(part)); });
      good = !parts.empty();
    };
    if (auto* c = std::get_if<Comparison>(&copy.node)) good = term(c->left) && term(c->right);
    if (auto* c = std::get_if<Conjunction>(&copy.node)) all(c->parts);
    if (auto* d = std::get_if<Disjunction>(&copy.node)) all(d->parts);
    if (auto* n = std::get_if<Negation>(&copy.node)) good = (n->part = (*this)(n->part)) != nullptr;
    if (auto* i = std::get_if<Implication>(&copy.node)) {
      i->left = (*this)(i->left);
      i->right = (*this)(i->right);
      good = i->left && i->right;
    }
    return good ? make(std::move(copy)) : nullptr;
  }
};

/// `0 == 0`: holds in every state.
ConditionPtr always() {
  return make({Comparison{isa::Compare::eq, InitialValue{}, InitialValue{}}, {}});
}

/// The kernels without a thread; one that has none left goes, and the edges to it. Threads above are renumbered.
void drop_from_kernels(Kernels& kernels, int removed) {
  std::set<std::string> empty;
  for (Kernel& kernel : kernels.kernels) {
    std::erase(kernel.threads, removed);
    for (int& number : kernel.threads) number -= number > removed ? 1 : 0;
    if (kernel.threads.empty()) empty.insert(kernel.name);
  }
  const auto gone = [&](const std::string& name) { return empty.contains(name); };
  std::erase_if(kernels.kernels, [&](const Kernel& kernel) { return gone(kernel.name); });
  for (Kernel& kernel : kernels.kernels) {
    std::erase_if(kernel.after, gone);
    std::erase_if(kernel.programmatic, gone);
  }
  for (KernelGraph& graph : kernels.graphs) std::erase_if(graph.kernels, gone);
}

std::optional<Test> without_thread(const Test& test, std::size_t index) {
  Test out = test;
  const Renumber renumber{test.threads[index].number};
  out.threads.erase(out.threads.begin() + static_cast<std::ptrdiff_t>(index));
  for (Thread& thread : out.threads) {
    if (thread.number > renumber.removed) --thread.number;
  }
  drop_from_kernels(out.kernels, renumber.removed);
  std::erase_if(out.register_inits, [&](RegisterInit& init) {
    if (init.thread == renumber.removed) return true;
    if (init.thread > renumber.removed) --init.thread;
    return false;
  });
  std::erase_if(out.property.locations, [&](StateName& name) { return !renumber.name(name); });
  out.property.condition = renumber(out.property.condition);
  if (test.property.condition && !out.property.condition) out.property.condition = always();
  out.property.filter = renumber(out.property.filter);
  return out;
}

/// Removes one instruction; its labels move to the next, or stay on an empty one.
void remove_instruction(std::vector<Instruction>& code, std::size_t index) {
  std::vector<std::string> labels = code[index].labels;
  if (labels.empty()) {
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  if (index + 1 < code.size()) {
    auto& next = code[index + 1].labels;
    next.insert(next.begin(), labels.begin(), labels.end());
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  code[index] = Instruction{};
  code[index].labels = std::move(labels);
}

class Steps {
 public:
  explicit Steps(const Test& test) : test_(test) {}

  std::vector<Test> all() {
    if (test_.threads.size() > 1) {
      for (std::size_t t = 0; t < test_.threads.size(); ++t) {
        if (auto smaller_test = without_thread(test_, t)) out_.push_back(std::move(*smaller_test));
      }
    }
    for (std::size_t t = 0; t < test_.threads.size(); ++t) instructions(t);
    surroundings();
    for (std::size_t t = 0; t < test_.threads.size(); ++t) {
      for (std::size_t i = 0; i < test_.threads[t].code().size(); ++i) details(t, i);
    }
    return std::move(out_);
  }

 private:
  template <typename F>
  void step(F&& change) {
    Test copy = test_;
    change(copy);
    out_.push_back(std::move(copy));
  }

  template <typename F>
  void step_code(std::size_t t, F&& change) {
    step([&](Test& c) { change_body(c.threads[t], [&](program::Body& body) { change(body.code); }); });
  }

  void instructions(std::size_t t) {
    const auto& code = test_.threads[t].code();
    for (std::size_t i = 0; i < code.size(); ++i) {
      step_code(t, [&](std::vector<Instruction>& copy) {
        if (copy[i].opcode == isa::Opcode::nop) {
          copy.erase(copy.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          remove_instruction(copy, i);
        }
      });
    }
    // A whole construct at once: `setp; bra; ...; label` goes with its body, or in runs of two or three.
    for (std::size_t length = 2; length <= 4; ++length) {
      for (std::size_t i = 0; i + length <= code.size(); ++i) {
        step_code(t, [&](std::vector<Instruction>& copy) {
          for (std::size_t k = 0; k < length; ++k) remove_instruction(copy, i + length - 1 - k);
          std::erase_if(copy, [](const Instruction& x) { return x.opcode == isa::Opcode::nop; });
        });
      }
    }
  }

  void surroundings() {
    if (test_.property.filter) step([](Test& c) { c.property.filter = nullptr; });
    for (std::size_t i = 0; i < test_.property.locations.size(); ++i) {
      step([&](Test& c) {
        c.property.locations.erase(c.property.locations.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    for (std::size_t i = 0; i < test_.register_inits.size(); ++i) {
      step([&](Test& c) {
        c.register_inits.erase(c.register_inits.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    for (std::size_t i = 0; i < test_.variables.size(); ++i) {
      step([&](Test& c) { c.variables.erase(c.variables.begin() + static_cast<std::ptrdiff_t>(i)); });
      for (std::size_t k = 0; k < test_.variables[i].initial.size(); ++k) {
        if (test_.variables[i].initial[k] != InitialValue{})
          step([&](Test& c) { c.variables[i].initial[k] = {}; });
      }
    }
    kernels();
    if (test_.property.condition) {
      for (const ConditionPtr& less : smaller(*test_.property.condition))
        step([&](Test& c) { c.property.condition = less; });
      const std::string now = print(*test_.property.condition), least = print(*always());
      if (now != least) step([](Test& c) { c.property.condition = always(); });
    }
    if (test_.property.quantifier != Quantifier::exists)
      step([](Test& c) { c.property.quantifier = Quantifier::exists; });
    for (std::size_t t = 0; t < test_.threads.size(); ++t) placement(t);
  }

  /// Without the section, a call, or an edge.
  void kernels() {
    if (!test_.kernels.stated) return;
    step([](Test& c) { c.kernels = {}; });
    for (std::size_t i = 0; i < test_.kernels.calls.size(); ++i) {
      step([&](Test& c) { c.kernels.calls.erase(c.kernels.calls.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
    for (std::size_t k = 0; k < test_.kernels.kernels.size(); ++k) {
      const Kernel& kernel = test_.kernels.kernels[k];
      if (!kernel.after.empty()) step([&](Test& c) { c.kernels.kernels[k].after.pop_back(); });
      if (!kernel.programmatic.empty()) step([&](Test& c) { c.kernels.kernels[k].programmatic.pop_back(); });
    }
  }

  void placement(std::size_t t) {
    const Placement& p = test_.threads[t].placement;
    if (p.host) step([&](Test& c) { c.threads[t].placement = Placement{}; });
    if (p.gpu != 0) step([&](Test& c) { c.threads[t].placement.gpu = 0; });
    if (p.cluster) step([&](Test& c) { c.threads[t].placement.cluster.reset(); });
    if (p.cta && *p.cta != 0) step([&](Test& c) { c.threads[t].placement.cta = 0; });
  }

  void details(std::size_t t, std::size_t i) {
    const Instruction& instruction = test_.threads[t].code()[i];
    const auto change = [&](auto&& f) { step_code(t, [&](std::vector<Instruction>& code) { f(code[i]); }); };
    if (instruction.guard) change([](Instruction& x) { x.guard.reset(); });
    const isa::Modifiers& m = instruction.modifiers;
    using isa::Semantics;
    if (m.semantics == Semantics::acquire || m.semantics == Semantics::release ||
        m.semantics == Semantics::acq_rel || m.semantics == Semantics::volatile_) {
      change([](Instruction& x) {
        x.modifiers.semantics = Semantics::relaxed;
        if (x.modifiers.scope == isa::Scope::none) x.modifiers.scope = isa::Scope::sys;
      });
    }
    const bool access = instruction.opcode == isa::Opcode::ld || instruction.opcode == isa::Opcode::st;
    if (access && m.semantics != Semantics::weak) {
      change([](Instruction& x) {
        x.modifiers.semantics = Semantics::weak;
        x.modifiers.scope = isa::Scope::none;
      });
    }
    if (m.scope != isa::Scope::none && m.scope != isa::Scope::sys) {
      change([](Instruction& x) { x.modifiers.scope = isa::Scope::sys; });
    }
    const std::size_t first = instruction.operands.empty() ? 0 : 1;
    for (std::size_t o = first; o < instruction.operands.size(); ++o) {
      const auto& value = instruction.operands[o].value;
      if (std::holds_alternative<Register>(value))
        change([&](Instruction& x) { x.operands[o].value = Integer{1}; });
      const Integer* integer = std::get_if<Integer>(&value);
      if (integer != nullptr && integer->value > 1)
        change([&](Instruction& x) { x.operands[o].value = Integer{1}; });
    }
  }

  const Test& test_;
  std::vector<Test> out_;
};

}  // namespace

std::vector<Test> simpler(const Test& test) {
  return Steps(test).all();
}

std::string shrink(const Test& test, const std::function<bool(const std::string& text)>& fails) {
  std::string best = print(test);
  std::set<std::string> tried{best};
  for (bool progress = true; progress;) {
    progress = false;
    // Work on what the text says, so that the result is what a reader of the file sees.
    Test current;
    try {
      current = parse(std::make_shared<Source>(Source{"shrunk", best}));
    } catch (const InputError&) {
      return best;
    }
    for (const Test& candidate : simpler(current)) {
      const std::string text = print(candidate);
      if (!tried.insert(text).second || !fails(text)) continue;
      best = text;
      progress = true;
      break;
    }
  }
  return best;
}

}  // namespace ptxmc::testing
