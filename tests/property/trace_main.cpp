// SPDX-License-Identifier: Apache-2.0
// Clocks against axioms: random programs with one skeleton of synchronization (skeleton.h), whose racing pairs src/dynamic
// and the explicit engine must find alike.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "axiomatic/question/races.h"
#include "dynamic/shadow/detector.h"
#include "harness.h"
#include "model/flag_rules.h"
#include "model/models.h"
#include "skeleton.h"

namespace {

using namespace ptxmc;
using namespace ptxmc::testing;

/// The defaults, or what else clocks and axioms both know (session/verify_readings).
struct Reading {
  relation::MemoryModel model;
  lower::Options lowering;
  trace::Readings clocks;
};

Reading defaults() {
  return {model::load(std::string(model::kDefaultProfile), event::base_signature()), {}, {}};
}

Reading others() {
  model::Readings chosen;
  for (const char* const assignment :
       {"remote-arrive=cluster", "wait-read=sources", "init-visible=fenced", "tcgen05-pairs=9.1"})
    chosen.set(assignment);
  Reading out{model::load(std::string(model::kDefaultProfile), event::base_signature(), chosen), {}, {}};
  out.lowering.readings.read_waits_for_maps = false;
  out.clocks.remote_arrivals_reach = true;
  out.clocks.read_waits_for_maps = false;
  out.clocks.inits_reach = false;
  out.clocks.pairs_of_9_1 = true;
  return out;
}

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // lines, the lower one first

void add(Pairs& pairs, std::uint32_t a, std::uint32_t b) {
  pairs.emplace(std::min(a, b), std::max(a, b));
}

Pairs traced(const Skeleton& skeleton, bool all_pairs, const trace::Readings& readings) {
  const bool restricts = skeleton.text.find(".sync_restrict") != std::string::npos;
  trace::Detector detector({.all_pairs = all_pairs, .fences_of_spaces = restricts, .readings = readings});
  detector.start(skeleton.warps);
  for (const auto& [cta, window] : skeleton.windows) detector.shared_memory(cta, window);
  for (const auto& event : skeleton.events) event(detector);
  Pairs pairs;
  for (const trace::Finding& finding : detector.findings()) {
    if (finding::is_race(finding.rule)) add(pairs, finding.first.site, finding.second.site);
  }
  return pairs;
}

/// Nothing where the engine leaves a question open.
std::optional<Pairs> judged(const std::string& text, const Reading& reading) {
  const Prepared prepared = prepare("skeleton", text, reading.lowering);
  const std::optional<Races> races = races_by(Engine::explicit_, prepared, reading.model);
  if (!races) return std::nullopt;
  const std::vector<std::size_t> keys = check::instruction_keys(*prepared.graph);
  std::map<std::size_t, std::uint32_t> lines;
  for (event::EventId e = 0; e < prepared.graph->size(); ++e)
    lines[keys[e]] = prepared.graph->events[e].position.line;
  Pairs pairs;
  for (const auto& [flag, a, b] : *races) {
    if (model::rule_of(reading.model.flags[flag]).id == finding::RuleId::race)
      add(pairs, lines.at(a), lines.at(b));
  }
  return pairs;
}

std::string print(const Pairs& pairs) {
  std::string out;
  for (const auto& [a, b] : pairs) out += fmt::format(" {}-{}", a, b);
  return out.empty() ? " none" : out;
}

struct Difference {
  std::string what;
  bool open = false;  // no difference: not compared
};

Difference compare(const Skeleton& skeleton, const Reading& reading, std::size_t& races) {
  const Pairs clocks = traced(skeleton, true, reading.clocks), last = traced(skeleton, false, reading.clocks);
  if (!std::includes(clocks.begin(), clocks.end(), last.begin(), last.end()) ||
      clocks.empty() != last.empty())
    return {fmt::format("all pairs:{}; one a cell:{}", print(clocks), print(last))};
  const std::optional<Pairs> axioms = judged(skeleton.text, reading);
  if (!axioms) return {"", true};
  races += axioms->size();
  if (*axioms == clocks) return {};
  return {fmt::format("axioms:{}; clocks:{}", print(*axioms), print(clocks))};
}

/// Leaves out what the difference does not need.
std::pair<Skeleton, std::string> shrink(std::uint64_t seed, const Reading& reading) {
  std::set<std::size_t> dropped;
  Skeleton least = draw_skeleton(seed);
  std::size_t races = 0;
  std::string what = compare(least, reading, races).what;
  for (std::size_t u = 0; u < least.units; ++u) {
    dropped.insert(u);
    Skeleton smaller = draw_skeleton(seed, dropped);
    const Difference difference = compare(smaller, reading, races);
    if (difference.what.empty()) {
      dropped.erase(u);
    } else {
      least = std::move(smaller);
      what = difference.what;
    }
  }
  return {least, what};
}

/// Loose programs as files, for `ptxmc verify` whole (tests/verify/random.sh).
int write_loose(std::uint64_t seed, std::uint64_t count, const std::string& folder) {
  for (std::uint64_t s = seed; s < seed + count; ++s) {
    std::ofstream file(fmt::format("{}/loose-{}.litmus", folder, s));
    file << draw_loose_skeleton(s).text;
    if (!file) return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1, count = 100, failures = 0, open = 0, racy = 0;
  std::size_t races = 0;
  std::string out, write;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--out") out = argv[i + 1];
    if (option == "--write") write = argv[i + 1];
  }
  if (!write.empty()) return write_loose(seed, count, write);
  constexpr std::uint64_t kOthers = 3;  // one seed of so many
  const Reading usual = defaults(), other = others();
  for (std::uint64_t s = seed; s < seed + count && failures < 10; ++s) {
    const Skeleton skeleton = draw_skeleton(s);
    const Reading& reading = s % kOthers == 0 ? other : usual;
    try {
      const std::size_t before = races;
      const Difference difference = compare(skeleton, reading, races);
      open += difference.open;
      racy += races != before;
      if (difference.what.empty()) continue;
      ++failures;
      const auto [least, what] = shrink(s, reading);
      if (!out.empty()) std::ofstream(fmt::format("{}/trace-{}.litmus", out, s)) << least.text;
      fmt::print("seed {}: {}\n{}", s, what, least.text);
    } catch (const std::exception& error) {
      ++failures;
      fmt::print("seed {}: {}\n{}", s, error.what(), skeleton.text);
    }
  }
  fmt::print("{} programs, {} with races, {} pairs, {} open, {} differ\n", count, racy, races, open,
             failures);
  return failures == 0 && open * 20 <= count ? 0 : 1;
}
