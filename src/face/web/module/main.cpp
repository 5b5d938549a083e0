// SPDX-License-Identifier: Apache-2.0
// What the page calls in WebAssembly.
#include <string>

#include "face/web/ask.h"

/// The answer to a question, until the next one.
extern "C" __attribute__((used, visibility("default"))) const char* ptxmc_ask(const char* question) {
  static std::string answer;
  answer = ptxmc::web::ask(question);
  return answer.c_str();
}
