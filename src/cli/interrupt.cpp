// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <csignal>

namespace ptxmc::cli {

namespace {

volatile std::sig_atomic_t asked = 0;  // a signal handler reaches nothing else

void on_interrupt(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool interrupted() {
  return asked != 0;
}

Interruptible::Interruptible()
    : previous_int_(std::signal(SIGINT, on_interrupt)), previous_term_(std::signal(SIGTERM, on_interrupt)) {}

Interruptible::~Interruptible() {
  std::signal(SIGINT, previous_int_);
  std::signal(SIGTERM, previous_term_);
  asked = 0;
}

}  // namespace ptxmc::cli
