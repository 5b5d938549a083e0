// SPDX-License-Identifier: Apache-2.0
// multimem.ld_reduce, multimem.st and multimem.red (9.7.8.13): a load, a store or an atomic of each location that the address
// stands for (8.2.3). The manual does not order them among themselves, so nothing does, as with the elements of a
// vector. Each goes through the multimem address, which is an alias of the names of the locations (D50, a reading).
#include "axiomatic/lower/families/multimem.h"

#include "axiomatic/lower/families/atomics.h"
#include "support/check.h"

namespace ptxmc::lower {

std::vector<Target> Multimem::locations(const Instruction& instruction, const State& state) {
  const Operand& operand = instruction.operand(Role::address);
  const Location place = addresses_.tile_location(operand, state);
  const program::Variable& variable = layout_.variable(place.variable);
  if (variable.locations.empty()) {
    fail(operand.position, variable.name + " is no multimem address; `" + variable.name +
                               " multimem x, y` among the variables declares one (R9)");
  }
  const Expr guard = registers_.event_guard(instruction, state);
  std::vector<Target> out;
  for (const std::string& name : variable.locations) {
    Location location = place;
    location.variable = layout_.find(name, variable.position);
    out.push_back(accesses_.place(instruction, operand, location, guard));
    if (unit_.options.readings.multimem_is_generic) continue;
    for (Access& scalar : out.back().scalars) scalar.name = place.variable;
  }
  return out;
}

void Multimem::load(const Instruction& instruction, State& state) {
  const std::vector<Target> places = locations(instruction, state);
  const auto first = static_cast<EventId>(graph_.size());
  Words result;
  for (const Target& place : places) {
    Words words;
    for (const Access& scalar : place.scalars) {
      EventId id = event::kNoEvent;
      const Words value = accesses_.add_read(
          accesses_.access_event(EventKind::read, instruction, place.guard, scalar), scalar, id);
      words.insert(words.end(), value.begin(), value.end());
    }
    if (result.empty()) {
      result = std::move(words);
      continue;
    }
    PTXMC_CHECK(words.size() == result.size(), "locations of a multimem address that differ");
    for (std::size_t i = 0; i < words.size(); ++i)
      result[i] = combine(pool_, instruction, place.scalars.front(), result[i], words[i]);
  }
  accesses_.join_vector(first);
  const Access element = words_.element_of(instruction, places.front().scalars.front());
  words_.write_words(state, instruction, instruction.operand(Role::result), result, element);
}

void Multimem::store(const Instruction& instruction, State& state) {
  const auto first = static_cast<EventId>(graph_.size());
  for (const Target& place : locations(instruction, state)) {
    const Access element = words_.element_of(instruction, place.scalars.front());
    const Words words = words_.stored_words(instruction, state, instruction.operand(Role::value), element);
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Access& scalar = place.scalars[i];
      accesses_.add_write(accesses_.access_event(EventKind::write, instruction, place.guard, scalar), scalar,
                          {words.at(i)});
    }
  }
  accesses_.join_vector(first);
}

void Multimem::reduce(const Instruction& instruction, State& state) {
  const auto first = static_cast<EventId>(graph_.size());
  for (const Target& place : locations(instruction, state)) {
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Access& scalar = place.scalars[i];
      Event half = accesses_.access_event(EventKind::read, instruction, place.guard, scalar);
      half.labels.atomic = half.labels.no_return = true;
      Event write = half;
      write.kind = EventKind::write;
      EventId id = event::kNoEvent;
      const Words old = accesses_.add_read(std::move(half), scalar, id);
      const Words values = words_.stored_words(instruction, state, instruction.operand(Role::value), scalar);
      write.rmw_partner = id;
      const EventId partner = accesses_.add_write(
          std::move(write), scalar, {combine(pool_, instruction, scalar, old.front(), values.at(i))});
      graph_.events[id].rmw_partner = partner;
    }
  }
  accesses_.join_vector(first);
}

}  // namespace ptxmc::lower
