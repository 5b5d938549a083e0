// SPDX-License-Identifier: Apache-2.0
#include "generate/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "support/refuse.h"

namespace ptxmc::generate {

namespace {

using Groups = std::vector<std::size_t>;  // by thread: the first thread of its group

void join(Groups& groups, std::size_t a, std::size_t b) {
  const std::size_t kept = std::min(groups[a], groups[b]), gone = std::max(groups[a], groups[b]);
  std::replace(groups.begin(), groups.end(), gone, kept);
}

void place_as_told(const Groups& together, const Defaults& defaults, Sketch& sketch) {
  const std::size_t threads = sketch.threads.size();
  if (defaults.places.size() != threads)
    refuse(fmt::format("--place names {} threads, and the cycle has {}", defaults.places.size(), threads));
  for (std::size_t t = 0; t < threads; ++t) {
    sketch.threads[t].gpu = defaults.places[t].gpu;
    sketch.threads[t].cta = defaults.places[t].cta;
    if (sketch.threads[t].cta != sketch.threads[together[t]].cta)
      refuse(fmt::format(
          "--place puts P{} and P{} into different CTAs, and they meet at a barrier or a location of one",
          together[t], t));
  }
}

/// They meet, and are in two CTAs.
bool apart(const std::vector<Meeting>& meetings, std::size_t a, std::size_t b) {
  return std::any_of(meetings.begin(), meetings.end(), [&](const Meeting& meeting) {
    return meeting.cluster && std::minmax(meeting.a, meeting.b) == std::minmax(a, b);
  });
}

/// Who accesses memory that is a CTA's. Tensor memory that both CTAs of a pair write is each one's by the same name.
void join_users(const Sketch& sketch, const std::vector<Meeting>& meetings, Groups& together) {
  const std::vector<Storage> storage = storage_of(sketch);
  for (std::size_t location = 0; location < storage.size(); ++location) {
    if (storage[location].space == Space::global) continue;
    std::optional<std::size_t> first;
    for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
      const std::vector<Operation>& code = sketch.threads[t].operations;
      const bool uses = std::any_of(code.begin(), code.end(), [&](const Operation& o) {
        return accesses(o.kind) && static_cast<std::size_t>(o.location) == location &&
               o.access_kind != AccessKind::multicast;
      });
      if (!uses) continue;
      if (!first) first = t;
      const bool in_pair = sketch.pair && storage[location].space == Space::tensor;
      if (!in_pair || !apart(meetings, *first, t)) join(together, *first, t);
    }
  }
}

/// A pair is of two CTAs of a cluster (9.7.16.5.1).
void check_pair(const Sketch& sketch, const SourcePtr& source) {
  if (!sketch.pair) return;
  for (const Thread& thread : sketch.threads) {
    std::set<int> ctas;
    for (const Thread& other : sketch.threads)
      if (other.cluster == thread.cluster) ctas.insert(other.cta);
    const bool issues = std::any_of(thread.operations.begin(), thread.operations.end(),
                                    [](const Operation& o) { return committed(o.access_kind); });
    if (issues && (thread.cluster < 0 || ctas.size() != 2))
      refuse(source, {1, 1, 1},
             "'Pair' is of a cluster of two CTAs: one of Tcgen05.cluster, MBarrier.cluster and BarCluster "
             "leads from one to the other");
  }
}

/// Who issues a multicast copy is in the cluster of those who receive it, and they are in one CTA.
void join_receivers(const Sketch& sketch, Groups& together, Groups& clusters) {
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    for (const Operation& copy : sketch.threads[t].operations) {
      if (copy.access_kind != AccessKind::multicast) continue;
      std::optional<std::size_t> first;
      for (std::size_t other = 0; other < sketch.threads.size(); ++other) {
        if (!receives(sketch.threads[other], copy)) continue;
        if (!first) first = other;
        join(together, *first, other);
        join(clusters, t, other);
      }
    }
  }
}

/// As `clusters` says, with all threads of their CTAs.
void place_clusters(Groups clusters, const std::vector<Meeting>& meetings, const SourcePtr& source,
                    Sketch& sketch) {
  for (std::size_t t = 0; t < clusters.size(); ++t)
    for (std::size_t other = 0; other < t; ++other)
      if (sketch.threads[other].cta == sketch.threads[t].cta) join(clusters, other, t);
  for (const Meeting& meeting : meetings) {
    if (meeting.all && std::count(clusters.begin(), clusters.end(), clusters[meeting.a]) > 2)
      refuse(source, {1, 1, 1},
             "BarCluster is for all threads of a cluster (9.7.12.3): of three threads, each would wait for "
             "the others");
  }
  for (std::size_t t = 0; t < clusters.size(); ++t) sketch.threads[t].cluster = static_cast<int>(clusters[t]);
  drop_lone_clusters(sketch);
}

}  // namespace

void place(const std::vector<Meeting>& meetings, const Defaults& defaults, const SourcePtr& source,
           Sketch& sketch) {
  Groups together(sketch.threads.size()), clusters(sketch.threads.size());
  std::iota(together.begin(), together.end(), 0);
  std::iota(clusters.begin(), clusters.end(), 0);
  for (const Meeting& meeting : meetings) join(meeting.cluster ? clusters : together, meeting.a, meeting.b);
  join_users(sketch, meetings, together);
  join_receivers(sketch, together, clusters);
  if (defaults.places.empty()) {
    int next = 0;
    for (std::size_t t = 0; t < together.size(); ++t)
      sketch.threads[t].cta = together[t] == t ? next++ : sketch.threads[together[t]].cta;
  } else {
    place_as_told(together, defaults, sketch);
  }
  place_clusters(clusters, meetings, source, sketch);
  check_pair(sketch, source);
}

}  // namespace ptxmc::generate
