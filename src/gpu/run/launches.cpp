// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/launches.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::gpu {

std::uint32_t next_rounds(const Pace& pace, std::uint32_t rounds, double took, double left) {
  const double target = std::min(pace.seconds, std::max(left, 1e-3));
  const double factor = std::min(pace.growth, target / std::max(took, 1e-6));
  return static_cast<std::uint32_t>(std::clamp(rounds * factor, 1.0, static_cast<double>(pace.most)));
}

std::uint32_t cut_rounds(std::uint32_t rounds, std::uint64_t wanted, std::uint64_t have,
                         std::uint64_t a_round) {
  if (wanted == 0) return rounds;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rounds, (wanted - have) / a_round + 1));
}

std::uint32_t launch_seed(std::uint32_t seed, unsigned number) {
  constexpr std::uint32_t kStep = 0x9E3779B9;
  return seed + number * kStep;
}

OutcomeMemory::OutcomeMemory(const Driver& driver)
    : table_(driver, kTableSlots * sizeof(TableSlot)), control_(driver, sizeof(Control)) {
  table_.fill(0);
  control_.fill(0);
}

void OutcomeMemory::clear(std::vector<TableSlot>& table, Control& control) const {
  table.assign(kTableSlots, TableSlot{});
  control = Control{};
  table_.write(table.data(), table_.bytes());
  control_.write(&control, sizeof control);
}

void OutcomeMemory::read(std::vector<TableSlot>& table, Control& control) const {
  table_.read(table.data(), table_.bytes());
  control_.read(&control, sizeof control);
}

void check_target(const Device& device, const isa::Target& needs) {
  isa::Target has;
  has.version = needs.version;  // the driver's assembler judges that
  has.sm = device.info().major * 10 + device.info().minor;
  has.specific = true;
  if (isa::lacks(has, needs))
    throw TooSmall(
        fmt::format("this test needs {}, and {} is sm_{}", isa::sm_name(needs), device.info().name, has.sm));
}

}  // namespace ptxmc::gpu
