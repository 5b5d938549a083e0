// SPDX-License-Identifier: Apache-2.0
#include "repair/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "ptx/isa/warp.h"
#include "repair/points.h"
#include "repair/runs.h"

namespace ptxmc::repair {

using isa::Opcode;

namespace {

constexpr std::size_t kMostTuples = 1024;  // of points, one a thread, at which threads of a cluster meet
constexpr int kLastBarrier = 15;           // 9.7.12.1
constexpr int kWarp = isa::kWarp;

class Rendezvous {
 public:
  Rendezvous(const Runs& runs, std::vector<Site>& sites)
      : runs_(runs), test_(runs.test), layout_(runs.layout), sites_(sites) {
    find_barrier();
  }

  void run() {
    for (std::size_t a = 0; a < runs_.codes(); ++a) {
      for (std::size_t b = a; b < runs_.codes(); ++b) barriers(a, b);
    }
    cluster_barriers();
    for (std::size_t code = 0; code < runs_.codes(); ++code) {
      if (runs_.first(code).host) continue;
      for (std::size_t i = 0; i < layout_.size(code); ++i) arrives_alone(code, i);
    }
  }

 private:
  void find_barrier();
  void barriers(std::size_t a, std::size_t b);
  std::optional<std::string> barrier_of(std::size_t a, std::size_t b) const;
  void cluster_barriers();
  void arrives_alone(std::size_t code, std::size_t i);

  const Runs& runs_;
  const litmus::Test& test_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  int barrier_ = 0;  // an id that no barrier uses
};

void Rendezvous::find_barrier() {
  std::set<std::int64_t> used;
  for (const program::Thread& thread : test_.threads) {
    for (const program::Instruction& instruction : thread.code()) {
      if (isa::traits(instruction.opcode).family != isa::Family::barrier) continue;
      for (const program::Operand& operand : instruction.operands) {
        if (const auto* number = std::get_if<program::Integer>(&operand.value)) used.insert(number->value);
      }
    }
  }
  while (barrier_ < kLastBarrier && used.contains(barrier_)) ++barrier_;
}

// The barrier at which the threads of two codes meet; nothing: they cannot.
std::optional<std::string> Rendezvous::barrier_of(std::size_t a, std::size_t b) const {
  std::set<std::tuple<int, int, int>> ctas;
  std::set<std::tuple<int, int, int, int>> warps;
  std::size_t threads = 0;
  for (const std::size_t code : std::set<std::size_t>{a, b}) {
    for (const std::size_t t : runs_.threads[code]) {
      if (runs_.places[t].host) return std::nullopt;
      ctas.insert(runs_.places[t].cta_key());
      warps.insert(runs_.places[t].warp_key());
      ++threads;
    }
  }
  if (ctas.size() != 1 || threads < 2) return std::nullopt;
  if (warps.size() > 1)
    return fmt::format("bar.sync {}, {}", barrier_, kWarp * static_cast<int>(warps.size()));
  std::size_t all = 0;
  for (const Where& place : runs_.places) all += place.warp_key() == *warps.begin();
  if (all != threads) return std::nullopt;
  return std::string("bar.warp.sync 0xffffffff");
}

void Rendezvous::barriers(std::size_t a, std::size_t b) {
  if (a == b && runs_.threads[a].size() < 2) return;
  const std::optional<std::string> barrier = barrier_of(a, b);
  if (!barrier) return;
  const std::string name = barrier->substr(0, barrier->find(' '));
  for (const Point& p : runs_.points[a]) {
    for (const Point& q : a == b ? std::vector<Point>{p} : runs_.points[b]) {
      Option option{fmt::format("{}: insert {}", p.place(test_, layout_), *barrier),
                    {p.insert(layout_, {*barrier})},
                    name,
                    "",
                    1,
                    {}};
      if (a != b) {
        option.what += fmt::format(", and {}", q.place(test_, layout_));
        option.edits.push_back(q.insert(layout_, {*barrier}));
        option.copies = 2;
      }
      add_site(sites_, Kind::barrier, Effect::waits, std::move(option));
    }
  }
}

// All threads of a cluster arrive and wait.
void Rendezvous::cluster_barriers() {
  std::map<std::tuple<int, int>, std::set<std::size_t>> clusters;
  std::map<std::tuple<int, int>, std::set<int>> ctas;
  for (std::size_t code = 0; code < runs_.codes(); ++code) {
    for (const std::size_t t : runs_.threads[code]) {
      if (runs_.places[t].host) continue;
      clusters[runs_.places[t].cluster_key()].insert(code);
      ctas[runs_.places[t].cluster_key()].insert(runs_.places[t].cta);
    }
  }
  for (const auto& [key, codes] : clusters) {
    if (ctas[key].size() < 2) continue;
    std::size_t tuples = 1;
    for (const std::size_t code : codes) tuples *= std::max<std::size_t>(runs_.points[code].size(), 1);
    if (tuples > kMostTuples) continue;
    for (std::size_t number = 0; number < tuples; ++number) {
      Option option{"", {}, "barrier.cluster.wait", "", codes.size(), {}};
      std::size_t left = number;
      for (const std::size_t code : codes) {
        if (runs_.points[code].empty()) continue;
        const Point& point = runs_.points[code][left % runs_.points[code].size()];
        left /= runs_.points[code].size();
        option.edits.push_back(point.insert(
            layout_, {"barrier.cluster.arrive.release.aligned", "barrier.cluster.wait.acquire.aligned"}));
        option.what += (option.what.empty() ? "" : ", ") + point.place(test_, layout_);
      }
      option.what += ": insert barrier.cluster.arrive and .wait";
      add_site(sites_, Kind::barrier, Effect::waits, std::move(option));
    }
  }
}

// bar.arrive becomes bar.sync.
void Rendezvous::arrives_alone(std::size_t code, std::size_t i) {
  if (layout_.instruction(code, i).opcode != Opcode::bar_arrive) return;
  const std::string old(layout_.mnemonic(code, i));
  const std::size_t at = old.find("arrive");
  if (at == std::string::npos) return;
  std::string to = old;
  to.replace(at, 6, "sync");
  add_site(
      sites_, Kind::barrier, Effect::waits,
      {fmt::format("{} line {}: {} -> {}", threads_of(test_, layout_, code), layout_.line(code, i), old, to),
       {layout_.replace_mnemonic(code, i, to)},
       to,
       old,
       1,
       {}});
}

}  // namespace

void add_rendezvous(const Runs& runs, std::vector<Site>& sites) {
  Rendezvous(runs, sites).run();
}

}  // namespace ptxmc::repair
