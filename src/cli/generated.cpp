// SPDX-License-Identifier: Apache-2.0
#include "cli/generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>

#include "cli/child.h"
#include "cli/output_file.h"
#include "model/models.h"

namespace ptxmc::cli {

namespace {

/// As run_confined() hands it on: the length of each part before it.
std::string pack(const Results& results) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{}", part.size(), part); };
  add(std::to_string(static_cast<int>(results.status)));
  add(results.summary);
  add(results.messages);
  for (const Made& test : results.tests) add(test.name), add(test.text);
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
    results.tests.push_back({std::move(name), next()});
  }
  return results;
}

void write_folder(const std::string& folder, const std::vector<Made>& tests) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Made& test : tests) {
    const std::filesystem::path path = std::filesystem::path(folder) / (test.name + ".litmus");
    OutputFile file(path.string(), {});
    file.stream() << test.text;
    file.commit();
  }
}

}  // namespace

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
    return Status::unknown;
  }
  const Results results = unpack(outcome.text);
  streams.err << results.messages;
  if (!folder.empty()) {
    streams.out << results.summary;
    write_folder(folder, results.tests);
    return results.status;
  }
  return with_output(options.output, {}, streams, [&](std::ostream& out) {
    out << results.summary;
    for (std::size_t i = 0; i < results.tests.size(); ++i)
      out << (i == 0 && results.summary.empty() ? "" : "\n") << results.tests[i].text;
    return results.status;
  });
}

}  // namespace ptxmc::cli
