// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "ptx/program/print.h"

namespace ptxmc::gpu {

namespace {

std::string_view head_word(program::Quantifier quantifier) {
  switch (quantifier) {
    case program::Quantifier::exists:
      return "Allowed";
    case program::Quantifier::not_exists:
      return "Forbidden";
    case program::Quantifier::forall:
      return "Required";
  }
  return "";
}

/// Without an instance nothing is observed, and nothing validated.
bool validated(program::Quantifier quantifier, const Tallies& t) {
  if (t.positive + t.negative == 0) return false;
  switch (quantifier) {
    case program::Quantifier::exists:
      return t.positive > 0;
    case program::Quantifier::not_exists:
      return t.positive == 0;
    case program::Quantifier::forall:
      return t.negative == 0;
  }
  return false;
}

struct Line {
  std::uint64_t count = 0;
  std::string state;
  Values values;
  bool satisfied = false;
};

/// In the order of their text, as the herd family sorts them.
std::vector<Line> lines_of(const Observation& observation, const Histogram& histogram) {
  std::vector<Line> lines;
  for (const auto& [values, count] : histogram.counts) {
    if (observation.kept(values))
      lines.push_back({count, observation.print(values), values, observation.satisfied(values)});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.state < b.state; });
  return lines;
}

std::string device_text(const DeviceInfo& device) {
  if (device.driver == 0) return device.name;  // no GPU
  return fmt::format("{} (sm_{}{}), driver {}.{}", device.name, device.major, device.minor,
                     device.driver / 1000, device.driver % 1000 / 10);
}

/// ", 2 GPUs and 1 host thread"; empty for a test on one GPU.
std::string actors_text(const RunRecord& record) {
  if (record.gpus == 1 && record.hosts == 0) return "";
  std::string out =
      record.gpus == 0 ? "" : fmt::format(", {} GPU{}", record.gpus, record.gpus == 1 ? "" : "s");
  if (record.hosts != 0)
    out += fmt::format("{} {} host thread{}", record.gpus == 0 ? "," : " and", record.hosts,
                       record.hosts == 1 ? "" : "s");
  return out;
}

double rate(std::uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

Tallies tally(const Observation& observation, const Histogram& histogram) {
  Tallies t;
  for (const auto& [values, count] : histogram.counts) {
    if (!observation.kept(values)) continue;
    (observation.satisfied(values) ? t.positive : t.negative) += count;
  }
  return t;
}

std::string log_text(const program::Program& test, const Observation& observation, const Histogram& histogram,
                     const RunRecord& record) {
  const Tallies t = tally(observation, histogram);
  const bool good = validated(test.property.quantifier, t), none = t.positive + t.negative == 0;
  const std::vector<Line> lines = lines_of(observation, histogram);
  std::string out = fmt::format("Test {} {}\nHistogram ({} states)\n", test.name,
                                head_word(test.property.quantifier), lines.size());
  for (const Line& line : lines)
    out += fmt::format("{:<8}{}{}\n", line.count, line.satisfied ? "*>" : ":>", line.state);
  const bool swap = test.property.quantifier == program::Quantifier::not_exists;
  out += fmt::format("{}\n\nWitnesses\nPositive: {}, Negative: {}\n",
                     none   ? "Undef"
                     : good ? "Ok"
                            : "No",
                     swap ? t.negative : t.positive, swap ? t.positive : t.negative);
  out += fmt::format("Condition {} is {}validated\nHash={}\n", program::print_condition_line(test.property),
                     good ? "" : "NOT ", record.hash);
  const std::string_view word = none              ? "Unknown"
                                : t.positive == 0 ? "Never"
                                : t.negative == 0 ? "Always"
                                                  : "Sometimes";
  out += fmt::format("Observation {} {} {} {}\n", test.name, word, t.positive, t.negative);
  out += fmt::format("Time {} {:.2f}\n", test.name, histogram.seconds);
  if (histogram.hung != 0) out += fmt::format("Hung {} {}\n", test.name, histogram.hung);
  if (histogram.stuck != 0)
    out += fmt::format("Hung {} a launch of {} instances did not end within {:g} s\n", test.name,
                       histogram.stuck, record.options.patience);
  if (histogram.unrecorded != 0) out += fmt::format("Unrecorded {} {}\n", test.name, histogram.unrecorded);
  out += fmt::format("Device {} {}{}\n", test.name, device_text(record.device), actors_text(record));
  out += fmt::format("Rate {} {:.4g} instances/s, {:.4g} of them weak/s, {} CTAs\n", test.name,
                     rate(histogram.instances, histogram.seconds), rate(t.positive, histogram.seconds),
                     histogram.ctas);
  if (!record.id.empty()) out += fmt::format("Run {} {}\n", test.name, record.id);
  return out + fmt::format("Command {}\n\n", record.command);
}

std::string log_json(const program::Program& test, const Observation& observation, const Histogram& histogram,
                     const RunRecord& record) {
  using Json = nlohmann::ordered_json;
  const Tallies t = tally(observation, histogram);
  Json out = {{"version", 1}, {"verb", "run"}};  // report/json/schema.json
  out["test"] = test.name;
  out["file"] = record.file;
  out["hash"] = record.hash;
  out["condition"] = program::print_condition_line(test.property);
  Json states = Json::array();
  for (const Line& line : lines_of(observation, histogram)) {
    Json state;
    state["state"] = line.state;
    state["count"] = line.count;
    state["satisfied"] = line.satisfied;
    states.push_back(std::move(state));
  }
  out["states"] = std::move(states);
  out["positive"] = t.positive;
  out["negative"] = t.negative;
  out["instances"] = histogram.instances;
  out["hung"] = histogram.hung;
  out["stuck"] = histogram.stuck;
  out["unrecorded"] = histogram.unrecorded;
  out["seconds"] = histogram.seconds;
  out["instances_per_second"] = rate(histogram.instances, histogram.seconds);
  out["weak_per_second"] = rate(t.positive, histogram.seconds);
  out["device"] = {{"name", record.device.name},
                   {"capability", fmt::format("{}.{}", record.device.major, record.device.minor)},
                   {"driver", record.device.driver},
                   {"multiprocessors", record.device.multiprocessors}};
  out["parameters"] = {{"seed", record.options.seed},
                       {"instances_per_block", record.options.harness.instances},
                       {"stride", record.options.harness.stride},
                       {"fuel", record.options.harness.fuel},
                       {"ctas", histogram.ctas},
                       {"blocks", histogram.blocks},
                       {"launches", histogram.launches}};
  Json stress = Json::object();
  for (const StressSetting& setting : stress_settings(record.options.harness.stress)) {
    if (setting.number) {
      stress[setting.key] = std::stoul(setting.value);
    } else {
      stress[setting.key] = setting.value;
    }
  }
  out["parameters"]["stress"] = std::move(stress);
  if (!actors_text(record).empty()) {
    out["device"]["gpus"] = record.gpus;
    out["parameters"]["host_threads"] = record.hosts;
    out["parameters"]["home"] =
        record.options.harness.home ? Json(*record.options.harness.home) : Json("spread");
    if (record.hosts != 0) out["parameters"]["batch"] = record.options.batch;
  }
  out["command"] = record.command;
  if (!record.id.empty()) out["run"] = record.id;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ptxmc::gpu
