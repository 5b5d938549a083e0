// SPDX-License-Identifier: Apache-2.0
#include "repair/meetings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "isa/warp.h"
#include "program/register_use.h"
#include "repair/points.h"

namespace ptxmc::repair {

using isa::Opcode;

namespace {

constexpr std::size_t kMostTuples = 1024;  // of points, one a thread, at which threads of a cluster meet
constexpr int kLastBarrier = 15;           // 9.7.12.1
constexpr int kWarp = isa::kWarp;

/// Where a thread runs, its numbers its own where it names none.
struct Where {
  int gpu = 0, cluster = 0, cta = 0, warp = 0;
  bool host = false;
  auto cta_key() const { return std::tuple(gpu, cluster, cta); }
  auto cluster_key() const { return std::tuple(gpu, cluster); }
  auto warp_key() const { return std::tuple(gpu, cluster, cta, warp); }
};

std::vector<Where> places_of(const litmus::Test& test) {
  std::vector<Where> out;
  int fresh = -1;
  for (const program::Thread& thread : test.threads) {
    const program::Placement& p = thread.placement;
    Where where{p.gpu, 0, p.cta.value_or(fresh), p.warp.value_or(fresh), p.host};
    where.cluster = p.cluster.value_or(-1000000 - where.cta);
    --fresh;
    out.push_back(where);
  }
  return out;
}

/// The object of an mbarrier instruction, as its address is written: "full+8".
std::optional<std::string> object_of(const program::Instruction& instruction) {
  for (const program::Operand& operand : instruction.operands) {
    const auto* address = std::get_if<program::Address>(&operand.value);
    if (address == nullptr) continue;
    if (address->variable.empty()) return std::nullopt;
    return address->offset == 0 ? address->variable
                                : fmt::format("{}+{}", address->variable, address->offset);
  }
  return std::nullopt;
}

bool is_wait(const program::Instruction& instruction) {
  return (instruction.opcode == Opcode::mbarrier_try_wait ||
          instruction.opcode == Opcode::mbarrier_test_wait) &&
         instruction.modifiers.parity;
}

class Meetings {
 public:
  Meetings(const litmus::Test& test, const Layout& layout, std::vector<Site>& sites)
      : test_(test), layout_(layout), sites_(sites), places_(places_of(test)) {
    for (std::size_t code = 0; code < layout.codes().size(); ++code) {
      points_.push_back(points_of(layout, code));
      runs_.emplace_back();
      const program::Body* body = test.threads[layout.codes()[code].thread].body.get();
      for (std::size_t t = 0; t < test.threads.size(); ++t) {
        if (test.threads[t].body.get() == body) runs_.back().push_back(t);
      }
    }
    find_barrier();
    find_objects();
  }

  void run(const Reach& reach) {
    if (reach.meetings) meet();
    if (!reach.meaning) return;
    for (std::size_t code = 0; code < runs_.size(); ++code) {
      if (places_[runs_[code].front()].host) continue;
      for (std::size_t i = 0; i < layout_.size(code); ++i) {
        other_phase(code, i);
        moves(code, i);
      }
    }
  }

 private:
  void meet() {
    for (std::size_t a = 0; a < runs_.size(); ++a) {
      for (std::size_t b = a; b < runs_.size(); ++b) barriers(a, b);
    }
    cluster_barriers();
    for (std::size_t code = 0; code < runs_.size(); ++code) {
      if (places_[runs_[code].front()].host) continue;
      phases(code);
      for (std::size_t i = 0; i < layout_.size(code); ++i) arrives_alone(code, i);
    }
  }
  void find_barrier();
  void find_objects();
  void barriers(std::size_t a, std::size_t b);
  std::optional<std::string> barrier_of(std::size_t a, std::size_t b) const;
  void cluster_barriers();
  void phases(std::size_t code);
  void arrives_alone(std::size_t code, std::size_t i);
  void other_phase(std::size_t code, std::size_t i);
  void moves(std::size_t code, std::size_t i);
  bool in_loop(std::size_t code, std::size_t i) const;
  void add(Kind kind, Effect effect, Option option) {
    Site site;
    site.kind = kind;
    site.effect = effect;
    site.rank = Rank::meeting;
    site.options.push_back(std::move(option));
    sites_.push_back(std::move(site));
  }

  const litmus::Test& test_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  std::vector<Where> places_;
  std::vector<std::vector<Point>> points_;
  std::vector<std::vector<std::size_t>> runs_;                          // threads of each code
  int barrier_ = 0;                                                     // an id that nobody uses
  std::map<std::tuple<int, int, int>, std::set<std::string>> objects_;  // by CTA
};

void Meetings::find_barrier() {
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

void Meetings::find_objects() {
  for (std::size_t t = 0; t < test_.threads.size(); ++t) {
    for (const program::Instruction& instruction : test_.threads[t].code()) {
      if (isa::traits(instruction.opcode).family != isa::Family::mbarrier) continue;
      if (const auto object = object_of(instruction)) objects_[places_[t].cta_key()].insert(*object);
    }
  }
}

// The barrier at which the threads of two codes meet; nothing: they cannot.
std::optional<std::string> Meetings::barrier_of(std::size_t a, std::size_t b) const {
  std::set<std::tuple<int, int, int>> ctas;
  std::set<std::tuple<int, int, int, int>> warps;
  std::size_t threads = 0;
  for (const std::size_t code : std::set<std::size_t>{a, b}) {
    for (const std::size_t t : runs_[code]) {
      if (places_[t].host) return std::nullopt;
      ctas.insert(places_[t].cta_key());
      warps.insert(places_[t].warp_key());
      ++threads;
    }
  }
  if (ctas.size() != 1 || threads < 2) return std::nullopt;
  if (warps.size() > 1)
    return fmt::format("bar.sync {}, {}", barrier_, kWarp * static_cast<int>(warps.size()));
  std::size_t all = 0;
  for (const Where& place : places_) all += place.warp_key() == *warps.begin();
  if (all != threads) return std::nullopt;
  return std::string("bar.warp.sync 0xffffffff");
}

void Meetings::barriers(std::size_t a, std::size_t b) {
  if (a == b && runs_[a].size() < 2) return;
  const std::optional<std::string> barrier = barrier_of(a, b);
  if (!barrier) return;
  const std::string name = barrier->substr(0, barrier->find(' '));
  for (const Point& p : points_[a]) {
    for (const Point& q : a == b ? std::vector<Point>{p} : points_[b]) {
      Option option{fmt::format("{}: put in {}", p.place(test_, layout_), *barrier),
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
      add(Kind::barrier, Effect::waits, std::move(option));
    }
  }
}

// All threads of a cluster arrive and wait.
void Meetings::cluster_barriers() {
  std::map<std::tuple<int, int>, std::set<std::size_t>> clusters;
  std::map<std::tuple<int, int>, std::set<int>> ctas;
  for (std::size_t code = 0; code < runs_.size(); ++code) {
    for (const std::size_t t : runs_[code]) {
      if (places_[t].host) continue;
      clusters[places_[t].cluster_key()].insert(code);
      ctas[places_[t].cluster_key()].insert(places_[t].cta);
    }
  }
  for (const auto& [key, codes] : clusters) {
    if (ctas[key].size() < 2) continue;
    std::size_t tuples = 1;
    for (const std::size_t code : codes) tuples *= std::max<std::size_t>(points_[code].size(), 1);
    if (tuples > kMostTuples) continue;
    for (std::size_t number = 0; number < tuples; ++number) {
      Option option{"", {}, "barrier.cluster.wait", "", codes.size(), {}};
      std::size_t left = number;
      for (const std::size_t code : codes) {
        if (points_[code].empty()) continue;
        const Point& point = points_[code][left % points_[code].size()];
        left /= points_[code].size();
        option.edits.push_back(point.insert(
            layout_, {"barrier.cluster.arrive.release.aligned", "barrier.cluster.wait.acquire.aligned"}));
        option.what += (option.what.empty() ? "" : ", ") + point.place(test_, layout_);
      }
      option.what += ": put in barrier.cluster.arrive and .wait";
      add(Kind::barrier, Effect::waits, std::move(option));
    }
  }
}

// A wait for a phase of an object of the CTA, at each point.
void Meetings::phases(std::size_t code) {
  const program::Thread& thread = test_.threads[layout_.codes()[code].thread];
  const auto objects = objects_.find(places_[runs_[code].front()].cta_key());
  if (objects == objects_.end()) return;
  for (const Point& point : points_[code]) {
    for (const std::string& object : objects->second) {
      for (const int parity : {0, 1}) {
        const std::string tag = fmt::format("ptxmc{}", sites_.size());
        std::vector<std::string> put;
        if (!thread.registers().empty()) put.push_back(fmt::format(".reg .pred %{}", tag));
        put.push_back(fmt::format("{0}: mbarrier.try_wait.parity.shared::cta.b64 %{0}, [{1}], {2}", tag,
                                  object, parity));
        put.push_back(fmt::format("@!%{0} bra {0}", tag));
        add(Kind::signal, Effect::waits,
            {fmt::format("{}: wait for phase {} of {}", point.place(test_, layout_), parity, object),
             {point.insert(layout_, put)},
             "mbarrier.try_wait",
             "",
             1,
             {}});
      }
    }
  }
}

// bar.arrive becomes bar.sync.
void Meetings::arrives_alone(std::size_t code, std::size_t i) {
  if (layout_.instruction(code, i).opcode != Opcode::bar_arrive) return;
  const std::string old(layout_.mnemonic(code, i));
  const std::size_t at = old.find("arrive");
  if (at == std::string::npos) return;
  std::string to = old;
  to.replace(at, 6, "sync");
  add(Kind::barrier, Effect::waits,
      {fmt::format("{} line {}: {} -> {}", threads_of(test_, layout_, code), layout_.line(code, i), old, to),
       {layout_.replace_mnemonic(code, i, to)},
       to,
       old,
       1,
       {}});
}

// The wait is for another phase, or another object.
void Meetings::other_phase(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  if (!is_wait(now)) return;
  const auto object = object_of(now);
  const auto* parity = std::get_if<program::Integer>(&now.operands.back().value);
  const auto objects = objects_.find(places_[runs_[code].front()].cta_key());
  if (!object || parity == nullptr || objects == objects_.end()) return;
  const auto address =
      std::find_if(now.operands.begin(), now.operands.end(), [](const program::Operand& operand) {
        return std::holds_alternative<program::Address>(operand.value);
      });
  const std::string name(layout_.mnemonic(code, i));
  Site site;
  site.kind = Kind::signal;
  site.effect = Effect::other;
  site.rank = Rank::meeting;
  for (const std::string& other : objects->second) {
    for (const std::int64_t phase : {0, 1}) {
      if (other == *object && phase == parity->value) continue;
      Option option{fmt::format("{} line {}: wait for phase {} of {}", threads_of(test_, layout_, code),
                                layout_.line(code, i), phase, other),
                    {},
                    name,
                    name,
                    1,
                    {}};
      if (other != *object) option.edits.push_back(layout_.replace_operand(*address, "[" + other + "]"));
      if (phase != parity->value)
        option.edits.push_back(layout_.replace_operand(now.operands.back(), std::to_string(phase)));
      site.options.push_back(std::move(option));
    }
  }
  if (!site.options.empty()) sites_.push_back(std::move(site));
}

bool Meetings::in_loop(std::size_t code, std::size_t i) const {
  std::map<std::string, std::size_t> labels;
  for (std::size_t k = 0; k <= i; ++k) {
    for (const std::string& label : layout_.instruction(code, k).labels) labels.emplace(label, k);
  }
  for (std::size_t k = i; k < layout_.size(code); ++k) {
    for (const program::Operand& operand : layout_.instruction(code, k).operands) {
      const auto* label = std::get_if<program::LabelName>(&operand.value);
      if (label != nullptr && labels.contains(label->name)) return true;
    }
  }
  return false;
}

// An access stands behind a later instruction, as far as registers let it.
void Meetings::moves(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  const isa::Family family = isa::traits(now.opcode).family;
  const bool access = family == isa::Family::memory || family == isa::Family::mbarrier ||
                      now.opcode == Opcode::tcgen05_commit || now.opcode == Opcode::bar_arrive;
  if (!access || !now.labels.empty() || is_wait(now) || in_loop(code, i)) return;
  const program::RegisterUse own = program::register_use(now);
  const Span& span = layout_.codes()[code].spans[i];
  const std::string text = layout_.text().substr(span.guard, span.end - span.guard);
  const auto meets = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
      return std::find(b.begin(), b.end(), name) != b.end();
    });
  };
  bool synchronized = false;  // something that orders was passed
  for (std::size_t k = i + 1; k < layout_.size(code); ++k) {
    const program::Instruction& passed = layout_.instruction(code, k);
    if (passed.text.empty() || isa::traits(passed.opcode).has(isa::Trait::ends)) return;
    const bool jump = isa::traits(passed.opcode).family == isa::Family::control;
    if (jump && !in_loop(code, k)) return;  // not into another way of the program
    const program::RegisterUse use = program::register_use(passed);
    if (meets(own.writes, use.reads) || meets(own.writes, use.writes) || meets(own.reads, use.writes)) return;
    synchronized = synchronized || (acts(passed) && isa::traits(passed.opcode).family != isa::Family::memory);
    const bool loop_goes_on = in_loop(code, k) && (k + 1 < layout_.size(code)) && in_loop(code, k + 1) &&
                              layout_.instruction(code, k + 1).labels.empty();
    if (!synchronized || loop_goes_on) continue;
    const Point behind{code, static_cast<std::ptrdiff_t>(k), false, true, false};
    if (!acts(passed) && !jump) continue;
    add(Kind::order, Effect::other,
        {fmt::format("{} line {}: {} stands behind line {}", threads_of(test_, layout_, code),
                     layout_.line(code, i), layout_.mnemonic(code, i), layout_.line(code, k)),
         {layout_.remove(code, i), behind.insert(layout_, {text})},
         "",
         "",
         1,
         {}});
  }
}

}  // namespace

void add_meetings(const litmus::Test& test, const Layout& layout, const Reach& reach,
                  std::vector<Site>& sites) {
  Meetings(test, layout, sites).run(reach);
}

}  // namespace ptxmc::repair
