// SPDX-License-Identifier: Apache-2.0
// Which metadata and selectors of sparse matrices have a meaning (9.7.13.5.1, 9.7.14.6.1); others are undefined behaviour.
#pragma once

#include <cstdint>

#include "ptx/isa/isa.h"

namespace ptxmc::rules {

/// So many of four consecutive threads hold the metadata of a row: 1, 2 or 4.
std::int64_t metadata_threads(const isa::Matrix& matrix);
/// A selector says which of the four do.
bool is_selector(const isa::Matrix& matrix, std::int64_t selector);
/// Does a thread hold metadata, with this selector?
bool holds_metadata(const isa::Matrix& matrix, std::int64_t selector, unsigned lane);
/// Do the 32 bits select elements of each part of a row?
bool is_metadata(const isa::Matrix& matrix, std::uint32_t bits);

}  // namespace ptxmc::rules
