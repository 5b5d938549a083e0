// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "face/cli/describe.h"
#include "face/cli/shell.h"

namespace ptxmc::cli {

namespace {

/// The first part of a help text, for a line of a menu.
std::string brief(const std::string& help) {
  return help.substr(0, help.find_first_of(";\n"));
}

/// Options and subcommands, as words.
std::string starts(const VerbText& verb) {
  std::string out;
  for (const OptionText& option : verb.options)
    if (!option.is_positional()) out += fmt::format("{} ", fmt::join(option.names, " "));
  return out;
}

std::string names(const std::vector<VerbText>& verbs) {
  std::string out;
  for (const VerbText& verb : verbs) out += (out.empty() ? "" : " ") + verb.name;
  return out;
}

/// What may stand where no option does, if that is not a file: subcommands, or words.
std::string first_words(const VerbText& verb) {
  if (!verb.verbs.empty()) return names(verb.verbs);
  for (const OptionText& option : verb.options)
    if (option.is_positional()) return fmt::format("{}", fmt::join(option.words(), " "));
  return "";
}

// A case of bash: what may stand behind an option that takes a value.
std::string bash_values(const VerbText& verb) {
  std::string out;
  for (const OptionText& option : verb.options) {
    if (option.is_positional() || option.value.empty()) continue;
    std::string patterns;
    for (const std::string& name : option.names)
      patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", verb.name, name);
    const std::string words = fmt::format("{}", fmt::join(option.words(), " "));
    const std::string does =
        option.takes_file() ? "compopt -o default"
                            : fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", shell_quoted(words));
    out += fmt::format("    {}) {}; return ;;\n", patterns, does);
  }
  return out;
}

// An option of zsh's _arguments.
std::string zsh_option(const OptionText& option) {
  std::string help;
  for (const char c : brief(option.help)) help += c == '[' || c == ']' || c == ':' ? ' ' : c;
  const std::vector<std::string> words = option.words();
  std::string value;
  if (option.takes_file())
    value = fmt::format(":{}:_files", option.value);
  else if (!words.empty())
    value = fmt::format(":value:({})", fmt::join(words, " "));
  else if (!option.value.empty())
    value = ":value: ";
  std::string out;
  for (const std::string& name : option.names)
    out += fmt::format(" {}", shell_quoted(fmt::format("*{}[{}]{}", name, help, value)));
  return out;
}

}  // namespace

std::string bash_completion(const std::vector<VerbText>& verbs) {
  std::string values, options, inner;
  for (const VerbText& verb : verbs) {
    values += bash_values(verb);
    options += fmt::format("      {}) COMPREPLY=($(compgen -W {} -- \"$cur\")) ;;\n", verb.name,
                           shell_quoted(starts(verb)));
    if (!first_words(verb).empty())
      inner += fmt::format("    {}) COMPREPLY=($(compgen -W {} -- \"$cur\")) ;;\n", verb.name,
                           shell_quoted(first_words(verb)));
  }
  return fmt::format(R"(# Completion of ptxmc for bash, written by `ptxmc completions bash`.
_ptxmc() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb=check
  COMPREPLY=()
  case ${{COMP_WORDS[1]}} in {0}) ((COMP_CWORD > 1)) && verb=${{COMP_WORDS[1]}} ;; esac
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $verb:$prev in
{1}  esac
  if [[ $cur == -* ]]; then
    case $verb in
{2}    esac
    return 0
  fi
  case $verb in
{3}    *) ((COMP_CWORD > 1)) || COMPREPLY=($(compgen -W {4} -- "$cur")) ;;
  esac
  ((${{#COMPREPLY[@]}})) || compopt -o default
}}
complete -F _ptxmc ptxmc
)",
                     [&] {
                       std::string out = names(verbs);
                       for (char& c : out) c = c == ' ' ? '|' : c;
                       return out;
                     }(),
                     values, options, inner, shell_quoted(names(verbs)));
}

std::string zsh_completion(const std::vector<VerbText>& verbs) {
  std::string list, cases;
  for (const VerbText& verb : verbs) {
    list += fmt::format("    {}\n", shell_quoted(verb.name + ":" + verb.summary));
    std::string options;
    for (const OptionText& option : verb.options)
      if (!option.is_positional()) options += zsh_option(option);
    const std::string first = first_words(verb);
    const std::string rest =
        first.empty() ? "'*:file:_files'" : fmt::format("'1:word:({})' '*:file:_files'", first);
    cases += fmt::format("    {}) _arguments{} {} ;;\n", verb.name, options, rest);
  }
  return fmt::format(R"(#compdef ptxmc
# Completion of ptxmc for zsh, written by `ptxmc completions zsh`.
_ptxmc() {{
  local -a verbs=(
{0}  )
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe verb verbs
    _files
    return
  fi
  local verb=$words[2]
  if (($verbs[(I)$verb:*])); then shift words; ((CURRENT--)); else verb=check; fi
  case $verb in
{1}  esac
}}
if [[ $funcstack[1] == _ptxmc ]]; then _ptxmc "$@"; else compdef _ptxmc ptxmc; fi  # loaded by fpath, or sourced
)",
                     list, cases);
}

std::string fish_completion(const std::vector<VerbText>& verbs) {
  std::string out = "# Completion of ptxmc for fish, written by `ptxmc completions fish`.\n";
  for (const VerbText& verb : verbs) {
    out += fmt::format("complete -c ptxmc -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                       shell_quoted(verb.summary));
    const std::string here = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
    for (const VerbText& inner : verb.verbs)
      out += fmt::format("complete -c ptxmc {} -a {} -d {}\n", here, inner.name,
                         shell_quoted(brief(inner.description)));
    if (verb.verbs.empty() && !first_words(verb).empty())
      out += fmt::format("complete -c ptxmc {} -a {}\n", here, shell_quoted(first_words(verb)));
    for (const OptionText& option : verb.options) {
      if (option.is_positional()) continue;
      std::string line = "complete -c ptxmc " + here;
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_file())
        line += " -r";
      else if (!option.value.empty())
        line += fmt::format(" -x -a {}", shell_quoted(fmt::format("{}", fmt::join(option.words(), " "))));
      out += fmt::format("{} -d {}\n", line, shell_quoted(brief(option.help)));
    }
  }
  return out;
}

}  // namespace ptxmc::cli
