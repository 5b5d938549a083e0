// SPDX-License-Identifier: Apache-2.0
#include "face/cli/interrupt.h"

#include <csignal>

namespace ptxmc::cli {

namespace {

volatile std::sig_atomic_t asked = 0;  // a signal handler reaches nothing else

void on_interrupt(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

void on_interrupt_of_child(int /*signal*/) {
  asked = 1;
}

}  // namespace

bool interrupted() {
  return asked != 0;
}

void outlive_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt_of_child;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

Interruptible::Interruptible()
    : previous_int_(std::signal(SIGINT, on_interrupt)), previous_term_(std::signal(SIGTERM, on_interrupt)) {}

Interruptible::~Interruptible() {
  std::signal(SIGINT, previous_int_);
  std::signal(SIGTERM, previous_term_);
  asked = 0;
}

}  // namespace ptxmc::cli
