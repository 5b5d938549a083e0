// SPDX-License-Identifier: Apache-2.0
// Predefined registers (chapter 10): a row each.
#include <algorithm>
#include <array>

#include "ptx/isa/special_names.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {

namespace {

struct SpecialRegister {
  std::string_view name;
  Special special;
  std::uint16_t bits = 32;
};

constexpr auto kSpecialRegisters = std::to_array<SpecialRegister>({
    {"tid.x", Special::tid_x},
    {"tid.y", Special::zero},
    {"tid.z", Special::zero},
    {"ntid.x", Special::of_launch},
    {"ntid.y", Special::one},
    {"ntid.z", Special::one},
    {"laneid", Special::lane_id},
    {"warpid", Special::warp_id},
    {"nwarpid", Special::of_launch},
    {"ctaid.x", Special::ctaid_x},
    {"ctaid.y", Special::zero},
    {"ctaid.z", Special::zero},
    {"nctaid.x", Special::of_launch},
    {"nctaid.y", Special::one},
    {"nctaid.z", Special::one},
    {"smid", Special::of_moment},
    {"nsmid", Special::of_launch},
    {"gridid", Special::of_launch, 64},
    {"is_explicit_cluster", Special::explicit_cluster, 1},
    {"clusterid.x", Special::cluster_id_x},
    {"clusterid.y", Special::zero},
    {"clusterid.z", Special::zero},
    {"nclusterid.x", Special::of_launch},
    {"nclusterid.y", Special::one},
    {"nclusterid.z", Special::one},
    {"cluster_ctaid.x", Special::cluster_cta_rank},
    {"cluster_ctaid.y", Special::zero},
    {"cluster_ctaid.z", Special::zero},
    {"cluster_nctaid.x", Special::cluster_cta_count},
    {"cluster_nctaid.y", Special::one},
    {"cluster_nctaid.z", Special::one},
    {"cluster_ctarank", Special::cluster_cta_rank},
    {"cluster_nctarank", Special::cluster_cta_count},
    {"lanemask_eq", Special::lane_mask_eq},
    {"lanemask_le", Special::lane_mask_le},
    {"lanemask_lt", Special::lane_mask_lt},
    {"lanemask_ge", Special::lane_mask_ge},
    {"lanemask_gt", Special::lane_mask_gt},
    {"clock", Special::of_moment},
    {"clock_hi", Special::of_moment},
    {"clock64", Special::of_moment, 64},
    {"globaltimer", Special::of_moment, 64},
    {"globaltimer_lo", Special::of_moment},
    {"globaltimer_hi", Special::of_moment},
    {"reserved_smem_offset_begin", Special::of_launch},
    {"reserved_smem_offset_end", Special::of_launch},
    {"reserved_smem_offset_cap", Special::of_launch},
    {"reserved_smem_offset_0", Special::of_launch},
    {"reserved_smem_offset_1", Special::of_launch},
    {"total_smem_size", Special::of_launch},
    {"aggr_smem_size", Special::of_launch},
    {"dynamic_smem_size", Special::of_launch},
    {"current_graph_exec", Special::of_launch, 64},
});

/// %pm0 to %pm7, %pm0_64 ..., %envreg0 to %envreg31
std::optional<SpecialRegister> numbered(std::string_view name) {
  const auto is_number = [](std::string_view text, unsigned end) {
    if (text.empty() || text.size() > 2 || (text.size() == 2 && text.front() == '0')) return false;
    unsigned value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value < end;
  };
  if (name.starts_with("envreg") && is_number(name.substr(6), 32))
    return SpecialRegister{name, Special::of_launch};
  if (!name.starts_with("pm")) return std::nullopt;
  const bool wide = name.ends_with("_64");
  if (!is_number(name.substr(2, name.size() - (wide ? 5 : 2)), 8)) return std::nullopt;
  return SpecialRegister{name, Special::of_moment, static_cast<std::uint16_t>(wide ? 64 : 32)};
}

std::optional<SpecialRegister> row_of(std::string_view name) {
  const auto* row = std::find_if(kSpecialRegisters.begin(), kSpecialRegisters.end(),
                                 [&](const SpecialRegister& r) { return r.name == name; });
  return row != kSpecialRegisters.end() ? std::optional<SpecialRegister>(*row) : numbered(name);
}

}  // namespace

std::optional<Special> special_register(std::string_view name) {
  const std::optional<SpecialRegister> row = row_of(name);
  return row ? std::optional<Special>(row->special) : std::nullopt;
}

std::uint16_t special_register_bits(std::string_view name) {
  const std::optional<SpecialRegister> row = row_of(name);
  return row ? row->bits : 32;
}

bool is_special_register(std::string_view name) {
  name = name.substr(0, name.find('.'));
  if (name.empty()) return false;
  return numbered(name) ||
         std::any_of(kSpecialRegisters.begin(), kSpecialRegisters.end(), [&](const SpecialRegister& row) {
           if (row.name.front() != name.front() || !row.name.starts_with(name)) return false;
           return row.name.size() == name.size() || row.name[name.size()] == '.';
         });
}

std::vector<std::string> special_register_names() {
  std::vector<std::string> out;
  for (const SpecialRegister& row : kSpecialRegisters) out.emplace_back(row.name);
  return out;
}

}  // namespace ptxmc::isa
