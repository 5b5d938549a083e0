// SPDX-License-Identifier: Apache-2.0
// The built-in models as they stand after reading, with the default readings: reading their texts is half of the time of
// a small test. elaborated.cpp of the build folder has them, written by embed/elaborate.cpp when ptxmc is built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/relation/memory_model.h"

namespace ptxmc::model {

/// What `atomicity` reads has no profile; it is under this name.
constexpr std::string_view kAtomicity = "atomicity";

/// A model in the order of archive.h.
struct Elaborated {
  std::string_view profile;
  std::uint64_t signature;  ///< fingerprint of the signature it was read with
  std::span<const std::uint32_t> numbers;
  std::span<const std::string_view> strings;
};

std::span<const Elaborated> elaborated();

/// The fingerprint of what a model depends on: names, sorts, providers and order of the rows.
std::uint64_t fingerprint(const relation::Signature& signature);

/// Nothing: the profile is not among them, or was read with another signature.
std::optional<relation::MemoryModel> restore(std::string_view profile, const relation::Signature& signature);

}  // namespace ptxmc::model
