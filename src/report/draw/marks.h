// SPDX-License-Identifier: Apache-2.0
// How the marks of a timeline look, and what they are.
#pragma once

#include <array>

#include "explain/verify/timeline.h"

namespace ptxmc::report {

struct MarkStyle {
  const char* name;   // class of CSS
  const char* words;  // of one: "wait"
  const char* many;
  const char* shape;  // around 0, 0
};
inline constexpr std::array<MarkStyle, explain::kMarkKinds> kMarkStyles = {{
    {"access", "access of a finding", "accesses", ""},
    {"arrive", "arrival", "arrivals", "M-6,5L0,-6L6,5Z"},
    {"wait", "wait", "waits", "M-6,-5L0,6L6,-5Z"},
    {"copy", "copy", "copies", "M-6,-6H6V6H-6Z"},
    {"commit", "commit of a group", "commits", "M-6,0A6,6 0 1 0 6,0A6,6 0 1 0 -6,0Z"},
    {"group", "wait for groups", "group waits", "M-6,-5H6L0,6Z"},
    {"fence", "fence", "fences", "M-6,0L0,-7L6,0L0,7Z"},
    {"barrier", "barrier", "barriers", "M-2,-9H2V9H-2Z"},
    {"init", "init", "inits", "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z"},
    {"exit", "exit", "exits", "M-6,-4L-4,-6L0,-2L4,-6L6,-4L2,0L6,4L4,6L0,2L-4,6L-6,4L-2,0Z"},
    {"atomic", "atomic", "atomics", "M-6,0L-3,-6H3L6,0L3,6H-3Z"},
    {"poll", "poll of memory", "polls of memory", "M-8,0Q0,-9 8,0Q0,9 -8,0Z"},
}};

}  // namespace ptxmc::report
