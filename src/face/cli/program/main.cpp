// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "face/cli/verbs.h"

namespace {

// Relations are matrices that come and go by the megabyte: memory that was given back to the system for each would be
// faulted in anew, which took as long as the search itself. The threshold is the largest that the C library takes.
void keep_memory() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLargest = 32 << 20, kKept = 256 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
  ::mallopt(M_TOP_PAD, 1 << 20);
#endif
}

// A standard stream that is closed stays unusable: a file that is opened later must not take its place, and get what is meant for it.
void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_closed_streams();
  keep_memory();
  std::ios::sync_with_stdio(false);
  const char* const no_color = std::getenv("NO_COLOR");  // set and not empty
  ptxmc::cli::Streams streams{std::cin,
                              std::cout,
                              std::cerr,
                              isatty(STDERR_FILENO) != 0,
                              isatty(STDOUT_FILENO) != 0,
                              no_color != nullptr && *no_color != '\0'};
  const int status = static_cast<int>(ptxmc::cli::run({argv + 1, argv + argc}, streams));
#ifdef PTXMC_ENDS_AT_ONCE  // what is still there goes with the process: to free it piece by piece took a twentieth of a small test
  std::cout.flush();
  std::cerr.flush();
  std::_Exit(status);
#else
  return status;
#endif
}
