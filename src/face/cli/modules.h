// SPDX-License-Identifier: Apache-2.0
// PTX modules and files of launches among the inputs of a verb.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "face/cli/inputs.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "input/launch/launch.h"
#include "input/launch/program.h"
#include "input/litmus/test.h"

namespace ptxmc::cli {

/// Is it the name of a module, `.ptx`, or of a file of launches, `.json`?
bool is_launch_name(const std::string& file);
/// The same of an input, whose text may be a module that was made of another file.
bool is_launch(const Input& input);

/// The program of a module under the launch that the options say, or of a file of launches; `--assert` is its property.
/// Throws InputError.
litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input);
/// What is launched in place of what the input says.
struct Instead {
  const std::string* module = nullptr;             ///< the module's text; null: what it is
  std::function<void(launch::Plan&)> launch = {};  ///< of the plan; empty: as it is
};
/// The same of a part of the launches.
litmus::Test read_launch(const Input& input, const Options& options, std::istream& standard_input,
                         const launch::Choice& choice, launch::Beside* beside, const Instead& instead = {});
/// What is launched; `module`, where it is not null, gets the module. Throws InputError.
launch::Plan read_plan(const Input& input, const Options& options, std::istream& standard_input,
                       SourcePtr* module = nullptr);
/// The module itself, or the one that a file of launches names. Throws InputError.
SourcePtr read_module(const Input& input, std::istream& standard_input);

/// How a verb prints.
enum class Listing : std::uint8_t { text, json, other };

/// `--list`: what each of the modules among the inputs has to launch. Else `ask`, which refuses a module of which nothing is launched: in
/// words the modules are listed before that.
Status list_or_ask(const Options& options, const std::vector<Input>& inputs, Listing format, Streams& streams,
                   const std::function<Status()>& ask);
/// The same of the files of the options, printing as --format says.
Status list_or_ask(const Options& options, Streams& streams, const std::function<Status()>& ask);

/// `import`: these threads of each launch (none: all) as a litmus test.
Status import_files(const Options& options, const std::vector<int>& threads, Streams& streams);

}  // namespace ptxmc::cli
