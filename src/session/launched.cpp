// SPDX-License-Identifier: Apache-2.0
#include "session/launched.h"

#include "input/launch/target_notes.h"
#include "ptx/text/module.h"

namespace ptxmc::session {

litmus::Test launched(const SourcePtr& module, const launch::Plan& plan, const launch::Choice& choice,
                      launch::Beside* beside) {
  litmus::Test out;
  const ptx::Module read = ptx::parse_module(module);
  static_cast<program::Program&>(out) = launch::make_program(read, plan, choice, beside);
  out.notes = read.notes;
  for (const Diagnostic& note : launch::target_notes(read, out)) out.notes.push_back(note);
  return out;
}

}  // namespace ptxmc::session
