// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module `_ptxmc`: include/ptxmc, in Python's terms.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>

#include "ptxmc/result.h"

namespace ptxmc::python {

/// "4:2: error: ..."
std::string text_of(const api::Diagnostic& diagnostic);

/// What answers are made of (ptxmc/result.h).
void bind_results(pybind11::module_& module);
/// Litmus tests (ptxmc/checker.h).
void bind_checker(pybind11::module_& module);
/// Kernels (ptxmc/verifier.h).
void bind_verifier(pybind11::module_& module);

}  // namespace ptxmc::python
