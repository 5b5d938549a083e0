// SPDX-License-Identifier: Apache-2.0
// Checks that stay on in every build. A failed check is a bug of ptxmc, never of the input.
#pragma once

#include <stdexcept>
#include <string>

namespace ptxmc {

/// Thrown when an invariant of ptxmc itself does not hold. The command line reports it and exits with
/// status 4.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError "FILE:LINE: CONDITION: MESSAGE".
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace ptxmc

/// PTXMC_CHECK(condition, message): message is only evaluated when the condition is false.
#define PTXMC_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::ptxmc::check_failed(__FILE__, __LINE__, #condition, (message)))
