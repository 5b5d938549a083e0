// SPDX-License-Identifier: Apache-2.0
// `import`: threads of a launched module as a litmus test, for people to cut down.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "face/cli/answer.h"
#include "face/cli/child.h"
#include "face/cli/modules.h"
#include "face/cli/output_file.h"
#include "input/litmus/print.h"
#include "report/json/line.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// Leaves those threads and what is said of them.
void keep(litmus::Test& test, const std::vector<int>& threads) {
  const std::set<int> kept(threads.begin(), threads.end());
  for (const int number : kept) {
    if (number < 0 || static_cast<std::size_t>(number) >= test.threads.size())
      refuse(fmt::format("--threads {}: there are {}, from 0", number, test.threads.size()));
  }
  const auto gone = [&](int number) { return !kept.contains(number); };
  std::erase_if(test.threads, [&](const program::Thread& thread) { return gone(thread.number); });
  std::erase_if(test.register_inits, [&](const program::RegisterInit& init) { return gone(init.thread); });
  for (program::Kernel& kernel : test.kernels.kernels)
    std::erase_if(kernel.threads, [&](int number) { return gone(number); });
}

/// Throws InputError for what is no launch, or has no litmus test.
litmus::Test imported(const Input& input, const Options& options, const std::vector<int>& threads,
                      std::istream& in) {
  if (!is_launch_name(input.name))
    refuse(fmt::format("'{}': expected a .ptx module or a .json file of launches", input.name));
  litmus::Test test = read_launch(input, options, in);
  for (const program::Variable& variable : test.variables) {
    if (!variable.open.empty())
      refuse(
          fmt::format("'{}': a part of `{}` is opaque, which a litmus test has no word for; give it data, "
                      "or a buffer of its own",
                      input.name, variable.name));
  }
  test.docs.push_back(fmt::format("Threads of {}, as launched.", test.source->name));
  if (!threads.empty()) keep(test, threads);
  return test;
}

std::string import_json(const std::string& file, const litmus::Test& test) {
  nlohmann::ordered_json out = report::json_head("import");
  out["file"] = file;
  out["test"] = test.name;
  out["threads"] = nlohmann::ordered_json::array();
  for (const program::Thread& thread : test.threads) out["threads"].push_back(thread.number);
  out["text"] = litmus::print(test, litmus::Lanes::together);
  return report::json_text(out);
}

struct Imported {
  std::string text;   // what is printed
  std::string limit;  // else: what it ran into, Ending::limit()
  std::string note;   // what to say about the limit; may be empty
};

/// In a process of its own. What is wrong with the input is thrown here, where it is found again.
Imported import_one(const Input& input, const Options& options, const std::vector<int>& threads,
                    std::istream& in) {
  const bool json = options.format == Format::json;
  const auto text = [&] {
    const litmus::Test test = imported(input, options, threads, in);
    return json ? import_json(input.name, test) : litmus::print(test, litmus::Lanes::together);
  };
  if (input.name == "-") return {text(), "", ""};  // it can be read once
  const Confines limits = confines_or_share(options.settings.timeout, options.settings.memory);
  bool wrong = false;
  Imported out;
  out.limit = run_confined(
      limits,
      [&](const Child::Send& send) {
        try {
          send("T" + text());
        } catch (const InputError&) {
          send("E");
        }
      },
      [&](std::string_view message) {
        wrong = message.front() == 'E';
        out.text = message.substr(1);
      });
  if (wrong) out.text = text();
  if (out.limit == "memory") out.note = memory_note(limits);
  return out;
}

}  // namespace

Status import_files(const Options& options, const std::vector<int>& threads, Streams& streams) {
  const bool json = options.format == Format::json;
  streams.out.flush();
  return with_output(options.output, options.files, streams, [&](std::ostream& out) {
    Status status = Status::ok;
    for (const Input& input : expand_inputs(options.files)) {
      try {
        const Imported one = import_one(input, options, threads, streams.in);
        out << one.text;
        if (one.limit.empty()) continue;
        streams.err << fmt::format("{}: unknown: {}{}\n", input.name, one.limit,
                                   one.note.empty() ? "" : " (" + one.note + ")");
        if (json) out << report::json_unknown("import", input.name, "", one.limit);
        status = worse(status, Status::unknown);
      } catch (const InputError& error) {
        if (!json) throw;
        streams.err << error.what();
        out << report::json_errors("import", input.name, error.diagnostics());
        status = worse(status, status_of(answer_of(error)));
      }
    }
    return status;
  });
}

}  // namespace ptxmc::cli
