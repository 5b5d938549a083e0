// SPDX-License-Identifier: Apache-2.0
// One control-flow path: the events that exist, what their values may be, and which writes a read may take.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/event/symbolic_value.h"
#include "support/recursion.h"

namespace ptxmc::engine::explicit_ {

/// The engine cannot go on with this program exactly; `reason` as in Result::unknown.
class Undecided : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Values are listed one by one up to here; beyond, Undecided("values").
constexpr std::size_t kMaxValues = 512;            ///< of one expression
constexpr std::size_t kMaxCombinations = 1 << 16;  ///< of an operator's operands
constexpr std::size_t kMaxShown = 2048;  ///< of an expression that only conditions and states speak of

class Path {
 public:
  /// `symbols`: where values over terms live.
  Path(const Query& query, const event::Assignment& assignment, event::Symbols& symbols);

  const event::Assignment& assignment() const { return assignment_; }
  /// Existing events, ascending; local number -> event.
  const std::vector<event::EventId>& events() const { return events_; }
  std::size_t size() const { return events_.size(); }
  std::size_t local(event::EventId e) const { return local_[e]; }
  const event::Event& event(std::size_t i) const { return query_.graph.events[events_[i]]; }

  /// Slots of the existing events (program_graph.h), by local numbers: slot i < size() is the first cell of
  /// event i, the further cells of wide accesses follow.
  std::size_t slots() const { return owners_.size(); }
  std::size_t owner(std::size_t slot) const { return owners_[slot]; }  ///< the local event
  event::SlotId slot_id(std::size_t slot) const { return ids_[slot]; }
  event::Slot slot(std::size_t slot) const { return query_.graph.slot(ids_[slot]); }
  /// The slot that a value_of atom names; slots() when its event does not exist.
  std::size_t slot_of(const event::Node& atom) const;

  /// e with the path's decisions put in.
  event::Expr simplify(event::Expr e);
  const event::ExprPool& exprs() const { return pool_; }
  event::Symbols& symbols() { return symbols_; }
  /// Truth values that hold on this path, simplified, constants left out.
  const std::vector<event::Expr>& constraints() const { return constraints_; }
  /// Simplified value of a slot of a write, or of an initial write's choice.
  event::Expr value_of(std::size_t slot) { return simplify(this->slot(slot).value); }
  /// A condition of the question rests on the value of this slot. The others' values follow from what they are read
  /// from, whatever that is: they are neither listed nor encoded.
  bool decides(std::size_t slot) const { return decides_[slot]; }
  /// The values a slot of a read (or a choosing initial write) that decides may have, ascending.
  const std::vector<event::SymbolicValue>& domain(std::size_t slot) const { return domains_[slot]; }
  /// The slots of writes that a read's slot may take its value from.
  const std::vector<std::size_t>& sources(std::size_t slot) const { return sources_[slot]; }
  /// Slots of the existing writes of a cell.
  const std::vector<std::size_t>& writes_of(event::CellId cell) const;
  /// No execution has this path: a constraint is false or a read has no source.
  bool infeasible() const { return infeasible_; }

  /// Some read could take a value that depends on itself, as far as cells and stored expressions tell.
  bool may_have_value_cycle();

 private:
  void find_events();
  void find_slots();
  void find_constraints();
  void find_deciding();
  void find_domains();
  bool admits(std::size_t slot, event::SymbolicValue value);
  struct Offer {
    event::SymbolicValue value;
    std::size_t write;  // a slot that stores it
    bool only;          // and no other does
  };
  std::vector<Offer> offered(event::CellId cell);
  bool take(std::size_t read, const std::vector<Offer>& offers, std::vector<event::SymbolicValue>& into);
  /// Values that e may have; throws Undecided("values") when they are too many to list.
  const std::vector<event::SymbolicValue>& values(event::Expr e);
  std::vector<event::SymbolicValue> atom_values(const event::Node& node);

  const Query& query_;
  event::Assignment assignment_;
  event::ExprPool pool_;
  event::Symbols& symbols_;
  std::map<event::Expr, event::Expr> simplified_;
  std::map<event::Expr, std::vector<event::SymbolicValue>> values_;  // found in the current round
  std::vector<event::EventId> events_;
  std::vector<std::size_t> local_;
  std::vector<std::size_t> owners_;                           // per slot
  std::vector<event::SlotId> ids_;                            // per slot
  std::vector<std::size_t> first_parts_;                      // per event: its slot number 1
  std::map<event::CellId, std::vector<std::size_t>> writes_;  // slots
  std::vector<event::Expr> constraints_;
  std::vector<std::vector<event::Expr>> own_constraints_;  // per event: constraints over it alone
  std::vector<bool> decides_;
  std::vector<std::vector<event::SymbolicValue>> domains_;
  std::vector<std::vector<std::size_t>> sources_;
  bool infeasible_ = false;
  Recursion recursion_;
};

}  // namespace ptxmc::engine::explicit_
