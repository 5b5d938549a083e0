// SPDX-License-Identifier: Apache-2.0
#include "face/cli/colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "support/printable.h"

namespace ptxmc::cli {

namespace {

/// Numbers of the terminal's attributes, after "\x1b[".
constexpr std::string_view kRed = "1;31", kYellow = "1;33", kCyan = "1;36", kBlue = "34", kBold = "1";

struct WordColor {
  std::string_view word, color;
};

/// What stands between the place and the words of a message.
constexpr std::array<WordColor, 5> kLevels = {{{"internal error:", kRed},
                                               {"error:", kRed},
                                               {"warning:", kYellow},
                                               {"note:", kCyan},
                                               {"unknown:", kYellow}}};

std::string in_color(std::string_view color, std::string_view text) {
  return fmt::format("\x1b[{}m{}\x1b[0m", color, text);
}

/// "k.cu:9: error: data race", or without a place; of "internal error:" the whole word.
std::string painted_level(std::string_view line) {
  for (const auto& [word, color] : kLevels) {
    const std::size_t in_line = line.find(fmt::format(": {}", word));
    const bool begins = line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with(word);
    if (!begins && in_line == std::string_view::npos) continue;
    const std::size_t at = begins ? line.find_first_not_of(' ') : in_line + 2;
    return fmt::format("{}{}{}", line.substr(0, at), in_color(color, word), line.substr(at + word.size()));
  }
  return std::string(line);
}

/// "    9 | s[i] = 0;", or what stands below its carets: `bar` is where the bar is.
std::string painted_excerpt(std::string_view line, std::size_t bar) {
  const std::size_t caret = line.find_first_not_of(' ', bar + 1);
  const bool points =
      line.find_first_not_of(' ') == bar && caret != std::string_view::npos && line[caret] == '^';
  const std::string gutter = in_color(kBlue, line.substr(0, bar + 1));
  if (!points) return gutter + std::string(line.substr(bar + 1));
  return fmt::format("{}{}{}", gutter, line.substr(bar + 1, caret - bar - 1),
                     in_color(kRed, line.substr(caret)));
}

/// "    = fix: ..."
std::string painted_fact(std::string_view line, std::size_t sign) {
  const std::size_t end = line.find(": ", sign);
  if (end == std::string_view::npos || line.find(' ', sign + 2) < end) return std::string(line);
  return fmt::format("{}{}{}", line.substr(0, sign + 2),
                     in_color(kBold, line.substr(sign + 2, end - sign - 1)), line.substr(end + 1));
}

std::string painted_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::string(line);
  if (first > 0) {
    const std::size_t bar = line.find_first_not_of(" 0123456789");
    if (bar != std::string_view::npos && line[bar] == '|') return painted_excerpt(line, bar);
    if (line.substr(first).starts_with("= ")) return painted_fact(line, first);
  }
  return painted_level(line);
}

std::string painted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += painted_line(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool paints(const Options& options, bool is_terminal, const Streams& streams) {
  return options.color == Color::always ||
         (options.color == Color::auto_ && is_terminal && !streams.no_color);
}

}  // namespace

std::string painted_report(const std::string& text, const Options& options, const Streams& streams) {
  const bool is_terminal = streams.out_is_terminal && options.output.empty();
  return options.format == Format::text && paints(options, is_terminal, streams) ? painted(text) : text;
}

std::string painted_messages(const std::string& text, const Options& options, const Streams& streams) {
  const std::string messages = printable(text);
  return paints(options, streams.err_is_terminal, streams) ? painted(messages) : messages;
}

}  // namespace ptxmc::cli
