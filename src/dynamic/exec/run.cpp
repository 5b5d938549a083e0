// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/run.h"

#include <algorithm>

#include "dynamic/exec/loops.h"
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

Run::Run(const program::Program& program, trace::Observer* observer,
         std::span<const program::InnerMap> inner_maps)
    : machine_(std::make_unique<Machine>(program, observer, inner_maps)) {}

Run::~Run() = default;

Outcome Run::run(const Options& options) {
  return machine_->execute(options);
}

std::uint32_t Run::warps() const {
  return static_cast<std::uint32_t>(machine_->run.warps.size());
}

std::size_t Run::sites() const {
  return machine_->run.sites.size();
}

const program::Instruction& Run::instruction(trace::Site site) const {
  return *machine_->run.sites.at(site)->instruction;
}

std::optional<std::vector<trace::Site>> Run::loops_around(trace::Site site) const {
  const auto code =
      std::find_if(machine_->run.codes.begin(), machine_->run.codes.end(),
                   [&](const Code& one) { return site >= one.first && site - one.first < one.steps.size(); });
  return code == machine_->run.codes.end() ? std::nullopt : exec::loops_around(*code, site);
}

const program::Thread& Run::thread(trace::Thread thread) const {
  return *machine_->run.threads.at(thread);
}

std::string Run::name_of(trace::Address address) const {
  return machine_->run.memory->name_at(address);
}

std::optional<NamedBytes> Run::object_at(trace::Range bytes) const {
  return machine_->run.memory->object_at(bytes);
}

std::string Run::text_of(trace::Range bytes) const {
  return machine_->run.memory->text_of(bytes);
}

std::optional<trace::Range> Run::global_variable_at(trace::Address address) const {
  return machine_->run.memory->global_variable_at(address);
}

Run::Value Run::memory(const std::string& variable, std::uint32_t element) const {
  const Memory& memory = *machine_->run.memory;
  const isa::Space space = memory.space_of(variable);
  if (space == isa::Space::tensor) return {0, bit(Source::data)};  // which has no contents here
  const std::uint32_t bytes = memory.element_bytes(variable);
  Address at = memory.offset_of(variable) + std::uint64_t{element} * bytes;
  if (space == isa::Space::local) {
    at += memory.local(0);
  } else if (!Memory::is_flat(at)) {
    at += memory.shared(0);
  }
  if (Memory::is_multimem(at)) return {0, bit(Source::data)};  // which has no contents of its own
  const Memory::Span span = *memory.span(at, bytes);
  return {Memory::load(span.data, std::min<std::uint32_t>(bytes, 8)), span.sources(0, bytes)};
}

std::optional<trace::Bits> Run::content(trace::Address at, std::uint32_t bytes) const {
  const std::optional<Memory::Span> span = machine_->run.memory->span(at, bytes);
  if (!span || span->sources(0, bytes) != 0) return std::nullopt;
  return Memory::load_wide(span->data, bytes);
}

Run::Value Run::reg(int thread, const std::string& name) const {
  const trace::Thread number = machine_->run.by_number.at(thread);
  const Warp& warp = machine_->run.warps.at(number / kLanes);
  const unsigned lane = number % kLanes;
  const auto slot = warp.codes[lane]->registers.find(name);
  if (slot == warp.codes[lane]->registers.end()) return {};
  return {warp.registers.rows[slot->second][lane], warp.registers.taints[slot->second].of(lane)};
}

}  // namespace ptxmc::exec
