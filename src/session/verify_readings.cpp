// SPDX-License-Identifier: Apache-2.0
#include "session/verify_readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/models.h"
#include "model/readings.h"
#include "support/check.h"
#include "support/refuse.h"

namespace ptxmc::session {

namespace {

constexpr std::string_view kOlder = "ptx-8.4";

/// Values of readings that change what a run does, and where; null: what is said holds with them and without.
struct Taken {
  model::ReadingChoice choice;
  void (*set)(VerifyReadings& out, bool in_force);
};
constexpr Taken kTaken[] = {
    {"remote-arrive=cluster", [](VerifyReadings& out, bool on) { out.orders.remote_arrivals_reach = on; }},
    {"init-visible=causality", [](VerifyReadings& out, bool on) { out.orders.inits_reach = on; }},
    {"wait-read=map", [](VerifyReadings& out, bool on) { out.orders.read_waits_for_maps = on; }},
    {"proxy-fence=anywhere", [](VerifyReadings& out, bool on) { out.orders.proxy_fences_anywhere = on; }},
    {"wgmma-groups=warp", [](VerifyReadings& out, bool on) { out.orders.groups_of_warps = on; }},
    {"aligned-barrier=cta", [](VerifyReadings& out, bool on) { out.one_place = on; }},
    {"atomic-release=program-order", [](VerifyReadings& out, bool on) { out.orders.atomics_relay = !on; }},
    {"wgmma-first-fence=free", [](VerifyReadings& out, bool on) { out.first_fence_is_free = on; }},
    // Timing decides what test_wait gives, as it does of try_wait.
    {"test-wait=may-fail", nullptr},
};

/// A run takes what is in force from the table, whatever the defaults are.
void take(const model::Readings& readings, VerifyReadings& out) {
  for (const Taken& row : kTaken) {
    if (row.set != nullptr) row.set(out, readings.has(row.choice));
  }
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

void VerifyReadings::allow(model::ReadingChoice choice) {
  const auto* const taken = std::find_if(std::begin(kTaken), std::end(kTaken),
                                         [&](const Taken& row) { return row.choice == choice; });
  PTXMC_CHECK(taken != std::end(kTaken) && taken->set != nullptr, "no run takes " + print(choice));
  taken->set(*this, true);
  const bool others = under.find(" with ") != std::string::npos;
  under = fmt::format("{}{}{}", under.empty() ? model::kDefaultProfile : std::string_view(under),
                      others ? ", " : " with ", print(choice));
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
  for (const model::ReadingChoice changed : named.readings.changes()) {
    if (std::any_of(std::begin(kTaken), std::end(kTaken),
                    [&](const Taken& row) { return row.choice == changed; }))
      continue;
    std::vector<std::string> all;
    for (const Taken& row : kTaken) all.push_back(print(row.choice));
    refuse(
        fmt::format("--reading {}: kernels are verified with {}, or the defaults; other readings are for "
                    "litmus tests, which --emit-litmus writes of what is found",
                    print(changed), fmt::join(all, ", ")));
  }
  take(named.readings, out);
  require_of_model(program, named.model);
  out.under = words_of(named);
  return out;
}

}  // namespace ptxmc::session
