// SPDX-License-Identifier: Apache-2.0
// The explicit engine. For each control-flow path, and each value of the enumerated relations on it (barrier
// phases): restrict the program to the events that exist, evaluate what no choice changes, and search the
// choices (search.h).
#include "axiomatic/engine/explicit/explicit.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/cubes.h"
#include "axiomatic/engine/explicit/listing.h"
#include "axiomatic/engine/explicit/path.h"
#include "axiomatic/engine/explicit/search.h"
#include "axiomatic/engine/symmetry.h"

namespace ptxmc::engine::explicit_ {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxPaths = 1 << 14;

class Run {
 public:
  explicit Run(const Query& query)
      : query_(query),
        course_(query.reductions.resume && query.ask != Ask::states ? query.course.get() : nullptr),
        used_(used_bases(query)),
        symbols_(query.graph.exprs),
        start_(Clock::now()) {
    if (query.graph.exprs.has_terms()) terms_ = std::make_unique<TermSolver>(symbols_);
  }

  Result operator()() {
    try {
      all_paths();
    } catch (const Undecided& reason) {
      give_up(reason.what());
    } catch (const event::Overflow&) {
      give_up("overflow");
    } catch (const OutOfTime&) {
      give_up("timeout");
    } catch (const std::bad_alloc&) {
      give_up("memory");
    }
    return finish();
  }

 private:
  void all_paths() {
    for (const event::Expr assumed : query_.graph.assumptions) {
      if (query_.graph.exprs.is_false(assumed)) return;  // there is no execution
    }
    if (!query_.reductions.symmetry) {
      // every thread is itself
    } else if (query_.ask == Ask::states && !terms_) {
      symmetries_ = state_symmetries(query_, used_);
      set_silent_threads_apart();
    } else if (query_.ask != Ask::states) {
      classes_ = interchangeable_threads(query_, used_, query_.ask == Ask::verdict);
    }
    thin_air_excluded_ = thin_air_excluded();
    const auto assignments = event::enumerate_assignments(query_.graph, kMaxPaths);
    if (!assignments) return give_up("paths");
    for (const event::Assignment& assignment : *assignments) {
      query_.budget.check();
      Path path(query_, assignment, symbols_);
      ++paths_;
      work_ += static_cast<double>(path.size() * path.size());
      if (!thin_air_excluded_ && path.may_have_value_cycle()) give_up(std::string(kValueCycle));
      if (!path.infeasible()) all_alternatives(path);
      if (stopped_ || decided()) return;
    }
  }

  // Threads of which no state shows anything: their permutations keep every state, so that one arrangement stands
  // for all.
  void set_silent_threads_apart() {
    const auto hidden = [](const ThreadSymmetry& threads) {
      return threads.observables.front().empty() && threads.decisions.front().empty();
    };
    if (std::none_of(symmetries_.begin(), symmetries_.end(), hidden)) return;
    const auto alike = interchangeable_threads(query_, used_, true);
    const auto silent = [&](const ThreadSymmetry& threads) {
      return hidden(threads) && std::any_of(alike.begin(), alike.end(), [&](const Interchangeable& all) {
               return std::all_of(threads.events.begin(), threads.events.end(), [&](const auto& events) {
                 return std::find(all.begin(), all.end(), events) != all.end();
               });
             });
    };
    const auto first = std::stable_partition(symmetries_.begin(), symmetries_.end(), std::not_fn(silent));
    for (auto it = first; it != symmetries_.end(); ++it) classes_.push_back(std::move(it->events));
    symmetries_.erase(first, symmetries_.end());
  }

  // Values are propagated from writes to reads, so a value that only supports itself is never found. That
  // loses nothing when an axiom makes reads-from together with what each stored value depends on acyclic.
  bool thin_air_excluded() const {
    const auto& axioms = query_.model.axioms;
    return std::any_of(axioms.begin(), axioms.end(), [&](const relation::Constraint& axiom) {
      if (axiom.test != relation::Test::acyclic || axiom.negated) return false;
      bool reads_from = false;
      relation::BitMatrix fixed(query_.graph.size());
      collect_parts(std::get<relation::Rel>(axiom.expression), reads_from, fixed);
      return reads_from && covers_values(fixed);
    });
  }

  void collect_parts(relation::Rel r, bool& reads_from, relation::BitMatrix& fixed) const {
    const relation::RelNode& node = query_.model.tree.node(r);
    if (const auto* both = std::get_if<relation::Union>(&node)) {
      collect_parts(both->a, reads_from, fixed);
      collect_parts(both->b, reads_from, fixed);
    } else if (const auto* closure = std::get_if<relation::Closure>(&node)) {
      collect_parts(closure->a, reads_from, fixed);
    } else if (const auto* base = std::get_if<relation::BaseRel>(&node)) {
      const relation::Provider provider = query_.signature[base->base].provider;
      if (provider == relation::Provider::reads_from) reads_from = true;
      if (provider == relation::Provider::fixed) fixed |= query_.base.relations[base->base];
    }
  }

  bool covers_values(const relation::BitMatrix& relation) const {
    for (event::EventId w = 0; w < query_.graph.size(); ++w) {
      if (query_.graph.events[w].kind != event::EventKind::write) continue;
      for (std::size_t k = 0; k < query_.graph.slots_of(w); ++k) {
        const event::Expr stored = query_.graph.slot(query_.graph.slot_of(w, k)).value;
        for (event::EventId atom : query_.graph.exprs.atoms(stored)) {
          if (query_.graph.events[atom].is_read() && !relation.test(atom, w)) return false;
        }
      }
    }
    return true;
  }

  // The enumerated relations that the model names, each with its possible values on this path. Where one execution
  // decides, a few of many are tried before all are listed.
  void all_alternatives(Path& path) {
    if (query_.ask != Ask::states && alternatives(path, event::HowMany::few)) return;
    if (stopped_ || decided()) return;
    if (!alternatives(path, event::HowMany::all)) give_up(event::kTooManyPhases);
  }

  // True: these were all.
  bool alternatives(Path& path, event::HowMany how_many) {
    std::vector<std::pair<std::uint32_t, std::vector<relation::BitMatrix>>> choices;
    bool all = true;
    for (std::uint32_t base : used_.relations) {
      if (query_.signature[base].provider != relation::Provider::enumerated) continue;
      event::Alternatives listed = values_of(base, path, how_many);
      all = all && listed.complete;
      choices.push_back({base, std::move(listed.values)});
    }
    Enumerated enumerated;
    product(path, choices, 0, enumerated);
    return all;
  }

  event::Alternatives values_of(std::uint32_t base, const Path& path, event::HowMany how_many) const {
    const auto list = [&] {
      return event::alternatives(query_.graph, base, path.assignment(), query_.budget, how_many);
    };
    if (!course_) return list();
    auto& known = course_->alternatives;
    const auto key = std::tuple(paths_, base, how_many);
    const auto it = known.find(key);
    return it != known.end() ? it->second : known.emplace(key, list()).first->second;
  }

  void product(Path& path,
               const std::vector<std::pair<std::uint32_t, std::vector<relation::BitMatrix>>>& choices,
               std::size_t next, Enumerated& enumerated) {
    if (next == choices.size()) return search(path, enumerated);
    for (const relation::BitMatrix& matrix : choices[next].second) {
      enumerated[choices[next].first] = matrix;
      product(path, choices, next + 1, enumerated);
      if (stopped_ || decided()) return;
    }
  }

  void search(Path& path, const Enumerated& enumerated) {
    const std::uint64_t number = searches_++;
    if (course_ && number < course_->exhausted) return;
    Search search(query_, path, enumerated, classes_, symmetries_, used_, terms_.get(),
                  terms_ ? nullptr : &cubes_);
    stopped_ = search.run(states_, [&] { return shall_stop(search.work()); });
    if (stopped_) give_up(reason_);
    work_ += search.work();
    if (search.value_cycle()) give_up(std::string(kValueCycle));
    if (search.undecided_terms()) give_up("terms");
    const bool nothing = !stopped_ && !search.value_cycle() && !search.undecided_terms() && !decided();
    if (course_ && nothing && number == course_->exhausted) ++course_->exhausted;
    candidates_ += search.candidates();
    conflicts_ += search.solver().conflicts();
    decisions_ += search.solver().decisions();
  }

  bool decided() const { return query_.ask != Ask::states && !states_.empty(); }

  bool out_of_time() { return ++polls_ % 16 == 0 && query_.budget.over(); }

  // Polled between conflicts, with what the search at hand has done so far; what it says no more of.
  bool shall_stop(double work) {
    if (out_of_time()) {
      reason_ = "timeout";
    } else if (query_.stalled && polls_ % 16 == 0) {
      if (states_.size() + cubes_.size() != seen_) {
        seen_ = states_.size() + cubes_.size();
        work_at_news_ = work_ + work;
      }
      if (query_.stalled(work_ + work - work_at_news_)) reason_ = kStalled.data();
    }
    return reason_ != nullptr;
  }

  void give_up(const std::string& reason) {
    complete_ = false;
    if (unknown_.empty()) unknown_ = reason;
  }

  void count_states(Listing& listing, Result& out) {
    const std::optional<std::uint64_t> count = listing.count();
    if (!count) give_up(query_.budget.over() ? "timeout" : kUncountable);
    if (complete_) out.count = count;
  }

  Result finish() {
    Result out;
    decided_ = decided();
    if (terms_) {
      const bool all = complete_ && query_.ask == Ask::states;
      if (!name_states(query_, symbols_, *terms_, states_, all, out) && all)
        give_up(query_.budget.over() ? "timeout" : "terms");
    }
    try {
      Listing listing(query_, symmetries_, states_, cubes_);
      if (query_.count && !terms_) {
        count_states(listing, out);
      } else if (!listing.list(complete_ && !terms_ && query_.ask == Ask::states, out)) {
        give_up("timeout");
      }
    } catch (const std::bad_alloc&) {
      give_up("memory");
    }
    out.complete = complete_ || decided_;
    count_listed(query_, out);
    if (!out.complete) out.unknown = unknown_;
    out.statistics["candidates"] = static_cast<double>(candidates_);
    out.statistics["conflicts"] = static_cast<double>(conflicts_);
    out.statistics["decisions"] = static_cast<double>(decisions_);
    out.statistics["work"] = work_;
    out.statistics["paths"] = static_cast<double>(paths_);
    out.statistics["solve-seconds"] = std::chrono::duration<double>(Clock::now() - start_).count();
    return out;
  }

  const Query& query_;
  ResumeState* const course_;  // nullptr: none
  UsedBases used_;
  event::Symbols symbols_;
  std::unique_ptr<TermSolver> terms_;  // where there are any
  Clock::time_point start_;
  std::size_t seen_ = 0;                // states at the last poll
  double work_ = 0, work_at_news_ = 0;  // of finished searches; when a state was last found
  const char* reason_ = nullptr;        // why a search was stopped
  std::map<StateKey, Found> states_;
  std::vector<Cube> cubes_;
  std::vector<Interchangeable> classes_;
  std::vector<ThreadSymmetry> symmetries_;
  bool thin_air_excluded_ = false;
  bool complete_ = true;
  bool stopped_ = false, decided_ = false;
  std::string unknown_;
  std::uint64_t candidates_ = 0, conflicts_ = 0, decisions_ = 0, paths_ = 0, searches_ = 0, polls_ = 0;
};

}  // namespace

Result solve(const Query& query) {
  return Run(query)();
}

}  // namespace ptxmc::engine::explicit_
