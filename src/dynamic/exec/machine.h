// SPDX-License-Identifier: Apache-2.0
// The state of a run, and what each instruction does to it. Lanes are independent threads: those of a warp that stand at
// one place execute together, and a lane that waits holds up no other.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dynamic/exec/both_branch_sides.h"
#include "dynamic/exec/code.h"
#include "dynamic/exec/exit_reads.h"
#include "dynamic/exec/group_steps.h"
#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/matrix_bytes.h"
#include "dynamic/exec/memory.h"
#include "dynamic/exec/operations.h"
#include "dynamic/exec/paths.h"
#include "dynamic/exec/placement.h"
#include "dynamic/exec/rendezvous.h"
#include "dynamic/exec/run.h"
#include "dynamic/exec/terms.h"
#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

/// A hash with a value more.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

/// A loop that has been left as it read what it waits for, and what of its registers decides that.
struct LeftLoop {
  trace::Await await;
  const Code* code = nullptr;
  const Step* read = nullptr;
  unsigned element = 0;
  std::vector<std::uint64_t> inputs;
};

class Machine {
 public:
  Machine(const program::Program& program, trace::Observer* observer,
          std::span<const program::InnerMap> inner_maps);

  void change(const std::vector<Changed>& changes);
  Outcome run(const Options& options);

  // ---- Instructions, by family -------------------------------------------------------------------------------
  void load(Warp&, const Step&, LaneMask);
  void store(Warp&, const Step&, LaneMask);
  void atomic(Warp&, const Step&, LaneMask);
  void wide_atomic(Warp&, const Step&, LaneMask);
  void convert_address(Warp&, const Step&, LaneMask);
  void fence(Warp&, const Step&, LaneMask);
  void proxy_fence(Warp&, const Step&, LaneMask);
  void init_fence(Warp&, const Step&, LaneMask);
  void barrier(Warp&, const Step&, LaneMask);
  void cluster_arrive(Warp&, const Step&, LaneMask);
  void cluster_wait(Warp&, const Step&, LaneMask);
  void exchange(Warp&, const Step&, LaneMask);
  void active_mask(Warp&, const Step&, LaneMask);
  void mbarrier_update(Warp&, const Step&, LaneMask);
  void mbarrier_arrive(Warp&, const Step&, LaneMask);
  void mbarrier_wait(Warp&, const Step&, LaneMask);
  void pending_count(Warp&, const Step&, LaneMask);
  void copy_async(Warp&, const Step&, LaneMask);
  void commit(Warp&, const Step&, LaneMask);
  void wait_group(Warp&, const Step&, LaneMask);
  void copy_arrive(Warp&, const Step&, LaneMask);
  void copy_bulk(Warp&, const Step&, LaneMask);
  void prefetch_bulk(Warp&, const Step&, LaneMask);
  void copy_tensor(Warp&, const Step&, LaneMask);
  void store_async(Warp&, const Step&, LaneMask);
  void multimem(Warp&, const Step&, LaneMask);
  void reduce_async(Warp&, const Step&, LaneMask);
  void fill_bulk(Warp&, const Step&, LaneMask);
  void discard(Warp&, const Step&, LaneMask);
  void allocate(Warp&, const Step&, LaneMask);
  void free_blocks(Warp&, const Step&, LaneMask);
  void apply_priority(Warp&, const Step&, LaneMask);
  bool is_line(Warp&, const Step&, unsigned lane, const trace::Range&);
  void replace_map(Warp&, const Step&, LaneMask);
  void copy_map(Warp&, const Step&, LaneMask);
  void cancel_launch(Warp&, const Step&, LaneMask);
  void query_cancel(Warp&, const Step&, LaneMask);
  void matrix_access(Warp&, const Step&, LaneMask);
  void byte_matrix_access(Warp&, const Step&, LaneMask);
  void fragment_access(Warp&, const Step&, LaneMask);
  void matrix_product(Warp&, const Step&, LaneMask);
  void tensor_product(Warp&, const Step&, LaneMask);
  void tensor_copy(Warp&, const Step&, LaneMask);
  void tensor_shift(Warp&, const Step&, LaneMask);
  void tensor_fence(Warp&, const Step&, LaneMask);
  void tensor_commit(Warp&, const Step&, LaneMask);
  void wait_for_grids(Warp&, const Step&, LaneMask);
  void leave(Warp&, const Step&, LaneMask);
  void trap(Warp&, const Step&, LaneMask);
  void compare_branch(Warp&, const Step&, LaneMask);
  void pass_time(Warp&, const Step&, LaneMask);
  void set_registers(Warp&, const Step&, LaneMask);
  void succeed(Warp&, const Step&, LaneMask);
  void launch_dependents(Warp&, const Step&, LaneMask);
  void nothing(Warp&, const Step&, LaneMask) {}

  // ---- The places of a run -----------------------------------------------------------------------------------
  std::vector<Code> codes_;
  std::vector<const Step*> sites_;
  std::vector<Look> looks_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<Cluster> clusters_;
  std::vector<const program::Thread*> threads_;  // by trace::Thread; null: none
  std::map<int, trace::Thread> by_number_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Places> places_;
  const program::Program& program_;

 private:
  friend class Placer;

  // ---- Scheduling --------------------------------------------------------------------------------------------
  void start();
  void run_tasks(const Options& options);
  End run_task(std::uint32_t task, const Options& options);
  struct Round {
    bool ran = false, alive = false;
    bool some_held = false;  // and might have gone on
    std::optional<End> end;
  };
  Round go_round(const std::vector<Warp*>& warps, const Options& options);
  std::vector<Warp*> order_of(std::vector<Warp*> warps);
  bool is_held(const Warp& warp);
  void go_held(const std::vector<Warp*>& warps);
  void go_plainly();
  void turn(Warp& warp);
  void execute(Warp& warp, const Step& step);
  void branch(Warp& warp, const Step& step, LaneMask taken);
  void regroup(Warp& warp);
  void regroup_at(Warp& warp);
  static void park(Warp& warp);
  LaneMask guarded(Warp& warp, const Step& step);
  void compute(Warp& warp, const Step& step, LaneMask mask);
  void forget(Warp& warp, const Step& step, LaneMask mask);
  void write_opposites(Warp& warp, const Step& step, LaneMask mask);
  std::optional<End> over(const Options& options) const;
  std::uint64_t places_of(std::uint32_t task) const;
  std::uint64_t registers_of(std::uint32_t task) const;
  bool repeats(std::uint32_t task);
  bool all_have_tried(std::uint32_t task) const;
  bool all_have_run(std::uint32_t task, std::uint64_t since) const;
  bool goes_round_by_data(Warp& warp, unsigned lane);
  bool goes_round_surely(Warp& warp, const Step& step, unsigned lane);
  void report_waiting(std::uint32_t task);
  std::string awaited(Warp& warp, unsigned lane);
  UnmetBarrier unmet_barrier(const Warp& warp, unsigned id) const;
  std::optional<UnmetPhase> unmet_phase(Warp& warp, unsigned lane);

  /// The lanes wait; they go on after the instruction.
  void block(Warp& warp, const Step& step, LaneMask lanes, Wait wait);
  void release(Warp& warp, LaneMask lanes);

  // ---- What they share ---------------------------------------------------------------------------------------
  void fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what);
  /// RuleId::mbarrier_misuse
  void misuse(ObjectMisuse misuse, const Step& step, const Warp& warp, unsigned lane, std::string what);
  void address_fault(RuleId kind, const Step& step, const Warp& warp, unsigned lane, std::string what,
                     Sources behind = 0);
  void out_of_bounds(const Step& step, const Warp& warp, unsigned lane, const trace::Range& bytes);
  void decided(const Step& step, Decided what, Sources sources, bool both_ways);
  trace::Lanes lanes(const Warp& warp, LaneMask mask) const { return {warp.number, mask}; }
  static trace::Thread thread(const Warp& warp, unsigned lane) { return warp.number * kLanes + lane; }
  /// The flat addresses of an operand.
  void addresses(Warp& warp, const Step& step, const Place& place, LaneMask mask, Row& out);
  Address address(Warp& warp, const Step& step, const Place& place, unsigned lane);
  void note_rank(const Warp& warp, const Step& step, const Place& place, unsigned lane, Address at);
  /// Where an operand points, and what is wrong with that.
  struct Resolved {
    Address at = 0;
    std::optional<RuleId> wrong = {};
  };
  Resolved resolve(Warp& warp, const Step& step, const Place& place, unsigned lane);
  Resolved in_window(const Warp& warp, const Step& step, const Place& place, Address at) const;
  bool is_of(isa::Space space, const Warp& warp, Address at) const;
  std::uint64_t rank_at(Address flat) const;
  /// Bytes of some lanes.
  struct OrderCache {
    LaneMask lanes = 0;  // whose bytes exist and are aligned; the others are faults
    Address low = 0;
    std::optional<Memory::Span> together;  // from `low` on, where one object holds the bytes of all
  };
  /// `at`: where an instruction accesses so many bytes, which are aligned to themselves.
  OrderCache reach(Warp& warp, const Step& step, LaneMask mask, std::uint32_t bytes, Row& at);
  bool fits(const Step& step, Address at) const;
  bool in_global(Warp& warp, const Step& step, unsigned lane, const trace::Range& range);
  void load_matrices(Warp& warp, const Step& step, LaneMask group, const OrderCache& reached, const Row& at);
  LaneMask store_matrices(Warp& warp, const Step& step, LaneMask group, const OrderCache& reached,
                          const Row& at);
  /// One lane's of them, of which there are so many.
  Memory::Span span_of(const OrderCache& reached, Address at, std::uint32_t bytes) const {
    if (!reached.together) return *memory_->span(at, bytes);
    const Address offset = at - reached.low;
    Memory::Span span = *reached.together;
    span.data += offset;
    span.taint += offset;
    if (span.terms != nullptr) span.terms += offset;
    return span;
  }
  /// Where an element of a store goes.
  struct Stored {
    const Memory::Span& span;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };
  void store_known(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);
  void store_term(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);
  /// An element of the result of multimem.ld_reduce.
  struct ReducedElement {
    Row value{};
    Taint taint;
  };
  using Reduced = std::vector<ReducedElement>;
  LaneMask reach_locations(Warp& warp, const Step& step, LaneMask mask, const Row& at, std::uint32_t bytes);
  // ---- Atomics -----------------------------------------------------------------------------------------------
  struct Updated {
    LaneMask tainted = 0, failed = 0;  // values that are not the same in all schedules; swaps that fail
    bool evaluated = true;
  };
  /// What an atomic finds in memory and leaves there (places.h).
  struct Forms {
    Form before = 0, now = 0;
    bool lost = false;
  };
  Forms swapped_forms(Warp& warp, const Step& step, unsigned lane, const Stored& of, Address at, Slot value);
  Updated update(Warp& warp, const Step& step, LaneMask mask, const Row& at, const OrderCache& reached);
  void observe_swaps(Warp& warp, const Step& step, LaneMask mask, const Row& at, const Updated& done,
                     const trace::Rewrites& rewrites);
  void load_values(Warp& warp, const Step& step, LaneMask mask, const Row& at, const OrderCache& reached,
                   LaneMask by_turns);
  void load_location(Warp& warp, const Step& step, LaneMask mask, const Row& at, bool first, Reduced& result);
  void write_location(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  void observe(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect,
               std::span<const std::uint64_t> written, LaneMask tainted,
               const trace::Polling* polls = nullptr, const trace::Rewrites* rewrites = nullptr);
  /// A result that is written to a register, as wide as that.
  void write(Warp& warp, const Step& step, Slot slot, unsigned lane, std::uint64_t value);
  std::uint64_t read(Warp& warp, const Step& step, isa::Role role, unsigned lane) {
    return warp.row(step.slot(role))[lane];
  }
  bool truth(Warp& warp, const Step& step, isa::Role role, unsigned lane) {
    return ((warp.row(step.slot(role))[lane] & 1U) != 0) != step.is_negated(role);
  }
  Taint taint_of(Warp& warp, const Step& step) const;

  // ---- Forms of addresses (places.h) -------------------------------------------------------------------------
  /// Results in some lanes, before they are written; of a mov that unpacks one a half.
  struct Followed {
    LaneMask lanes = 0, lost = 0;
    std::array<FormRow, 2> forms{};
  };
  void follow(Warp& warp, const Step& step, LaneMask lanes, Followed& out);
  const FormRow* form_kept(const Warp& warp, const Step& step, LaneMask lanes) const;
  void keep_forms(Warp& warp, const Step& step, const Followed& followed);
  static void set_forms(Warp& warp, Slot slot, LaneMask lanes, const FormRow& forms);
  static void set_form(Warp& warp, Slot slot, unsigned lane, Form form);
  static Form form_of(const Warp& warp, Slot slot, unsigned lane);
  void store_form(const Memory::Span& span, Address at, std::uint64_t offset, std::uint32_t bytes, Form form);
  void store_form(Warp& warp, Slot slot, unsigned lane, const Memory::Span& span, Address at,
                  std::uint64_t offset, std::uint32_t bytes);
  Form load_form(const Memory::Span& span, Address at, std::uint64_t offset, std::uint32_t bytes);
  const Places::Bounds* descriptor_bounds(Warp& warp, const Step& step, isa::Role role, unsigned lane);
  FormRow converted_forms(const Warp& warp, const Step& step, Slot source, LaneMask mask);
  void copy_bytes(Address to, Address from, std::uint64_t bytes);
  bool keeps_bounds(Warp& warp, const Step& step, LaneMask mask, const trace::Range& all);
  bool in_object(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base);
  bool in_object(Warp& warp, const Step& step, unsigned lane, const trace::Range& range,
                 const Places::Bounds& bounds);

  // ---- The heap of the device (heap.h) -------------------------------------------------------------------------
  Heap::Block* block_to_free(Warp& warp, const Step& step, unsigned lane);

  // ---- Barriers ----------------------------------------------------------------------------------------------
  void try_complete(std::uint32_t cta, unsigned id);
  void complete(std::uint32_t cta, unsigned id);
  void note_met(std::uint32_t cta, unsigned id, const std::vector<NamedBarrier::Arrived>& all);
  void arrive(Warp& warp, const Step& step, LaneMask mask, std::uint64_t id, std::uint64_t count, bool waits);
  void step_over(Warp& warp);
  void check_aligned(Warp& warp, const Step& step, LaneMask mask);
  void report(const Warp& warp, const Convergence::Problems& problem);
  void check_kinds(const std::vector<NamedBarrier::Arrived>& all, unsigned id);
  void check_places(const std::vector<NamedBarrier::Arrived>& all, unsigned id);
  void try_complete(std::uint32_t cluster);
  std::vector<trace::Lanes> exited_instead(std::uint32_t cta,
                                           const std::map<std::uint32_t, LaneMask>& arrived) const;
  void tell_left(const Warp& warp, const Step& step, LaneMask mask, trace::Phase phase);
  void leave_cluster(Warp& warp, LaneMask mask, trace::Phase phase);
  void end(Warp& warp, LaneMask mask);

  // ---- Both ways of branches (both_branch_sides.h) -------------------------------------------------------------------
  /// Lanes that take a way, and those of them that jump, or execute the access; `aside`: none of the ways that they go.
  struct Taking {
    LaneMask lanes = 0, taken = 0;
    bool aside = false;
    unsigned depth = 0;
  };
  bool go_both_ways(Warp& warp, const Step& step, LaneMask taken);
  bool take_both(Warp& warp, const Step& step, const Taking& taking, std::size_t& left);
  TermRow guard_terms(Warp& warp, const Step& step, LaneMask lanes);
  bool take_way_if(Warp& warp, const Step& step, const Ways& ways, const Taking& taking,
                   const TermRow& guards, std::size_t& left);
  bool take_way(Warp& warp, const Step& step, const Ways& ways, const Taking& taking, std::size_t& left);
  bool step_on_way(Warp& warp, const Step& step, const Ways& ways, const Taking& taking,
                   std::array<trace::Site, kLanes>& at, std::size_t& left);
  bool access_on_way(Warp& warp, const Step& step, LaneMask mask, bool aside);
  LaneMask store_everywhere(Warp& warp, const Step& step, LaneMask mask, bool aside);
  bool store_everywhere_by(Warp& warp, const Step& step, unsigned lane, bool aside);
  bool is_stored_inside(Warp& warp, const Step& step, unsigned lane, std::uint64_t number);
  void note_exit_reads(Warp&, const Step&, LaneMask, const Row& at, trace::Effect);
  void look(const Step& step, LaneMask mask, const Row& at);

  // ---- Lanes of a warp ---------------------------------------------------------------------------------------
  void meet(Warp& warp);
  void exchange_now(Warp& warp, LaneMask group);
  void check_members(Warp& warp, const Step& step, LaneMask group);
  void give(Warp& warp, LaneMask lanes, const Taint& taint);
  void give_all(Warp& warp, LaneMask lanes, const Taint& taint, Term term);
  static Taint common_taint(Warp& warp, LaneMask group, isa::Role role);
  void shuffle(Warp& warp, LaneMask group);
  void elect(Warp& warp, LaneMask group);
  void vote(Warp& warp, LaneMask group);
  void match(Warp& warp, LaneMask group);
  void reduce_lanes(Warp& warp, LaneMask group);
  std::uint64_t extremum_of_lanes(Warp& warp, LaneMask group);
  void whole_warp(Warp& warp, const Step& step, LaneMask group);

  // ---- Warpgroups --------------------------------------------------------------------------------------------
  void warpgroup(Warp& warp, const Step& step, LaneMask group);
  void wait_for_products(Warp& warp, const Step& step, LaneMask group);
  void end_wait_for_products(Warp& warp, const Step& step, LaneMask group);
  bool are_issued(const Warp& warp, std::uint32_t pending) const;
  void retry_products(const Warp& warp);
  bool give_products_up();
  std::uint32_t pending_of(Warp& warp, const Step& step, LaneMask group) {
    return static_cast<std::uint32_t>(
        read(warp, step, isa::Role::count, static_cast<unsigned>(std::countr_zero(group))));
  }
  /// The warps of a warpgroup, which may be partial, and which of them the warp is.
  struct Warpgroup {
    std::span<const std::uint32_t> warps;
    std::size_t member = 0;
  };
  Warpgroup group_of(const Warp& warp) const;
  void execute_together(const Warp& warp, const Step& step);
  void check_warpgroups(std::uint32_t task);
  void check_registers(Warp& warp, const Step& step);
  void register_fault(Warp& warp, const Step& step, const WgmmaRegisters::Problem& problem);
  void warpgroup_product(Warp& warp, const Step& step, LaneMask group);
  void add_matrix(Warp& warp, const Step& step, LaneMask group, isa::Role role,
                  const footprint::MatrixSize& size, bool transposed, std::vector<trace::Range>& out);

  // ---- Tensor memory (9.7.16) ----------------------------------------------------------------------------------
  void tensor_collective(Warp& warp, const Step& step, LaneMask group);
  bool meets_peer(Warp& warp, const Step& step, LaneMask group);
  void tensor_manage(Warp& warp, const Step& step, LaneMask group);
  void tensor_allocate(Warp& warp, const Step& step, LaneMask group);
  void tensor_deallocate(Warp& warp, const Step& step, LaneMask group);
  void retry_allocations(std::uint32_t cta);
  void tensor_move(Warp& warp, const Step& step, LaneMask group);
  bool reach_lanes(const Warp& warp, footprint::TensorAddress& at) const;
  void note_allocator(const Warp& warp, const Step& step);
  void check_group(Warp& warp, const Step& step, unsigned lane);
  std::optional<std::int64_t> column_count(Warp& warp, const Step& step, unsigned lane);
  void check_leak(Warp& warp);
  std::optional<footprint::Product> product_of(Warp& warp, const Step& step, unsigned lane);
  std::vector<std::uint32_t> tensor_ctas(Warp& warp, const Step& step, unsigned lane);
  footprint::TensorAddress tensor_address(Warp& warp, const Step& step, isa::Role role, unsigned lane);
  void add_region(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                  const footprint::TensorRegion& region, std::vector<trace::Range>& out);
  void add_shared_matrix(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta, isa::Role role,
                         const footprint::MatrixSize& size, bool transposed);
  void add_multiplicands(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                         const footprint::Product& product);
  void issue_tensor(Warp& warp, const Step& step, const TensorUse& use);
  void arrive_behind_tensor(Warp& warp, const Step& step, unsigned lane, Address at);

  // ---- mbarriers and copies ----------------------------------------------------------------------------------
  Mbarrier* object(Warp& warp, const Step& step, Address at, unsigned lane);
  void note_try(Warp& warp, const Step& step, unsigned lane, bool succeeded) const;
  void try_complete(Address at, Mbarrier& object);
  void check_waited(Warp& warp, const Step& step, unsigned lane, Address at, const Mbarrier& object);
  bool is_late(const Completion& completion);
  bool slips(Address at, const Mbarrier& object);
  bool complete_late(std::optional<Address> at = std::nullopt);
  void give_token(Warp& warp, const Step& step, const trace::Wait& look, LaneMask ready);
  bool has_skipped(Warp& warp, const trace::Wait& wait);
  static void pass_tokens(Warp& warp, const Step& step, LaneMask mask);
  bool avoids_trap(const Warp& warp, const Step& step, LaneMask taken);
  LaneMask wait_by_token(Warp& warp, const Step& step, LaneMask taken);
  void rest_on_guard(Warp& warp, const Step& step, LaneMask lanes);
  void count_bytes(Warp& warp, const Step& step, unsigned lane, Address at, Mbarrier& object,
                   std::int64_t by);
  void reduce_bytes(const Step& step, const trace::Range& from, const trace::Range& to);
  bool ignore_ends(Warp& warp, const Step& step, unsigned lane, trace::Range& from, trace::Range& to);
  void keep_masked(Warp& warp, const Step& step, unsigned lane, BulkMove& move);
  void move_bulk(Warp& warp, const Step& step, unsigned lane, const BulkMove& move);
  void move_once(Warp& warp, const Step& step, unsigned lane, const BulkMove& move);
  std::vector<std::uint32_t> destinations(Warp& warp, const Step& step, unsigned lane);
  Address in_cta(Address at, std::uint32_t cta) const;
  Address signalled_by(Address object, std::uint32_t cta, bool pair) const;
  void move_box(Warp& warp, const Step& step, unsigned lane, const footprint::MapFields& map,
                const std::vector<std::int64_t>& coordinates);
  bool in_memory(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base = kNoSlot);
  bool writable(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base = kNoSlot);
  void check_own(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  void check_remote(Warp& warp, const Step& step, unsigned lane, Address at, Address object);
  void tell_weak(const Warp& warp, const Step& step, LaneMask lanes, trace::Effect effect,
                 std::uint64_t bytes, const Row& begin);
  trace::Operation operation(const Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking,
                             Address object) const;
  void issue(Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking, Address object,
             std::span<const trace::Range> reads, std::span<const trace::Range> writes,
             std::span<const trace::Signal> signals = {});
  void signal(Warp& warp, const Step& step, unsigned lane, Address at, std::uint64_t bytes);
  std::optional<footprint::MapFields> map_of_copy(Warp& warp, const Step& step, unsigned lane);
  void read_map(Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking, Address object,
                std::span<const trace::Signal> signals);
  void set_bytes(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, std::uint8_t byte,
                 Sources sources);

  // ---- Clusters whose launch may be cancelled -----------------------------------------------------------------
  void hold_clusters(std::uint32_t task);
  void set_ready(std::uint32_t cluster, bool ready);
  bool start_held_cluster();
  std::optional<std::uint32_t> cancel_held_cluster();
  std::uint64_t coordinate_of(std::uint32_t cta, char axis);

  // ---- Turns at contended locations --------------------------------------------------------------------------
  /// What a location held before a turn there; `known`: no other lane had its turn with this one.
  struct Content {
    std::uint64_t value = 0;
    Sources sources = 0;
    bool known = false;
  };
  LaneMask take_turns(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  void note_turn(Warp& warp, const Step& step, unsigned lane, Address at, std::size_t passes,
                 std::size_t before);
  void note_place(Warp& warp, const Step& step, unsigned lane, const Content& found);
  bool give_turns_up();
  void exit_from_barriers(const Warp& warp, LaneMask mask);
  Awaited awaited_by(Warp& warp, unsigned lane);
  bool only_executes_behind_turns(trace::Thread wanted);
  void let_turns_go_on();
  bool follows(Address at) const { return !turns_.at.empty() && turns_.at.contains(at); }
  bool includes_all(isa::Scope scope) const;
  LaneMask followed(LaneMask mask, const Row& at) const;
  LaneMask without_choice(const Step& step, LaneMask mask, const Row& at) const;
  LaneMask takes_one_value(const Step& step, LaneMask mask, const Row& at) const;
  Sources order_of(LaneMask mask, const Row& at) const;
  void compare(unsigned lane, Sources compared, LaneMask failed);
  void count(Warp& warp, const Step& step, unsigned lane, std::uint64_t old, Sources sources);
  void compare_counted(Warp& warp, const Step& step, LaneMask mask);
  LaneMask blind(LaneMask mask, const Row& at) const;
  Content content_of(const Step& step, Address at) const;
  const Content& content_before(std::size_t read) const;
  std::size_t passes(unsigned lane) const {
    return turn_of_[lane] < outcome_.turns.size() ? outcome_.turns[turn_of_[lane]].passes : 0;
  }
  void load_older(Warp& warp, const Step& step, LaneMask mask);

  // ---- Loops that poll memory --------------------------------------------------------------------------------
  static trace::Polling polling(Warp& warp, const Step& step, LaneMask mask);
  void poll(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect, LaneMask left);
  void poll_once(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns);
  void decided_by_inputs(Warp& warp, const Step& step, LaneMask mask);
  static void wait_on(Warp& warp, const Step& step, LaneMask mask, std::uint64_t since);
  static void leave_loop(Warp& warp, const Step& step, LaneMask mask);
  static void end_turns(Warp& warp, const std::vector<Slot>& left_behind, LaneMask mask);
  void note_poll(NamedBarrier& barrier, Warp& warp, const Step& step, unsigned lane, bool holds);
  bool told_by_one(NamedBarrier& barrier, const std::vector<NamedBarrier::Arrived>& all);
  LaneMask polling_lanes(const Warp& warp, LaneMask group) const;
  static bool add_nothing(Warp& warp, LaneMask group, LaneMask polling);
  void told_by_lanes(Warp& warp, LaneMask group);
  LaneMask finds_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at, const OrderCache& reached);
  static Sources tried_with(Warp& warp, const Step& step, unsigned lane);
  bool goes_round(Warp& warp, const Step& step, unsigned lane, std::uint64_t found);
  void find_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at, const OrderCache& reached);
  static LaneMask leading_out(Warp& warp, const Step& step);
  void control(Warp& warp, const Step& step, LaneMask taken);
  void decided_by_open_reads(Warp& warp, const Step& step, LaneMask mask);
  void open_registers();
  std::uint64_t number_of_copy(std::span<const trace::Range> reads, std::span<const trace::Range> writes);
  void note_left(Warp& warp, const Step& step, unsigned lane, Address at, trace::Effect effect,
                 unsigned element);
  void compare_with_awaited(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  void compare_with(const LeftLoop& loop, trace::Site by, trace::Thread thread, Address at);

  trace::Observer* observer_ = nullptr;
  std::vector<PlacedTask> tasks_;
  Outcome outcome_;
  std::vector<std::uint32_t> held_;  // clusters of the task that have not started
  std::map<std::pair<RuleId, trace::Site>, std::size_t> fault_of_;
  std::map<std::pair<trace::Site, Decided>, Decision> decisions_;
  std::unordered_map<Address, Mbarrier> mbarriers_;
  std::uint32_t objects_ = 0;                                              // that there were
  std::map<std::pair<RuleId, const Step*>, const Step*> register_faults_;  // by the product; where
  std::unordered_map<std::uint32_t, GroupSteps> group_steps_;              // by the first warp
  MatrixFootprints matrices_;
  std::unordered_map<Address, std::uint32_t>
      given_;  // counts of objects that initial values make, until they are used
  bool waits_fail_ = false, first_fence_is_free_ = false, one_place_ = false, counting_ = true;
  Turns turns_;
  std::map<Address, std::uint8_t> ordered_;  // Options::ordered
  std::set<Address> one_value_;              // Options::one_value
  Schedule schedule_;
  unsigned elected_ = 0;                      // Options::elected
  std::uint32_t length_ = ~std::uint32_t{0};  // of a turn
  unsigned held_rounds_ = 0;                  // while warps are held, without a change
  bool until_change_ = false;                 // it ends when something has changed
  std::vector<Completion> late_;              // that have not arrived yet
  std::mt19937_64 random_;
  std::size_t next_turn_ = 0;  // the number of the next one in Turns::first
  ExitReads exit_reads_;
  std::optional<bool>
      relaxed_arrivals_;  // some warp arrives so at the barrier of its cluster; nothing: not looked for yet
  std::optional<Kept> kept_;
  std::map<std::uint32_t, LaneMask> turn_later_;  // lanes that wait for their turns, by warp
  bool keeps_older_ = false;                      // some turn passes others
  std::vector<Content> before_turn_;              // by turn, while that is so
  std::array<std::size_t, kLanes> turn_of_{};     // of those that have one now: its number in Outcome::turns
  std::unordered_map<Address, std::vector<LeftLoop>> left_loops_;
  std::uint64_t changes_ = 0;  // of memory and of what threads wait for
  std::uint64_t warp_steps_ = 0, lane_steps_ = 0;
  std::uint64_t stamp_ = 0;
  /// Copies that one step of a warp has issued.
  struct Copies {
    std::uint64_t step = 0, issued = 0;
    std::vector<std::pair<std::vector<trace::Range>, std::vector<trace::Range>>>
        made;  // from where, and to where
  };
  Copies copies_;
  struct Seen {
    std::uint64_t places = 0, registers = 0, changes = 0, stamp = 0;
  };
  std::uint64_t local_state_ = 0;  // of local memory, a hash: it is like registers
  std::optional<Seen> seen_;       // to find that nothing changes any more
  std::uint64_t idle_rounds_ = 0;
  std::array<std::uint64_t, std::size_t{kLanes} * 16> written_{};
  Partings partings_;
  std::unique_ptr<BothWays> both_ways_;  // null: none is taken but the one that is gone
  std::unique_ptr<KnownBits> known_;     // null: they are not followed
  std::array<std::uint64_t, std::size_t{kLanes} * 16> stored_known_{};  // as written_
  Followed followed_;
  std::unique_ptr<Terms> terms_;                               // null: they are not followed
  std::unique_ptr<WayPaths> paths_;                            // the same
  std::array<Term, std::size_t{kLanes} * 16> stored_terms_{};  // as written_
};

}  // namespace ptxmc::exec
