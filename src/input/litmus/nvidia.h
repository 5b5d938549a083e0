// SPDX-License-Identifier: Apache-2.0
// NVIDIA's `.test` files, the notation of the published mixed-proxy model (ISCA 2022): one file holds one
// program and several properties of it, each of which becomes a test of its own.
//
//     .global x;                               // zero; `= 5` gives another value, `.u32` before the name a type;
//                                              // .shared likewise
//     .global y physically aliases x;          // another virtual address of the same memory
//     .surfref s virtually aliases y;          // y's address through the surface proxy; .texref, .constref likewise
//     d0.b1.t0 {                               // device (gpu), thread block (cta), thread
//       sust.weak [s], 1;                      // instructions as in a .litmus file, short or native
//       ld.acquire.gpu r0, [f] == 1;           // expected value (or !=): other executions do not count
//     }
//     require (r0 == 1);                       // likewise: a constraint on every property of the file
//     permit ([x] == 1 && r1 == 0) as stale;   // some execution satisfies it:  exists, stated Allowed
//     assert (d0.b1.t0.r1 != 0) as fresh;      // every execution satisfies it: forall, stated Required
//     check (r1 == 1) as seen;                 // the same as permit, named check_seen
//     $$
//     st.weak [x] | ld.weak                    // a row: its cells replace $0, $1 ... in all that stands above;
//                                              // of a file without $0 $1, $2 ... (nvidia_table.h)
//
// Conditions: ! && || (or ~ /\ \/, and =>), == != < <= > >=, [x] or x for memory, r0 for the register of the
// only thread that has it, else d0.b1.t0.r0, or as much of the place as tells the threads apart (t0.r0).
// Cells of a row are separated by |, or by blanks in a row without |; blank rows, rows that begin with # and
// comments (//) are skipped. `ldc` is the short form `cold`, and `fence.alias` is fence.proxy.alias. A value expected of a read in a loop is that of its last turn.
#pragma once

#include <string_view>
#include <vector>

#include "input/litmus/test.h"
#include "support/diagnostic.h"

namespace ptxmc::litmus {

/// Parses a `.test` file: its tests in the order of rows, then of properties, named STEM:NAME, with a table
/// STEM:NAME#ROW (from 1); STEM is the file's name without folder and extension. Throws InputError that
/// carries the errors of the file, on any bytes; positions are those of the file. A test from a row has the
/// source of the row: the file's lines with the cells filled in, under the file's name.
std::vector<Test> parse_nvidia(SourcePtr source);

/// Is this the name of a `.test` file?
bool is_nvidia_name(std::string_view file);

}  // namespace ptxmc::litmus
