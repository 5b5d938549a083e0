// SPDX-License-Identifier: Apache-2.0
// tcgen05 instructions: of 32 columns of tensor memory, and of two matrices in shared memory that threads also store to.
#include <fmt/format.h>

#include "skeleton_drawing.h"

namespace ptxmc::testing {

namespace {

constexpr Address kTensor = 0x1000000, kLanesOfColumn = 128;
constexpr Range kA{shared_at(0, kMatrixA), 4096},
    kB{shared_at(0, kMatrixB), 256};      // 128 x 16 and 8 x 16 elements of 16 bits
constexpr Range kCopied{kA.begin, 2048};  // 128 rows of 16 bytes

Range columns(Address first, std::uint64_t count) {
  return {kTensor + first * kLanesOfColumn, count * kLanesOfColumn};
}

/// 32 lanes of each of so many columns.
std::vector<Range> of_warp(Address first, std::uint64_t count) {
  std::vector<Range> out;
  for (Address column = first; column < first + count; ++column)
    out.push_back({kTensor + column * kLanesOfColumn, kLanes});
  return out;
}

}  // namespace

void Drawing::tensor_issue(std::size_t t, const std::string& line, TensorOp op, std::uint64_t product,
                           std::vector<Range> reads, std::vector<Range> writes, std::vector<Range> shared) {
  const std::uint8_t group = op == TensorOp::ld || op == TensorOp::st ? 0 : 1;
  emit(t, line, [=, lanes = lanes(t)](Observer& o, Site site) {
    o.tensor_issue({site, lanes, op, group, product, reads, writes, shared});
  });
}

void Drawing::tensor_move(std::size_t t) {
  const Address column = random_.pick({0, 0, 0, 4, 8});
  if (random_.chance(60))
    return tensor_issue(
        t, fmt::format("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r{}}}, [t+{}];", registers_++, column),
        TensorOp::ld, 0, of_warp(column, 1), {}, {});
  tensor_issue(t, fmt::format("tcgen05.st.sync.aligned.32x32b.x1.b32 [t+{}], {{1}};", column), TensorOp::st,
               0, {}, of_warp(column, 1), {});
}

/// 128 x 8 x 16, of which D has 8 columns.
void Drawing::tensor_product(std::size_t t) {
  const Address column = random_.pick({0, 0, 0, 8});
  tensor_issue(t,
               fmt::format("tcgen05.mma.cta_group::1.kind::f16 [t+{}], desc(a), desc(b), 0x8020010, {};",
                           column, random_.below(2)),
               TensorOp::mma, column + 1, {}, {columns(column, 8)}, {kA, kB});
}

void Drawing::tensor_copy(std::size_t t) {
  const Address column = random_.pick({0, 0, 4, 8});
  if (random_.chance(25))
    return tensor_issue(t, fmt::format("tcgen05.shift.cta_group::1.down [t+{}];", column), TensorOp::shift, 0,
                        {}, of_warp(column, 8), {});
  tensor_issue(t, fmt::format("tcgen05.cp.cta_group::1.128x128b [t+{}], desc(a);", column), TensorOp::cp, 0,
               {}, {columns(column, 4)}, {kCopied});
}

void Drawing::tensor_commit(std::size_t t) {
  const std::size_t index = object();
  if (!may_arrive(t, objects_[index])) return tensor_product(t);
  const Phase phase = objects_[index].phase;
  emit(t, fmt::format("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [m{}];", index),
       [=, number = number(t)](Observer& o, Site site) {
         o.tensor_commit({site, number, object_at(index), phase, {Semantics::release, Scope::cluster}, 1, 0},
                         {1});
       });
  arrived(index);
}

/// A store to one of the matrices.
void Drawing::tensor_matrix(std::size_t t) {
  const bool a = random_.chance(60);
  access(t, fmt::format("st.weak.shared.u32 [{}], {};", a ? "a" : "b", random_.between(1, 9)), Effect::write,
         (a ? kA : kB).begin, 4, {}, {});
}

void Drawing::tensor() {
  const std::size_t t = thread();
  switch (random_.weighted({20, 20, 8, 12, 12, 12, 12, 6})) {
    case 0:
      return tensor_move(t);
    case 1:
      return tensor_product(t);
    case 2:
      return tensor_copy(t);
    case 3:
    case 4: {
      const bool after = random_.chance(60);
      return emit(t, after ? "tcgen05.fence::after_thread_sync;" : "tcgen05.fence::before_thread_sync;",
                  [=, lanes = lanes(t)](Observer& o, Site site) { o.tensor_fence(site, lanes, after); });
    }
    case 5: {
      const bool stores = random_.chance(40);
      return emit(t, stores ? "tcgen05.wait::st.sync.aligned;" : "tcgen05.wait::ld.sync.aligned;",
                  [=, lanes = lanes(t)](Observer& o, Site site) { o.tensor_wait(site, lanes, stores); });
    }
    case 6:
      return tensor_commit(t);
    default:
      return tensor_matrix(t);
  }
}

}  // namespace ptxmc::testing
