// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "face/python/bindings.h"
#include "ptxmc/version.h"

PYBIND11_MODULE(_ptxmc, module) {
  module.doc() = "The compiled part of ptxmc.";
  ptxmc::python::bind_results(module);
  ptxmc::python::bind_checker(module);
  ptxmc::python::bind_verifier(module);
  module.attr("__version__") = std::string(ptxmc::api::version());
}
