// SPDX-License-Identifier: Apache-2.0
#include "report/value.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::report {

const std::string* symbol_of(const event::ProgramGraph& graph, event::Value value) {
  const auto it = std::find_if(graph.symbols.begin(), graph.symbols.end(),
                               [&](const auto& symbol) { return symbol.first == value; });
  return it == graph.symbols.end() ? nullptr : &it->second;
}

std::string print_value(const event::ProgramGraph& graph, const event::Observable& observable,
                        event::Value value) {
  if (const std::string* symbol = symbol_of(graph, value)) return *symbol;
  if (observable.width == event::kUnbounded) return fmt::format("{}", value);
  if (observable.is_signed) return fmt::format("{}", event::as_signed(value, observable.width));
  return fmt::format("{}", static_cast<std::uint64_t>(event::wrap(value, observable.width)));
}

std::string print_event_value(const event::ProgramGraph& graph, event::EventId e, event::Value value) {
  if (const std::string* symbol = symbol_of(graph, value)) return *symbol;
  const event::CellId cell = graph.events[e].cell;
  const event::Width width = cell < graph.cells.size() ? graph.cells[cell].width : event::kUnbounded;
  return fmt::format("{}", width == event::kUnbounded ? value : event::as_signed(value, width));
}

std::string print_state(const event::ProgramGraph& graph, const engine::State& state) {
  std::string out;
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    const event::Observable& observable = graph.observables[i];
    out += fmt::format("{}{}={};", i == 0 ? "" : " ", observable.name,
                       print_value(graph, observable, state.values[i]));
  }
  return out;
}

}  // namespace ptxmc::report
