// SPDX-License-Identifier: Apache-2.0
// The main loop. A query becomes one circuit over the choices of an execution (program.h), the axioms' pairs
// become literals of it (relations.h) between the bounds of the tree (bounds.h), clauses go to Z3's SAT core
// (solver.h), and each model is read back as an execution (session.h). All states are found by blocking each
// state as it comes.
//
// Values that justify themselves around a cycle of reads-from and stored values: most models have an axiom
// that rules them out, and then finite domains (domains.h) are complete. Where none does, such executions are
// excluded by an acyclicity constraint of our own, and a second query, in which the reads concerned may
// return anything, asks whether there are any: if so the answer is incomplete, "value-cycle".
#include <algorithm>
#include <new>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/smt/session.h"
#include "axiomatic/engine/smt/smt.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

namespace {

using relation::Constraint;
using relation::Rel;

constexpr const char* kTimeout = "timeout";
constexpr const char* kMemory = "memory";
constexpr const char* kEffort = "effort";
constexpr const char* kSolver = "solver";
constexpr const char* kOverflow = "overflow";
constexpr const char* kTerms = "terms";

void mark_unknown(Result& result, const char* reason) {
  result.complete = false;
  if (result.unknown.empty()) result.unknown = reason;
}

/// Leaves of r's unions: fixed pairs into `fixed`; true if reads-from is among them.
bool union_parts(const Query& query, Rel r, relation::BitMatrix& fixed) {
  const relation::RelNode& node = query.model.tree.node(r);
  if (const auto* n = std::get_if<relation::Union>(&node)) {
    const bool left = union_parts(query, n->a, fixed);
    return union_parts(query, n->b, fixed) || left;
  }
  if (const auto* n = std::get_if<relation::BaseRel>(&node)) {
    if (query.signature[n->base].provider == relation::Provider::reads_from) return true;
    if (query.signature[n->base].provider == relation::Provider::fixed)
      fixed |= query.base.relations[n->base];
  }
  return false;
}

/// An axiom makes reads-from and the dependencies of stored values acyclic together.
bool forbids_value_cycles(const Query& query, const ValueFlow& flow) {
  return std::any_of(query.model.axioms.begin(), query.model.axioms.end(), [&](const Constraint& axiom) {
    const Rel* r = std::get_if<Rel>(&axiom.expression);
    if (r == nullptr || axiom.negated || axiom.test != relation::Test::acyclic) return false;
    relation::BitMatrix fixed(query.graph.size());
    if (!union_parts(query, *r, fixed)) return false;
    return std::all_of(flow.dependencies.begin(), flow.dependencies.end(),
                       [&](const auto& pair) { return fixed.test(pair.first, pair.second); });
  });
}

/// The query's model and base values with the flow of values as a relation of their own.
struct Extension {
  Extension(const Query& query, const ValueFlow& flow)
      : base(query.base), signature(query.signature), model(query.model) {
    std::vector<relation::BaseRow> rows = query.signature.rows();
    const auto id = static_cast<std::uint32_t>(rows.size());
    rows.push_back({"value-source", relation::Sort::relation, relation::Provider::reads_from, "", ""});
    rows.push_back({"value-dependency", relation::Sort::relation, relation::Provider::fixed, "", ""});
    signature = relation::Signature(std::move(rows));
    base.sets.resize(id + 2);
    base.relations.resize(id + 2);
    base.relations[id + 1] = relation::BitMatrix(query.graph.size());
    for (const auto& [r, w] : flow.dependencies) base.relations[id + 1].set(r, w);
    travels = model.tree.unite(model.tree.base_relation(id), model.tree.base_relation(id + 1));
  }
  Constraint acyclic(bool negated) const {
    Constraint constraint;
    constraint.test = relation::Test::acyclic;
    constraint.negated = negated;
    constraint.expression = travels;
    return constraint;
  }
  Query query(const Query& original) const { return original.of(base, signature, model); }
  event::BaseValues base;
  relation::Signature signature;
  relation::MemoryModel model;
  Rel travels;
};

class Search {
 public:
  explicit Search(const Query& query)
      : query_(query),
        symbols_(query.graph.exprs),
        closed_(query.graph, symbols_),
        terms_(query.graph.exprs.has_terms() ? std::make_unique<TermSolver>(symbols_) : nullptr),
        deadline_(query.budget),
        guards_(query.graph),
        sources_(possible_sources(query.graph, guards_)),
        flow_(query.graph, sources_) {}

  Result run() {
    within_limits([&] {
      if (!flow_.any_cyclic || forbids_value_cycles(query_, flow_)) {
        answer(query_);
      } else {
        answer_without_cycles();
      }
    });
    if (terms_) name_found();
    sort_states(query_.graph, result_.states);
    count_listed(query_, result_);
    result_.statistics["states"] = static_cast<double>(result_.states.size());
    result_.statistics["seconds"] = deadline_.elapsed();
    return std::move(result_);
  }

 private:
  /// What a limit stops leaves the result unknown.
  template <typename F>
  void within_limits(F&& work) {
    try {
      work();
    } catch (const OutOfTime&) {
      mark_unknown(result_, kTimeout);
    } catch (const std::bad_alloc&) {
      mark_unknown(result_, kMemory);
    } catch (const TooLarge&) {
      mark_unknown(result_, query_.effort ? kEffort : kMemory);
    }
  }

  void answer_without_cycles() {
    Extension extension(query_, flow_);
    Extension restricted = extension;
    restricted.model.axioms.push_back(extension.acyclic(false));
    answer(restricted.query(query_));
    if (query_.ask != Ask::states && !(result_.states.empty() && found_.empty())) return;
    const Constraint cycle = normalised(extension.acyclic(true), extension.model.tree);
    for (Constraint& axiom : extension.model.axioms) axiom = normalised(axiom, extension.model.tree);
    const Query cyclic = extension.query(query_);
    const Task task{cyclic, cycle, true, false};
    Session session(task, sources_, guards_, flow_, deadline_);
    if (session.next() != Answer::unsatisfiable || !session.exhaustive())
      mark_unknown(result_, kValueCycle.data());
  }

  void answer(const Query& query) {
    Task task{query, std::nullopt, false, query.ask == Ask::verdict};
    if (query.ask == Ask::flag) task.goal = query.model.flags.at(query.flag);
    const auto& axioms = query.model.axioms;
    if (std::all_of(axioms.begin(), axioms.end(), is_normal) && (!task.goal || is_normal(*task.goal))) {
      enumerate(task);
      return;
    }
    relation::MemoryModel model = query.model;  // with the closures that `~acyclic` needs
    for (Constraint& axiom : model.axioms) axiom = normalised(axiom, model.tree);
    if (task.goal) task.goal = normalised(*task.goal, model.tree);
    const Query extended = query.of(query.base, query.signature, model);
    enumerate({extended, task.goal, task.free_values, task.wants_state});
  }

  void enumerate(const Task& task) {
    Session session(task, sources_, guards_, flow_, deadline_);
    within_limits([&] {
      const bool wants_all = query_.ask == Ask::states;
      if (session.overflows() != Answer::unsatisfiable) mark_unknown(result_, kOverflow);
      for (bool more = true; more;) {
        const Answer found = session.next();
        if (found == Answer::unknown) mark_unknown(result_, query_.effort ? kEffort : kSolver);
        if (found != Answer::satisfiable) break;
        if (terms_) {
          more = add_open_state(session);
          continue;
        }
        State state = session.state(result_.states.size() < query_.witnesses);
        PTXMC_CHECK(result_.states.empty() || query_.graph.observables.empty() ||
                        state.values != result_.states.back().values,
                    "an excluded state was found again");
        result_.states.push_back(std::move(state));
        more = query_.ask == Ask::states && session.exclude(result_.states.back());
      }
      if (!session.exhaustive() && (wants_all || result_.states.empty()))
        mark_unknown(result_, event::kTooManyPhases);
    });
    session.statistics(result_.statistics);
  }

  /// Where values rest on terms. False: there is no other state.
  bool add_open_state(Session& session) {
    State state = session.state(true);
    const Session::OpenState open = session.open_state(state, closed_);
    const bool more = query_.ask == Ask::states && session.exclude(state, open, closed_);
    const bool keeps = found_.size() < query_.witnesses;
    Found& found = found_.try_emplace(open.key, Found{std::move(state), {}}).first->second;
    if (!keeps && found.executions.empty()) found.state.witness = {};
    found.executions.push_back({open.conditions, open.truth});
    return more;
  }

  void name_found() {
    const auto left = deadline_.left();
    if (left && *left <= 0) mark_unknown(result_, kTimeout);
    const bool all = result_.complete && query_.ask == Ask::states;
    if (!name_states(query_, symbols_, *terms_, found_, all, result_) && all)
      mark_unknown(result_, query_.budget.over() ? kTimeout : kTerms);
    for (auto& [key, found] : found_) result_.states.push_back(std::move(found.state));
  }

  const Query& query_;
  event::Symbols symbols_;
  event::Closed closed_;
  std::unique_ptr<TermSolver> terms_;  // where there are any
  std::map<StateKey, Found> found_;
  Deadline deadline_;
  Guards guards_;
  Sources sources_;
  ValueFlow flow_;
  Result result_;
};

}  // namespace

Result solve(const Query& query) {
  return Search(query).run();
}

bool is_built() {
  return true;
}

}  // namespace ptxmc::engine::smt
