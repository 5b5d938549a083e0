// SPDX-License-Identifier: Apache-2.0
// An entry's code as one body without functions: calls are replaced by the bodies that they call, parameters by their
// values, predefined registers by what the launch makes of them. Statements stay in their places of the module's text.
//
//     ld.param.u32 %r1, [k_param_1]      becomes   mov.b32 %r1, 7
//     mov.u32 %r2, %ntid.x                         mov.u32 %r2, 128
//     mov.u32 %r3, %tid.x                          mov.u32 %r3, %tid_x    (whose initial value a thread has)
//     st.param.b32 [param0], %r3                   mov.b32 %param0_0$1, %r3
//     call (retval0), f, (param0)                  the body of f, its names with $1 behind them
//     call (retval0), %rd1, (param0), prototype    the bodies of those that it may mean, each behind setp.eq of its address
//     ret, in f                                    bra to the end of that; trap, if it is .noreturn
//     local variables of f                         call.local-begins x before its body, call.local-ends x after it
//     registers of f, and what it returns          any value before its body, where they may be read before they are written
//     brx.idx %r4, targets                         setp and bra, a pair a label
//
//     call (retval0), malloc, (param0)             call.malloc %retval0_0$2, %param0_0$1
//     call free, (param0)                          call.free %param0_0$1
//
// `vprintf` does nothing and returns any number, `__assertfail` traps.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "input/launch/parameters.h"
#include "ptx/text/errors.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// What a predefined register is in the threads of a launch: the same number in all, a number for each thread, or (none
/// of both) what the launch does not settle.
struct Predefined {
  std::optional<std::uint64_t> everywhere;
  bool by_thread = false;
};

struct Flat {
  ptx::Body body;  // labels, instructions and the registers that they use
  // shared and local memory of the bodies, by unique name
  std::map<std::string, const ptx::Variable*> objects;
  std::set<std::string> variables;               // of the module, that the code names
  std::set<std::string> functions;               // whose address is taken
  std::set<std::string> parameters;              // whose address is taken
  std::map<std::string, std::string> by_thread;  // registers with an initial value for each thread -> "tid.x"
};

/// Reports what it cannot replace: recursion, unknown targets.
Flat flatten(const ptx::Module& module, const ptx::Function& entry, const Parameters& parameters,
             const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors);

}  // namespace ptxmc::launch
