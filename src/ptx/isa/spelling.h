// SPDX-License-Identifier: Apache-2.0
// How opcodes are written: the column `spell` of opcode.cpp. Inside src/ptx/isa only.
#pragma once

#include <string>
#include <string_view>

#include "ptx/isa/isa.h"

namespace ptxmc::isa::spelling {

/// Each writes `name`, which begins the mnemonic, and what the modifiers add.
using Speller = std::string(std::string_view name, const Modifiers&);
Speller fixed;  ///< the name alone
Speller access, address_conversion, api_call, async_arrive, async_copy, async_group, async_reduction,
    async_store, barrier, between_lanes, branch, bulk_copy, bulk_prefetch, bulk_store, cache_hint,
    cancel_query, cluster, comparing_branch, event, fence, fragment_move, fragment_product, group_product,
    launch_cancel, map_copy, map_prefetch, map_replace, matrix_move, mbarrier, mbarrier_layout, packing,
    permutation, plain, policy, proxy_fence, register_count, setp, space_query, tensor_allocation,
    tensor_commit, tensor_copy, tensor_copy_in, tensor_fence, tensor_load, tensor_prefetch, tensor_product,
    tensor_shift, tensor_store, tensor_wait, warp_product;

/// ".multicast::cluster", ".multicast::cluster::32b"; empty: it is none.
std::string_view multicast_word(const Modifiers& m);
/// ".kind::mxf4.block_scale.scale_vec::2X": what is multiplied, and how it is scaled.
std::string kind_words(const Tensor& tensor);

}  // namespace ptxmc::isa::spelling
