// SPDX-License-Identifier: Apache-2.0
#include "folded.h"

#include <fmt/format.h>

#include <variant>

#include "axiomatic/event/base.h"
#include "support/overloaded.h"

namespace ptxmc::testing {

using namespace relation;  // NOLINT: the node types of the tree

namespace {

/// Writes each node once, under the number of its first mention: numbers of the tree itself depend on what folding
/// made and threw away.
class Writer {
 public:
  explicit Writer(const MemoryModel& model) : model_(model), tree_(model.tree) {}

  std::string write() {
    for (const OrderDeclaration& order : model_.orders) {
      const std::string over = name(order.over);
      line(fmt::format("order {} {}", over, order.partial));
    }
    line("co " + name(model_.coherence));
    for (const Constraint& axiom : model_.axioms) constraint(axiom);
    for (const Constraint& flag : model_.flags) constraint(flag);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  void constraint(const Constraint& c) {
    const std::string value = std::visit([&](auto expression) { return name(expression); }, c.expression);
    line(fmt::format("{} {} {}", static_cast<int>(c.test), c.negated, value));
  }

  std::string name(Set s) {
    const auto known = sets_.find(s.index);
    if (known != sets_.end()) return fmt::format("s{}", known->second);
    std::string text = node(tree_.node(s));
    const std::size_t number = sets_.emplace(s.index, sets_.size()).first->second;
    line(fmt::format("s{} = {}", number, text));
    return fmt::format("s{}", number);
  }

  std::string name(Rel r) {
    const auto known = relations_.find(r.index);
    if (known != relations_.end()) return fmt::format("r{}", known->second);
    std::string text = node(tree_.node(r));
    const std::size_t number = relations_.emplace(r.index, relations_.size()).first->second;
    line(fmt::format("r{} = {}", number, text));
    return fmt::format("r{}", number);
  }

  template <typename A, typename B>
  std::string two(const char* what, A a, B b) {
    const std::string first = name(a);
    return fmt::format("{} {} {}", what, first, name(b));
  }

  std::string node(const SetNode& n) {
    return std::visit(Overloaded{[](const BaseSet& s) { return fmt::format("set {}", s.base); },
                                 [](const EmptySet&) { return std::string("none"); },
                                 [](const Universe&) { return std::string("_"); },
                                 [&](const SetUnion& s) { return two("|", s.a, s.b); },
                                 [&](const SetIntersection& s) { return two("&", s.a, s.b); },
                                 [&](const SetDifference& s) { return two("\\", s.a, s.b); },
                                 [&](const Domain& s) { return "domain " + name(s.r); },
                                 [&](const Range& s) { return "range " + name(s.r); }},
                      n);
  }

  std::string node(const RelNode& n) {
    return std::visit(Overloaded{[](const BaseRel& r) { return fmt::format("rel {}", r.base); },
                                 [](const EmptyRel&) { return std::string("0"); },
                                 [](const Identity&) { return std::string("id"); },
                                 [&](const Restrict& r) { return "[] " + name(r.s); },
                                 [&](const Product& r) { return two("*", r.a, r.b); },
                                 [&](const Union& r) { return two("|", r.a, r.b); },
                                 [&](const Intersection& r) { return two("&", r.a, r.b); },
                                 [&](const Difference& r) { return two("\\", r.a, r.b); },
                                 [&](const Sequence& r) { return two(";", r.a, r.b); },
                                 [&](const Inverse& r) { return "^-1 " + name(r.a); },
                                 [&](const Closure& r) { return "+ " + name(r.a); },
                                 [](const OrderChoice& r) { return fmt::format("order {}", r.order); },
                                 [&](const FromReads& r) { return "fr " + name(r.co); },
                                 [&](const Variable& r) { return variable(r); }},
                      n);
  }

  // The bodies of a group come after the first mention of one of its variables.
  std::string variable(const Variable& v) {
    const auto known = groups_.find(v.group);
    if (known != groups_.end()) return fmt::format("rec {} {}", known->second, v.member);
    const std::size_t number = groups_.emplace(v.group, groups_.size()).first->second;
    std::string bodies;
    for (const Rel body : tree_.groups()[v.group].bodies) bodies += ' ' + name(body);
    line(fmt::format("rec {} ={}", number, bodies));
    return fmt::format("rec {} {}", number, v.member);
  }

  const MemoryModel& model_;
  const Tree& tree_;
  std::map<std::uint32_t, std::size_t> sets_, relations_, groups_;  // numbers in the text
  std::string out_;
};

}  // namespace

namespace {

/// `~empty` of what is empty.
bool is_never(const Constraint& flag, const Tree& tree) {
  if (flag.test != Test::empty || !flag.negated) return false;
  if (const auto* set = std::get_if<Set>(&flag.expression))
    return std::holds_alternative<EmptySet>(tree.node(*set));
  return std::holds_alternative<EmptyRel>(tree.node(std::get<Rel>(flag.expression)));
}

}  // namespace

Kinds::Kinds() {
  const Signature& signature = event::base_signature();
  for (std::uint32_t base = 0; base < signature.rows().size(); ++base) {
    none_.sets.push_back(engine::Facts::Members::unknown);
    none_.relations.push_back(base);
    if (signature[base].sort == Sort::set) {
      everything_.tree.base_set(base);
    } else {
      everything_.tree.base_relation(base);
    }
  }
}

std::size_t Kinds::of(const Prepared& prepared) {
  engine::Facts facts = engine::facts_of(query_for(prepared, everything_));
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [at, fresh] = numbers_.emplace(facts, facts_.size());
  if (fresh) facts_.push_back(std::move(facts));
  return at->second;
}

const engine::Facts& Kinds::facts(std::size_t kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return facts_[kind];
}

std::string tree_text(const MemoryModel& model) {
  return Writer(model).write();
}

Folded fold(const MemoryModel& model, const engine::Facts& facts, std::optional<std::size_t> flag) {
  std::optional<engine::Special> special = engine::special(model, event::base_signature(), facts, flag);
  if (!special) return {};
  std::string text = tree_text(special->model);
  const bool never = flag && is_never(special->model.flags.front(), special->model.tree);
  return {std::move(special->model), std::move(text), never};
}

std::optional<std::size_t> Answerer::number(const std::string& flag) const {
  for (std::size_t i = 0; i < model_.flags.size(); ++i) {
    if (model_.flags[i].name == flag) return i;
  }
  return std::nullopt;
}

std::shared_ptr<const Folded> Answerer::folded(std::size_t kind, const std::string& flag) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = folded_.find({kind, flag});
    if (known != folded_.end()) return known->second;
  }
  auto made = std::make_shared<const Folded>(fold(model_, kinds_.facts(kind), number(flag)));
  keep(kind, flag, made);
  return made;
}

void Answerer::keep(std::size_t kind, const std::string& flag, std::shared_ptr<const Folded> folded) {
  constexpr std::size_t kKept = 1000;  // a model takes 100 kB
  const std::lock_guard<std::mutex> lock(mutex_);
  if (folded_.size() >= kKept) folded_.clear();
  folded_.emplace(Key{kind, flag}, std::move(folded));
}

Answerer::Left Answerer::left(std::size_t kind, const std::string& flag) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = left_.find({kind, flag});
    if (known != left_.end()) return known->second;
  }
  const auto made = folded(kind, flag);
  const std::lock_guard<std::mutex> lock(mutex_);
  return left_.emplace(Key{kind, flag}, Left{made->text, made->never}).first->second;
}

const std::string& Answerer::whole(const std::string& flag) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = whole_.find(flag);
  if (known != whole_.end()) return known->second;
  return whole_.emplace(flag, fold(model_, kinds_.none(), number(flag)).text).first->second;
}

bool Answerer::same(Answerer& mutant, std::size_t kind, const std::string& flag) {
  if (lacks(flag) || mutant.lacks(flag)) return lacks(flag) && mutant.lacks(flag);
  if (!whole(flag).empty() && whole(flag) == mutant.whole(flag)) return true;
  {
    const std::lock_guard<std::mutex> lock(mutant.mutex_);
    const auto known = mutant.same_.find({kind, flag});
    if (known != mutant.same_.end()) return known->second;
  }
  const Left own = left(kind, flag);
  const auto other = mutant.folded(kind, flag);
  const bool same = (own.never && other->never) || (!own.text.empty() && own.text == other->text);
  const std::lock_guard<std::mutex> lock(mutant.mutex_);
  mutant.same_.emplace(Key{kind, flag}, same);
  return same;
}

std::shared_ptr<const MemoryModel> Answerer::left_of(std::size_t kind, const std::string& flag) {
  const auto found = folded(kind, flag);
  if (!found->model) return {std::shared_ptr<const Folded>(), &model_};
  return {found, &*found->model};
}

Answer Answerer::ask(const Prepared& prepared, std::size_t kind, const std::string& flag) {
  if (lacks(flag) || folded(kind, flag)->never) return Answer::no;
  const auto model = left_of(kind, flag);
  return flag.empty() ? condition_holds(Engine::explicit_, prepared, *model)
                      : flag_raised(Engine::explicit_, prepared, *model, flag);
}

}  // namespace ptxmc::testing
