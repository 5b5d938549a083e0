// SPDX-License-Identifier: Apache-2.0
#include "explain/words/values.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::explain {

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

std::string print_value(const event::ProgramGraph& graph, const engine::State& state,
                        std::size_t observable) {
  if (!state.names.empty() && !state.names[observable].empty()) return state.names[observable];
  return print_value(graph, graph.observables[observable], state.values[observable]);
}

namespace {

std::string print_number(const event::ProgramGraph& graph, event::Value value, event::Width width) {
  if (const std::string* symbol = symbol_of(graph, value)) return *symbol;
  return fmt::format("{}", width == event::kUnbounded ? value : event::as_signed(value, width));
}

}  // namespace

std::string print_access_value(const event::ProgramGraph& graph, const event::Execution& execution,
                               event::EventId e) {
  const auto width_of = [&](event::SlotId s) { return graph.cells[graph.slot(s).cell].width; };
  if (graph.slots_of(e) == 1) return print_number(graph, execution.values[e], width_of(e));
  std::uint64_t whole = 0;
  unsigned bits = 0;
  std::string parts;
  for (std::size_t k = 0; k < graph.slots_of(e); ++k) {  // little-endian: the first cell is the lowest
    const event::SlotId s = graph.slot_of(e, k);
    parts += fmt::format("{}{}", k == 0 ? "" : ", ", print_number(graph, execution.values[s], width_of(s)));
    if (bits < 64) whole |= static_cast<std::uint64_t>(execution.values[s]) << bits;
    bits += width_of(s);
  }
  if (bits > 64) return "{" + parts + "}";
  return print_number(graph, static_cast<event::Value>(whole), static_cast<event::Width>(bits));
}

std::string print_assignment(const event::ProgramGraph& graph, const event::Observable& observable,
                             event::Value value) {
  return fmt::format("{}={};", observable.name, print_value(graph, observable, value));
}

std::string print_state(const event::ProgramGraph& graph, const engine::State& state) {
  std::string out;
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    out +=
        fmt::format("{}{}={};", i == 0 ? "" : " ", graph.observables[i].name, print_value(graph, state, i));
  }
  return out;
}

}  // namespace ptxmc::explain
