// SPDX-License-Identifier: Apache-2.0
// The PTX text of one litmus thread: its registers and its instructions, as the test has them. What stands
// around it (who runs it, on which memory) is the business of a module assembler (module.h).
//
// A litmus thread that stands for a warp runs in lane 0 alone, which is what its memory accesses mean. If it
// has collective instructions (barriers with counts in PTX threads, .sync and .aligned operations, matrices),
// all its lanes run; values are computed by each, loads and polls are done by each, and what changes memory
// is guarded so that only the first lane, the leader, does it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/text/facts.h"
#include "gpu/text/registers.h"
#include "ptx/isa/target.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// Which lanes of its warp run a thread.
enum class Lanes : std::uint8_t {
  leader,  ///< lane 0 alone
  all,     ///< every lane; the leader does what changes memory
  own,     ///< the thread is one lane of a warp
};

/// How the text names what lies outside of it.
struct Spelling {
  /// By name: a symbol, or a register with its address (.b64; .b32 of shared memory).
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> specials;  ///< by name: what stands for %tid.x ...; else themselves
  std::string leader = "%ptxmc_leader";         ///< predicate: this is the leader (Lanes::all)
  std::string end = "ptxmc_end";                ///< label behind the thread, where exit and ret go
  /// Register (.b32) that counts down at each jump backwards and ends the thread at zero; empty: no bound.
  std::string fuel;
  /// Names of the texture proxy: registers with the texture object (.b64) and with the texel (.b32).
  std::map<std::string, std::pair<std::string, std::string>> textures;
  unsigned barrier_threads = 0;  ///< count of CTA barriers that name none; 0: all threads of the CTA
};

struct ThreadText {
  Lanes lanes = Lanes::leader;
  int warps = 1;  ///< 4: the thread stands for a warpgroup
  std::vector<RegisterType> registers;
  std::vector<std::string> declarations;  ///< ".reg .b32 %r0;"
  std::vector<std::string> body;          ///< a label or an instruction a line
  bool uses_end = false;                  ///< something goes to Spelling::end
  bool jumps_back = false;                ///< it has loops
  isa::Target target;
};

/// Which lanes run the thread; `lane`: it is a lane of a warp that it shares or names.
Lanes lanes_of(const program::Thread& thread, bool lane);

/// Throws InputError for what PTX cannot express, with its position.
ThreadText write_thread(const Facts& facts, const program::Thread& thread, Lanes lanes,
                        const Spelling& spelling);

/// ".b32" of a register declaration.
std::string register_type(const isa::Type& type);

}  // namespace ptxmc::gpu
