// SPDX-License-Identifier: Apache-2.0
// How `--help` looks: no line longer than 100 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace ptxmc::cli {

inline constexpr std::size_t kHelpColumns = 100;

/// The words of a text in lines of at most kHelpColumns, a longer word in a line of its own: the first begins at column
/// `first`, the others at column `indent`. No newline at the end.
std::string wrapped(std::string_view text, std::size_t first, std::size_t indent);
/// The same of each paragraph. Lines that begin with a blank stay as they are (examples).
std::string refilled(std::string_view text);

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_description(const CLI::App* app) const override;
};

}  // namespace ptxmc::cli
