// SPDX-License-Identifier: Apache-2.0
// Random litmus tests, as text, so that the parser is exercised too. Equal seeds give equal texts on all
// platforms.
#pragma once

#include <cstdint>
#include <string>

namespace ptxmc::testing {

/// What a generated program may contain.
struct Shape {
  int max_threads = 4;
  int most_threads = 6;      ///< now and then
  int max_instructions = 4;  ///< per thread, before the helper instructions of dependencies
  int max_accesses = 10;     ///< in the whole program; atomics count twice
  int max_variables = 3;
  bool barriers = true;
  bool aliases = true;
  bool proxies = false;       ///< constant, texture and surface short forms
  bool control = true;        ///< predicates, branches, loops, spin loops
  bool async = true;          ///< copies and proxy fences
  bool exchanges = true;      ///< of lanes: shfl, vote, match, redux, elect, bar.warp
  bool matrices = true;       ///< mma, ldmatrix and wgmma; their operand has many cells
  bool tensor_memory = true;  ///< tcgen05
  bool kernels = true;        ///< several kernels, API calls, griddepcontrol
  bool bytes = true;          ///< accesses of parts, vectors, packed pairs, pointers,
                              ///< indexed arrays, ld.nc
};

/// A shape small enough for the exhaustive reference.
Shape tiny_shape();

/// A complete `.litmus` text. About half of them are in native PTX form, the others in the short form.
std::string generate_test(std::uint64_t seed, const Shape& shape);

}  // namespace ptxmc::testing
