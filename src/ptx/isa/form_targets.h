// SPDX-License-Identifier: Apache-2.0
// What the forms of an instruction need beyond its opcode ("PTX ISA Notes" and "Target ISA Notes" of chapter 9): the functions of the
// rows of opcode.cpp, each of the modifiers that count there.
#pragma once

#include "ptx/isa/isa.h"
#include "ptx/isa/target.h"

namespace ptxmc::isa::form_targets {

constexpr Target kBase{60, 70, false};
constexpr Target kCluster{78, 90, false};  // clusters, .shared::cluster
constexpr Target kBulk{80, 90, false};     // bulk copies, transaction counts
constexpr Target kWarpgroupProducts{80, 90, true};
constexpr Target kTensor{86, 100, true};

Target of_memory(const Modifiers& m);
Target of_red(const Modifiers& m);
Target of_atom(const Modifiers& m);
Target of_fence(const Modifiers& m);
Target of_proxy_fence(const Modifiers& m);
Target of_layout(const Modifiers& m);
Target of_mask(const Modifiers& m);
Target of_mbarrier(const Modifiers& m);
Target of_arrival(const Modifiers& m);
Target of_wait(const Modifiers& m);
Target of_cluster_barrier(const Modifiers& m);
Target of_group(const Modifiers& m);
Target of_bulk_copy(const Modifiers& m);
Target of_bulk_reduction(const Modifiers& m);
Target of_conversion(const Modifiers& m);
Target of_sum(const Modifiers& m);
Target of_redux(const Modifiers& m);
Target of_async_store(const Modifiers& m);
Target of_matrix_move(const Modifiers& m);
Target of_cancel(const Modifiers& m);
Target of_group_product(const Modifiers& m);
Target of_fragment(const Modifiers& m);
Target of_warp_product(const Modifiers& m);
Target of_map(const Modifiers& m);
Target of_multimem(const Modifiers& m);
Target of_tensor(const Modifiers& m);

}  // namespace ptxmc::isa::form_targets
