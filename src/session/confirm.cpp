// SPDX-License-Identifier: Apache-2.0
#include "session/confirm.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/question/races.h"
#include "bridge/extract/left_out.h"
#include "bridge/extract/write.h"
#include "input/litmus/parse.h"
#include "session/auto.h"
#include "support/diagnostic.h"

namespace ptxmc::session {

namespace {

constexpr double kSeconds = 5;  // of the engine, for a finding

/// Does some execution race between the two lines?
Confirmation judge(const Session& session, const extract::LitmusTest& extracted, const std::string& name,
                   const Budget& budget) {
  const litmus::Test test = litmus::parse(std::make_shared<Source>(Source{name + ".litmus", extracted.text}));
  const event::ProgramGraph graph = lower::lower(test, lowering(session.settings(), budget));
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query = session.query(graph, base, engine::Ask::flag, budget);
  const check::RaceReport races = check::find_races(query, [&](const engine::Query& asked) {
    return std::move(decide(asked, session.settings().engine).result);
  });
  const auto is_pair = [&](const check::Finding& finding) {
    if (!finding.race || finding.accesses.size() != 2) return false;
    const auto line = [&](std::size_t i) { return graph.events[finding.accesses[i]].position.line; };
    return std::minmax({line(0), line(1)}) == std::minmax({extracted.first_line, extracted.second_line});
  };
  if (std::any_of(races.findings.begin(), races.findings.end(), is_pair)) return Confirmation::confirmed;
  return races.unknown.empty() ? Confirmation::refuted : Confirmation::open;
}

}  // namespace

Confirmer::Confirmer(const Session& session, const Ran& ran, std::span<const trace::Finding> findings)
    : session_(session), budget_(ran.limits.budget) {
  std::vector<trace::Range> bytes;
  for (const trace::Finding& finding : findings) bytes.push_back(finding.bytes);
  const exec::Run fresh(ran.program, nullptr, ran.inner_maps);
  extract::Recorder recorder(std::move(bytes),
                             [&](trace::Address at, std::uint32_t size) { return fresh.content(at, size); });
  exec::Options options = ran.limits;
  options.terms = false;  // values are not asked for
  for (const trace::Finding& finding : findings) {
    for (const trace::Site site : {finding.first.site, finding.second.site}) {
      // Where both sides of a branch are taken, jumps do not count iterations.
      if (!options.both_sides) loops_[site] = fresh.loops_around(site).value_or(std::vector<trace::Site>{});
    }
  }
  exec::Run(ran.program, &recorder, ran.inner_maps).run(options);
  log_ = recorder.take();
}

Confirmed Confirmer::ask_of(const extract::Question& question, const extract::Ends& ends,
                            const std::string& name) const {
  Confirmed out;
  const auto sliced = extract::slice(log_, question, ends);
  if (const auto* why = std::get_if<std::string>(&sliced)) {
    out.why = *why;
    return out;
  }
  const auto written = extract::write_litmus(log_, std::get<extract::Slice>(sliced), name);
  if (const auto* why = std::get_if<std::string>(&written)) {
    out.why = *why;
    return out;
  }
  const auto& test = std::get<extract::LitmusTest>(written);
  out.test = test.text;
  out.sites = test.sites;
  out.lines = {test.first_line, test.second_line};
  try {
    out.answer = judge(session_, test, name, budget_.at_most(kSeconds));
    if (out.answer == Confirmation::open) out.why = "the engine gave up";
    if (out.answer != Confirmation::refuted) return out;
    if (const auto why = extract::left_out(log_, ends, std::get<extract::Slice>(sliced))) {
      out.answer = Confirmation::open;
      out.why = *why;
    }
  } catch (const InputError& error) {
    out.why = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
  } catch (const OutOfTime& error) {
    out.why = error.what();
  }
  return out;
}

/// The first instructions of the loops that both accesses are in, from the outermost loop inwards.
std::vector<trace::Site> Confirmer::loops_of(const trace::Finding& finding) const {
  const auto first = loops_.find(finding.first.site), second = loops_.find(finding.second.site);
  if (first == loops_.end() || second == loops_.end()) return {};
  const std::size_t most = std::min(first->second.size(), second->second.size());
  const auto end = first->second.begin() + static_cast<std::ptrdiff_t>(most);
  return {first->second.begin(), std::mismatch(first->second.begin(), end, second->second.begin()).first};
}

/// Threads may execute the two instructions often: the first times and the last ones are asked about.
Confirmed Confirmer::ask(const trace::Finding& finding, const std::string& name) const {
  constexpr std::size_t kMostAtAnEnd = 3;
  const auto& [first, second] = finding.in_order();
  const extract::Question question{{first.site, first.thread}, {second.site, second.thread}, finding.bytes};
  const auto [all, complete] = extract::find_ends(log_, question);
  Confirmed out;
  if (all.empty()) out.why = "the two accesses were not found again";
  bool asked_all = complete;
  const std::vector<trace::Site> loops = loops_of(finding);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= kMostAtAnEnd && i + kMostAtAnEnd < all.size()) {
      asked_all = false;
      continue;
    }
    Confirmed one = ask_of(question, all[i], name);
    if (one.answer == Confirmation::confirmed) {
      one.iterations = extract::iterations_between(log_, all[i], loops);
      return one;
    }
    if (i == 0 || (out.answer == Confirmation::refuted && one.answer == Confirmation::open))
      out = std::move(one);
  }
  if (out.answer == Confirmation::refuted && !asked_all) {
    out.answer = Confirmation::open;
    out.why = "not in the first and the last executions of the two";
  }
  if (out.answer == Confirmation::open && complete)  // one of them races
    out.iterations = extract::iterations_between(log_, all, loops);
  return out;
}

}  // namespace ptxmc::session
