// SPDX-License-Identifier: Apache-2.0
// What the searches of all paths found, and what that stands for (orbits.h, cubes.h), as the states of a result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "axiomatic/engine/explicit/cubes.h"
#include "axiomatic/engine/explicit/orbits.h"
#include "axiomatic/engine/explicit/take.h"
#include "axiomatic/engine/found.h"

namespace ptxmc::engine::explicit_ {

class Listing {
 public:
  /// `found` and `cubes` are used up. The query's budget is looked at now and then.
  Listing(const Query& query, const std::vector<ThreadSymmetry>& symmetries, std::map<StateKey, Found>& found,
          std::vector<Cube>& cubes);

  /// How many states there are; none has terms. Nothing: stopped, or more than the number holds.
  std::optional<std::uint64_t> count() const;

  /// Result::states, or Result::packed where `may_pack` and they are many: these on up to `query.jobs` threads. False:
  /// stopped.
  bool list(bool may_pack, Result& out);

 private:
  /// A part of the states: gives them. True: stopped.
  using Share = std::function<bool(const std::function<bool()>& stop, const Take& take)>;
  std::vector<Share> shares(std::size_t least);
  std::vector<Share> orbits();
  bool pack(std::uint64_t many, Result& out);
  std::vector<std::vector<event::Value>> domains() const;

  const Query& query_;
  const std::vector<ThreadSymmetry>& symmetries_;
  std::map<StateKey, Found>& found_;
  std::vector<Cube>& cubes_;
};

}  // namespace ptxmc::engine::explicit_
