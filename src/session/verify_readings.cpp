// SPDX-License-Identifier: Apache-2.0
#include "session/verify_readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/models.h"
#include "support/refuse.h"

namespace ptxmc::session {

namespace {

constexpr std::string_view kOlder = "ptx-8.4";

/// Readings other than the default ones that a run can take, and what they set; null: what is said holds under both.
struct Taken {
  std::string_view assignment;
  void (*set)(VerifyReadings& out);
};
constexpr Taken kTaken[] = {
    {"remote-arrive=cluster", [](VerifyReadings& out) { out.orders.remote_arrivals_reach = true; }},
    {"init-visible=causality", [](VerifyReadings& out) { out.orders.inits_reach = true; }},
    {"wait-read=map", [](VerifyReadings& out) { out.orders.read_waits_for_maps = true; }},
    {"proxy-fence=anywhere", [](VerifyReadings& out) { out.orders.proxy_fences_anywhere = true; }},
    {"wgmma-groups=warp", [](VerifyReadings& out) { out.orders.groups_of_warps = true; }},
    {"aligned-barrier=cta", [](VerifyReadings& out) { out.one_place = true; }},
    {"atomic-release=program-order", [](VerifyReadings& out) { out.orders.atomics_relay = false; }},
    {"wgmma-first-fence=free", [](VerifyReadings& out) { out.first_fence_is_free = true; }},
    // Timing decides what test_wait gives, as it does of try_wait.
    {"test-wait=may-fail", nullptr},
};

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

void VerifyReadings::allow(std::string_view assignment) {
  const auto* const taken = std::find_if(std::begin(kTaken), std::end(kTaken), [&](const Taken& reading) {
    return reading.assignment == assignment;
  });
  taken->set(*this);
  const bool others = under.find(" with ") != std::string::npos;
  under = fmt::format("{}{}{}", under.empty() ? model::kDefaultProfile : std::string_view(under),
                      others ? ", " : " with ", assignment);
}

VerifyReadings verify_readings(const Settings& settings, const program::Program& program) {
  VerifyReadings out;
  Settings named = settings;
  if (named.model.empty()) named.model = model::kDefaultProfile;
  if (named.model_text || (named.model != model::kDefaultProfile && named.model != kOlder))
    refuse(
        fmt::format("--model {}: kernels are verified under {} or {}; others judge litmus tests, which "
                    "--emit-litmus writes of what is found",
                    named.model, model::kDefaultProfile, kOlder));
  for (const std::string& changed : named.readings.changed()) {
    const auto* const taken = std::find_if(std::begin(kTaken), std::end(kTaken), [&](const Taken& reading) {
      return reading.assignment == changed;
    });
    if (taken == std::end(kTaken)) {
      std::vector<std::string_view> all;
      for (const Taken& reading : kTaken) all.push_back(reading.assignment);
      refuse(
          fmt::format("--reading {}: kernels are verified with {}, or the defaults; other readings are for "
                      "litmus tests, which --emit-litmus writes of what is found",
                      changed, fmt::join(all, ", ")));
    }
    if (taken->set != nullptr) taken->set(out);
  }
  require_of_model(program, named.model);
  out.under = words_of(named);
  return out;
}

}  // namespace ptxmc::session
