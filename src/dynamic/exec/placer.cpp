// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/placer.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/placement.h"
#include "ptx/rules/limits.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

/// The value of a predefined register that the place of a thread gives; nothing: it is not known.
std::optional<std::uint64_t> special_value(isa::Special special, const Placed& placed, const PlacedWarp& warp,
                                           const program::Thread& thread, unsigned lane, std::size_t number) {
  const PlacedCta& cta = placed.ctas[warp.cta];
  const std::uint32_t own = std::uint32_t{1} << lane, below = own - 1;
  switch (special) {
    case isa::Special::lane_id:
      return lane;
    case isa::Special::lane_mask_eq:
      return own;
    case isa::Special::lane_mask_lt:
      return below;
    case isa::Special::lane_mask_le:
      return below | own;
    case isa::Special::lane_mask_ge:
      return ~below;
    case isa::Special::lane_mask_gt:
      return ~(below | own);
    case isa::Special::warp_id:
      return thread.placement.warp ? static_cast<std::uint64_t>(*thread.placement.warp) : number;
    case isa::Special::tid_x:
      return (thread.placement.warp ? static_cast<std::uint64_t>(*thread.placement.warp) : number) * kLanes +
             lane;
    case isa::Special::ctaid_x:
      return thread.placement.cta ? static_cast<std::uint64_t>(*thread.placement.cta) : warp.cta;
    case isa::Special::cluster_id_x:
      return thread.placement.cluster ? static_cast<std::uint64_t>(*thread.placement.cluster) : cta.cluster;
    case isa::Special::cluster_cta_rank:
      return cta.rank;
    case isa::Special::cluster_cta_count:
      return placed.clusters[cta.cluster].size();
    case isa::Special::explicit_cluster:
      return thread.placement.cluster ? 1 : 0;
    case isa::Special::zero:
      return 0;
    case isa::Special::one:
      return 1;
    case isa::Special::of_launch:
    case isa::Special::of_moment:
      break;
  }
  return std::nullopt;
}

/// %warpid is volatile, whatever it is at first (R295).
bool may_change(isa::Special special) {
  return special == isa::Special::warp_id;
}

/// Fills a machine with what runs.
class Placer {
 public:
  Placer(const program::Program& program, Machine& machine)
      : program_(program), machine_(machine), placed_(place(program)) {}

  void run() {
    machine_.run.memory =
        std::make_unique<Memory>(program_, placed_.ctas.size(), placed_.warps.size() * kLanes);
    declare_objects();
    decode_bodies();
    machine_.run.clusters.resize(placed_.clusters.size());
    for (std::size_t i = 0; i < placed_.clusters.size(); ++i)
      machine_.run.clusters[i].ctas = placed_.clusters[i];
    for (const PlacedCta& cta : placed_.ctas) {
      Cta& added = machine_.run.ctas.emplace_back();
      added.cluster = cta.cluster;
      added.gpu = cta.gpu;
      added.task = cta.task;
      added.rank = cta.rank;
      added.warps = cta.warps;
      for (const auto& [column, columns] : machine_.run.memory->declared_columns())
        added.tensor.declare(column, columns);
    }
    machine_.run.threads.resize(placed_.warps.size() * kLanes);
    for (std::size_t i = 0; i < placed_.warps.size(); ++i) add_warp(static_cast<std::uint32_t>(i));
    set_initial();
    set_addresses();
    set_objects();
    machine_.run.tasks = std::move(placed_.tasks);
  }

 private:
  void declare_objects() {
    machine_.run.places = std::make_unique<Places>();
    for (const program::Variable& variable : program_.variables) {
      auto object = machine_.run.memory->object_of(variable.name);
      if (!object) continue;
      object->reserved = variable.reserved;
      machine_.run.places->declare(variable.name, *object);
    }
  }

  /// One code a body; threads of one warp run the same.
  void decode_bodies() {
    for (const program::Thread& thread : program_.threads) {
      if (codes_.contains(thread.body.get())) continue;
      codes_.emplace(thread.body.get(), machine_.run.codes.size());
      machine_.run.codes.push_back(decode(program_, thread.body, static_cast<trace::Site>(sites_)));
      sites_ += machine_.run.codes.back().steps.size();
    }
    for (const Code& code : machine_.run.codes) {
      for (const Step& step : code.steps) machine_.run.sites.push_back(&step);
    }
  }

  void add_warp(std::uint32_t number) {
    const PlacedWarp& placed = placed_.warps[number];
    Warp& warp = machine_.run.warps.emplace_back();
    warp.number = number;
    warp.cta = placed.cta;
    warp.task = placed_.ctas[placed.cta].task;
    for (unsigned lane = 0; lane < placed.lanes.size(); ++lane) {
      const program::Thread* thread = placed.lanes[lane];
      if (thread == nullptr) continue;
      const Code* code = &machine_.run.codes[codes_.at(thread->body.get())];
      warp.exists |= LaneMask{1} << lane;
      warp.codes[lane] = code;
      warp.place[lane] = code->first;
      machine_.run.threads[number * kLanes + lane] = thread;
      machine_.run.by_number[thread->number] = number * kLanes + lane;
    }
    warp.ready = warp.exists;
    if (std::popcount(warp.exists) == 1) refuse_whole(placed);
    std::size_t slots = 0;
    for (unsigned lane = 0; lane < placed.lanes.size(); ++lane) {
      if (warp.codes[lane] != nullptr) slots = std::max(slots, warp.codes[lane]->slots);
    }
    warp.registers.rows.assign(slots, Row{});
    warp.registers.taints.assign(slots, Taint{});
    warp.registers.forms.resize(slots);
    const std::size_t in_cta = static_cast<std::size_t>(
        std::find(placed_.ctas[placed.cta].warps.begin(), placed_.ctas[placed.cta].warps.end(), number) -
        placed_.ctas[placed.cta].warps.begin());
    for_lanes(warp.exists, [&](unsigned lane) { set_constants(warp, placed, lane, in_cta); });
  }

  /// A thread of a litmus test that stands for the 32 lanes of a warp is one lane here: it exchanges nothing.
  void refuse_whole(const PlacedWarp& placed) {
    for (const program::Thread* thread : placed.lanes) {
      if (thread == nullptr || thread->placement.lane) continue;
      for (const program::Instruction& instruction : thread->code()) {
        const isa::Family family = isa::traits(instruction.opcode).family;
        const bool counts = instruction.opcode == isa::Opcode::bar_red &&
                            instruction.modifiers.barrier_red == isa::BarrierRed::popc;
        if (family != isa::Family::exchange && family != isa::Family::matrix && !counts) continue;
        refuse(program_.source, instruction.position,
               fmt::format("`{}` of a thread that stands for a whole warp is not supported by verify yet",
                           instruction.text));
      }
    }
  }

  void set_constants(Warp& warp, const PlacedWarp& placed, unsigned lane, std::size_t in_cta) {
    for (const Constant& constant : warp.codes[lane]->constants) {
      std::uint64_t value = constant.number;
      if (!constant.variable.empty()) {
        value += address_of(constant.variable, placed.cta);
        AddressForms::set_form(warp, constant.slot, lane, machine_.run.places->of(constant.variable));
      }
      if (constant.special) {
        const auto known =
            special_value(*constant.special, placed_, placed, *placed.lanes[lane], lane, in_cta);
        value = known.value_or(0);
        const bool of_machine = !known && *constant.special == isa::Special::of_launch;
        if (!known || may_change(*constant.special))
          warp.taint(constant.slot).set(lane, bit(of_machine ? Source::machine : Source::timing));
      }
      warp.row(constant.slot)[lane] = value;
    }
  }

  /// The address of a variable, as instructions of the CTA have it in its state space.
  Address address_of(const std::string& variable, std::uint32_t cta) const {
    const Memory& memory = *machine_.run.memory;
    const isa::Space space = memory.space_of(variable);
    const bool shared = space == isa::Space::shared || space == isa::Space::shared_cta;
    return Memory::in_cluster(shared ? machine_.run.ctas[cta].rank : 0, memory.offset_of(variable));
  }

  void set_initial() {
    for (const program::RegisterInit& init : program_.register_inits) {
      const auto known = machine_.run.by_number.find(init.thread);
      if (known == machine_.run.by_number.end()) continue;
      Warp& warp = machine_.run.warps[known->second / kLanes];
      const unsigned lane = known->second % kLanes;
      const Code& code = *warp.codes[lane];
      const auto slot = code.registers.find(init.name);
      if (slot == code.registers.end()) continue;  // no instruction reads it
      std::uint64_t value = static_cast<std::uint64_t>(init.value.integer);
      if (!init.value.address_of.empty()) {
        value = address_of(init.value.address_of, warp.cta);
        if (code.widths[slot->second] <= Places::kHalfBits)
          machine_.run.places->fits_half(init.value.address_of);
        const Form form = machine_.run.places->of(init.value.address_of);
        AddressForms::set_form(warp, slot->second, lane,
                               machine_.run.places->narrowed({form, value}, code.widths[slot->second]));
      }
      if (init.may_change) warp.taint(slot->second).set(lane, bit(Source::timing));
      const std::uint16_t width = code.widths[slot->second];
      warp.row(slot->second)[lane] = width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
    }
  }

  /// Initial values of memory that are addresses.
  void set_addresses() {
    for (const program::Variable& variable : program_.variables) {
      for (std::size_t i = 0; i < variable.initial.size() && variable.locations.empty(); ++i) {
        const std::string& named = variable.initial[i].address_of;
        if (named.empty()) continue;
        const Form form = machine_.run.places->of(named);
        const std::uint32_t bytes = machine_.run.memory->element_bytes(variable.name);
        for (const Address begin : machine_.run.memory->all_of(variable.name)) {
          const auto span = machine_.run.memory->span(begin + i * bytes, bytes);
          if (span) machine_.forms.store_form(*span, begin + i * bytes, 0, bytes, form);
        }
      }
    }
  }

  /// An mbarrier object is initialised by mbarrier.init, or by the initial value of its variable.
  void set_objects() {
    for (const program::Variable& variable : program_.variables) {
      const bool shared = variable.space == isa::Space::shared || variable.space == isa::Space::shared_cta;
      const bool words = !variable.type || variable.type->bits == 64;
      if (!shared || !words || !variable.aliases.empty()) continue;
      for (std::size_t i = 0; i < variable.initial.size(); ++i) {
        const std::int64_t count = variable.initial[i].integer;
        if (!rules::is_mbarrier_count(count) || !variable.initial[i].address_of.empty()) continue;
        const std::uint64_t offset = machine_.run.memory->offset_of(variable.name) + i * 8;
        for (std::size_t cta = 0; cta < placed_.ctas.size(); ++cta)
          machine_.mbarriers.initialise(machine_.run.memory->shared(cta) + offset,
                                        static_cast<std::uint32_t>(count));
      }
    }
  }

  const program::Program& program_;
  Machine& machine_;
  Placed placed_;
  std::map<const program::Body*, std::size_t> codes_;
  std::size_t sites_ = 0;
};

}  // namespace

void place_program(const program::Program& program, Machine& machine) {
  Placer(program, machine).run();
}

}  // namespace ptxmc::exec
