// SPDX-License-Identifier: Apache-2.0
// The test that everybody knows.
#pragma once

#include <string>

namespace ptxmc::testing {

/// Message passing without synchronization (the weak outcome is allowed) or with it (forbidden).
inline std::string mp(const std::string& name, bool synchronized, const std::string& header = "",
                      const std::string& condition = "exists (P1:r0 == 1 /\\ P1:r1 == 0)") {
  const std::string store = synchronized ? "st.release.gpu flag, 1 " : "st.relaxed.gpu flag, 1 ";
  const std::string load = synchronized ? "ld.acquire.gpu r0, flag" : "ld.relaxed.gpu r0, flag";
  return "PTX " + name + "\n" + header + "{ data=0; flag=0; }\n" +
         " P0 @ gpu 0, cta 0      | P1 @ gpu 0, cta 1       ;\n"
         " st.weak data, 1        | " +
         load + " ;\n" + " " + store + "| ld.weak r1, data        ;\n" + condition + "\n";
}

}  // namespace ptxmc::testing
