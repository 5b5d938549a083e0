// SPDX-License-Identifier: Apache-2.0
// What holds of one program by itself: it reads as it prints, and its base relations are what their definitions say.
#include <algorithm>

#include "axiomatic/event/base.h"
#include "axiomatic/recheck/base_differences.h"
#include "harness.h"
#include "input/litmus/print.h"
#include "source_base.h"
#include "support/diagnostic.h"

namespace ptxmc::testing {

using event::ProgramGraph;

namespace {

/// Everything of an event that a second reading of the same test must reproduce (positions and texts may
/// differ).
bool same_event(const event::Event& a, const event::Event& b) {
  return a.kind == b.kind && a.thread == b.thread && a.guard == b.guard && a.cell == b.cell &&
         a.value == b.value && a.choices == b.choices && a.rmw_partner == b.rmw_partner &&
         a.labels.semantics == b.labels.semantics && a.labels.scope == b.labels.scope &&
         a.labels.proxy == b.labels.proxy && a.labels.name == b.labels.name &&
         a.labels.generic_name == b.labels.generic_name && a.labels.no_return == b.labels.no_return &&
         a.labels.atomic == b.labels.atomic && a.barrier.has_value() == b.barrier.has_value() &&
         a.part_count == b.part_count && a.vector == b.vector && a.address == b.address;
}

bool same_graph(const ProgramGraph& a, const ProgramGraph& b) {
  if (a.exprs.size() != b.exprs.size() || a.size() != b.size() || a.decisions.size() != b.decisions.size() ||
      a.observables.size() != b.observables.size() || a.cut != b.cut || a.proposition != b.proposition ||
      a.filter != b.filter || a.goal != b.goal || a.assumptions != b.assumptions) {
    return false;
  }
  for (std::uint32_t i = 0; i < a.exprs.size(); ++i) {
    if (a.exprs[event::Expr{i}] != b.exprs[event::Expr{i}]) return false;
  }
  for (std::size_t i = 0; i < a.observables.size(); ++i) {
    if (a.observables[i].name != b.observables[i].name || a.observables[i].value != b.observables[i].value)
      return false;
  }
  for (std::size_t i = 0; i < a.threads.size(); ++i) {
    const event::ThreadInfo &s = a.threads[i], &t = b.threads[i];
    if (s.number != t.number || s.host != t.host || s.gpu != t.gpu || s.cluster != t.cluster ||
        s.cta != t.cta) {
      return false;
    }
  }
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), same_event);
}

}  // namespace

std::optional<Failure> check_round_trip(const Prepared& prepared, const lower::Options& options) {
  const std::string once = litmus::print(prepared.test);
  try {
    const Prepared again = prepare("printed", once, options);
    const std::string twice = litmus::print(again.test);
    if (twice != once) {
      return Failure{"round-trip", "printing is no fixed point:\n" + once + "\n  and then:\n" + twice};
    }
    if (!same_graph(*prepared.graph, *again.graph)) {
      return Failure{"round-trip", "the printed test lowers to another program graph:\n" + once};
    }
  } catch (const InputError& error) {
    return Failure{"round-trip",
                   std::string("the printed test does not parse: ") + error.what() + "\n" + once};
  }
  return std::nullopt;
}

std::optional<Failure> check_base(const Prepared& prepared) {
  const auto differences = check::base_differences(*prepared.graph, prepared.base, event::base_signature());
  if (!differences.empty()) return Failure{"base-differs", differences.front()};
  const auto source = source_difference(prepared);
  return source ? std::optional(Failure{"source-differs", *source}) : std::nullopt;
}

}  // namespace ptxmc::testing
