// SPDX-License-Identifier: Apache-2.0
// What a verb takes, as data: of which completions and manual pages are made.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::cli {

struct OptionText {
  std::vector<std::string> names;  ///< "-f", "--format"; of a positional one "FILE"
  std::string value;               ///< "text|json"; empty: a flag
  std::string help;

  bool is_positional() const { return names.front().front() != '-'; }
  bool takes_file() const;
  /// The words that it takes: the parts of `value` that are none of ours to choose.
  std::vector<std::string> words() const;
};

struct VerbText {
  std::string name;     ///< "check"; of a subcommand "list"
  std::string summary;  ///< of `ptxmc --help`; without a full stop
  std::string description, footer;
  std::vector<OptionText> options;
  std::vector<VerbText> verbs;  ///< subcommands
};

VerbText describe(const CLI::App& app);

/// `ptxmc VERB --describe`: {"name", "description", "options": [{"names", "value", "help"}], "footer", "verbs": [...]}, and back.
std::string json_of(const VerbText& verb);
VerbText verb_of(const std::string& json);

/// Scripts that complete command lines, to be loaded by a shell, of all verbs.
std::string bash_completion(const std::vector<VerbText>& verbs);
std::string zsh_completion(const std::vector<VerbText>& verbs);
std::string fish_completion(const std::vector<VerbText>& verbs);

/// Manual pages in man's macros: of the program, and of one verb.
std::string man_page(const std::vector<VerbText>& verbs, std::string_view version);
std::string man_page(const VerbText& verb, std::string_view version);

}  // namespace ptxmc::cli
