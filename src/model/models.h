// SPDX-License-Identifier: Apache-2.0
// The built-in models: cat texts compiled into the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/cat/read.h"
#include "model/readings.h"
#include "model/relation/memory_model.h"

namespace ptxmc::model {

struct Profile {
  std::string_view name;                ///< "ptx-9.4"
  std::string_view file;                ///< "ptx.cat"
  std::string_view description;         ///< one line
  std::vector<ReadingChoice> readings;  ///< what its edition of the manual has otherwise than kReadings
  bool of_the_manual = false;           ///< ptx.cat, or a text that includes it
};

const std::vector<Profile>& profiles();
constexpr std::string_view kDefaultProfile = "ptx-9.4";

/// By its name, or by a name of its own that it has beside ("ptx-9" is ptx-9.1); null: there is none.
const Profile* find_profile(std::string_view name);
/// The name of the profile of that name; what is none stays as it is.
std::string profile_name(const std::string& name);
/// What the edition of a profile has; of a cat file, the defaults.
std::span<const ReadingChoice> edition_of(std::string_view name_or_path);

/// The text of a built-in file ("ptx.cat"); null when there is none. Also resolves `include`.
SourcePtr text_of(const std::string& file);

/// A profile by name, or a cat file by path, as the readings have it. Throws InputError.
relation::MemoryModel load(const std::string& name_or_path, const relation::Signature& signature,
                           const Readings& readings);
/// The same as its edition has it.
inline relation::MemoryModel load(const std::string& name_or_path, const relation::Signature& signature) {
  return load(name_or_path, signature, Readings(edition_of(name_or_path)));
}

/// The same of a text; it may include built-in files alone.
relation::MemoryModel load_text(const SourcePtr& text, const relation::Signature& signature,
                                const Readings& readings = {});

/// The property of atomics that 8.7.2 states of any program, and nothing else: what is left of a model where a
/// mixed-size race voids its axioms.
relation::MemoryModel atomicity(const relation::Signature& signature, const Readings& readings = {});

/// The conditions of `if "NAME=VALUE"` in a text.
cat::Conditions conditions(const Readings& readings = {});

}  // namespace ptxmc::model
