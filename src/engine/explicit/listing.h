// SPDX-License-Identifier: Apache-2.0
// What the searches of all paths found, and what that stands for (orbits.h, cubes.h), as the states of a result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/explicit/cubes.h"
#include "engine/explicit/orbits.h"
#include "engine/explicit/take.h"
#include "engine/found.h"

namespace ptxmc::engine::explicit_ {

class Listing {
 public:
  /// `found` and `cubes` are used up. `stop`: polled for each state.
  Listing(const Query& query, const std::vector<ThreadSymmetry>& symmetries, std::map<StateKey, Found>& found,
          std::vector<Cube>& cubes, std::function<bool()> stop);

  /// Of states without terms. Nothing: stopped, or more than the number holds.
  std::optional<std::uint64_t> count() const;

  /// Result::states, or Result::packed where `may_pack` and they are many. False: stopped.
  bool list(bool may_pack, Result& out);

 private:
  bool each(const Take& take);
  bool pack(std::uint64_t many, Result& out);
  std::vector<std::vector<event::Value>> domains() const;

  const Query& query_;
  const std::vector<ThreadSymmetry>& symmetries_;
  std::map<StateKey, Found>& found_;
  std::vector<Cube>& cubes_;
  std::function<bool()> stop_;
};

}  // namespace ptxmc::engine::explicit_
