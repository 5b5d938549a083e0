// SPDX-License-Identifier: Apache-2.0
#include "model/cat/sections.h"

#include <algorithm>
#include <cctype>

namespace ptxmc::cat {

namespace {

bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The length of a reference that begins at `at`: 8.9.5 (two components at least), R29, D18; else 0.
std::size_t reference_length(const std::string& text, std::size_t at) {
  std::size_t end = at;
  if (text[at] == 'R' || text[at] == 'D') {
    for (++end; end < text.size() && digit(text[end]);) ++end;
    return end > at + 1 && (end == text.size() || !word(text[end])) ? end - at : 0;
  }
  std::size_t dots = 0;
  while (end < text.size() && digit(text[end])) {
    while (end < text.size() && digit(text[end])) ++end;
    if (end + 1 < text.size() && text[end] == '.' && digit(text[end + 1])) {
      ++dots;
      ++end;
    }
  }
  return dots > 0 && (end == text.size() || !word(text[end])) ? end - at : 0;
}

bool is_heading(const Comment& comment) {
  const std::size_t begin = comment.text.find_first_not_of(" \t", 2);
  return begin != std::string::npos && comment.text.compare(begin, 2, "--") == 0;
}

void append(std::string& list, const std::string& more) {
  if (more.empty()) return;
  list += list.empty() ? more : ", " + more;
}

}  // namespace

std::string sections_in(const std::string& comment) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < comment.size();) {
    const bool starts = at == 0 || (!word(comment[at - 1]) && comment[at - 1] != '.');
    const std::size_t length = starts ? reference_length(comment, at) : 0;
    if (length == 0) {
      ++at;
      continue;
    }
    const bool version = at >= 4 && comment.compare(at - 4, 4, "ISA ") == 0;
    std::string reference = comment.substr(at, length);
    if (!version && std::find(found.begin(), found.end(), reference) == found.end())
      found.push_back(std::move(reference));
    at += length;
  }
  std::string list;
  for (const std::string& reference : found) append(list, reference);
  return list;
}

std::string sections_of(const std::vector<Comment>& comments, std::uint32_t first_line,
                        std::uint32_t last_line) {
  std::string beside;
  std::string heading;
  std::string above;
  std::uint32_t wanted = first_line - 1;  // the line a comment directly above must end on
  for (auto comment = comments.rbegin(); comment != comments.rend(); ++comment) {
    if (comment->first_line > last_line) continue;
    if (comment->last_line >= first_line && comment->first_line >= first_line) {
      beside.insert(0, comment->text + " ");
    } else if (comment->last_line == wanted && comment->first_on_line) {
      above.insert(0, comment->text + " ");
      wanted = comment->first_line - 1;
    }
    if (heading.empty() && is_heading(*comment) && comment->last_line < first_line) heading = comment->text;
  }
  for (const std::string& text : {beside, above, heading}) {
    if (std::string found = sections_in(text); !found.empty()) return found;
  }
  return {};
}

}  // namespace ptxmc::cat
