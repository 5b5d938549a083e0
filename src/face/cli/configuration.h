// SPDX-License-Identifier: Apache-2.0
// `.ptxmc.json`: options that a project always gives, and rules that it waives. The nearest one is taken, from the current folder upwards.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "face/cli/streams.h"
#include "finding/acceptance.h"
#include "input/launch/json.h"
#include "support/source.h"

namespace ptxmc::cli {

class Configuration {
 public:
  /// Reads a file. Throws InputError: it is no configuration, with the place and what may have been meant.
  explicit Configuration(const std::string& file);
  /// The nearest file; nothing: there is none.
  static std::optional<Configuration> find();

  const std::string& file() const { return source_->name; }
  const std::vector<finding::WaivedRule>& waived() const { return waived_; }
  /// The options of a verb as words of a command line, but for those that the arguments name. Throws InputError for one that the verb
  /// does not have.
  std::vector<std::string> words(const CLI::App& app, const std::string& verb,
                                 const std::vector<std::string>& arguments) const;

 private:
  void read_options(const launch::Json& json);
  void read_waived(const launch::Json& json);
  void add_words(const CLI::App& app, const launch::JsonMember& option,
                 const std::vector<std::string>& arguments, std::vector<std::string>& out) const;

  SourcePtr source_;
  std::vector<std::pair<std::string, launch::JsonObject>> options_;  // by verb
  std::vector<finding::WaivedRule> waived_;
};

/// Adds `--no-config` to a verb that takes a configuration.
void add_configuration_option(CLI::App& app);

struct Configured {
  std::vector<std::string> arguments;  ///< what the configuration adds, then those of the command line
  std::optional<Configuration> configuration;
};
/// The nearest configuration applied, unless the arguments have --no-config or ask for help; what it adds is said on standard error
/// unless they have --quiet.
Configured configured(const CLI::App& app, const std::string& verb, const std::vector<std::string>& arguments,
                      Streams& streams);

}  // namespace ptxmc::cli
