// SPDX-License-Identifier: Apache-2.0
// mbarrier objects once all threads are lowered: how each comes to be initialised, and operands that are not
// constant.
//
// A parity, a state or a count that comes from registers is expressed by cases on values that it may have, so
// that an assignment of the decisions fixes it (axiomatic/event/sync_path.h). Parities are 0, 1 or wrong; states are
// those of the arrivals on the object, or wrong; counts must be a choice among constants.
#include <algorithm>
#include <optional>
#include <set>

#include "axiomatic/event/sync_path.h"
#include "axiomatic/lower/finish/finish.h"
#include "finding/rules.h"
#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Mbarrier;
using event::MbarrierOp;
using event::Op;
using event::Value;

constexpr Value kWrong = -1;         // no case applies
constexpr std::int64_t kObject = 8;  // bytes
constexpr Value kMostSeenArrivals = 4;

using MbarrierObject = std::pair<std::uint32_t, Value>;  // owner, address

MbarrierObject object_of(const Unit& unit, const Event& event) {
  const event::Node& node = unit.graph.exprs[event.mbarrier->object];
  PTXMC_CHECK(node.op == Op::constant, "an mbarrier object whose address is not constant");
  return {event.mbarrier->owner, node.constant};
}

/// The constants that a choice between constants may be; nothing when it is more than that.
bool add_choices(const event::ExprPool& pool, Expr e, std::set<Value>& values) {
  const event::Node node = pool[e];
  if (node.op == Op::constant) {
    values.insert(node.constant);
    return true;
  }
  return node.op == Op::ite && add_choices(pool, node.b, values) && add_choices(pool, node.c, values);
}

/// `raw`, which is one of `values`, by cases: whatever it is not known to be is kWrong.
Expr by_cases(Unit& unit, const Event& event, Expr raw, const std::set<Value>& values) {
  auto& pool = unit.pool();
  if (pool.is_constant(raw)) return raw;
  Expr result = pool.constant(kWrong, unit.word());
  for (const Value value : values) {
    const Expr is = pool.make(Op::eq, 1, raw, pool.constant(value, pool[raw].width));
    unit.decide(event.thread, is, event.guard);
    result = pool.make(Op::ite, unit.word(), is, pool.constant(value, unit.word()), result);
  }
  return result;
}

void fix_count(Unit& unit, EventId e, std::optional<Expr> Mbarrier::*member) {
  const Event event = unit.graph.events[e];
  const std::optional<Expr>& number = (*event.mbarrier).*member;
  if (!number || unit.pool().is_constant(*number)) return;
  std::set<Value> values;
  if (!add_choices(unit.pool(), *number, values)) {
    unit.errors.unsupported(event.position, "an mbarrier count that is no constant in `" + event.text + "`");
  }
  const std::int64_t most = rules::largest_mbarrier_count(event.mbarrier->small_counts);
  for (const Value value : values) {
    if (value < 0 || value > most) {
      unit.errors.fail(event.position, "count " + std::to_string(value) + " in `" + event.text +
                                           "`, expected 0 to " + std::to_string(most));
    }
  }
  const Expr fixed = by_cases(unit, event, *number, values);
  (*unit.graph.events[e].mbarrier).*member = fixed;
}

/// The states of arrivals on the object of a wait.
std::set<Value> states_of(const Unit& unit, const MbarrierObject& object) {
  std::set<Value> states;
  for (EventId a = 0; a < unit.graph.size(); ++a) {
    const Event& arrival = unit.graph.events[a];
    if (arrival.kind == EventKind::arrival && arrival.mbarrier && object_of(unit, arrival) == object) {
      states.insert(event::arrival_state(a));
    }
  }
  return states;
}

/// R193: operations on an object that nothing initialises are undefined. What such a run does is of no interest behind
/// them; it goes on as if more arrivals were expected than there are. A wait could not.
void use_uninitialised(Unit& unit, const MbarrierObject& object, const std::string& name) {
  for (const Event& event : unit.graph.events) {
    if (!event.mbarrier || object_of(unit, event) != object) continue;
    if (event.mbarrier->op == MbarrierOp::wait || event.mbarrier->op == MbarrierOp::test_failed) {
      unit.errors.fail(event.position, "mbarrier object " + name +
                                           " is never initialised, and waited for: neither by mbarrier.init "
                                           "nor by an initial value");
    }
    unit.graph.misuses.push_back({finding::RuleId::mbarrier_misuse, event.guard, event.position, event.text});
  }
  unit.graph.mbarriers.push_back({object.first, object.second, rules::kLargestMbarrierCount});
}

/// An object is initialised by an mbarrier.init, or by the initial value of its variable, which says for how
/// many arrivals.
void find_initial(Unit& unit, const MbarrierObject& object, bool has_init) {
  const auto location = unit.layout.locate(object.second);
  PTXMC_CHECK(location.has_value(), "an mbarrier object in no variable");
  const VariableId id = unit.layout.root(location->variable);
  const program::Variable& variable = unit.layout.variable(id);
  const auto element = static_cast<std::size_t>(location->offset / kObject);
  const bool words = unit.layout.stride(id) == kObject;
  const bool given = words && element < variable.initial.size() && variable.initial[element].integer != 0;
  if (given) {
    const Value count = variable.initial[element].integer;
    if (!rules::is_mbarrier_count(count) || !variable.initial[element].address_of.empty()) {
      unit.errors.fail(variable.position, variable.name +
                                              " is an mbarrier object: its initial value is the number of "
                                              "arrivals that it expects, 1 to " +
                                              std::to_string(rules::kLargestMbarrierCount));
    }
    unit.graph.mbarriers.push_back({object.first, object.second, count});
  } else if (!has_init) {
    use_uninitialised(unit, object, variable.name);
  }
}

/// A state tells pending counts of few arrivals only (families/mbarriers.cpp).
void check_pending_counts(const Unit& unit) {
  for (const Event& event : unit.graph.events) {
    if (!event.mbarrier || !event.mbarrier->seen) continue;
    const MbarrierObject object = object_of(unit, event);
    Value most = 0;
    for (const event::InitialMbarrier& initial : unit.graph.mbarriers) {
      if (MbarrierObject(initial.owner, initial.object) == object) most = std::max(most, initial.count);
    }
    for (const Event& init : unit.graph.events) {
      if (!init.mbarrier || init.mbarrier->op != MbarrierOp::init || object_of(unit, init) != object)
        continue;
      std::set<Value> values;
      add_choices(unit.graph.exprs, *init.mbarrier->count, values);
      most = std::max(most, *values.rbegin());
    }
    if (most > kMostSeenArrivals) {
      unit.errors.unsupported(event.position, "mbarrier.pending_count of an object that expects more than " +
                                                  std::to_string(kMostSeenArrivals) + " arrivals");
    }
  }
}

void find_initial_objects(Unit& unit) {
  std::set<MbarrierObject> with_init, known;
  for (const Event& event : unit.graph.events) {
    if (event.mbarrier && event.mbarrier->op == MbarrierOp::init) with_init.insert(object_of(unit, event));
  }
  for (const Event& event : unit.graph.events) {
    if (!event.mbarrier) continue;
    const MbarrierObject object = object_of(unit, event);
    if (known.insert(object).second) find_initial(unit, object, with_init.contains(object));
  }
}

}  // namespace

void decide_mbarriers(Unit& unit) {
  find_initial_objects(unit);
  for (EventId e = 0; e < unit.graph.size(); ++e) {
    if (!unit.graph.events[e].mbarrier) continue;
    fix_count(unit, e, &Mbarrier::count);
    fix_count(unit, e, &Mbarrier::tx);
    const Event event = unit.graph.events[e];
    const Mbarrier& operands = *event.mbarrier;
    if (operands.parity) {
      const Expr parity = by_cases(unit, event, *operands.parity, {0, 1});
      unit.graph.events[e].mbarrier->parity = parity;
    }
    if (operands.token) {
      const Expr token = by_cases(unit, event, *operands.token, states_of(unit, object_of(unit, event)));
      unit.graph.events[e].mbarrier->token = token;
    }
    if (event.kind == EventKind::arrival) {
      unit.graph.symbols.emplace_back(event::arrival_state(e), "state of `" + event.text + "`");
    }
  }
  check_pending_counts(unit);
}

}  // namespace ptxmc::lower
