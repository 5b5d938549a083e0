// SPDX-License-Identifier: Apache-2.0
#include "engine/explicit/listing.h"

#include <algorithm>
#include <utility>

#include "engine/count.h"

namespace ptxmc::engine::explicit_ {

// A state that was found by itself is a cube of one where there are others: it may be in them, too.
Listing::Listing(const Query& query, const std::vector<ThreadSymmetry>& symmetries,
                 std::map<StateKey, Found>& found, std::vector<Cube>& cubes, std::function<bool()> stop)
    : query_(query), symmetries_(symmetries), found_(found), cubes_(cubes), stop_(std::move(stop)) {
  if (cubes_.empty()) return;
  for (auto it = found_.begin(); it != found_.end(); it = found_.erase(it)) {
    Cube& cube = cubes_.emplace_back(Cube{std::move(it->second.state), {}, {}});
    for (const event::Value v : cube.found.values) cube.values.push_back({v});
  }
}

std::optional<std::uint64_t> Listing::count() const {
  if (!cubes_.empty()) return count_states(cubes_, stop_);
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
  const bool all = each([&](State& state) { out.states.push_back(std::move(state)); });
  if (!sorted) sort_states(query_.graph, out.states);
  return all;
}

bool Listing::each(const Take& take) {
  if (!cubes_.empty()) return !list_states(query_, cubes_, stop_, take);
  std::size_t left = query_.witnesses;
  const Take count = [&](State& state) {
    if (state.witness.exists.size() != 0 && left != 0) --left;
    take(state);
  };
  for (auto it = found_.begin(); it != found_.end(); it = found_.erase(it)) {
    if (list_orbit(query_, symmetries_, std::move(it->second.state), left, stop_, count)) return false;
  }
  return true;
}

bool Listing::pack(std::uint64_t many, Result& out) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1}
                                        << 26;  // more may be stopped before they are all there
  const auto packed = std::make_shared<PackedStates>(query_.graph, domains());
  packed->reserve(std::min(many, kMostAtOnce));
  const bool all = each([&](State& state) {
    packed->add(state.values, state.satisfied);
    if (state.witness.exists.size() != 0) out.states.push_back(std::move(state));
  });
  packed->sort();
  sort_states(query_.graph, out.states);
  if (all) out.packed = packed;
  return all;
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
