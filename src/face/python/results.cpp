// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "face/python/bindings.h"
#include "ptxmc/result.h"

namespace py = pybind11;

namespace ptxmc::python {

std::string text_of(const api::Diagnostic& diagnostic) {
  const std::string where =
      diagnostic.line == 0 ? "" : fmt::format("{}:{}: ", diagnostic.line, diagnostic.column);
  return fmt::format("{}{}: {}", where, word_of(diagnostic.severity), diagnostic.message);
}

namespace {

std::string print(const api::Place& p) {
  std::string out = p.thread;
  if (p.line != 0) out += fmt::format("{}line {}", out.empty() ? "" : ", ", p.line);
  if (!p.source.empty()) out += fmt::format(" ({})", p.source);
  return fmt::format("{}{}{}", out, out.empty() || p.text.empty() ? "" : ": ", p.text);
}

void bind_texts(py::module_& module) {
  py::enum_<api::Severity>(module, "Severity")
      .value("note", api::Severity::note)
      .value("warning", api::Severity::warning)
      .value("error", api::Severity::error);
  py::class_<api::Note>(module, "Note", "Another place of the same text that a diagnostic is about.")
      .def_readonly("line", &api::Note::line, "from 1; 0: no position")
      .def_readonly("column", &api::Note::column, "from 1, in bytes")
      .def_readonly("message", &api::Note::message);
  py::class_<api::Diagnostic>(module, "Diagnostic", "What is wrong with a text, or worth knowing of it.")
      .def_readonly("line", &api::Diagnostic::line, "from 1; 0: no position")
      .def_readonly("column", &api::Diagnostic::column, "from 1, in bytes")
      .def_readonly("message", &api::Diagnostic::message)
      .def_readonly("severity", &api::Diagnostic::severity)
      .def_readonly("notes", &api::Diagnostic::notes, "other places that it is about")
      .def("__str__", [](const api::Diagnostic& d) { return text_of(d); })
      .def("__repr__", [](const api::Diagnostic& d) { return "<ptxmc.Diagnostic " + text_of(d) + ">"; });
  py::class_<api::Place>(module, "Place", "An instruction.")
      .def_readonly("thread", &api::Place::thread)
      .def_readonly("line", &api::Place::line)
      .def_readonly("column", &api::Place::column)
      .def_readonly("text", &api::Place::text)
      .def_readonly("source", &api::Place::source, "\"kernel.cu:88\", where a module says so")
      .def("__str__", [](const api::Place& p) { return print(p); })
      .def("__repr__", [](const api::Place& p) { return "<ptxmc.Place " + print(p) + ">"; });
}

void bind_executions(py::module_& module) {
  py::class_<api::Event>(module, "Event", "What an instruction does in one execution.")
      .def_readonly("name", &api::Event::name)
      .def_readonly("thread", &api::Event::thread, "the N of PN; None: an initial write")
      .def_readonly("line", &api::Event::line)
      .def_readonly("text", &api::Event::text)
      .def_readonly("location", &api::Event::location)
      .def_readonly("value", &api::Event::value)
      .def("__repr__", [](const api::Event& e) {
        const std::string access = e.location.empty() ? "" : fmt::format(" {}={}", e.location, e.value);
        return fmt::format("<ptxmc.Event {}{}>", e.name, access);
      });
  py::class_<api::Witness>(module, "Witness", "An execution: events, and pairs of them by their indices.")
      .def_readonly("events", &api::Witness::events)
      .def_readonly("program_order", &api::Witness::program_order)
      .def_readonly("reads_from", &api::Witness::reads_from)
      .def_readonly("coherence", &api::Witness::coherence)
      .def_readonly("svg", &api::Witness::svg, "the picture; empty: pictures=True did not ask for one")
      .def("_repr_svg_",
           [](const api::Witness& w) -> py::object {
             return w.svg.empty() ? py::object(py::none()) : py::object(py::str(w.svg));
           })
      .def("__repr__", [](const api::Witness& w) {
        return fmt::format("<ptxmc.Witness of {} events>", w.events.size());
      });
}

}  // namespace

void bind_results(py::module_& module) {
  bind_texts(module);
  bind_executions(module);
  py::class_<api::Finding>(module, "Finding", "What a check says is wrong.")
      .def_readonly("rule", &api::Finding::rule)
      .def_readonly("severity", &api::Finding::severity)
      .def_readonly("certain", &api::Finding::certain, "False: an engine gave up before it could be excluded")
      .def_readonly("instances", &api::Finding::instances)
      .def_readonly("places", &api::Finding::places)
      .def_readonly("missing", &api::Finding::missing)
      .def_readonly("cause", &api::Finding::cause)
      .def_readonly("advice", &api::Finding::advice)
      .def_readonly("section", &api::Finding::section)
      .def_readonly("witness", &api::Finding::witness)
      .def_readonly("confirmed", &api::Finding::confirmed)
      .def("__repr__", [](const api::Finding& f) {
        return fmt::format("<ptxmc.Finding {} ({})>", f.rule, word_of(f.severity));
      });
}

}  // namespace ptxmc::python
