// SPDX-License-Identifier: Apache-2.0
// One test, lowered in ways that must mean the same.
#include <fmt/format.h>

#include <algorithm>

#include "finding/rules.h"
#include "harness.h"
#include "support/diagnostic.h"

namespace ptxmc::testing {

using engine::Query;
using engine::Result;
using engine::State;
using relation::MemoryModel;

namespace {

Result states_of(const Prepared& one, const MemoryModel& model, Engine engine) {
  Query query = query_for(one, model);
  query.budget = Budget(kTimeLimit);
  return solve(engine, query);
}

/// For values over terms, only that they are none: what is torn from several is put together otherwise.
std::set<std::vector<std::optional<event::Value>>> shown_values(const Result& result) {
  std::set<std::vector<std::optional<event::Value>>> out;
  for (const State& state : result.states) {
    std::vector<std::optional<event::Value>> shown(state.values.begin(), state.values.end());
    for (std::size_t i = 0; i < state.symbols.size(); ++i) {
      if (state.symbols[i] != 0) shown[i].reset();
    }
    out.insert(std::move(shown));
  }
  return out;
}

/// The same test, lowered otherwise; nothing where that is refused: too many events, or ways, say.
std::optional<Prepared> lowered(const Prepared& prepared, const lower::Options& options) {
  try {
    return prepare(prepared.test, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Another lowering of the same test.
struct Lowering {
  std::string kind, how;
};

/// The same final states and races, as far as both are known.
std::optional<Failure> compare_lowered(const Prepared& prepared, const Prepared& other,
                                       const Lowering& lowering, const MemoryModel& model, Engine engine,
                                       std::size_t& compared) {
  const Result one = states_of(prepared, model, engine), all = states_of(other, model, engine);
  const std::string race = "race";
  const Answer races_in_one = flag_raised(engine, prepared, model, race);
  const Answer races_in_all = flag_raised(engine, other, model, race);
  if (!one.complete || !all.complete) return std::nullopt;
  ++compared;
  if (shown_values(one) != shown_values(all)) {
    return Failure{lowering.kind + "-differ",
                   fmt::format("{}: {} states, {} {}", name_of(engine), one.states.size(), all.states.size(),
                               lowering.how)};
  }
  if (races_in_one == races_in_all || races_in_one == Answer::unknown || races_in_all == Answer::unknown)
    return std::nullopt;
  return Failure{lowering.kind + "-race",
                 fmt::format("{}: races {}, {} {}", name_of(engine), name_of(races_in_one),
                             name_of(races_in_all), lowering.how)};
}

}  // namespace

std::optional<Failure> compare_all_turns(const Prepared& prepared, const MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts) {
  lower::Options unrolled = options;
  unrolled.all_turns = true;
  const std::optional<Prepared> again = lowered(prepared, unrolled);
  if (!again) return std::nullopt;
  const Prepared& turns = *again;
  if (turns.graph->size() == prepared.graph->size()) return std::nullopt;
  const auto undefined = [](const event::Misuse& misuse) { return finding::rule(misuse.rule).undefined; };
  const auto& misuses = turns.graph->misuses;
  if (std::any_of(misuses.begin(), misuses.end(), undefined))
    return std::nullopt;  // a turn may end the program
  return compare_lowered(prepared, turns, {"turns", "with waiting loops unrolled"}, model, engine,
                         counts.turns);
}

std::optional<Failure> compare_exchanges(const Prepared& prepared, const MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts) {
  const auto& events = prepared.graph->events;
  if (std::none_of(events.begin(), events.end(), [](const event::Event& event) {
        const bool reduces = event.opcode == isa::Opcode::bar_red;
        return event.barrier && (event.barrier->exchange || reduces);
      }))
    return std::nullopt;
  lower::Options by_paths = options;
  by_paths.paths_alone = true;
  const std::optional<Prepared> again = lowered(prepared, by_paths);
  if (!again) return std::nullopt;
  const Prepared& apart = *again;
  return compare_lowered(prepared, apart, {"exchanges", "with exchanges path by path"}, model, engine,
                         counts.exchanges);
}

std::optional<Failure> compare_single_bytes(const Prepared& prepared, const MemoryModel& model,
                                            const lower::Options& options, Engine engine, Counts& counts) {
  const auto copies = [](const event::Event& event) { return event.labels.tile; };
  const auto& events = prepared.graph->events;
  const auto unknown =
      [&](const event::Event& event) {  // a term of a byte has another name than one of a word
        return event.kind == event::EventKind::initial_write &&
               !prepared.graph->exprs.is_constant(event.value);
      };
  if (options.unbounded || std::any_of(events.begin(), events.end(), copies) ||
      std::any_of(events.begin(), events.end(), unknown))
    return std::nullopt;
  lower::Options in_bytes = options;
  in_bytes.single_bytes = true;
  const std::optional<Prepared> again = lowered(prepared, in_bytes);
  if (!again) return std::nullopt;
  const Prepared& cut = *again;
  if (cut.graph->cells.size() == prepared.graph->cells.size()) return std::nullopt;
  // An address in pieces may be put together from two: what that is depends on where the variables lie.
  const auto places = [](const Prepared& one) {
    const auto& terms = one.graph->exprs.terms();
    return std::count_if(terms.begin(), terms.end(), [](const event::Term& term) { return term.is_place; });
  };
  if (places(cut) != places(prepared) || cut.graph->exprs.has_terms() != prepared.graph->exprs.has_terms())
    return std::nullopt;
  const Result whole = states_of(prepared, model, engine), pieces = states_of(cut, model, engine);
  if (!whole.complete || !pieces.complete) return std::nullopt;
  ++counts.bytes;
  if (shown_values(whole) == shown_values(pieces)) return std::nullopt;
  return Failure{"bytes-differ", fmt::format("{}: {} states, {} with memory cut into bytes", name_of(engine),
                                             whole.states.size(), pieces.states.size())};
}

}  // namespace ptxmc::testing
