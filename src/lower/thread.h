// SPDX-License-Identifier: Apache-2.0
// Symbolic execution of one thread; internal to this folder. The members are spread over files by instruction
// family (execute.cpp): flow.cpp (control flow), spin.cpp, registers.cpp, arithmetic.cpp, memory.cpp, atomics.cpp,
// barrier_events.cpp, warp.cpp, api.cpp (kernels, host calls).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "footprint/matrix.h"
#include "footprint/tensor_map.h"
#include "footprint/tensor_memory.h"
#include "lower/copy_groups.h"
#include "lower/loops.h"
#include "lower/matrix_state.h"
#include "lower/tensor_state.h"
#include "lower/unit.h"

namespace ptxmc::lower {

using footprint::Box;
using footprint::MatrixLayout;
using footprint::MatrixSize;
using footprint::Product;
using footprint::TensorAddress;

class ThreadLowering {
 public:
  ThreadLowering(Unit& unit, event::ThreadId thread);

  /// Appends the thread's events to the graph, its END event last; returns the final registers by name.
  std::map<std::string, Typed> run();

  /// The operation of an instruction that is one; nothing for all others.
  static std::optional<event::Op> arithmetic_of(isa::Opcode opcode, bool is_signed);

 private:
  using Instruction = program::Instruction;
  using Operand = program::Operand;
  using Role = isa::Role;
  using Expr = event::Expr;
  using Width = event::Width;

  /// How often the path has entered a loop, and the guard of the current turn.
  struct Turn {
    std::size_t loop = 0;
    std::uint32_t trip = 1;
    Expr header_guard;
    // For liveness: as the turn began.
    bool entered = false;
    std::vector<Typed> registers;
    std::size_t first_event = 0;
  };
  /// A set of paths that are at one place: they share a guard and registers.
  struct State {
    Expr guard;
    std::vector<Typed> registers;
    std::vector<Turn> turns;  // of the enclosing loops, outer first
    CopyHistory copies;
    MatrixState matrices;
    TensorState tensor;
  };
  /// A place in the unrolled program: (begin, trip) of each enclosing loop, then the instruction. The
  /// lexicographic order of keys is a topological order of the unrolled program.
  using Key = std::vector<std::uint32_t>;

  /// The bytes that one scalar access covers.
  struct Access {
    VariableId name = 0;
    std::vector<event::CellId> cells;  // ascending by address
    std::vector<std::uint32_t> bytes;  // of each cell
    bool is_signed = true;
    Width width = 64;       // of a word: of the value, or of half of a 16-byte value
    std::size_t words = 1;  // 2: 16 bytes
    bool computed = false;  // through an address that is not constant
    Expr address;           // then
  };
  /// How an instruction divides into scalar accesses (8.2.4, 8.2.5; D11).
  struct Shape {
    std::optional<std::uint32_t> bytes;  // of a scalar access; absent: of the variable's element
    std::uint32_t count = 1;             // scalar accesses
  };
  /// One place where an instruction may act, and the scalar accesses there.
  struct Target {
    Expr guard;
    Expr here;  // of a computed address: it names this place
    std::vector<Access> scalars;
  };
  using Words = std::vector<Expr>;  // values of scalar accesses, in address order; two for one of 16 bytes

  struct Cas {
    event::EventId write = event::kNoEvent;
    Expr success;
  };

  // ---- flow.cpp ----
  void resolve_labels();
  Flow flow_of(const Instruction& instruction) const;
  void step(std::size_t at, State state);
  void branch(std::size_t at, State state, Expr condition);
  void go(std::size_t from, std::size_t to, State state, Expr condition);
  std::optional<std::size_t> loop_of_jump(std::size_t from, std::size_t to) const;
  void arrive(std::size_t to, State state, std::optional<std::size_t> again);
  std::uint32_t bound(const Turn& turn, Expr guard) const;
  State merge(std::vector<State> incoming);
  Typed merge(const Typed& a, const Typed& b, Expr take_b);
  Expr branch_condition(const Instruction& instruction, const State& state);
  // ---- execute.cpp: what each opcode does ----
  struct Row;
  struct Execution;
  void execute(const Instruction& instruction, State& state);
  void do_nothing(const Instruction&, State&) {}
  // ---- spin.cpp ----
  bool spin(const Loop& loop, State& state);
  bool spin_once(const Loop& loop, State& state);
  bool polls(const Loop& loop) const;
  bool only_polls(const Loop& loop) const;

  // ---- stuck.cpp ----
  void find_live_registers();
  Expr started();
  void hold(State& state, Expr condition, std::optional<std::size_t> except);
  void stop_before(const Instruction& instruction, State& state);
  void stop_before_end(State& state);
  void stop_here(State& state);
  void block(const Instruction& instruction, State& state, event::EventId arrival, event::EventId wait);
  Expr idle(const Turn& turn, const State& state);
  void repeat_events(std::size_t first, event::Hang& hang);
  event::EventId add_copy(event::EventId e, Expr guard);
  void repeat_idle_turn(std::size_t loop, State& state);

  // ---- registers.cpp ----
  [[noreturn]] void fail(Position position, const std::string& message) const;
  std::size_t register_index(const std::string& name) const { return indices_.at(name); }
  Typed read_register(const State& state, const std::string& name) const;
  Expr read_number(const State& state, const std::string& name, Width width, Position position);
  Expr base_register(const State& state, const program::Address& address, Position position);
  Expr read_predicate(const State& state, const std::string& name, bool negated, Position position);
  Expr operand(const State& state, const Operand& operand, Width width);  ///< any source operand at a width
  Expr predicate_operand(const State& state, const Operand& operand);
  void write_register(State& state, const Instruction& instruction, const Operand& destination, Typed value);
  void write_named(State& state, const Instruction& instruction, const std::string& name, Position position,
                   Typed value);
  Expr predicate(const Instruction& instruction, const State& state);  ///< @p; true without one
  Expr event_guard(const Instruction& instruction,
                   const State& state);  ///< path and predicate; adds decisions
  Width operation_width(const Instruction& instruction) const;
  bool operation_signed(const Instruction& instruction) const;

  // ---- arithmetic.cpp ----
  void move(const Instruction& instruction, State& state);
  void apply(const Instruction& instruction, State& state);
  Expr source(const Instruction& instruction, const State& state, Role role, Width width);
  Expr binary(const Instruction& instruction, event::Op op, Width width, Expr a, Expr b);
  void multiply(const Instruction& instruction, State& state);
  void look_up(const Instruction& instruction, State& state);
  void shift(const Instruction& instruction, State& state);
  void set_predicate(const Instruction& instruction, State& state);
  void select(const Instruction& instruction, State& state);
  void convert(const Instruction& instruction, State& state);

  // ---- access.cpp ----
  Shape shape_of(const Instruction& instruction) const;
  Location base_location(const Operand& operand) const;
  Location located(Expr address, const Operand& operand) const;
  Target target(const Instruction& instruction, const Operand& operand, Location location,
                const Shape& shape);
  std::vector<Target> targets(const Instruction& instruction, const Operand& operand, const State& state);
  std::vector<Target> computed_targets(const Instruction& instruction, const Operand& operand,
                                       const State& state, Expr address, Expr guard);
  Access access(const Instruction& instruction, const Operand& operand, Location location,
                std::uint32_t bytes);
  Block block(const Location& location) const;
  void check_space(const Instruction& instruction, const Location& location, Position position) const;
  bool reachable(const Instruction& instruction, const Location& location) const;
  event::Event access_event(event::EventKind kind, const Instruction& instruction, Expr guard,
                            const Access& access);
  Words add_read(event::Event read, const Access& access, event::EventId& id);
  event::EventId add_write(event::Event write, const Access& access, const Words& words);
  void join_vector(event::EventId first);
  Words choose(const std::vector<Target>& places, const std::vector<Words>& values, const Access& element);

  // ---- memory.cpp ----
  void check_host(const Instruction& instruction) const;
  event::Event new_event(event::EventKind kind, const Instruction& instruction, Expr guard) const;
  void load(const Instruction& instruction, State& state);
  std::optional<Expr> constant_word(const Instruction& instruction, const State& state);
  void store(const Instruction& instruction, State& state);
  void fence(const Instruction& instruction, State& state);

  // ---- addresses.cpp ----
  void convert_address(const Instruction& instruction, State& state);
  std::vector<std::uint32_t> cluster_ctas() const;
  std::uint32_t cta_of_rank(const Instruction& instruction, event::Value rank) const;

  // ---- operands.cpp: values of registers, vectors and pairs, as words ----
  bool whole_vector(const Instruction& instruction) const;
  Access element_of(const Instruction& instruction, const Access& scalar) const;
  Words divided(const Words& words, const Access& whole, const Access& element);
  Words joined(const Words& words, const Access& element, const Access& whole);
  Words stored_words(const Instruction& instruction, const State& state, const Operand& source,
                     const Access& scalar);
  void write_words(State& state, const Instruction& instruction, const Operand& destination,
                   const Words& words, const Access& scalar);
  void move_parts(const Instruction& instruction, State& state);

  // ---- atomics.cpp ----
  void atomic(const Instruction& instruction, State& state);
  Words atomic_at(const Instruction& instruction, State& state, const Target& target, bool only);
  Expr combine(const Instruction& instruction, const Access& access, Expr old, Expr value);

  // ---- barrier_events.cpp ----
  void barrier(const Instruction& instruction, State& state);
  event::Barrier barrier_operands(const Instruction& instruction, const State& state);
  event::Barrier warp_barrier(const Instruction& instruction, const State& state);
  std::optional<Expr> barrier_count(const Instruction& instruction, const State& state);
  void barrier_result(const Instruction& instruction, State& state, event::EventId arrival,
                      event::EventId wait);

  // ---- warp.cpp ----
  Exchange new_exchange(ExchangeKind kind, const Instruction& instruction, const State& state) const;
  std::uint32_t member_mask(const Instruction& instruction, const Operand& mask, const State& state);
  void exchange(ExchangeKind kind, const Instruction& instruction, State& state);
  template <ExchangeKind kind>
  void exchange(const Instruction& instruction, State& state) {
    exchange(kind, instruction, state);
  }
  void exchange_operands(const Instruction& instruction, const State& state, Exchange& exchange);
  void meet(const Instruction& instruction, State& state, Exchange& exchange);
  void write_exchange(const Instruction& instruction, State& state, const ExchangeResult& result);
  void active_mask(const Instruction& instruction, State& state);
  event::ThreadId first_of_warp() const;
  event::Value special_value(const std::string& name) const;

  // ---- divergence.cpp ----
  void note_converged(const Instruction& instruction, Expr guard, std::optional<Expr> taken);

  // ---- cluster.cpp ----
  void cluster_barrier(const Instruction& instruction, State& state);
  void fence_mbarrier_init(const Instruction& instruction, State& state);

  // ---- mbarrier.cpp ----
  /// One object that an mbarrier operand may name.
  struct MbarrierPlace {
    Expr guard;               // of the operation there
    Expr here;                // the operand names it
    event::Value object = 0;  // address
    std::uint32_t owner = 0;  // CTA instance
  };
  std::vector<MbarrierPlace> mbarrier_places(const Instruction& instruction, const Operand& operand,
                                             const State& state);
  std::optional<MbarrierPlace> mbarrier_place(const Instruction& instruction, const Operand& operand,
                                              const Location& location, bool required);
  Expr mbarrier_number(const State& state, const Operand& source, event::Value least, const char* what);
  event::Event mbarrier_event(event::EventKind kind, event::MbarrierOp op, const Instruction& instruction,
                              const MbarrierPlace& place);
  void mbarrier_update(const Instruction& instruction, State& state);
  void mbarrier_arrive(const Instruction& instruction, State& state);
  void mbarrier_wait(const Instruction& instruction, State& state);
  Expr poll(const Instruction& instruction, State& state, const MbarrierPlace& place);
  bool counts_pending() const;
  Expr seen_count(event::EventId arrival);
  void pending_count(const Instruction& instruction, State& state);
  void block_wait(event::Event wait, State& state);

  // ---- async_copies.cpp, async_tiles.cpp, async_stores.cpp, async_groups.cpp ----
  /// Bytes that an asynchronous operation reads or writes at once.
  struct Tile {
    VariableId name = 0;
    Block block;
    Range range;
    std::vector<event::CellId> cells;  // ascending by address
    std::vector<Width> widths;         // of each cell's value
    std::vector<std::int64_t> begins;  // of each cell, from the tile's begin
  };
  struct TileUse {
    isa::Space space = isa::Space::generic;
    std::uint32_t bytes = 0, alignment = 1;
    bool writes = false;
    bool elements = false;  // divided into elements of the instruction's type
  };
  using Cluster = std::vector<std::uint32_t>;  // CTA instances
  Location tile_location(const Operand& operand, const State& state);
  Tile tile(const Instruction& instruction, const Operand& operand, Location location, const TileUse& use);
  event::Event tile_event(event::EventKind kind, const Instruction& instruction, const Tile& tile,
                          event::EventId issue, Expr guard);
  event::EventId add_tile_read(event::Event read, const Tile& tile, Words& words);
  event::EventId add_tile_write(event::Event write, const Tile& tile, const Words& words);
  void link_tiles(const Instruction& instruction, const Tile& from, const Tile& to, std::uint32_t bytes);
  std::uint32_t constant_operand(const State& state, const Operand& operand, const char* what);
  std::uint32_t bulk_size(const State& state, const Operand& operand);
  Cluster destinations(const Instruction& instruction, const State& state, const Location& location);
  event::EventId issue_event(const Instruction& instruction, Expr guard);
  void complete(const Instruction& instruction, State& state, event::EventId issue, const Operand& mbarrier,
                std::uint32_t bytes, std::optional<std::uint32_t> cta,
                const std::vector<event::EventId>& accesses, std::optional<Expr> where = std::nullopt);
  std::string wrong_remote(const Instruction& instruction, std::uint32_t owner, event::EventId access) const;
  void copy_plain(const Instruction& instruction, State& state);
  void check_other_cta(const Instruction& instruction, const Location& place, Expr guard);
  void copy_bulk(const Instruction& instruction, State& state);
  void reduce_bulk(const Instruction& instruction, State& state);
  void prefetch_bulk(const Instruction& instruction, State& state);
  void cancel_launch(const Instruction& instruction, State& state);
  std::vector<event::EventId> reduce_tile(const Instruction& instruction, const Tile& to,
                                          event::EventId issue, Expr guard, const Words& words);
  Words element_words(const Instruction& instruction, const Tile& tile, const Words& cells);
  void commit_group(const Instruction& instruction, State& state);
  void wait_group(const Instruction& instruction, State& state);
  void copy_arrive(const Instruction& instruction, State& state);
  void store_async(const Instruction& instruction, State& state);
  void reduce_async(const Instruction& instruction, State& state);
  void store_bulk(const Instruction& instruction, State& state);

  // ---- tensor_maps.cpp ----
  /// What a copy may find in a tensor map.
  struct MapChoice {
    Expr guard;
    MapFields fields;
  };
  std::pair<std::size_t, event::Value> replaced_field(const Instruction& instruction, const State& state);
  void replace_map_field(const Instruction& instruction, State& state);
  void copy_map(const Instruction& instruction, State& state);
  void fence_maps(const Instruction& instruction, State& state);
  void prefetch_map(const Instruction& instruction, State& state);
  void check_map_size(const Operand& operand, const State& state);
  void add_map_fence(const Instruction& instruction, Expr guard, std::vector<event::CellId> fenced);
  Tile map_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                isa::Space space, bool writes);
  std::vector<MapChoice> read_map(const Instruction& instruction, const Operand& operand, const State& state,
                                  event::EventId issue, std::vector<event::EventId>& accesses, Expr& rest);
  std::vector<MapChoice> map_choices(const Instruction& instruction, const Tile& map, const Words& words,
                                     Expr& rest);
  void misuse_map(const Instruction& instruction, State& state, event::EventId issue,
                  const std::vector<event::EventId>& accesses, Expr invalid);
  /// Bytes are a certain map: as one condition, and as one of conditions on single cells.
  struct MapMatch {
    Expr whole, cells;
  };
  MapMatch holds_map(const Tile& map, const Words& words, const MapFields& fields, event::Value token);

  // ---- tensor_copies.cpp ----
  /// A map that a copy may go through, and the box that it means.
  struct BoxChoice {
    Expr guard;
    MapFields fields;
    Box box;
  };
  std::vector<std::int64_t> tensor_coordinates(const Operand& operand, const State& state);
  std::string box_problem(const MapFields& fields, const Box& box) const;
  std::vector<BoxChoice> boxes(const Instruction& instruction, const Operand& operand, State& state,
                               event::EventId issue, std::vector<event::EventId>& accesses);
  Tile tensor_tile(const Instruction& instruction, const Operand& operand, const BoxChoice& choice,
                   const TileUse& use);
  Tile shared_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                   const BoxChoice& choice, const TileUse& use);
  void copy_tensor(const Instruction& instruction, State& state);
  void load_box(const Instruction& instruction, State& state, event::EventId issue, const BoxChoice& choice,
                const std::vector<event::EventId>& of_map);
  void store_box(const Instruction& instruction, State& state, event::EventId issue, const BoxChoice& choice);
  void reduce_box(const Instruction& instruction, State& state, event::EventId issue,
                  const BoxChoice& choice);
  isa::Type reduced(const Instruction& instruction, const BoxChoice& choice) const;
  void prefetch_tensor(const Instruction& instruction, State& state);

  // ---- matrix.cpp ----
  void need_warp(const Instruction& instruction) const;
  void add_fragment(const State& state, const Operand& operand, int bits, std::vector<Expr>& arguments);
  void write_fragment(State& state, const Instruction& instruction, const Operand& operand, int bits,
                      Expr value);
  void check_sparsity(const Instruction& instruction, const State& state);
  Expr tile_contents(const Tile& tile, const Words& words);
  void product(const Instruction& instruction, State& state);
  void load_matrix(const Instruction& instruction, State& state);
  void store_matrix(const Instruction& instruction, State& state);
  void move_matrix(const Instruction& instruction, State& state);

  // ---- wgmma.cpp ----
  struct SharedMatrix {
    VariableId variable = 0;
    std::int64_t offset = 0;
    MatrixLayout layout;
  };
  struct WgmmaNumbers {
    std::string text;  // imm-scale-a, imm-scale-b
    bool transpose_a = false, transpose_b = false;
  };
  SharedMatrix shared_matrix(const Instruction& instruction, const State& state, const Operand& operand,
                             const MatrixSize& size, bool transposed);
  Expr read_matrix(const Instruction& instruction, const Operand& operand, State& state,
                   const MatrixSize& size, bool transposed, event::EventId issue);
  Expr read_shared_matrix(const Instruction& instruction, const Operand& operand, const State& state,
                          const MatrixSize& size, bool transposed, event::EventId issue, std::uint32_t cta,
                          std::vector<event::EventId>& reads);
  WgmmaNumbers wgmma_numbers(const Instruction& instruction) const;
  void wgmma(const Instruction& instruction, State& state);
  void wgmma_fence(const Instruction& instruction, State& state);
  Expr in_flight(const State& state, const WgmmaUse& use);
  void misuse_register(const Instruction& instruction, const char* name, Expr where);
  void use_registers(const Instruction& instruction, const State& state, const WgmmaUse& use);
  void touch_registers(const Instruction& instruction, State& state);
  void merge_matrices(MatrixState& merged, const MatrixState& next, Expr take_next);

  // ---- tcgen05.cpp, tcgen05_access.cpp, tcgen05_moves.cpp, tcgen05_mma.cpp ----
  /// One way to resolve the addresses in tensor memory of an instruction.
  struct TensorBinding {
    Expr guard;
    Expr here;                             // what tells it from the other ways
    std::vector<TensorAddress> addresses;  // of the operands, in the order asked for
  };
  /// A value of a cell of tensor memory.
  struct TensorValue {
    event::CellId cell = 0;
    Expr value;
  };
  using TensorValues = std::vector<TensorValue>;
  void tensor_allocate(const Instruction& instruction, State& state);
  void tensor_deallocate(const Instruction& instruction, State& state);
  void tensor_relinquish(const Instruction& instruction, State& state);
  void tensor_wait(const Instruction& instruction, State& state);
  void tensor_fence(const Instruction& instruction, State& state);
  void tensor_commit(const Instruction& instruction, State& state);
  std::uint32_t column_count(const State& state, const Operand& operand);
  Expr tensor_operand(const State& state, const Operand& operand);
  std::vector<TensorBinding> bind_tensor(const Instruction& instruction, const State& state,
                                         const std::vector<Expr>& addresses);
  Cluster tensor_ctas(const Instruction& instruction) const;
  event::EventId tensor_issue(const Instruction& instruction, event::TensorOp op, Expr guard);
  Tile tensor_tile(std::uint32_t cta, const TensorRegion& region);
  event::EventId tensor_access(event::EventKind kind, const Instruction& instruction, std::uint32_t cta,
                               const TensorRegion& region, event::EventId issue, Expr guard,
                               const std::function<Expr(event::CellId)>& value, TensorValues* values);
  void join_halves(event::EventId read, event::EventId write);
  void check_region(const Instruction& instruction, std::uint32_t cta, const TensorRegion& region,
                    Expr guard);
  void check_lanes(const Instruction& instruction, TensorAddress at, Expr guard);
  Expr place_in(event::CellId cell, TensorAddress origin);
  Expr register_value(const isa::Tensor& tensor, const TensorValues& values, const TensorRegion& region);
  Expr tensor_contents(const TensorValues& values, TensorAddress origin);
  void tensor_load(const Instruction& instruction, State& state);
  void tensor_store(const Instruction& instruction, State& state);
  void tensor_copy(const Instruction& instruction, State& state);
  void tensor_shift(const Instruction& instruction, State& state);
  void tensor_product(const Instruction& instruction, State& state);
  std::vector<std::uint32_t> lane_mask(const Instruction& instruction, const State& state);
  Product instruction_descriptor(const Instruction& instruction, const State& state);
  void accumulate(const Instruction& instruction, std::uint32_t cta, const TensorRegion& region,
                  event::EventId issue, Expr guard, Expr accumulates, TensorAddress d, Expr result,
                  std::vector<event::EventId>& accesses);

  // ---- api.cpp ----
  void boundary(const char* what, Expr guard, ApiEvents::OfThreads& list);
  void start_of_kernel();
  void end_of_kernel(Expr guard);
  void wait_for_grids(const Instruction& instruction, State& state);
  void api_call(const Instruction& instruction, State& state);
  bool always_executed(std::size_t at) const;
  Expr query_result(const Instruction& instruction, State& state);

  Unit& unit_;
  event::ThreadId thread_;
  const program::Thread& source_;
  const event::ThreadInfo& info_;
  std::map<std::string, std::size_t> labels_;
  std::vector<Flow> flow_;
  CodeLoops loops_;
  std::vector<std::string> names_;              // registers by index
  std::map<std::string, std::size_t> indices_;  // and back
  std::map<std::string, isa::Type> declared_;
  std::vector<bool> spins_;  // per loop: still taken for a pure spin loop
  std::map<Key, std::vector<State>> pending_;
  std::size_t steps_ = 0;
  std::vector<event::EventId> repetitions_;  // second turns of idle ones (liveness only)
  std::vector<std::vector<char>> live_;  // per instruction: which registers are read later (liveness only)
  event::Value stop_points_ = 0;
  std::optional<Cas> last_cas_;
  bool uses_wgmma_ = false;
  std::map<Expr, std::pair<Tile, Words>> fragments_;  // registers that ldmatrix wrote: the matrices
  std::map<Expr, Expr> transposed_;                   // registers that movmatrix wrote: what it transposed
  enum class Polls : std::uint8_t { free, fail, succeed };
  Polls polls_ = Polls::free;  // what an mbarrier wait in a spin loop returns in the turn that is lowered
};

}  // namespace ptxmc::lower
