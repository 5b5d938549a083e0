// SPDX-License-Identifier: Apache-2.0
// The verb `lsp`: the language server (src/face/lsp) over standard input and output.
#include <fmt/format.h>

#include <exception>
#include <sstream>
#include <string>

#include "face/cli/child.h"
#include "face/cli/option_rows.h"
#include "face/lsp/server.h"
#include "report/json/line.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

constexpr const char* kLspFooter =
    "An editor starts it, and speaks LSP 3.17 over standard input and output. It reports errors as they are typed, the\n"
    "manual's sections for instructions and definitions of models, and completes mnemonics and modifiers. The verdict\n"
    "of a test stands above it, within --timeout (2 seconds) and --memory (2000). When a launch.json or a CUDA source that\n"
    "one lies beside is opened or saved, findings of the kernel stand in the source.\n"
    "\n"
    "Exit status: 1 the editor went away without a word (`shutdown`); 2 a usage error; else 0.\n"
    "\n"
    "Example:\n"
    "  vim.lsp.start({ name = 'ptxmc', cmd = { 'ptxmc', 'lsp' } })   -- Neovim\n"
    "  ptxmc lsp --model ptx-7.5 --timeout 5\n";

lsp::Confined confined(const Confines& limits, const std::function<std::string()>& work) {
  try {
    const Outcome outcome = run_confined(limits, work);
    return {outcome.text, outcome.unknown};
  } catch (const std::exception& error) {
    return {"", error.what()};
  }
}

/// The lines of JSON of `verify`, which has limits of its own.
std::string verified_lines(const std::string& file, const session::Settings& settings) {
  Arguments words = {"--quiet", "--if-launched", "--format", "json", "--no-confirm"};
  if (settings.timeout) words.push_back(fmt::format("--timeout={}", *settings.timeout));
  words.push_back(file);
  std::istringstream nothing;
  std::ostringstream out, messages;
  Streams streams{nothing, out, messages, false};
  try {
    verify_verb(words, streams);
  } catch (const std::exception& error) {  // the title says it
    return report::json_errors("verify", file, {{Severity::error, nullptr, {}, error.what()}});
  }
  return out.str();
}

}  // namespace

Status lsp_verb(const Arguments& arguments, Streams& streams) {
  App app("A language server: litmus tests, models and PTX modules in editors.", "ptxmc lsp");
  app.footer(kLspFooter);
  Options options;
  constexpr double kSeconds = 2;
  constexpr std::size_t kBytes = std::size_t{2000} << 20;
  options.settings.timeout = kSeconds;
  options.settings.memory = kBytes;
  add_settings(app, options, {"--model", "--reading", "--engine", "--unroll", "--timeout", "--memory"});
  return parse_and_run(app, arguments, streams, [&] {
    // The engines look at the clock themselves; the child is what holds for all else.
    const Confines limits = confines(options.settings.timeout, options.settings.memory);
    session::Settings settings = options.settings;
    settings.witnesses = 1;
    settings.packed = false;
    const session::Session checked(settings);  // a model that cannot be read is said before an editor waits
    lsp::Server server(
        streams.out, settings,
        [&](const std::function<std::string()>& work) { return confined(limits, work); },
        [&](const std::string& file) { return verified_lines(file, options.settings); }, PTXMC_VERSION);
    return lsp::serve(streams.in, server) ? Status::ok : Status::unmet;
  });
}

}  // namespace ptxmc::cli
