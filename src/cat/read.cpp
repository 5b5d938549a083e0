// SPDX-License-Identifier: Apache-2.0
#include "cat/read.h"

#include "cat/defaults.h"
#include "cat/elaborate.h"
#include "cat/parser.h"

namespace ptxmc::cat {

relation::MemoryModel read(SourcePtr source, const relation::Signature& signature,
                           const IncludeResolver& include, const Conditions& conditions) {
  Diagnostics diagnostics(source);
  Syntax syntax = parse(source, include, diagnostics);
  add_defaults(syntax, signature, diagnostics);
  Elaborated elaborated = elaborate(syntax, signature, conditions, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return std::move(elaborated.model);
}

}  // namespace ptxmc::cat
