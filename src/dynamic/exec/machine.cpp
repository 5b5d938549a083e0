// SPDX-License-Identifier: Apache-2.0
// A run from its program: warps with their registers, memory, and the first values.
#include "dynamic/exec/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/placement.h"
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

}  // namespace

/// Fills a machine with what runs.
class Placer {
 public:
  Placer(const program::Program& program, Machine& machine)
      : program_(program), machine_(machine), placed_(place(program)) {}

  void run() {
    machine_.memory_ = std::make_unique<Memory>(program_, placed_.ctas.size(), placed_.warps.size() * kLanes);
    declare_objects();
    decode_bodies();
    machine_.clusters_.resize(placed_.clusters.size());
    for (std::size_t i = 0; i < placed_.clusters.size(); ++i)
      machine_.clusters_[i].ctas = placed_.clusters[i];
    for (const PlacedCta& cta : placed_.ctas) {
      Cta& added = machine_.ctas_.emplace_back();
      added.cluster = cta.cluster;
      added.gpu = cta.gpu;
      added.task = cta.task;
      added.rank = cta.rank;
      added.warps = cta.warps;
      for (const auto& [column, columns] : machine_.memory_->declared_columns())
        added.tensor.declare(column, columns);
    }
    machine_.threads_.resize(placed_.warps.size() * kLanes);
    for (std::size_t i = 0; i < placed_.warps.size(); ++i) add_warp(static_cast<std::uint32_t>(i));
    set_initial();
    set_addresses();
    set_objects();
    machine_.tasks_ = std::move(placed_.tasks);
  }

 private:
  void declare_objects() {
    machine_.places_ = std::make_unique<Places>();
    for (const program::Variable& variable : program_.variables) {
      if (const auto object = machine_.memory_->object_of(variable.name))
        machine_.places_->declare(variable.name, *object);
    }
  }

  /// One code a body; threads of one warp run the same.
  void decode_bodies() {
    for (const program::Thread& thread : program_.threads) {
      if (codes_.contains(thread.body.get())) continue;
      codes_.emplace(thread.body.get(), machine_.codes_.size());
      machine_.codes_.push_back(decode(program_, thread.body, static_cast<trace::Site>(sites_)));
      sites_ += machine_.codes_.back().steps.size();
    }
    for (const Code& code : machine_.codes_) {
      for (const Step& step : code.steps) machine_.sites_.push_back(&step);
    }
  }

  void add_warp(std::uint32_t number) {
    const PlacedWarp& placed = placed_.warps[number];
    Warp& warp = machine_.warps_.emplace_back();
    warp.number = number;
    warp.cta = placed.cta;
    warp.task = placed_.ctas[placed.cta].task;
    for (unsigned lane = 0; lane < placed.lanes.size(); ++lane) {
      const program::Thread* thread = placed.lanes[lane];
      if (thread == nullptr) continue;
      const Code* code = &machine_.codes_[codes_.at(thread->body.get())];
      warp.exists |= LaneMask{1} << lane;
      warp.codes[lane] = code;
      warp.place[lane] = code->first;
      machine_.threads_[number * kLanes + lane] = thread;
      machine_.by_number_[thread->number] = number * kLanes + lane;
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
        machine_.set_form(warp, constant.slot, lane, machine_.places_->of(constant.variable));
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
    const Memory& memory = *machine_.memory_;
    const isa::Space space = memory.space_of(variable);
    const bool shared = space == isa::Space::shared || space == isa::Space::shared_cta;
    return Memory::in_cluster(shared ? machine_.ctas_[cta].rank : 0, memory.offset_of(variable));
  }

  void set_initial() {
    for (const program::RegisterInit& init : program_.register_inits) {
      const auto known = machine_.by_number_.find(init.thread);
      if (known == machine_.by_number_.end()) continue;
      Warp& warp = machine_.warps_[known->second / kLanes];
      const unsigned lane = known->second % kLanes;
      const Code& code = *warp.codes[lane];
      const auto slot = code.registers.find(init.name);
      if (slot == code.registers.end()) continue;  // no instruction reads it
      std::uint64_t value = static_cast<std::uint64_t>(init.value.integer);
      if (!init.value.address_of.empty()) {
        value = address_of(init.value.address_of, warp.cta);
        const Form form = machine_.places_->of(init.value.address_of);
        machine_.set_form(warp, slot->second, lane,
                          machine_.places_->narrowed({form, value}, code.widths[slot->second]));
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
        const Form form = machine_.places_->of(named);
        const std::uint32_t bytes = machine_.memory_->element_bytes(variable.name);
        for (const Address begin : machine_.memory_->all_of(variable.name)) {
          const auto span = machine_.memory_->span(begin + i * bytes, bytes);
          if (span) machine_.store_form(*span, begin + i * bytes, 0, bytes, form);
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
        constexpr std::int64_t kLargestCount = (1 << 20) - 1;  // R192
        if (count < 1 || count > kLargestCount || !variable.initial[i].address_of.empty()) continue;
        const std::uint64_t offset = machine_.memory_->offset_of(variable.name) + i * 8;
        for (std::size_t cta = 0; cta < placed_.ctas.size(); ++cta)
          machine_.given_[machine_.memory_->shared(cta) + offset] = static_cast<std::uint32_t>(count);
      }
    }
  }

  const program::Program& program_;
  Machine& machine_;
  Placed placed_;
  std::map<const program::Body*, std::size_t> codes_;
  std::size_t sites_ = 0;
};

Machine::Machine(const program::Program& program, trace::Observer* observer,
                 std::span<const program::InnerMap> inner_maps)
    : program_(program), observer_(observer) {
  Placer(program, *this).run();
  for (const program::InnerMap& inner : inner_maps) memory_->add_map(inner);
}

// ---- What instructions share ----------------------------------------------------------------------------------

void Machine::fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what) {
  const auto [known, fresh] = fault_of_.try_emplace({kind, step.site}, outcome_.faults.size());
  if (fresh) {
    outcome_.faults.push_back({kind, step.site, thread(warp, lane), std::move(what)});
  } else {
    ++outcome_.faults[known->second].instances;
  }
}

void Machine::misuse(ObjectMisuse misuse, const Step& step, const Warp& warp, unsigned lane,
                     std::string what) {
  constexpr RuleId kRule = RuleId::mbarrier_misuse;
  fault(kRule, step, warp, lane, std::move(what));
  Fault& known = outcome_.faults[fault_of_.at({kRule, step.site})];
  if (known.misuse == ObjectMisuse::none) known.misuse = misuse;
}

/// The address of an access is wrong, or what is there; `behind`: what that rests on.
void Machine::address_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what,
                            Sources behind) {
  fault(kind, step, warp, lane, std::move(what));
  std::vector<Slot> slots = step.coordinates;
  slots.insert(slots.end(), {step.address.base, step.source.base, step.tensor.base, step.guard});
  const bool guided = (warp.guided >> lane & 1U) != 0;
  const bool guessed =
      guided || (behind & bit(Source::data)) != 0 || std::any_of(slots.begin(), slots.end(), [&](Slot slot) {
        return slot != kNoSlot && (warp.registers.taints[slot].of(lane) & bit(Source::data)) != 0;
      });
  Fault& fault = outcome_.faults[fault_of_.at({kind, step.site})];
  fault.guessed = guessed && (fault.instances == 1 || fault.guessed);
}

void Machine::out_of_bounds(const Step& step, const Warp& warp, unsigned lane, const trace::Range& bytes) {
  const Heap::Block* const block =
      Memory::is_heap(bytes.begin) ? memory_->heap().block_before(bytes.begin) : nullptr;
  address_fault(RuleId::out_of_bounds, step, warp, lane,
                fmt::format("{} bytes at {}{}", bytes.bytes, memory_->name_at(bytes.begin),
                            block != nullptr && block->freed ? ", which was freed" : ""));
  Fault& fault = outcome_.faults[fault_of_.at({RuleId::out_of_bounds, step.site})];
  const auto last = memory_->ended_before(bytes.begin + bytes.bytes - 1);
  if (!last || (!fault.object.empty() && fault.object != last->name)) return;
  fault.object = last->name;
  fault.bytes = last->bytes;
  fault.enough = std::max(fault.enough, last->offset + 1);
}

void Machine::decided(const Step& step, Decided what, Sources sources, bool both_ways) {
  Decision& decision = decisions_[{step.site, what}];
  decision.site = step.site;
  decision.what = what;
  decision.sources |= as_said(sources);
  decision.both_ways |= both_ways;
}

void Machine::write(Warp& warp, const Step& step, Slot slot, unsigned lane, std::uint64_t value) {
  if (slot == kNoSlot) return;
  const std::uint16_t width = warp.codes[lane]->widths[slot];
  const isa::Modifiers& m = step.modifiers();
  const bool is_signed = m.type ? m.type->is_signed() : true;
  const std::uint16_t from = m.type ? m.type->bits : 64;
  if (is_signed && from < 64 && from < width)
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << (64U - from)) >> (64U - from));
  warp.row(slot)[lane] = width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

Taint Machine::taint_of(Warp& warp, const Step& step) const {
  Taint all;
  for (std::size_t i = 0; i < step.source_count; ++i) all |= warp.taint(step.sources[i]);
  for (const isa::Role role : {isa::Role::predicate, isa::Role::state}) {
    if (step.has(role)) all |= warp.taint(step.slot(role));
  }
  if (step.guard != kNoSlot) all |= warp.taint(step.guard);
  return all;
}

/// An operand as a flat address: offsets in windows are told apart by the state space (memory.h).
Machine::Resolved Machine::resolve(Warp& warp, const Step& step, const Place& place, unsigned lane) {
  const Address at = (warp.row(place.base)[lane] + static_cast<Address>(place.offset)) & place.wraps;
  switch (place.space) {
    case isa::Space::shared:
    case isa::Space::shared_cta:
    case isa::Space::shared_cluster:
      return in_window(warp, step, place, at);
    case isa::Space::local:
      if (Memory::is_flat(at)) return {Memory::kNowhere | at};
      return {memory_->local(thread(warp, lane)) + Memory::in_window(at)};
    default:
      break;
  }
  // A variable of shared or local memory, by its name: an offset.
  if (!place.names_variable || Memory::is_flat(at)) return {at};
  return {place.of_local ? memory_->local(thread(warp, lane)) + at
                         : memory_->shared(warp.cta) + Memory::in_window(at)};
}

/// Without ::cluster it is the window of the executing CTA (5.1.7).
Machine::Resolved Machine::in_window(const Warp& warp, const Step& step, const Place& place,
                                     Address at) const {
  const Cta& cta = ctas_[warp.cta];
  if (Memory::is_flat(at)) {
    if (!Memory::is_shared(at)) return {Memory::kNowhere | at};
    // Hardware takes the low bits of this one.
    if (step.instruction->opcode == isa::Opcode::tcgen05_alloc)
      return {memory_->shared(warp.cta) + Memory::in_window(at), RuleId::generic_address};
    return {at, RuleId::wrong_space};
  }
  const std::uint64_t rank = at >> Memory::kWindowBits;
  const std::vector<std::uint32_t>& members = clusters_[cta.cluster].ctas;
  if (rank >= members.size()) return {Memory::kNowhere | at};
  const bool own = rank == cta.rank || place.space == isa::Space::shared_cluster;
  return {memory_->shared(members[rank]) + Memory::in_window(at),
          own ? std::nullopt : std::optional(RuleId::wrong_space)};
}

/// What is wrong with it is said, and the run goes on where it points.
Address Machine::address(Warp& warp, const Step& step, const Place& place, unsigned lane) {
  const Resolved out = resolve(warp, step, place, lane);
  if (!out.wrong) {
    note_rank(warp, step, place, lane, out.at);
    return out.at;
  }
  const bool foreign = Memory::cta_of(out.at) != warp.cta;
  address_fault(
      *out.wrong, step, warp, lane,
      fmt::format("{}, {}", memory_->name_at(out.at),
                  foreign
                      ? "in the window of another CTA: an operand without ::cluster is of the executing one"
                      : "by a generic address, where the operand is one of .shared"));
  return out.at;
}

/// An address of another CTA that mapa did not make: its number is in bits that the manual does not give.
void Machine::note_rank(const Warp& warp, const Step& step, const Place& place, unsigned lane, Address at) {
  if (!Memory::is_shared(at)) return;
  const Places::Bounds* const bounds = places_->bounds(form_of(warp, place.base, lane));
  if (bounds != nullptr && rank_at(at) != bounds->rank.value_or(ctas_[warp.cta].rank))
    outcome_.ranks.insert(step.site);
}

void Machine::addresses(Warp& warp, const Step& step, const Place& place, LaneMask mask, Row& out) {
  const bool plain = place.space == isa::Space::global || place.space == isa::Space::const_ ||
                     (place.space == isa::Space::generic && !place.names_variable);
  const Row& base = warp.row(place.base);
  const auto offset = static_cast<Address>(place.offset);
  if (plain) {
    for_lanes(mask, [&](unsigned l) { out[l] = (base[l] + offset) & place.wraps; });
    if (place.space == isa::Space::generic && clusters_[ctas_[warp.cta].cluster].ctas.size() > 1)
      for_lanes(mask, [&](unsigned l) { note_rank(warp, step, place, l, out[l]); });
  } else if (place.space == isa::Space::shared || place.space == isa::Space::shared_cta) {
    const Address window = memory_->shared(warp.cta), own = Memory::in_cluster(ctas_[warp.cta].rank, 0);
    for_lanes(mask, [&](unsigned l) {
      const Address at = (base[l] + offset) & place.wraps, in_own = at ^ own;
      out[l] = in_own >> Memory::kWindowBits == 0 ? window + in_own : address(warp, step, place, l);
    });
  } else {
    for_lanes(mask, [&](unsigned l) { out[l] = address(warp, step, place, l); });
  }
  if (const Sources sources = warp.taint(place.base).within(mask); sources != 0)
    decided(step, Decided::address, sources, false);
}

}  // namespace ptxmc::exec
