// SPDX-License-Identifier: Apache-2.0
#include "report/json/certificate.h"

#include <nlohmann/json.hpp>

#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using Object = nlohmann::ordered_json;

Object json_sum(const observed::CertificateSum& sum) {
  return {{"tests", sum.tests},
          {"ran", sum.ran},
          {"allowed_seen", sum.seen},
          {"allowed_unseen", sum.unseen},
          {"forbidden", sum.forbidden},
          {"open", sum.open},
          {"violations", sum.violations},
          {"observed", sum.observed},
          {"weak", sum.weak},
          {"seconds", sum.seconds}};
}

Object json_test(const observed::CertifiedTest& test) {
  const observed::Comparison& c = test.comparison;
  Object out;
  out["test"] = c.test;
  out["file"] = c.file;
  out["hash"] = test.hash;
  out["course"] = name_of(test.course);
  if (!test.why.empty()) out["why"] = test.why;
  out["about"] = Object::object();
  for (const auto& [axis, names] : test.subjects) out["about"][std::string(name_of(axis))] = names;
  if (test.course != observed::Course::ran) return out;
  out["undefined"] = c.undefined;
  if (!c.unknown.empty()) out["unknown"] = c.unknown;
  out["states"] = Object::array();
  for (const observed::Row& row : c.rows)
    out["states"].push_back(
        {{"state", row.state}, {"count", row.count}, {"standing", name_of(row.standing)}});
  out["observed"] = c.observed;
  out["weak"] = c.weak;
  out["hung"] = c.hung;
  out["seconds"] = c.seconds;
  if (!c.explanation.empty()) out["explanation"] = c.explanation;
  return out;
}

Object json_differences(const observed::Certificate& certificate, const observed::Certificate& other) {
  const observed::CertificateComparison comparison = compare_certificates(certificate, other);
  Object out;
  out["devices"] = other.devices;
  out["suite"] = other.suite;
  out["model"] = other.model;
  out["both"] = comparison.both;
  out["here"] = comparison.here;
  out["there"] = comparison.there;
  out["changed"] = comparison.changed;
  out["differences"] = Object::array();
  for (const observed::CertificateDifference& d : comparison.differences)
    out["differences"].push_back({{"test", d.test},
                                  {"state", d.state},
                                  {"forbidden", d.forbidden},
                                  {"count", d.count},
                                  {"observed", d.observed},
                                  {"other_count", d.other},
                                  {"other_observed", d.of_other}});
  return out;
}

}  // namespace

std::string certificate_json(const observed::Certificate& certificate, const observed::Certificate* other) {
  Object out = json_head("conform");
  out["program"] = certificate.program;
  out["model"] = certificate.model;
  out["manual"] = certificate.manual;
  out["suite"] = certificate.suite;
  if (!certificate.shard.empty()) out["shard"] = certificate.shard;
  out["devices"] = certificate.devices;
  out["total"] = json_sum(sum_of(certificate));
  out["coverage"] = Object::object();
  for (const observed::Axis axis : observed::kAxes) {
    Object& sums = out["coverage"][std::string(name_of(axis))] = Object::object();
    for (const auto& [name, sum] : sums_by(certificate, axis)) sums[name] = json_sum(sum);
  }
  out["tests"] = Object::array();
  for (const observed::CertifiedTest& test : certificate.tests) out["tests"].push_back(json_test(test));
  if (other != nullptr) out["against"] = json_differences(certificate, *other);
  return json_text(out);
}

}  // namespace ptxmc::report
