// SPDX-License-Identifier: Apache-2.0
// The vocabulary of PTX instructions: opcodes and modifiers.
// The table of instruction forms (which modifiers an opcode takes, and their defaults) is ptx/isa/table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/isa/products.h"
#include "ptx/isa/type.h"

namespace ptxmc::isa {

enum class Opcode : std::uint8_t {
  ld,
  st,
  atom,
  red,  // memory; short forms tld/suld/cold/sust/suatom/sured set the proxy
  fence,
  fence_proxy,  // membar is fence.sc (9.7.12.4)
  bar_sync,
  bar_arrive,
  bar_red,  // bar and barrier{.cta}; short form bar.cta.*
  cluster_arrive,
  cluster_wait,         // barrier.cluster (9.7.12.3)
  fence_mbarrier_init,  // fence.mbarrier_init.release.cluster
  mbarrier_init,
  mbarrier_inval,
  mbarrier_expect_tx,
  mbarrier_complete_tx,  // 9.7.12.15
  mbarrier_arrive,
  mbarrier_arrive_drop,
  mbarrier_test_wait,
  mbarrier_try_wait,
  mbarrier_pending_count,
  mbarrier_check_layout,  // PTX ISA 9.3
  mov,
  cvt,
  selp,
  setp,
  cvta,
  mapa,  // addresses (9.7.8.19, 9.7.8.22)
  add,
  sub,
  mul,
  mad,
  div,
  rem,
  min,
  max,
  abs,
  neg,
  and_,
  or_,
  xor_,
  not_,
  lop3,
  shl,
  shr,
  // Bits (9.7.1, 9.7.7)
  addc,
  subc,
  madc,
  mul24,
  mad24,
  sad,
  popc,
  clz,
  bfind,
  fns,
  brev,
  bfe,
  bfi,
  szext,
  bmsk,
  dp4a,
  dp2a,
  cnot,
  shf,
  prmt,
  slct,
  set,
  // Functions of floating numbers, of which nothing is known (9.7.3, 9.7.4)
  fma,
  rcp,
  sqrt,
  rsqrt,
  sin,
  cos,
  lg2,
  ex2,
  tanh,
  testp,
  copysign,
  cvt_pack,
  create_policy,  // createpolicy: an opaque cache policy
  // Addresses
  isspacep,
  getctarank,
  bra,             // also short form goto
  branch_compare,  // short forms beq bne blt bgt ble bge: operands a, b, label
  exit,
  ret,
  trap,
  nop,
  // No effect on what memory and registers hold
  nanosleep,
  prefetch,
  prefetchu,
  applypriority,
  setmaxnreg,
  pmevent,
  brkpt,
  cp_async,
  cp_async_commit,
  cp_async_wait,
  cp_async_wait_all,
  cp_async_arrive,  // asynchronous copies (9.7.8.24)
  cp_async_bulk,
  cp_reduce_async_bulk,
  cp_async_bulk_prefetch,
  cp_async_bulk_tensor,
  cp_reduce_async_bulk_tensor,
  cp_async_bulk_prefetch_tensor,
  tensormap_replace,
  tensormap_cp_fenceproxy,
  prefetch_tensormap,  // tensor maps (9.7.8.25, 9.7.12.15.18, 9.7.8.14)
  st_async,
  red_async,
  st_bulk,        // 9.7.8.12, 9.7.12.7
  launch_cancel,  // clusterlaunchcontrol.try_cancel.async
  cancel_query,   // clusterlaunchcontrol.query_cancel
  discard,        // of cache lines, with what they hold
  multimem_load,
  multimem_store,
  multimem_reduce,  // of all locations of a multimem address (9.7.8.13)
  // Between the lanes of a warp (9.7.8.6, 9.7.12.8 to 9.7.12.14)
  shuffle,
  vote,
  match,
  redux,
  elect,
  active_mask,
  // Matrices (9.7.13, 9.7.14)
  ldmatrix,
  stmatrix,
  movmatrix,
  mma,
  wmma_load,
  wmma_store,
  wmma_mma,
  wgmma_fence,
  wgmma_mma,
  wgmma_commit,
  wgmma_wait,
  // Tensor memory (9.7.16)
  tcgen05_alloc,
  tcgen05_dealloc,
  tcgen05_relinquish,
  tcgen05_ld,
  tcgen05_st,
  tcgen05_wait,
  tcgen05_cp,
  tcgen05_shift,
  tcgen05_mma,
  tcgen05_fence,
  tcgen05_commit,
  griddep_wait,
  griddep_launch,  // griddepcontrol.wait, .launch_dependents (9.7.12.13)
  heap_allocate,
  heap_free,  // calls of malloc and free by device code: no PTX (input/launch/flatten.h)
  local_begin,
  local_end,  // a function that declares a local variable is called, and returns: no PTX, likewise
  api_call,   // a host thread's call of the CUDA API (8.9.4)
};

/// CUDA API calls of host threads (8.9.4, API synchronization).
enum class ApiCall : std::uint8_t {
  none,
  launch_kernel,
  launch_host_function,
  graph_launch,
  event_record,
  stream_wait_event,  // these enqueue a task
  stream_synchronize,
  event_synchronize,
  device_synchronize,
  stream_query,
  event_query,
};

enum class AtomicOp : std::uint8_t {
  none,
  add,
  sub,
  mul,
  div,
  and_,
  or_,
  xor_,
  exch,
  cas,
  inc,
  dec,
  min,
  max
};
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge
};                                                           // lo ls hi hs are lt le gt ge on unsigned types
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };  // combining form of setp
enum class MulHalf : std::uint8_t { none, lo, hi, wide };
enum class Packed : std::uint8_t {
  none,
  f16x2,
  bf16x2,
  u16x2,
  s16x2,
  e4m3x2,
  e5m2x2,
  e4m3x4,
  e5m2x4
};  // numbers of 16 or 8 bits in a register
/// How many they are; 1 of none.
constexpr std::uint8_t parts_of(Packed packed) {
  return packed == Packed::none ? 1 : packed >= Packed::e4m3x4 ? 4 : 2;
}
enum class BarrierRed : std::uint8_t { none, popc, and_, or_ };

/// Words that choose one function among those of a name. In the order in which PTX writes them before the type;
/// the last ones stand behind it, or in the comparison.
enum class Variant : std::uint8_t {
  left,
  right,  // of shf
  clamp,
  wrap,
  shiftamt,
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal,
  approx,
  full,
  rni,
  rzi,
  rmi,
  rpi,
  rn,
  rz,
  rm,
  rp,
  rna,
  rs,
  ftz,
  noftz,
  oob,
  sat,
  relu,
  satfinite,
  not_a_number,  // .NaN
  xorsign,
  abs,
  carry,  // .cc
  f4e,
  b4e,
  rc8,
  ecl,
  ecr,
  rc16,
  level_1,
  level_2,
  evict_last,
  evict_normal,
  evict_first,
  evict_unchanged,  // of caches
  increase,
  decrease,  // of setmaxnreg
  is_canceled,
  first_cta,
  first_cta_x,
  first_cta_y,
  first_cta_z,  // of clusterlaunchcontrol.query_cancel
  fractional,
  range,
  converted,  // of createpolicy
  mask,       // of pmevent
  sum_f32,    // .acc::f32 of multimem.ld_reduce
  sum_f16,    // .acc::f16
  unordered,  // .equ ...: true, too, where one is not a number
  numbers,    // .num
  no_numbers  // .nan
};

/// A set of them.
class Variants {
 public:
  constexpr bool has(Variant variant) const { return (bits_ >> static_cast<unsigned>(variant) & 1U) != 0; }
  constexpr void add(Variant variant) { bits_ |= std::uint64_t{1} << static_cast<unsigned>(variant); }
  friend bool operator==(const Variants&, const Variants&) = default;

 private:
  std::uint64_t bits_ = 0;
};

/// Modes of shfl.sync (9.7.8.6); of vote.sync and match.sync (9.7.12.9, 9.7.12.10).
enum class WarpMode : std::uint8_t { none, up, down, bfly, idx, all, any, uni, ballot };

/// Predefined registers (chapter 10): those whose value the place of a thread gives, and the others.
enum class Special : std::uint8_t {
  lane_id,
  lane_mask_eq,
  lane_mask_le,
  lane_mask_lt,
  lane_mask_ge,
  lane_mask_gt,
  warp_id,
  tid_x,
  ctaid_x,
  cluster_id_x,
  cluster_cta_rank,
  cluster_cta_count,
  explicit_cluster,
  zero,       // .y and .z of places: blocks, grids and clusters have one dimension
  one,        // .y and .z of their sizes
  of_launch,  // one value for all threads of a grid
  of_moment   // it may differ from one read to the next
};

/// What a trap stands for: itself, or where the manual says that a program has no defined behaviour. No PTX has the latter.
enum class TrapCause : std::uint8_t {
  instruction,
  returns,    // a function that is .noreturn returns (11.4.6)
  call,       // a call through a register that holds none of the functions that it may mean (9.7.11.5)
  branch,     // an index that has no label (9.7.11.4)
  assertion,  // __assertfail of CUDA's run-time library
};

/// All modifiers of one instruction after defaults were applied. What an opcode does not use keeps its
/// default here.
struct Modifiers {
  Semantics semantics = Semantics::weak;
  Scope scope = Scope::none;
  Space space = Space::generic;
  Proxy proxy = Proxy::generic;  // of the access, or the kind of a fence.proxy
  std::optional<Type> type;      // absent in short forms: the variable's declared type, else 64 bits signed
  std::optional<Type> source_type;  // cvt
  std::uint8_t vector = 1;          // elements of an ld or st: 1, 2, 4 or 8
  Packed packed = Packed::none;     // of an element of an ld or st; `type` is .b32 then, or .b16
  bool non_coherent = false;        // ld.global.nc
  bool uniform = false;             // ldu: of one address in all lanes of a warp
  bool read_only = false;  // ld.proxy::readonly (PTX ISA 9.4): of what no thread of the kernel writes
  // mbarrier.init.layout::v1 (9.3): of 511 arrivals at most; check_layout: of that layout
  bool small_counts = false;
  bool reports = false;   // mbarrier waits with .phase_type::primary (9.3), which may tell what was reported
  bool mmio = false;      // .mmio of an acquire or a release (9.3); .mmio.relaxed is Semantics::mmio
  bool to_space = false;  // cvta.to: from a generic address
  TrapCause trap = TrapCause::instruction;
  AtomicOp atomic = AtomicOp::none;
  Compare compare = Compare::none;
  BoolOp combine = BoolOp::none;
  MulHalf half = MulHalf::none;
  Variants variants;
  BarrierRed barrier_red = BarrierRed::none;
  bool instance_first = false;  // short form bar.cta.*: the first operand labels the barrier instance
  bool warp = false;            // bar.warp.sync: the operand is the membermask
  ApiCall api = ApiCall::none;
  bool programmatic = false;  // launch_kernel: programmatic dependent launch
  bool parity = false;        // mbarrier.test_wait, try_wait: the operand is the phase's parity, no state
  bool expect_tx = false;     // mbarrier.arrive, arrive_drop
  bool no_complete = false;   // the same
  Space source_space = Space::generic;  // cp.async.*: the source's; `space` is the destination's
  bool cache_global = false;            // cp.async.cg
  bool bulk = false;                    // commit_group, wait_group: of bulk copies
  bool reads_only = false;    // cp.async.bulk.wait_group.read, fence….sync_restrict::shared::cluster::read
  bool multicast = false;     // .multicast::cluster: one more operand, the mask of destination CTAs
  bool wide_mask = false;     // .multicast::cluster::32b (PTX ISA 9.4): of 32 bits
  bool no_increment = false;  // cp.async.mbarrier.arrive.noinc
  bool byte_mask = false;     // .cp_mask: one more operand, which bytes of each 16 are written
  bool ignore_oob = false;  // .ignore_oob: two more operands, how many bytes of either end count for nothing
  WarpMode warp_mode = WarpMode::none;
  std::uint8_t dimensions = 0;          // of a tensor copy: 1 to 5
  LoadMode load_mode = LoadMode::tile;  // the same
  MapField map_field = MapField::none;  // tensormap.replace
  Matrix matrix;
  Tensor tensor;
  bool aligned = true;  // bar.* is barrier.*.aligned; no effect on the model
  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

/// How an instruction is spelt where several spellings mean one thing: for messages alone.
struct Spelling {
  bool membar = false;  // membar, not fence.sc
  bool scope = false;   // it names its scope; else that is the default
};

std::string_view name_of(Packed);  // "f16x2" ...; "" for none
std::string_view name_of(AtomicOp);
std::string_view name_of(Compare);
std::string_view name_of(Variant);   // "rn" ...; "u" of unordered
std::string_view name_of(WarpMode);  // "up" ...; "" for none
std::string_view name_of(MapField);  // "global_address" ...; "" for none
std::string_view name_of(ApiCall);   // "cudaLaunchKernel" ...; "" for none

}  // namespace ptxmc::isa
