// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/verdict_words.h"

#include <memory>

#include "input/litmus/header.h"
#include "support/diagnostic.h"

namespace ptxmc::litmus {

Verdict read_verdict(const std::string& words) {
  Errors errors(std::make_shared<const Source>(Source{"verdict", words}));
  Verdict verdict;
  parse_verdict(words, Position{1, 1, 1}, verdict, errors);
  if (errors.any()) throw InputError(errors.diagnostics());
  return verdict;
}

}  // namespace ptxmc::litmus
