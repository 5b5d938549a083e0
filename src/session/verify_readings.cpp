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
  if (named.model.empty()) named.model = model::kDefaultProfile;
  if (named.model_text || (named.model != model::kDefaultProfile && named.model != kOlder))
    refuse(
        fmt::format("--model {}: kernels are verified under {} or {}; others judge litmus tests, which "
                    "--emit-litmus writes of what is found",
                    named.model, model::kDefaultProfile, kOlder));
  for (const model::ReadingChoice changed : named.readings.changes()) {
    const std::vector<model::ReadingChoice>& taken = explore::taken_readings();
    if (std::find(taken.begin(), taken.end(), changed) != taken.end()) continue;
    std::vector<std::string> all;
    for (const model::ReadingChoice choice : taken) all.push_back(print(choice));
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
