// SPDX-License-Identifier: Apache-2.0
#include "observed/certificate_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "support/refuse.h"

namespace ptxmc::observed {

namespace {

using Json = nlohmann::json;

constexpr Standing kStandings[] = {Standing::seen, Standing::unseen, Standing::forbidden, Standing::open,
                                   Standing::undefined};
constexpr Course kCourses[] = {Course::ran, Course::skipped, Course::hung, Course::failed, Course::absent};

/// The enumerator of that name.
template <typename T, std::size_t N>
T named(const T (&all)[N], const std::string& name) {
  for (const T one : all) {
    if (name_of(one) == name) return one;
  }
  ptxmc::refuse(fmt::format("not a certificate of `ptxmc conform`: it has no word `{}`", name));
}

Comparison comparison_of(const Json& test, const std::string& model) {
  Comparison out;
  out.test = test.at("test").get<std::string>();
  out.file = test.at("file").get<std::string>();
  out.model = model;
  for (const Json& row : test.value("states", Json::array()))
    out.rows.push_back({row.at("state").get<std::string>(), row.at("count").get<std::uint64_t>(),
                        named(kStandings, row.at("standing").get<std::string>())});
  out.observed = test.value("observed", std::uint64_t{0});
  out.weak = test.value("weak", std::uint64_t{0});
  out.hung = test.value("hung", std::uint64_t{0});
  out.seconds = test.value("seconds", 0.0);
  out.unknown = test.value("unknown", "");
  out.undefined = test.value("undefined", false);
  out.explanation = test.value("explanation", "");
  return out;
}

CertifiedTest test_of(const Json& test, const std::string& model) {
  CertifiedTest out;
  out.comparison = comparison_of(test, model);
  out.hash = test.at("hash").get<std::string>();
  out.course = named(kCourses, test.at("course").get<std::string>());
  out.why = test.value("why", "");
  for (const Axis axis : kAxes) {
    for (const Json& name : test.at("about").value(std::string(name_of(axis)), Json::array()))
      out.subjects[axis].insert(name.get<std::string>());
  }
  const auto families = out.subjects.find(Axis::family);
  if (families != out.subjects.end() && !families->second.empty())
    out.comparison.family = *families->second.begin();
  return out;
}

}  // namespace

Certificate read_certificate(const SourcePtr& source) {
  try {
    const Json json = Json::parse(source->text);
    if (json.value("verb", "") != "conform")
      ptxmc::refuse(fmt::format("'{}': this is no certificate of `ptxmc conform`", source->name));
    Certificate out;
    out.program = json.at("program").get<std::string>();
    out.model = json.at("model").get<std::string>();
    out.manual = json.at("manual").get<std::string>();
    out.suite = json.at("suite").get<unsigned>();
    out.shard = json.value("shard", "");
    for (const Json& device : json.at("devices")) out.devices.insert(device.get<std::string>());
    for (const Json& test : json.at("tests")) out.tests.push_back(test_of(test, out.model));
    return out;
  } catch (const nlohmann::json::exception& error) {
    ptxmc::refuse(
        fmt::format("'{}': this is no certificate of `ptxmc conform`: {}", source->name, error.what()));
  }
}

}  // namespace ptxmc::observed
