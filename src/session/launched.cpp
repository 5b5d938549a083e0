// SPDX-License-Identifier: Apache-2.0
#include "session/launched.h"

#include "input/launch/target_gates.h"
#include "ptx/text/module.h"

namespace ptxmc::session {

litmus::Test launched(const SourcePtr& module, const launch::Plan& plan, const launch::Choice& choice,
                      launch::Beside* beside) {
  litmus::Test out;
  const ptx::Module read = ptx::parse_module(module);
  static_cast<program::Program&>(out) = launch::make_program(read, plan, choice, beside);
  out.notes = read.notes;
  launch::check_targets(read, out);
  return out;
}

}  // namespace ptxmc::session
