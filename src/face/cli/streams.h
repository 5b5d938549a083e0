// SPDX-License-Identifier: Apache-2.0
// The program's surroundings, as arguments: so that tests can run a whole command line in process.
#pragma once

#include <iosfwd>

namespace ptxmc::cli {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
  bool out_is_terminal = false;
  bool no_color = false;  // the environment sets NO_COLOR
};

}  // namespace ptxmc::cli
