// SPDX-License-Identifier: Apache-2.0
#include "face/cli/generated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <thread>

#include "face/cli/answer.h"
#include "face/cli/child.h"
#include "face/cli/files_read.h"
#include "face/cli/output_file.h"
#include "model/models.h"
#include "report/json/line.h"

namespace ptxmc::cli {

namespace {

/// A message of the work, as run_confined() hands it on: what it is of, and the length of each part before it.
enum class About : char { summary = 's', test = 't', end = 'e' };

std::string pack_parts(About about, const std::vector<std::string>& parts) {
  std::string text(1, static_cast<char>(about));
  for (const std::string& part : parts) text += fmt::format("{}:{}", part.size(), part);
  return text;
}

std::vector<std::string> unpack_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (text.remove_prefix(1); !text.empty();) {
    const std::size_t colon = text.find(':');
    const std::size_t size = std::stoul(std::string(text.substr(0, colon)));
    parts.emplace_back(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
  }
  return parts;
}

class Sender : public Taker {
 public:
  explicit Sender(const Child::Send& send) : send_(send) {}
  void summary(const std::string& line) override { send_(pack_parts(About::summary, {line})); }
  void test(const Made& test) override {
    send_(pack_parts(About::test, {test.name, test.text, test.verdicts}));
  }

 private:
  const Child::Send& send_;
};

std::filesystem::path path_of(const std::string& folder, const Made& test) {
  return file_in(folder, test.name);
}

std::string json_line(const std::string& verb, const std::string& folder, const Made& test) {
  nlohmann::ordered_json out = report::json_head(verb);
  out["test"] = test.name;
  if (!folder.empty()) out["file"] = path_of(folder, test).string();
  out["verdicts"] = nlohmann::ordered_json::parse(test.verdicts);
  if (folder.empty()) out["text"] = test.text;
  return report::json_text(out);
}

class Writer : public Taker {
 public:
  Writer(const Options& options, const std::string& folder, std::vector<std::string> read, std::ostream& out)
      : options_(options),
        folder_(folder),
        read_(std::move(read)),
        out_(out),
        json_(options.format == Format::json) {
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
  }

  void summary(const std::string& line) override {
    if (!json_) out_ << line;
    first_ = false;
    summary_ = line;
  }
  void test(const Made& test) override {
    if (!folder_.empty()) {
      OutputFile file(path_of(folder_, test).string(), read_);
      file.stream() << test.text;
      file.commit();
    }
    if (json_)
      out_ << json_line(options_.verb, folder_, test);
    else if (folder_.empty())
      out_ << (first_ ? "" : "\n") << test.text;
    first_ = false;
  }
  void end() {
    if (!json_ || summary_.empty()) return;
    nlohmann::ordered_json line = report::json_head(options_.verb);
    line["about"] = "difference";
    line["words"] = summary_.substr(0, summary_.find('\n'));
    out_ << report::json_text(line);
  }

 private:
  const Options& options_;
  const std::string& folder_;
  const std::vector<std::string> read_;
  std::ostream& out_;
  const bool json_;
  bool first_ = true;
  std::string summary_;
};

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

/// What is wrong with an input is told as a result: nothing may be thrown in a child.
Results results_of(const std::function<Results(Taker&)>& work, Taker& taker) {
  try {
    return work(taker);
  } catch (const InputError& error) {
    return {.messages = error.what(), .status = Status::input, .whole = false};
  }
}

Status write_tests(const Options& options, const std::string& folder, const std::vector<std::string>& inputs,
                   Streams& streams, const std::function<Results(Taker&)>& work) {
  streams.out.flush();
  const bool json = options.format == Format::json;
  const std::vector<std::string> read = files_read(inputs);
  std::optional<OutputFile> file;
  if (!options.output.empty() && (folder.empty() || json)) file.emplace(options.output, read);
  Writer writer(options, folder, read, file ? file->stream() : streams.out);
  Status status = Status::ok;
  bool whole = true;
  const std::string limit = run_confined(
      confines_or_share(options.settings.timeout, options.settings.memory),
      [&](const Child::Send& send) {
        Sender sender(send);
        const Results results = results_of(work, sender);
        send(pack_parts(About::end, {std::to_string(static_cast<int>(results.status)), results.messages,
                                     results.whole ? "whole" : ""}));
      },
      [&](std::string_view text) {
        const std::vector<std::string> parts = unpack_parts(text);
        switch (static_cast<About>(text.front())) {
          case About::summary:
            return writer.summary(parts.at(0));
          case About::test:
            return writer.test({parts.at(0), parts.at(1), parts.at(2)});
          case About::end:
            status = static_cast<Status>(std::stoi(parts.at(0)));
            streams.err << parts.at(1);
            whole = !parts.at(2).empty();
        }
      });
  if (!limit.empty()) {
    streams.err << fmt::format("ptxmc: unknown: {}\n", limit);
    if (json) streams.out << report::json_unknown(options.verb, "", "", limit);
    return Status::unknown;
  }
  writer.end();
  if (file && whole) file->commit();
  return status;
}

}  // namespace ptxmc::cli
