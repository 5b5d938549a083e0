// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "bridge/extract/variables.h"

namespace ptxmc::extract {

namespace {

constexpr trace::Address kLanesOfColumn = 128;
constexpr std::size_t kMostProducts = 4;     // of 8, 16, 24 and 32 columns
constexpr std::uint32_t kShape = 0x8000010;  // f16 to f32, 128 rows; N is added

/// A place of the variable `t` in a lane, which bits 16 and up of an address say.
std::string place(trace::Address lane) {
  return lane == 0 ? "t" : fmt::format("t+{:#x}", lane << 16U);
}

}  // namespace

TensorText::TensorText(const Slice& slice)
    : lane_(slice.question.bytes.begin % kLanesOfColumn / trace::kLanes * trace::kLanes) {
  used_ = std::any_of(slice.entries.begin(), slice.entries.end(),
                      [](const Entry& entry) { return std::holds_alternative<TensorAccess>(entry.step); });
}

std::string TensorText::product(const TensorAccess& access) {
  auto known = std::find(products_.begin(), products_.end(), access.product);
  if (known == products_.end()) known = products_.insert(known, access.product);
  const auto number = static_cast<std::size_t>(known - products_.begin());
  if (number >= kMostProducts) throw Unwritten{"products of many shapes"};
  const std::uint32_t shape = kShape | static_cast<std::uint32_t>(number + 1) << 17U;
  const bool writes = !access.writes.empty();
  return fmt::format("tcgen05.mma.cta_group::1.kind::f16 [{}], {}, desc(tb), {:#x}, 0", writes ? "t" : "u",
                     writes ? "desc(ta)" : "[t]", shape);
}

std::string TensorText::access(const TensorAccess& access, const std::string& target) {
  using trace::TensorOp;
  if (access.cta_group == 2) throw Unwritten{"one is of a pair of CTAs"};
  switch (access.op) {
    case TensorOp::mma:
      return product(access);
    case TensorOp::cp:
      return "tcgen05.cp.cta_group::1.128x128b [t], desc(ta)";
    case TensorOp::cp_4x256b:
      return "tcgen05.cp.cta_group::1.4x256b [t], desc(ta)";
    case TensorOp::shift:
      return fmt::format("tcgen05.shift.cta_group::1.down [{}]", place(lane_));
    case TensorOp::ld:
      return fmt::format("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{{}}}, [{}]", target, place(lane_));
    case TensorOp::st:
      return fmt::format("tcgen05.st.sync.aligned.32x32b.x1.b32 [{}], {{1}}", place(lane_));
    case TensorOp::alloc:
    case TensorOp::dealloc:
    case TensorOp::none:
      break;
  }
  throw Unwritten{"one allocates tensor memory, or frees it"};
}

std::string TensorText::commit(const trace::TensorCommit& commit, const std::string& object) {
  if (commit.reads_of_a) throw Unwritten{"a commit of the reads of A is between them"};
  if (commit.cta_group != 1) throw Unwritten{"a commit of a pair of CTAs is between them"};
  return fmt::format("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{}]", object);
}

std::vector<std::string> TensorText::declarations() const {
  if (!used_) return {};
  return {".tensor .b32 t[32] = {0};", ".tensor .b32 u[32] = {0};", ".shared .align 16 .b8 ta[4096] = {0};",
          ".shared .align 16 .b8 tb[1024] = {0};"};
}

}  // namespace ptxmc::extract
