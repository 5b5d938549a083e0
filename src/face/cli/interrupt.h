// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, and SIGTERM of a batch scheduler: a run ends with what it has.
#pragma once

namespace ptxmc::cli {

/// Since the oldest living Interruptible, in this process.
bool interrupted();

/// In a child of a process that has an Interruptible: from here on no such signal ends it. A terminal sends one to both, and
/// the parent passes its own on.
void outlive_interrupts();

/// While it lives, the first SIGINT or SIGTERM makes interrupted() true; a second one ends the program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  void (*previous_int_)(int);
  void (*previous_term_)(int);
};

}  // namespace ptxmc::cli
