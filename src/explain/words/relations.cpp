// SPDX-License-Identifier: Apache-2.0
#include "explain/words/relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ptxmc::explain {

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
    {"sync-plain", "synchronizes", Role::edge},
    {"sync-any", "synchronizes", Role::edge},
    {"sync-some", "synchronizes", Role::edge},
    {"launch", "start of a dependent grid", Role::edge},
    {"dependents", "launches", Role::edge},
    {"bc-some", "through fences with .sync_restrict", Role::path},
    {"told", "through fences with .sync_restrict", Role::path},
    {"restricts", "memory of the fence", Role::silent},
    {"restricts^-1", "memory of the fence", Role::silent},
    {"at-start", "through the acquire of a tensor map", Role::path},
    {"bc", "base causality", Role::path},
    {"bc0", "base causality", Role::path},
    {"into", "starts the operation", Role::edge},
    {"outof", "completion", Role::path},
    {"issue", "issues", Role::edge},
    {"own", "signals", Role::edge},
    {"done", "is waited for", Role::edge},
    {"between", "synchronization between one-directional proxy fences", Role::path},
    {"renaming", "through fences of the alias proxy", Role::path},
    {"leaving", "in front of a one-directional proxy fence", Role::path},
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
    {"exec", "order of execution", Role::edge},
    {"gridend", "end of the grid", Role::edge},
    {"issue^-1", "is issued by", Role::edge},
    {"pair", "pipelined pair", Role::edge},
    {"pairs", "pipelined pair", Role::edge},
    {"operands", "pipelined operands", Role::edge},
    {"piped", "pipelined operands", Role::edge},
    {"swarp", "same warp", Role::silent},
    {"tc", "order in tensor memory", Role::path},
    {"tseq", "order of tcgen05 operations", Role::path},
    {"fin", "completion", Role::path},
    {"bct", "base causality with tcgen05 fences", Role::path},
    {"across", "through a pair of tcgen05 fences", Role::path},
};

const Row* row_of(std::string_view name) {
  const Row* found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.name == name; });
  return found == std::end(kRows) ? nullptr : found;
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

}  // namespace ptxmc::explain
