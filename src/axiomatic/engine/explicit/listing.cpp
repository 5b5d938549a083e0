// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/listing.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "axiomatic/engine/count.h"
#include "support/parallel.h"

namespace ptxmc::engine::explicit_ {

namespace {

/// Is the time over? Looks at the clock now and then; for one thread.
class Stop {
 public:
  explicit Stop(const Budget& budget) : budget_(budget) {}
  bool operator()() { return ++polls_ % 16 == 0 && budget_.over(); }

 private:
  const Budget& budget_;
  std::uint64_t polls_ = 0;
};

}  // namespace

// A state that was found by itself is a cube of one where there are others: it may be in them, too.
Listing::Listing(const Query& query, const std::vector<ThreadSymmetry>& symmetries,
                 std::map<StateKey, Found>& found, std::vector<Cube>& cubes)
    : query_(query), symmetries_(symmetries), found_(found), cubes_(cubes) {
  if (cubes_.empty()) return;
  for (auto it = found_.begin(); it != found_.end(); it = found_.erase(it)) {
    Cube& cube = cubes_.emplace_back(Cube{std::move(it->second.state), {}, {}});
    for (const event::Value v : cube.found.values) cube.values.push_back({v});
  }
}

std::optional<std::uint64_t> Listing::count() const {
  if (!cubes_.empty()) return count_states(cubes_, Stop(query_.budget));
  std::optional<std::uint64_t> out = 0;
  for (const auto& [key, found] : found_) out = sum(out, orbit_size(symmetries_, found.state.values));
  return out;
}

bool Listing::list(bool may_pack, Result& out) {
  if (may_pack && query_.witnesses != 0 && query_.packs_from != ~std::size_t{0}) {
    const std::optional<std::uint64_t> many = count();
    if (many && *many >= query_.packs_from && query_.witnesses < query_.packs_from) return pack(*many, out);
  }
  const bool sorted = !cubes_.empty();
  const std::function<bool()> stop = Stop(query_.budget);
  bool stopped = false;
  out.states.reserve(found_.size());
  for (const Share& share : shares(1)) {
    stopped = stopped || share(stop, [&](State& state) { out.states.push_back(std::move(state)); });
  }
  if (!sorted) sort_states(query_.graph, out.states);
  return !stopped;
}

std::vector<Listing::Share> Listing::shares(std::size_t least) {
  if (cubes_.empty()) return orbits();
  std::vector<Share> out;
  for (Branch& part : branches(query_, cubes_, least)) {
    out.push_back([this, branch = std::move(part)](const std::function<bool()>& stop, const Take& take) {
      return list_branch(query_, cubes_, branch, stop, take);
    });
  }
  return out;
}

// One a found state, with as many witnesses as those before it leave.
std::vector<Listing::Share> Listing::orbits() {
  std::vector<Share> out;
  std::size_t left = query_.witnesses;
  for (auto& [key, found] : found_) {
    out.push_back(
        [this, witnesses = left, &state = found.state](const std::function<bool()>& stop, const Take& take) {
          return list_orbit(query_, symmetries_, std::move(state), witnesses, stop, take);
        });
    const std::optional<std::uint64_t> states = orbit_size(symmetries_, found.state.values);
    left -= std::min<std::size_t>(left, states.value_or(left));
  }
  return out;
}

// Each thread packs what it lists, and that is put together. States with a witness are few.
bool Listing::pack(std::uint64_t many, Result& out) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1}
                                        << 26;  // more may be stopped before they are all there
  constexpr std::size_t kSharesPerJob = 16;     // some are larger than others
  const std::size_t jobs = std::max<std::size_t>(1, query_.jobs);
  std::vector<PackedStates> packed(jobs, PackedStates(query_.graph, domains()));
  for (PackedStates& part : packed) part.reserve(std::min(many, kMostAtOnce) / jobs);
  const std::vector<Share> parts = shares(jobs == 1 ? 1 : jobs * kSharesPerJob);
  std::vector<std::vector<State>> witnessed(parts.size());
  std::atomic<bool> stopped = false;
  in_parallel(parts.size(), jobs, [&](std::size_t i, std::size_t job) {
    if (stopped) return;
    const auto take = [&](State& state) {
      packed[job].add(state.values, state.satisfied);
      if (state.witness.exists.size() != 0) witnessed[i].push_back(std::move(state));
    };
    if (parts[i](Stop(query_.budget), take)) stopped = true;
  });
  for (std::vector<State>& some : witnessed) {
    for (State& state : some) {
      if (out.states.size() < query_.witnesses) out.states.push_back(std::move(state));
    }
  }
  sort_states(query_.graph, out.states);
  if (stopped) return false;
  const auto all = std::make_shared<PackedStates>(std::move(packed.front()));
  for (; packed.size() > 1; packed.pop_back()) all->append(packed.back());
  all->sort(jobs);
  out.packed = all;
  return true;
}

std::vector<std::vector<event::Value>> Listing::domains() const {
  std::vector<std::vector<event::Value>> out(query_.graph.observables.size());
  const auto add = [&](std::size_t observable, const std::vector<event::Value>& values) {
    out[observable].insert(out[observable].end(), values.begin(), values.end());
  };
  for (const Cube& cube : cubes_) {
    for (std::size_t i = 0; i < out.size(); ++i) add(i, cube.values[i]);
  }
  for (const auto& [key, found] : found_) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i].push_back(found.state.values[i]);
  }
  for (std::vector<event::Value>& values : out) {  // each found state has one
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  // Threads that may change places see what any of them sees.
  for (const ThreadSymmetry& threads : symmetries_) {
    for (std::size_t k = 0; k < threads.observables.front().size(); ++k) {
      std::vector<event::Value> all;
      for (const auto& of_thread : threads.observables)
        all.insert(all.end(), out[of_thread[k]].begin(), out[of_thread[k]].end());
      for (const auto& of_thread : threads.observables) out[of_thread[k]] = all;
    }
  }
  return out;
}

}  // namespace ptxmc::engine::explicit_
