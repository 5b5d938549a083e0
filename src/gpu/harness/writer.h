// SPDX-License-Identifier: Apache-2.0
// The writer of a harness's text; internal to harness.h. Its parts: harness.cpp (frame, seats),
// harness_places.cpp (random numbers, instances, addresses), harness_round.cpp (running a round),
// harness_evaluate.cpp (outcomes, resets), harness_memory.cpp (aliases, tensor maps, pointers),
// harness_stress.cpp (stress), harness_system.cpp (other actors).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/harness/harness.h"
#include "gpu/harness/plan.h"
#include "gpu/harness/table.h"
#include "gpu/host/actor.h"
#include "gpu/host/draw.h"
#include "gpu/text/facts.h"
#include "gpu/text/text.h"
#include "gpu/text/thread_text.h"
#include "ptx/isa/isa.h"
#include "ptx/isa/warp.h"

namespace ptxmc::gpu {

using isa::kWarp;
inline constexpr std::size_t kMostNames = 16;
inline constexpr unsigned kScratchAlignment = 4096;
inline constexpr unsigned kCounterBytes = 32;  // a sector each

/// What was drawn for a round; registers begin with `name`.
struct View {
  std::string name;
  std::string half;  ///< of the memory: 0 or 1
  bool evaluates = false;
};

class HarnessWriter {
 public:
  HarnessWriter(const program::Program& test, const Observation& observation, const HarnessOptions& options)
      : test_(test),
        facts_(test, true),
        observation_(observation),
        options_(options),
        plan_(plan_harness(facts_, options)) {}

  /// One kernel of several (kernels_harness.cpp).
  HarnessWriter(const program::Program& test, const Observation& observation, const HarnessOptions& options,
                Plan plan)
      : test_(test),
        facts_(test, true),
        observation_(observation),
        options_(options),
        plan_(std::move(plan)) {}

  /// One actor of several (system.h).
  HarnessWriter(const program::Program& test, const Observation& observation, const HarnessOptions& options,
                Plan plan, Actor actor)
      : test_(test),
        facts_(test),
        observation_(observation),
        options_(options),
        plan_(std::move(plan)),
        loops_(actor.loops),
        actor_(std::move(actor)) {}

  Harness run() {
    check_names();
    for (const Unit& unit : plan_.units) {
      for (const Seat& seat : unit.seats) texts_.push_back(thread_text(unit, seat));
    }
    target_ = both(target_, {62, 70, false});
    if (!plan_.aliases.empty()) target_ = both(target_, {75, 70, false});  // fence.proxy.alias
    if (!plan_.maps.empty()) target_ = both(target_, {83, 90, false});
    if (plan_.grid.cluster > 1) target_ = both(target_, {78, 90, false});
    for (const ThreadText& text : texts_) {
      target_ = both(target_, text.target);
      loops_ = loops_ || text.jumps_back;
    }
    prologue();
    turn();
    if (actor_.evaluates) write_flush(t_, plan_.threads, own_barrier());
    return finish();
  }

 protected:
  const program::Thread& thread(const Seat& seat) const { return test_.threads[seat.thread]; }
  unsigned rows() const { return static_cast<unsigned>(observation_.names().size()) + 1; }  // the last: hung

  void check_names() const {
    if (observation_.names().size() > kMostNames)
      facts_.cannot_run(test_.threads.front().position,
                        fmt::format("its condition has more than {} names", kMostNames));
  }
  unsigned bits() const { return field_bits(observation_.names().size()); }

  ThreadText thread_text(const Unit& unit, const Seat& seat);
  unsigned barrier_threads(const Unit& unit) const;
  void prologue();
  void turn();
  void barrier();
  std::string draw(const std::string& round, std::uint32_t number);
  std::string draw_below(const std::string& round, std::uint32_t number, const std::string& bound);
  void draw_round(const View& view, const std::string& round);
  void position(const View& view, bool rotate, const std::string& round);
  std::string enter(const View& view, const Unit& unit, const std::string& elsewhere);
  void addresses(const View& view, const Unit& unit);
  void run_round();
  void run_unit(const View& view, const Unit& unit, std::size_t first_text, const std::string& done);
  void run_seat(const View& view, const Unit& unit, std::size_t index, const ThreadText& text,
                const std::string& done);
  void drain(const program::Thread& source);
  void results(const View& view, const program::Thread& source, const Seat& seat, const ThreadText& text);
  void keep(const ThreadText& text, const program::Thread& source);
  std::string row(const View& view, unsigned number);
  void evaluate();
  void narrow(const Observed& o, const std::string& value, const std::string& bad);
  void evaluate_unit(const View& view);
  std::string value_of(const View& view, std::size_t i);
  void reset_globals(const View& view);
  void reset_shared(const Unit& unit);
  const Unit& evaluator() const;
  bool first_of_cta(const Unit& unit) const;
  bool holds_addresses() const;
  void alias_addresses();
  void alias_fence();
  /// The registers of names of the texture proxy: the texture object's register and the texel's.
  std::map<std::string, std::pair<std::string, std::string>> textures();
  void touch_aliases();
  void write_pointer(const std::string& value, const std::string& bad);
  void restore_maps();
  void release_maps();
  void acquire_maps();
  void reset_variable(const char* space, const std::string& base, const program::Variable& variable);
  void clear(const char* space, const std::string& base, unsigned offset, unsigned vectors);
  std::string memory_parameters() const;
  std::string memory_declarations() const;
  void load_memory_parameters();
  void describe_memory(Harness& harness) const;
  bool uses_async_proxy() const;
  std::string initial(const program::Variable& variable, std::uint32_t element);
  Harness finish();

  void fold(const std::string& h);
  bool stresses() const;
  bool pre_stresses() const;
  bool aligns() const;
  unsigned groups() const;
  unsigned group_warps() const;
  std::string chance(const std::string& name, const std::string& round, std::uint32_t number,
                     unsigned percent);
  void limit_draw(const std::string& drawn, const std::string& name, unsigned percent);
  void stress_prologue();
  void draw_role(const View& view, const std::string& round, const std::string& elsewhere);
  void draw_stress(const std::string& round);
  std::string target(const std::string& round, const std::string& warps);
  void hammer(const std::string& round, Pattern pattern, unsigned iterations);
  void stress_round(const std::string& round, const std::string& done);
  void before_seats(const View& view, const std::string& round);
  void rendezvous(const View& view);
  /// The cluster whose part this cluster plays.
  std::string role(const View& view) { return t_.word(stresses() ? view.name + "role" : "cluster"); }
  // ---- harness_system.cpp ----
  unsigned own_barrier() const;
  void meeting_prologue();
  void meeting();
  void leave_if_stopped();
  void draw_base(const View& view, const std::string& round);
  void move_base(const View& view, const std::string& block);
  std::string memory_of(const Cell& cell, const std::string& slot);
  void keep_pace(const View& view);
  std::string meeting_parameters() const;

  const program::Program& test_;
  Facts facts_;
  const Observation& observation_;
  const HarnessOptions& options_;
  Plan plan_;
  Text t_;
  std::vector<ThreadText> texts_;  // of all seats, by unit
  isa::Target target_;
  bool loops_ = false;
  Actor actor_;
};

}  // namespace ptxmc::gpu
