// SPDX-License-Identifier: Apache-2.0
// A file of the source tree that is compiled into a library by ptxmc_embed (embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace ptxmc {

struct EmbeddedText {
  /// of the file, without its folder and last extension: "race" of src/finding/pages/race.md
  std::string_view name;
  std::string_view text;
};

}  // namespace ptxmc
