// SPDX-License-Identifier: Apache-2.0
// Options of `run` about campaigns and shards.
#include <fmt/format.h>

#include "face/cli/duration.h"
#include "face/cli/option_rows.h"
#include "face/cli/shard.h"

namespace ptxmc::cli {

namespace {

std::string shard(const std::string& text) {
  return parse_shard(text) ? "" : fmt::format("{}: expected I/N, with I from 1 to N", text);
}

std::string named(const std::string& text) {
  return text.empty() ? "expected a folder" : "";
}

const std::map<std::string, Progress>& progress_names() {
  static const std::map<std::string, Progress> names = {
      {"auto", Progress::auto_}, {"on", Progress::on}, {"off", Progress::off}};
  return names;
}

}  // namespace

void add_shard_option(App& app, Shard& target, const std::string& help) {
  app.add_option_function<std::string>(
         "--shard", [&target](const std::string& text) { target = parse_shard(text).value_or(Shard{}); },
         help)
      ->check(CLI::Validator(shard, ""))
      ->option_text("I/N");
}

void add_progress_option(App& app, Progress& target) {
  app.add_option_function<std::string>(
         "--progress", [&target](const std::string& name) { target = progress_names().at(name); },
         "a campaign's progress line on standard error; default on a terminal")
      ->check(one_of({"auto", "on", "off"}))
      ->option_text("auto|on|off");
}

void add_campaign_time(App& app, CampaignOptions& target, const std::string& help) {
  app.add_option_function<std::string>(
         "--time", [&target](const std::string& text) { target.seconds = parse_duration(text); }, help)
      ->check(CLI::Validator(duration_error, ""))
      ->option_text("T");
}

void add_campaign_options(App& app, GpuOptions& o) {
  app.add_option(
         "--campaign", o.campaign.folder,
         "sweep over the tests of this folder, and of FILEs, until the time is over; append the results "
         "to FILE of -o, and go on where that file ends")
      ->check(CLI::Validator(named, ""))
      ->option_text("DIR");
  add_shard_option(
      app, o.shard,
      "take the I-th of N shares of the tests, dealt out by a hash of their names: for N machines that "
      "share "
      "a folder");
  add_progress_option(app, o.progress);
}

}  // namespace ptxmc::cli
