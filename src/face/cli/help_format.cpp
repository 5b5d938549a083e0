// SPDX-License-Identifier: Apache-2.0
#include "face/cli/help_format.h"

#include <sstream>

namespace ptxmc::cli {

namespace {

constexpr std::size_t kColumn = 30;  // at which descriptions begin

}  // namespace

std::string wrapped(std::string_view text, std::size_t first, std::size_t indent) {
  std::istringstream words{std::string(text)};
  std::string out, word;
  std::size_t column = first;
  bool begins = true;
  while (words >> word) {
    if (!begins && column + 1 + word.size() > kHelpColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    begins = false;
  }
  return out;
}

std::string refilled(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string out, paragraph, line;
  const auto flush = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, 0, 0) + "\n";
    paragraph.clear();
  };
  while (std::getline(lines, line)) {
    if (!line.empty() && line.front() != ' ' && line.back() != ':') {
      paragraph += line + " ";
      continue;
    }
    if (!line.empty() && line.front() != ' ') paragraph += line;  // "Example:" ends its paragraph
    flush();
    if (line.empty() || line.front() == ' ') out += line + "\n";
  }
  flush();
  return out;
}

HelpFormat::HelpFormat() {
  column_width(kColumn);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
  if (name.size() + 1 >= kColumn)
    name += "\n" + std::string(kColumn, ' ');
  else
    name.resize(kColumn, ' ');
  return name + wrapped(make_option_desc(option), kColumn, kColumn) + "\n";
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  const std::string footer = app->get_footer();
  return footer.empty() ? "" : refilled(footer);
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  const std::string text = app->get_description();
  return text.empty() ? "" : wrapped(text, 0, 0) + "\n";
}

}  // namespace ptxmc::cli
