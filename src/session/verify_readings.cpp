// SPDX-License-Identifier: Apache-2.0
#include "session/verify_readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/models.h"
#include "model/readings.h"
#include "support/refuse.h"

namespace ptxmc::session {

namespace {

constexpr std::string_view kOlder = "ptx-8.4";

/// Those whose text says what runs of kernels are judged by.
std::vector<std::string_view> verified_profiles() {
  std::vector<std::string_view> out;
  for (const model::Profile& profile : model::profiles()) {
    if (profile.of_the_manual) out.push_back(profile.name);
  }
  return out;
}

std::string words_of(const Settings& settings) {
  const std::vector<std::string> changed = settings.readings.changed();
  if (changed.empty() && settings.model == model::kDefaultProfile) return "";
  return fmt::format("{}{}{}", settings.model, changed.empty() ? "" : " with ", fmt::join(changed, ", "));
}

void require_of_model(const program::Program& program, const std::string& model) {
  if (model != kOlder) return;
  for (const program::Thread& thread : program.threads) {
    for (const program::Instruction& instruction : thread.body->code) {
      const isa::Semantics semantics = instruction.modifiers.semantics;
      if (instruction.opcode == isa::Opcode::fence &&
          (semantics == isa::Semantics::acquire || semantics == isa::Semantics::release))
        refuse(program.source, instruction.position,
               fmt::format("`{}` is not of PTX ISA 8.4: fences that acquire or release only came later; "
                           "`--model {}` has them",
                           instruction.text, model::kDefaultProfile));
    }
  }
}

}  // namespace

explore::VerifyReadings verify_readings(const Settings& settings, const program::Program& program) {
  explore::VerifyReadings out;
  Settings named = settings;
  named.model = named.model.empty() ? model::kDefaultProfile : model::profile_name(named.model);
  const model::Profile* const profile = model::find_profile(named.model);
  if (named.model_text || profile == nullptr || !profile->of_the_manual)
    refuse(
        fmt::format("--model {}: kernels are verified under {}; others judge litmus tests, which "
                    "--emit-litmus writes of what is found",
                    named.model, fmt::join(verified_profiles(), ", ")));
  named.readings.take_edition(profile->readings);
  for (const model::ReadingChoice changed : named.readings.changes()) {
    if (explore::is_taken(changed)) continue;
    std::vector<std::string> all;
    for (const model::ReadingChoice choice : explore::taken_readings()) all.push_back(print(choice));
    refuse(
        fmt::format("--reading {}: kernels are verified with {}, or the defaults; other readings are for "
                    "litmus tests, which --emit-litmus writes of what is found",
                    print(changed), fmt::join(all, ", ")));
  }
  out.take(named.readings);
  require_of_model(program, named.model);
  out.under = words_of(named);
  return out;
}

}  // namespace ptxmc::session
