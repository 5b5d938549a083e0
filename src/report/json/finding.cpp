// SPDX-License-Identifier: Apache-2.0
#include "report/json/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "explain/words/spellings.h"
#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json place_json(const explain::Place& place, const std::string& file) {
  Json out;
  if (place.event) out["event"] = *place.event;
  out["thread"] = place.thread ? Json(*place.thread) : Json(nullptr);
  if (place.in_launch) out["cta"] = place.in_launch->cta, out["in_cta"] = place.in_launch->thread;
  if (!place.kernel.empty()) out["kernel"] = place.kernel;
  add_position(out, file, place.position, place.origin);
  out["text"] = place.text;
  if (!place.access.empty()) {
    out["access"] = place.access;
    out["proxy"] = isa::name_of(place.proxy);
  }
  if (!place.waits.empty()) out["waits"] = place.waits;
  if (!place.iteration.empty()) out["iteration"] = place.iteration;
  return out;
}

Json pairs_json(const explain::Finding& finding) {
  Json out = Json::array();
  for (const explain::Pair& pair : finding.pairs) {
    Json one = {
        {"lines",
         {finding.places.at(pair.first).position.line, finding.places.at(pair.second).position.line}}};
    if (!pair.bytes.empty()) one["bytes"] = pair.bytes;
    if (!pair.object.empty())
      one["object"] = {{"name", pair.object}, {"offset", pair.offset}, {"bytes", pair.size}};
    out.push_back(std::move(one));
  }
  return out;
}

/// What the exact engine says of it.
void add_exact(const claim::ExactAnswer& exact, Json& out) {
  out["confirmed"] = exact.races ? Json(*exact.races) : Json(nullptr);
  if (!exact.why.empty()) out["unconfirmed"] = exact.why;
  if (!exact.file.empty()) out["litmus"] = exact.file;
}

}  // namespace

Json json_of(const explain::Finding& finding, const std::string& file) {
  Json out = {
      {"rule", finding.name}, {"severity", name_of(finding.severity)}, {"instances", finding.instances}};
  if (finding.id != 0) out["id"] = finding.id;
  if (finding.consequence_of != 0) out["consequence_of"] = finding.consequence_of;
  if (!finding.certain) out["certain"] = false;
  if (finding.stated) out["stated"] = true;
  if (!finding.flags.empty()) out["flags"] = finding.flags;
  out["places"] = Json::array();
  for (const explain::Place& place : finding.places) out["places"].push_back(place_json(place, file));
  out["pairs"] = pairs_json(finding);
  if (!finding.reasons.empty()) out["missing"] = Json::array();
  for (const explain::Reason& reason : finding.reasons) out["missing"].push_back(reason.name);
  if (!finding.unclassified.empty()) out["unclassified"] = finding.unclassified;
  if (!finding.cause.empty()) out["cause"] = fmt::format("{}", fmt::join(finding.cause, "; "));
  if (!finding.condition.empty()) out["condition"] = finding.condition;
  if (finding.exact) add_exact(*finding.exact, out);
  for (const explain::End& end : finding.ends) out[end.name] = place_json(end.place, file);
  out["advice"] = finding.advice;
  const explain::Calls calls = explain::calls_for(finding.advice);
  if (!calls.cuda.empty()) out["cuda"] = calls.cuda;
  if (!calls.cutlass.empty()) out["cutlass"] = calls.cutlass;
  if (!finding.section.empty()) out["section"] = finding.section;
  if (!finding.fingerprint.empty()) out["fingerprint"] = finding.fingerprint;
  if (finding.accepted.accepted()) {
    out["accepted"] = {{"as", name_of(finding.accepted.as)}, {"where", finding.accepted.where}};
    if (!finding.accepted.why.empty()) out["accepted"]["reason"] = finding.accepted.why;
  }
  if (finding.awaited) out["awaited"] = {finding.awaited->first, finding.awaited->second};
  return out;
}

}  // namespace ptxmc::report
