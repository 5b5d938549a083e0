// SPDX-License-Identifier: Apache-2.0
// Sketch: a litmus test before it is text. Locations are numbers, and each write of a location has a number of its own, so
// that what a read returned says which write it read from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/isa.h"

namespace ptxmc::generate {

/// What orders an operation, and for whom. Weak operations have no scope.
struct Order {
  isa::Semantics semantics = isa::Semantics::weak;
  isa::Scope scope = isa::Scope::none;
  friend auto operator<=>(const Order&, const Order&) = default;
};
/// "release.gpu", "weak".
std::string print(const Order& order);

enum class Kind : std::uint8_t {
  load,
  store,
  exchange,       ///< atom.exch: reads and writes
  reduction,      ///< atom.exch with the destination `_`: no thread sees what it reads (D18)
  fence,          ///< fence.sc, acq_rel, acquire, release
  fence_sc,       ///< fence.sc, where it is not taken for a stronger fence.acq_rel
  fence_acq_rel,  ///< the others, likewise
  proxy,          ///< fence.proxy.* and others that have no order: `word` is the instruction
  wait,           ///< for the asynchronous accesses of the thread before it: `word` is the instruction
  barrier,  ///< an end of a synchronization between two threads: `word` says of which kind, `value` which one
  result,   ///< what the operation `source` made of its operand is loaded from tensor memory
};
constexpr bool reads(Kind kind) {
  return kind == Kind::load || kind == Kind::exchange;
}
constexpr bool writes(Kind kind) {
  return kind == Kind::store || kind == Kind::exchange || kind == Kind::reduction;
}
constexpr bool fences(Kind kind) {
  return kind == Kind::fence || kind == Kind::fence_sc || kind == Kind::fence_acq_rel;
}
constexpr bool atomic(Kind kind) {
  return kind == Kind::exchange || kind == Kind::reduction;
}
constexpr bool accesses(Kind kind) {
  return reads(kind) || writes(kind);
}

enum class Dependency : std::uint8_t { none, data, address, control };

/// What makes an access.
enum class AccessKind : std::uint8_t {
  plain,       ///< ld, st, atom
  bulk,        ///< cp.async.bulk that completes at an mbarrier object
  bulk_group,  ///< cp.async.bulk of a bulk group
  cp_async,    ///< cp.async
  multicast,   ///< cp.async.bulk to the shared memory of another CTA of the cluster, where it completes
  tensor,  ///< tcgen05.ld, tcgen05.st: of a location in tensor memory, as are the next ones, and all others of it
  mma,          ///< tcgen05.mma
  tensor_copy,  ///< tcgen05.cp
  mma_a,        ///< a read of operand A by tcgen05.mma
  mma_b,        ///< of operand B
  copy_source,  ///< a read by tcgen05.cp
  wgmma,        ///< a read of operand B by wgmma.mma_async
  wgmma_a,      ///< a read by ld into registers that are operand A of wgmma.mma_async
};
/// What it writes is an unknown function of its operands (9.7.16.9, 9.7.16.10).
constexpr bool opaque(AccessKind access_kind) {
  return access_kind == AccessKind::mma || access_kind == AccessKind::tensor_copy;
}
constexpr bool in_tensor(AccessKind access_kind) {
  return access_kind == AccessKind::tensor || opaque(access_kind);
}
/// What it reads shows in a product alone, of it and of other operands.
constexpr bool multiplies(AccessKind access_kind) {
  return access_kind >= AccessKind::mma_a;
}
constexpr bool by_wgmma(AccessKind access_kind) {
  return access_kind == AccessKind::wgmma || access_kind == AccessKind::wgmma_a;
}
/// The matrix that it reads is in shared memory.
constexpr bool of_matrix(AccessKind access_kind) {
  return multiplies(access_kind) && access_kind != AccessKind::wgmma_a;
}
/// It goes to tensor memory, from there or from shared memory, and a commit tracks it (9.7.16.6.4.1).
constexpr bool committed(AccessKind access_kind) {
  return opaque(access_kind) || (multiplies(access_kind) && !by_wgmma(access_kind));
}
/// ld and st, which have an order.
constexpr bool ordered(AccessKind access_kind) {
  return access_kind == AccessKind::plain || access_kind == AccessKind::wgmma_a;
}
/// Between global and shared memory.
constexpr bool copies(AccessKind access_kind) {
  return access_kind != AccessKind::plain && !multiplies(access_kind) && !in_tensor(access_kind);
}

enum class Space : std::uint8_t { global, shared, tensor };

struct Operation {
  Kind kind = Kind::load;
  Order order = {};
  int location = 0;              ///< of an access
  int value = 0;                 ///< of a write: 1, 2, ... at each location; 0 is what is there at first
  std::optional<int> read = {};  ///< of a read: what the condition says that it returns
  Dependency dependency = {};    ///< of an access, on `source`
  int source = 0;                ///< index of a read before it in its thread, of which `read` is known
  bool unfenced = false;         ///< of wgmma: its fence is at the beginning of the thread
  bool alias = false;            ///< the access is through another name of its location
  AccessKind access_kind = AccessKind::plain;
  /// of an asynchronous access: the number of its buffer, and of the mbarrier object where it completes
  int object = 0;
  std::string word = {};
  friend auto operator<=>(const Operation&, const Operation&) = default;
};

struct Thread {
  std::vector<Operation> operations;
  int gpu = 0;
  int cta = 0;       ///< numbered through all GPUs
  int cluster = -1;  ///< -1: that of a CTA alone
  friend auto operator<=>(const Thread&, const Thread&) = default;
};

/// What the first elements of a location hold at first.
struct Initial {
  int value = 0, elements = 1;
};
constexpr int kBulkElements = 4;  ///< of a bulk copy: 16 bytes

struct Sketch {
  std::string name;
  std::string doc;
  std::vector<Thread> threads;
  int locations = 0;
  /// what goes to tensor memory is of .cta_group::2, all of it (9.7.16.5.1), and goes to both CTAs
  bool pair = false;
  std::vector<std::optional<int>> finals;  ///< by location: the value that the condition says remains
  std::vector<Initial> initial = {};       ///< by location: of matrices; those behind the end: 0
};

/// Where a location has to be for what accesses it; bulk: some copy of 16 bytes does, of which the location is the first four;
/// matrix: it is the first four bytes of an operand of so many words.
struct Storage {
  Space space = Space::global;
  bool bulk = false;
  int matrix = 0;
};
std::vector<Storage> storage_of(const Sketch& sketch);

/// The highest number of a barrier, an mbarrier object or a buffer.
int last_number(const Sketch& sketch);

/// Who is in the CTA that a multicast copy writes to: it accesses the location there, or waits for the copy.
bool receives(const Thread& thread, const Operation& copy);

/// A cluster of one CTA is none: its threads have that of a CTA alone.
void drop_lone_clusters(Sketch& sketch);

/// "x", "y", "z", "w", "a", "b", ...; not a word of the notation.
std::string location_name(int location);

/// The test as a litmus file, with a line of its verdict (`Verdict=Allowed`) where that is not empty.
std::string print(const Sketch& sketch, std::string_view verdict);

}  // namespace ptxmc::generate
