// SPDX-License-Identifier: Apache-2.0
#include "ptxmc/verifier.h"

#include <fmt/format.h>

#include <string>

#include "face/python/bindings.h"
#include "face/python/interruptible.h"

namespace py = pybind11;

namespace ptxmc::python {

void bind_verifier(py::module_& module) {
  py::enum_<api::VerifyAnswer>(module, "VerifyAnswer")
      .value("finding", api::VerifyAnswer::finding)
      .value("bounded", api::VerifyAnswer::bounded)
      .value("exact", api::VerifyAnswer::exact)
      .value("error", api::VerifyAnswer::error);
  py::class_<api::VerifyResult, api::Common>(module, "VerifyResult", "Of verify.")
      .def_readonly("answer", &api::VerifyResult::answer)
      .def_readonly("claim", &api::VerifyResult::claim, "a sentence")
      .def_readonly("limits", &api::VerifyResult::limits, "sentences: why it is not of all schedules")
      .def_readonly("findings", &api::VerifyResult::findings, "errors first")
      .def_readonly("instructions", &api::VerifyResult::instructions, "thread instructions that ran")
      .def_readonly("executed", &api::VerifyResult::executed, "instructions of the code that ran")
      .def_readonly("code", &api::VerifyResult::code, "instructions of the code")
      .def_readonly("json", &api::VerifyResult::json, "the line of --format json")
      .def("__repr__", [](const api::VerifyResult& result) {
        const std::string word = py::cast(result.answer).attr("name").cast<std::string>();
        return fmt::format("<ptxmc.VerifyResult of {}: {}>", result.name, word);
      });
  py::class_<api::Kernel>(module, "_Kernel")
      .def(py::init<>())
      .def_readwrite("module", &api::Kernel::module)
      .def_readwrite("name", &api::Kernel::name)
      .def_readwrite("plan", &api::Kernel::plan)
      .def_readwrite("plan_name", &api::Kernel::plan_name)
      .def_readwrite("entry", &api::Kernel::entry)
      .def_readwrite("grid", &api::Kernel::grid)
      .def_readwrite("block", &api::Kernel::block)
      .def_readwrite("cluster", &api::Kernel::cluster)
      .def_readwrite("shared", &api::Kernel::shared)
      .def_readwrite("arguments", &api::Kernel::arguments)
      .def_readwrite("cooperative", &api::Kernel::cooperative);
  py::class_<api::VerifyOptions>(module, "_VerifyOptions")
      .def(py::init<>())
      .def_readwrite("timeout", &api::VerifyOptions::timeout)
      .def_readwrite("steps", &api::VerifyOptions::steps)
      .def_readwrite("choices", &api::VerifyOptions::choices)
      .def_readwrite("orders", &api::VerifyOptions::orders)
      .def_readwrite("confirm", &api::VerifyOptions::confirm)
      .def_readwrite("waits_fail", &api::VerifyOptions::waits_fail)
      .def_readwrite("model", &api::VerifyOptions::model)
      .def_readwrite("readings", &api::VerifyOptions::readings)
      .def_readwrite("ctas", &api::VerifyOptions::ctas);
  module.def("_verify", [](const api::Kernel& kernel, const api::VerifyOptions& options) {
    return interruptible([&](const std::stop_token& stop) { return api::verify(kernel, options, stop); });
  });
}

}  // namespace ptxmc::python
