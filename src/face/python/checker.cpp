// SPDX-License-Identifier: Apache-2.0
#include "ptxmc/checker.h"

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "face/python/bindings.h"
#include "face/python/interruptible.h"

namespace py = pybind11;

namespace ptxmc::python {

namespace {

/// What Python shows of an object when nothing else is asked for.
template <typename Kind>
auto shown_as(const char* kind) {
  return [kind](const Kind& answer) {
    const std::string word = py::cast(answer.answer).attr("name").template cast<std::string>();
    return fmt::format("<ptxmc.{} of {}: {}>", kind, answer.name, word);
  };
}

template <typename T>
using Words = std::initializer_list<std::pair<std::string_view, T>>;

/// What a word stands for. Throws std::invalid_argument, with the words that there are.
template <typename T>
T named(const char* what, const std::string& word, const Words<T>& words) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", name);
  }
  throw std::invalid_argument(fmt::format("there is no {} \"{}\": {}", what, word, known));
}

api::Checker checker_of(const std::optional<std::string>& model, const std::optional<std::string>& model_text,
                        const std::string& engine, const std::map<std::string, std::string>& readings,
                        std::optional<double> timeout, std::optional<int> unroll, bool unbounded,
                        bool verdict_only, bool recheck, bool flags, bool witnesses, bool pictures,
                        const std::string& progress) {
  api::Options options;
  options.model = model.value_or("");
  options.model_text = model_text.value_or("");
  options.engine = named<api::Engine>("engine", engine,
                                      {{"auto", api::Engine::automatic},
                                       {"explicit", api::Engine::explicit_},
                                       {"smt", api::Engine::smt},
                                       {"both", api::Engine::both}});
  options.progress = named<api::Progress>(
      "progress model", progress,
      {{"fair", api::Progress::fair}, {"obe", api::Progress::obe}, {"hsa", api::Progress::hsa}});
  for (const auto& [name, value] : readings)
    options.readings.push_back(std::string(name).append("=").append(value));
  options.timeout = timeout;
  options.unroll = unroll;
  options.unbounded = unbounded;
  options.verdict_only = verdict_only;
  options.recheck = recheck;
  options.flags = flags;
  options.witnesses = witnesses;
  options.pictures = pictures;
  return api::Checker(options);
}

void bind_enums(py::module_& module) {
  py::enum_<api::Answer>(module, "Answer", "The answer for the proposition under the test's quantifier.")
      .value("allowed", api::Answer::allowed)
      .value("forbidden", api::Answer::forbidden)
      .value("required", api::Answer::required)
      .value("not_required", api::Answer::not_required)
      .value("undefined", api::Answer::undefined)
      .value("unknown", api::Answer::unknown)
      .value("error", api::Answer::error);
  py::enum_<api::RaceAnswer>(module, "RaceAnswer")
      .value("racy", api::RaceAnswer::racy)
      .value("race_free", api::RaceAnswer::race_free)
      .value("unknown", api::RaceAnswer::unknown)
      .value("error", api::RaceAnswer::error);
  using Kind = api::Explanation::Kind;
  py::enum_<Kind>(module, "ExplanationKind")
      .value("reachable", Kind::reachable)
      .value("forbidden", Kind::forbidden)
      .value("impossible", Kind::impossible)
      .value("unknown", Kind::unknown)
      .value("error", Kind::error);
}

void bind_answers(py::module_& module) {
  py::class_<api::Common>(module, "Common", "What every answer has.")
      .def_readonly("name", &api::Common::name)
      .def_readonly("unknown", &api::Common::unknown, "why the answer is open; empty: it is not")
      .def_readonly("report", &api::Common::report, "what the program prints")
      .def_readonly("diagnostics", &api::Common::diagnostics, "of a text that is refused")
      .def_readonly("warnings", &api::Common::warnings)
      .def_readonly("problems", &api::Common::problems, "bugs of ptxmc")
      .def("__str__", [](const api::Common& c) {  // a text that is refused has no report
        std::string out = c.report;
        for (const api::Diagnostic& diagnostic : c.diagnostics) out += text_of(diagnostic) + "\n";
        return out;
      });
  py::class_<api::State>(module, "State", "A final state.")
      .def_property_readonly("values",
                             [](const api::State& state) {
                               py::dict out;
                               for (const auto& [name, value] : state.values) out[py::str(name)] = value;
                               return out;
                             })
      .def_readonly("satisfied", &api::State::satisfied)
      .def_readonly("witness", &api::State::witness)
      .def("__repr__", [](const api::State& state) {
        std::string out = "<ptxmc.State";
        for (const auto& [name, value] : state.values) out += fmt::format(" {}={}", name, value);
        return out + ">";
      });
  py::class_<api::Result, api::Common>(module, "Result", "What Checker.check returns.")
      .def_readonly("answer", &api::Result::answer)
      .def_readonly("bound_hit", &api::Result::bound_hit)
      .def_readonly("verdict_met", &api::Result::verdict_met)
      .def_readonly("states", &api::Result::states)
      .def_readonly("complete", &api::Result::complete)
      .def_readonly("deciding", &api::Result::deciding)
      .def_readonly("witness", &api::Result::witness)
      .def("__repr__", shown_as<api::Result>("Result"))
      .def_property_readonly("flags", [](const api::Result& result) {
        py::dict out;
        for (const api::Flag& flag : result.flags) out[py::str(flag.name)] = flag.raised;
        return out;
      });
  py::class_<api::RaceResult, api::Common>(module, "RaceResult", "What Checker.races returns.")
      .def_readonly("answer", &api::RaceResult::answer)
      .def_readonly("findings", &api::RaceResult::findings)
      .def("__repr__", shown_as<api::RaceResult>("RaceResult"));
  py::class_<api::LivenessResult, api::Common>(module, "LivenessResult", "What Checker.liveness returns.")
      .def_readonly("refused", &api::LivenessResult::refused)
      .def_readonly("hangs", &api::LivenessResult::hangs)
      .def_readonly("findings", &api::LivenessResult::findings)
      .def("__repr__", [](const api::LivenessResult& answer) {
        const char* word = answer.refused  ? "refused"
                           : !answer.hangs ? "unknown"
                           : *answer.hangs ? "hangs"
                                           : "never hangs";
        return fmt::format("<ptxmc.LivenessResult of {}: {}>", answer.name, word);
      });
}

void bind_explanations(py::module_& module) {
  py::class_<api::Violation>(module, "Violation", "An axiom that forbids an outcome.")
      .def_readonly("axiom", &api::Violation::axiom)
      .def_readonly("section", &api::Violation::section)
      .def_readonly("text", &api::Violation::text)
      .def_readonly("steps", &api::Violation::steps)
      .def_readonly("witness", &api::Violation::witness)
      .def("__repr__", [](const api::Violation& v) {
        return fmt::format("<ptxmc.Violation {} ({})>", v.axiom, v.section);
      });
  py::class_<api::Explanation, api::Common>(module, "Explanation", "What Checker.explain returns.")
      .def_readonly("kind", &api::Explanation::kind)
      .def_readonly("axioms", &api::Explanation::axioms)
      .def_readonly("alternatives", &api::Explanation::alternatives)
      .def_readonly("minimal", &api::Explanation::minimal)
      .def_readonly("witness", &api::Explanation::witness)
      .def("__repr__", [](const api::Explanation& answer) {
        const std::string word = py::cast(answer.kind).attr("name").cast<std::string>();
        return fmt::format("<ptxmc.Explanation of {}: {}>", answer.name, word);
      });
}

/// A method of Checker that asks about a text.
template <auto Question>
auto asking() {
  return [](const api::Checker& checker, const std::string& text, const std::string& name) {
    return interruptible([&](const std::stop_token& stop) { return (checker.*Question)(text, name, stop); });
  };
}

}  // namespace

void bind_checker(py::module_& module) {
  bind_enums(module);
  bind_answers(module);
  bind_explanations(module);
  const api::Options defaults;
  py::class_<api::Checker>(module, "Checker", "Litmus tests, under one model. May be shared between threads.")
      .def(py::init(&checker_of), py::kw_only(), py::arg("model") = py::none(),
           py::arg("model_text") = py::none(), py::arg("engine") = "auto", py::arg("readings") = py::dict(),
           py::arg("timeout") = py::none(), py::arg("unroll") = py::none(),
           py::arg("unbounded") = defaults.unbounded, py::arg("verdict_only") = defaults.verdict_only,
           py::arg("recheck") = defaults.recheck, py::arg("flags") = defaults.flags,
           py::arg("witnesses") = defaults.witnesses, py::arg("pictures") = defaults.pictures,
           py::arg("progress") = "fair")
      .def("_check", asking<&api::Checker::check>())
      .def("_races", asking<&api::Checker::races>())
      .def("_liveness", asking<&api::Checker::liveness>())
      .def("_explain", asking<&api::Checker::explain>());
  py::class_<api::Reading>(module, "Reading", "A place of the manual that can be read in several ways.")
      .def_readonly("name", &api::Reading::name)
      .def_readonly("values", &api::Reading::values, "the first is the default")
      .def_readonly("rules", &api::Reading::rules, "sections of the manual")
      .def_readonly("about", &api::Reading::about, "what each value means");
  module.def("readings", &api::readings, "The places of the manual that can be read in several ways.");
  module.def("profiles", &api::profiles, "The names of the built-in models.");
  module.def("model_text", &api::model_text, py::arg("profile"), "The text of a built-in model, in cat.");
}

}  // namespace ptxmc::python
