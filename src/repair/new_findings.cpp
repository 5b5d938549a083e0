// SPDX-License-Identifier: Apache-2.0
#include "repair/new_findings.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "explain/finding.h"
#include "input/litmus/parse.h"
#include "session/races.h"
#include "support/diagnostic.h"

namespace ptxmc::repair {

namespace {

std::size_t offset(const std::string& text, Position position) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  return at + position.column - 1;
}

/// The byte before the edits were made; of what an edit put in, where it stands.
std::size_t before(std::vector<Edit> edits, std::size_t now) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::size_t old = 0, at = 0;  // the same place in both texts
  for (const Edit& edit : edits) {
    const std::size_t begin = at + (edit.begin - old);
    if (now < begin) break;
    if (now < begin + edit.text.size()) return edit.begin;
    old = edit.end;
    at = begin + edit.text.size();
  }
  return old + (now - at);
}

}  // namespace

NewFindings::NewFindings(const session::Session& session, const litmus::Test& test, const Found& before,
                         const Budget& whole)
    : session_(session), test_(test), before_(before), whole_(whole) {}

std::optional<std::set<NewFindings::Placed>> NewFindings::placed(const litmus::Test& test,
                                                                 const std::vector<Edit>& edits) const {
  litmus::Test plain = test;
  plain.verdicts.clear();
  try {
    const auto races = session::find_races(session_, plain, whole_.at_most(kMostSeconds));
    if (!races->open.empty()) return std::nullopt;
    std::set<Placed> out;
    for (const explain::Finding& finding : explain::findings_of(races->graph, races->found, races->misuses)) {
      if (!finding.certain) return std::nullopt;
      if (finding.severity == Severity::note) continue;
      Placed one{finding.name, {}};
      for (const explain::Place& place : finding.places)
        one.second.emplace_back(place.thread.value_or(-1),
                                place.position.known()
                                    ? before(edits, offset(test.source->text, place.position))
                                    : std::size_t{0});
      std::sort(one.second.begin(), one.second.end());
      out.insert(std::move(one));
    }
    return out;
  } catch (const InputError&) {  // too large, or not supported
  } catch (const OutOfTime&) {
    whole_.check();
  }
  return std::nullopt;
}

std::optional<bool> NewFindings::any(const std::string& text, const std::vector<Edit>& edits) {
  if (before_.undefined || before_.vacuous) return false;
  if (before_.races != true && before_.findings.empty()) return false;
  if (!asked_) known_ = placed(test_, {});
  asked_ = true;
  if (!known_) return std::nullopt;
  const auto source = std::make_shared<const Source>(Source{test_.source->name, text});
  const std::optional<std::set<Placed>> now = placed(litmus::parse(source), edits);
  if (!now) return std::nullopt;
  return !std::includes(known_->begin(), known_->end(), now->begin(), now->end());
}

}  // namespace ptxmc::repair
