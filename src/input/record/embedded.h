// SPDX-License-Identifier: Apache-2.0
// The PTX in files that nvcc and linkers make: cubins, fat binaries, object files, libraries and programs.
//
//   host ELF   sections .nv_fatbin and __nv_relfatbin: fat binaries (container.h), each at a multiple of 8 bytes
//   archive    "!<arch>\n", then members: a header of 60 bytes with the size in decimal at 48, the data, padded to 2 bytes
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::record {

/// The PTX of one fat binary.
struct EmbeddedPtx {
  unsigned architecture = 0;  ///< 90: compute_90
  std::string text;
};

/// What a file of device code holds.
struct DeviceCode {
  std::vector<EmbeddedPtx> modules;    ///< with kernels, in the order of the file
  bool has_machine_code_only = false;  ///< kernels of which there is no PTX
  std::optional<unsigned> newer;  ///< PTX of some is for this architecture, and for none that is old enough
};

/// Is it a file that device_code() looks into?
bool may_hold_device_code(std::string_view file);

/// The PTX that a device of this architecture (90: sm_90) would compile, of each fat binary. Throws InputError: a part is damaged, or
/// cannot be decompressed.
DeviceCode device_code(std::string_view file, unsigned architecture);

/// Any architecture: the newest PTX is taken.
constexpr unsigned kNewestPtx = ~0U;

}  // namespace ptxmc::record
