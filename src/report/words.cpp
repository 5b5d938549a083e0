// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ptxmc::report {

namespace {

struct Row {
  std::string_view name;
  std::string_view words;
  Role role;
};

constexpr Row kRows[] = {
    {"po", "program order", Role::edge},
    {"rf", "reads-from", Role::edge},
    {"rf^-1", "reads from", Role::edge},
    {"co", "coherence order", Role::edge},
    {"coherence", "coherence order", Role::edge},
    {"fr", "from-reads", Role::edge},
    {"dep", "dependency", Role::edge},
    {"rmw", "halves of one atomic", Role::edge},
    {"same", "one operation", Role::silent},
    {"ms", "morally strong", Role::edge},
    {"obs", "observation order", Role::edge},
    {"relpat", "release pattern", Role::edge},
    {"acqpat", "acquire pattern", Role::edge},
    {"sc", "Fence-SC order", Role::edge},
    {"phase", "barrier", Role::edge},
    {"met", "barrier", Role::edge},
    {"sync-bar", "barrier", Role::edge},
    {"mscope", "scopes", Role::silent},
    {"hostsync", "API synchronization", Role::edge},
    {"sync", "synchronizes", Role::edge},
    {"bc", "base causality", Role::path},
    {"bc0", "base causality", Role::path},
    {"into", "starts the operation", Role::edge},
    {"outof", "completion", Role::path},
    {"issue", "issues", Role::edge},
    {"own", "signals", Role::edge},
    {"done", "is waited for", Role::edge},
    {"one-way", "through a pair of one-directional proxy fences", Role::path},
    {"leave", "through a proxy fence", Role::path},
    {"enter", "through a proxy fence", Role::path},
    {"pf", "proxy fence", Role::silent},
    {"pf^-1", "proxy fence", Role::silent},
    {"fences", "proxy fence", Role::silent},
    {"fences^-1", "proxy fence", Role::silent},
    {"placed", "proxy fence", Role::silent},
    {"placed^-1", "proxy fence", Role::silent},
    {"pp", "preserved base causality", Role::path},
    {"pp1", "preserved base causality", Role::path},
    {"cause", "causality order", Role::path},
    {"IW * M", "initialisation", Role::edge},
    {"ov", "overlap", Role::silent},
    {"full", "complete overlap", Role::silent},
    {"ploc", "same location", Role::silent},
    {"loc", "same location", Role::silent},
    {"vloc", "same address", Role::silent},
    {"spx", "same proxy", Role::silent},
    {"one-proxy", "same proxy", Role::silent},
    {"same-address", "same address", Role::silent},
    {"crossing", "through proxy fences", Role::path},
    {"through", "dependency", Role::edge},
};

const Row* row_of(std::string_view name) {
  const Row* found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.name == name; });
  return found == std::end(kRows) ? nullptr : found;
}

// Which clause of a release or acquire pattern a pair is (8.8): one operation; two on a location; with a
// fence.
std::string clause(const event::ProgramGraph& graph, const Step& step) {
  const bool release = step.name == "relpat";
  if ((!release && step.name != "acqpat") || first_section(step.section) != "8.8") return "";
  const event::EventId fence = release ? step.from : step.to;
  if (graph.events[fence].kind == event::EventKind::fence) return "(3)";
  return step.from == step.to ? "(1)" : "(2)";
}

std::string section_text(const event::ProgramGraph& graph, const Step& step) {
  const std::string section = first_section(step.section);
  return section.empty() ? "" : " " + section + clause(graph, step);
}

}  // namespace

Role role_of(const std::string& name) {
  const Row* row = row_of(name);
  return row ? row->role : Role::edge;
}

std::string words_of(const std::string& name) {
  const Row* row = row_of(name);
  return row ? std::string(row->words) : name;
}

std::string first_section(const std::string& section) {
  return section.substr(0, section.find(','));
}

std::vector<const Step*> unwrapped(const Step& step) {
  std::vector<const Step*> out = {&step};
  while (out.back()->because.size() == 1) {
    const Step& inner = out.back()->because.front();
    if (inner.from != step.from || inner.to != step.to) break;
    out.push_back(&inner);
  }
  return out;
}

std::string arrow_text(const event::ProgramGraph& graph, const Step& step) {
  const std::vector<const Step*> layers = unwrapped(step);
  const Step& outer = *layers.front();
  const Step& inner = *layers.back();
  const std::string outer_words = words_of(outer.name), inner_words = words_of(inner.name);
  std::string out = outer_words;
  if (layers.size() > 1 && inner_words != outer_words) {
    if (section_text(graph, outer) != section_text(graph, inner)) out += section_text(graph, outer);
    out += ": " + inner_words;
    out += inner.section.empty() ? section_text(graph, outer) : section_text(graph, inner);
  } else {
    out += section_text(graph, outer);
  }
  std::vector<std::string> said;
  for (const Step* layer : layers) {
    for (const Step& condition : layer->conditions) {
      if (role_of(condition.name) == Role::silent || !condition.because.empty()) continue;
      std::string words = words_of(condition.name) + section_text(graph, condition);
      if (std::find(said.begin(), said.end(), words) == said.end()) said.push_back(std::move(words));
    }
  }
  for (const std::string& words : said) out += ", " + words;
  return out;
}

}  // namespace ptxmc::report
