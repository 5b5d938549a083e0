// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>

#include "cli/verbs.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  ptxmc::cli::Streams streams{std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  return static_cast<int>(ptxmc::cli::run({argv + 1, argv + argc}, streams));
}
