// SPDX-License-Identifier: Apache-2.0
#include "generate/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "generate/edge.h"
#include "generate/symmetry.h"
#include "support/diagnostic.h"

namespace ptxmc::generate {

namespace {

using isa::Scope;

// draws without anything new, until it is taken that nothing new is left
constexpr std::size_t kTries = 10000;

/// The engine is specified to the bit, standard distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// How often a kind of edge is drawn, beside the others that fit.
struct Weight {
  Link link;
  unsigned weight;
};
constexpr std::array kWeights{
    Weight{Link::reads_from, 6},    Weight{Link::from_reads, 6}, Weight{Link::coherence, 4},
    Weight{Link::program_order, 4}, Weight{Link::fence, 4},      Weight{Link::dependency, 2},
    Weight{Link::barrier, 2},       Weight{Link::atomic, 1},     Weight{Link::proxy, 1},
    Weight{Link::wait, 1},          Weight{Link::tensor, 1},
};
constexpr unsigned kMarked = 50;      // percent of accesses of which an order is drawn
constexpr unsigned kAlias = 4;        // percent of accesses that are through another name
constexpr unsigned kAliasProxy = 50;  // the same behind a proxy fence
constexpr unsigned kAsync = 6;  // percent of accesses that are asynchronous, beside those that are waited for
constexpr unsigned kOpaque = 30;    // percent of writes of tensor memory that are products or tcgen05.cp
constexpr unsigned kTogether = 40;  // percent of threads that are put into a CTA that there is

class Drawing {
 public:
  explicit Drawing(const Draw& draw) : draw_(draw), dice_(draw.seed) {
    for (Edge& edge : every_edge()) {
      const bool scoped = edge.link == Link::fence;
      if (scoped && !std::count(draw.scopes.begin(), draw.scopes.end(), edge.order.scope)) continue;
      edges_[edge.link].push_back(std::move(edge));
    }
  }

  /// Nothing: what was drawn makes no test.
  std::optional<Sketch> draw() {
    const std::optional<std::string> text = draw_text();
    if (!text) return std::nullopt;
    try {
      const Cycle cycle = parse_cycle(std::make_shared<const Source>(Source{"cycle", *text}));
      Defaults defaults;
      defaults.order = draw_.open;
      Sketch sketch = sketch_of(cycle, defaults);
      draw_places(sketch);
      return sketch;
    } catch (const InputError&) {  // directions meet, but locations, values or orders do not
      return std::nullopt;
    }
  }

 private:
  /// Words of a cycle in which directions meet.
  std::optional<std::string> draw_text() {
    const std::size_t count = 2 + dice_.below(draw_.edges - 1);
    const Direction first = dice_.chance(50) ? Direction::read : Direction::write;
    Direction from = first;
    std::vector<const Edge*> edges;
    for (std::size_t i = 0; i < count; ++i) {
      edges.push_back(draw_edge(from, i + 1 == count ? first : Direction::any));
      if (edges.back() == nullptr) return std::nullopt;
      from = edges.back()->to;
    }
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += draw_mark(*edges[(i + count - 1) % count], *edges[i]) + edges[i]->text + " ";
    text.pop_back();
    return text;
  }

  /// Its kind first: fences have more words than all others.
  const Edge* draw_edge(Direction from, Direction to) {
    std::vector<std::vector<const Edge*>> fitting(kWeights.size());
    unsigned total = 0;
    for (std::size_t kind = 0; kind < kWeights.size(); ++kind) {
      for (const Edge& edge : edges_[kWeights[kind].link])
        if (edge.from == from && (to == Direction::any || edge.to == to)) fitting[kind].push_back(&edge);
      if (!fitting[kind].empty()) total += kWeights[kind].weight;
    }
    if (total == 0) return nullptr;
    std::size_t at = dice_.below(total);
    for (std::size_t kind = 0; kind < kWeights.size(); ++kind) {
      if (fitting[kind].empty()) continue;
      if (at < kWeights[kind].weight) return dice_.pick(fitting[kind]);
      at -= kWeights[kind].weight;
    }
    return nullptr;
  }

  /// Draws the mark of the access between two edges.
  std::string draw_mark(const Edge& before, const Edge& behind) {
    static const std::vector<std::string> kAsynchronous{"Bulk ",  "CpAsync ", "Multicast ", "Tensor ",
                                                        "Mma ",   "Cp ",      "Mma.a ",     "Mma.b ",
                                                        "Wgmma ", "Wgmma.a "};
    static const std::vector<std::string> kTensor{"Mma ", "Cp "};
    const auto tensor = [](const Edge& edge) { return edge.link == Link::tensor || orders_tensor(edge); };
    if (behind.link == Link::tensor && behind.word == "commit") return dice_.pick(kTensor);
    if (behind.link == Link::wait || dice_.chance(kAsync)) return dice_.pick(kAsynchronous);
    if (tensor(before) || tensor(behind))
      return behind.from == Direction::write && dice_.chance(kOpaque) ? dice_.pick(kTensor) : "";
    std::string text;
    if (dice_.chance(before.link == Link::proxy ? kAliasProxy : kAlias)) text += "Alias ";
    if (!dice_.chance(kMarked)) return text;
    const std::size_t which = dice_.below(3);
    if (which == 0) return text + "Weak ";
    const std::string_view strong = behind.from == Direction::write ? "Release" : "Acquire";
    return text +
           fmt::format("{}.{} ", which == 1 ? "Relaxed" : strong, isa::name_of(dice_.pick(draw_.scopes)));
  }

  bool tells(Scope scope) const {
    return std::find(draw_.scopes.begin(), draw_.scopes.end(), scope) != draw_.scopes.end();
  }

  /// Each CTA in a cluster of those that are before it on its GPU, or in none of them.
  void draw_clusters(Sketch& sketch) {
    std::map<int, int> clusters;  // by CTA
    for (Thread& thread : sketch.threads) {
      const auto [place, fresh] = clusters.try_emplace(thread.cta, thread.cta);
      if (fresh)
        for (const Thread& before : sketch.threads) {
          if (&before == &thread) break;
          if (before.gpu == thread.gpu && dice_.chance(kTogether)) place->second = clusters[before.cta];
        }
      thread.cluster = place->second;
    }
    drop_lone_clusters(sketch);
  }

  /// Threads that are in one CTA stay there; clusters stay as they are.
  void draw_places(Sketch& sketch) {
    const bool clusters = std::any_of(sketch.threads.begin(), sketch.threads.end(),
                                      [](const Thread& thread) { return thread.cluster >= 0; });
    if (clusters) return;
    struct Spot {
      int cta, gpu;
    };
    std::map<int, Spot> spots;  // by the CTA that the cycle has
    int ctas = 0, gpus = 0;
    for (Thread& thread : sketch.threads) {
      auto spot = spots.find(thread.cta);
      if (spot == spots.end()) {
        Spot fresh{ctas, 0};
        if (tells(Scope::cta) && ctas > 0 && dice_.chance(kTogether)) {
          fresh.cta = static_cast<int>(dice_.below(static_cast<std::size_t>(ctas)));
          for (const auto& [old, other] : spots)
            if (other.cta == fresh.cta) fresh.gpu = other.gpu;
        } else {
          ++ctas;
          if (tells(Scope::sys))
            fresh.gpu = static_cast<int>(dice_.below(static_cast<std::size_t>(gpus) + 1));
          gpus = std::max(gpus, fresh.gpu + 1);
        }
        spot = spots.emplace(thread.cta, fresh).first;
      }
      thread.cta = spot->second.cta;
      thread.gpu = spot->second.gpu;
    }
    if (tells(Scope::cluster)) draw_clusters(sketch);
  }

  const Draw& draw_;
  Dice dice_;
  std::map<Link, std::vector<Edge>> edges_;
};

}  // namespace

std::vector<Sketch> random_tests(const Draw& draw) {
  Drawing drawing(draw);
  std::vector<Sketch> tests;
  std::set<std::string> seen;
  for (std::size_t tries = 0; tests.size() < draw.count && tries < kTries; ++tries) {
    std::optional<Sketch> test = drawing.draw();
    if (!test || !seen.insert(encode(canonical(*test))).second) continue;
    tests.push_back(std::move(*test));
    tries = 0;
  }
  return tests;
}

}  // namespace ptxmc::generate
