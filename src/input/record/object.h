// SPDX-License-Identifier: Apache-2.0
// Object files (cubins): ELF files, of which no more is read than what kernels they hold.
//
//   .nv.constant0.NAME   kernel NAME has one
//   .nv.info.NAME        records: format (8 bits), attribute (8), and of format 4 its bytes (16) and these, else 16 bits;
//                        one of attribute 0x17 for each parameter
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::record {

/// Kernels by name: how many parameters each has.
using KernelNames = std::map<std::string, std::size_t>;

bool is_object(std::string_view image);
/// It is one for a GPU.
bool is_cubin(std::string_view image);
/// A section of an ELF file; its bytes are empty where the file has none, or not all of them.
struct ObjectSection {
  std::string_view name, bytes;
};
/// Those that can be read, where it is no whole file.
std::vector<ObjectSection> sections_of(std::string_view object);
/// The kernels of an object; those that can be read, where it is no whole object file.
KernelNames kernels_of_object(std::string_view object);
/// The same of PTX, of which nothing else is read.
KernelNames kernels_of_text(std::string_view text);

}  // namespace ptxmc::record
