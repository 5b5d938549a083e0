// SPDX-License-Identifier: Apache-2.0
#include "cli/generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>

#include "cli/child.h"
#include "cli/output_file.h"
#include "model/models.h"
#include "report/json/line.h"

namespace ptxmc::cli {

namespace {

/// As run_confined() hands it on: the length of each part before it.
std::string pack(const Results& results) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{}", part.size(), part); };
  add(std::to_string(static_cast<int>(results.status)));
  add(results.summary);
  add(results.messages);
  for (const Made& test : results.tests) add(test.name), add(test.text), add(test.verdicts);
  return text;
}
Results unpack(std::string_view text) {
  const auto next = [&] {
    const std::size_t colon = text.find(':');
    const std::size_t size = std::stoul(std::string(text.substr(0, colon)));
    std::string part(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
    return part;
  };
  Results results;
  results.status = static_cast<Status>(std::stoi(next()));
  results.summary = next();
  results.messages = next();
  while (!text.empty()) {
    std::string name = next();
    std::string test = next();
    results.tests.push_back({std::move(name), std::move(test), next()});
  }
  return results;
}

std::filesystem::path path_of(const std::string& folder, const Made& test) {
  return std::filesystem::path(folder) / (test.name + ".litmus");
}

void write_folder(const std::string& folder, const std::vector<Made>& tests) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Made& test : tests) {
    OutputFile file(path_of(folder, test).string(), {});
    file.stream() << test.text;
    file.commit();
  }
}

std::string json_line(const std::string& verb, const std::string& folder, const Made& test) {
  nlohmann::ordered_json out = report::json_head(verb);
  out["test"] = test.name;
  if (!folder.empty()) out["file"] = path_of(folder, test).string();
  out["verdicts"] = nlohmann::ordered_json::parse(test.verdicts);
  if (folder.empty()) out["text"] = test.text;
  return report::json_text(out);
}

}  // namespace

nlohmann::ordered_json verdict_json(const session::Session& session, const generate::Judged& judged) {
  nlohmann::ordered_json out = {{"model", session.model_name()}};
  if (!session.readings().changed().empty()) out["readings"] = session.readings().changed();
  out["answer"] = explain::name_of(judged.answer);
  if (!judged.why.empty()) out["unknown"] = judged.why;
  return out;
}

std::string told_apart(std::map<std::string, int>& seen, const std::string& name) {
  const int before = seen[name]++;
  return before == 0 ? name : fmt::format("{}+{}", name, before + 1);
}

bool note(const std::string& name, const generate::Judged& judged, Results& results) {
  for (const std::string& problem : judged.problems) {
    results.messages += fmt::format("ptxmc: internal error: {}: {}\n", name, problem);
    results.status = worse(results.status, Status::failure);
  }
  if (judged.answer != explain::Answer::unknown) return true;
  if (judged.problems.empty()) {
    results.messages += fmt::format("ptxmc: {}: unknown: {}\n", name, judged.why);
    results.status = worse(results.status, Status::unknown);
  }
  return false;
}

std::string verdict_key(const session::Session& session) {
  std::vector<std::string> parts;
  const bool usual = session.user_model() || session.model_name() == model::kDefaultProfile;
  if (!usual) parts.push_back(session.model_name());
  for (const std::string& reading : session.readings().changed()) parts.push_back(reading);
  return parts.empty() ? "Verdict" : fmt::format("Verdict[{}]", fmt::join(parts, ","));
}

unsigned workers_of(unsigned jobs) {
  return jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : jobs;
}

Status write_tests(const Options& options, const std::string& folder, Streams& streams,
                   const std::function<Results()>& work) {
  streams.out.flush();
  const Outcome outcome =
      run_confined(confines(options.settings.timeout, options.settings.memory), [&] { return pack(work()); });
  if (!outcome.unknown.empty()) {
    streams.err << fmt::format("ptxmc: unknown: {}\n", outcome.unknown);
    if (options.format == Format::json)
      streams.out << report::json_unknown(options.verb, "", "", outcome.unknown);
    return Status::unknown;
  }
  const Results results = unpack(outcome.text);
  streams.err << results.messages;
  const bool json = options.format == Format::json;
  if (!folder.empty() && !json) {
    streams.out << results.summary;
    write_folder(folder, results.tests);
    return results.status;
  }
  return with_output(options.output, {}, streams, [&](std::ostream& out) {
    if (json) {
      if (!folder.empty()) write_folder(folder, results.tests);
      for (const Made& test : results.tests) out << json_line(options.verb, folder, test);
      if (!results.summary.empty()) {
        nlohmann::ordered_json line = report::json_head(options.verb);
        line["about"] = "difference";
        line["words"] = results.summary.substr(0, results.summary.find('\n'));
        out << report::json_text(line);
      }
      return results.status;
    }
    out << results.summary;
    for (std::size_t i = 0; i < results.tests.size(); ++i)
      out << (i == 0 && results.summary.empty() ? "" : "\n") << results.tests[i].text;
    return results.status;
  });
}

}  // namespace ptxmc::cli
