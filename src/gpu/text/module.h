// SPDX-License-Identifier: Apache-2.0
// A PTX module that holds a test: its variables, and an entry for each of its grids in which every litmus
// thread runs once. `ptxmc check --emit-ptx` prints it; the harness that runs tests many times (harness.h)
// puts the same thread texts into a frame of its own.
//
// Global and constant variables get their initial values from their declarations; variables in shared memory
// are initialised by the first thread of each CTA, before a barrier of the CTA or cluster. At the end each
// thread stores its registers to an array, so that the assembler keeps all of it.
#pragma once

#include <string>
#include <vector>

#include "gpu/text/facts.h"
#include "gpu/text/grids.h"
#include "ptx/isa/target.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// A module without its head, so that several can share one.
struct Module {
  isa::Target target;
  std::string text;  ///< comments, declarations, entries
};

/// `prefix` stands before the names of variables and entries, `remarks` at the head, a comment each. Throws InputError for what PTX cannot express.
Module write_module(const program::Program& test, const std::string& prefix = "",
                    const std::vector<std::string>& remarks = {});

/// ".version ...", ".target ...", ".address_size 64".
std::string module_head(const isa::Target& target);
/// Head and text.
std::string print(const Module& module);

/// A name as an identifier of PTX: "MP_release_acquire".
std::string identifier(const std::string& name);

// ---- Pieces, for harness.h too ----------------------------------------------------------------------------

/// ".global .align 4 .u32 x = 0;"
std::string declaration(const Facts& facts, const program::Variable& variable, const std::string& prefix);
/// Instructions by which one thread gives variables in shared memory (of the CTA's instance) their initial
/// values; declares nothing, uses %ptxmc_w (.b32), %ptxmc_d (.b64) and %ptxmc_more (.pred).
std::vector<std::string> initialise_shared(const Facts& facts, const std::string& prefix);
/// An initial value as an unsigned number of the element's bits.
std::string literal(std::int64_t value, int bits);

}  // namespace ptxmc::gpu
