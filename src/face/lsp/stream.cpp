// SPDX-License-Identifier: Apache-2.0
#include "face/lsp/stream.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

namespace ptxmc::lsp {

namespace {

constexpr std::size_t kMaxHeader = 4096;

/// A line without its end; what is longer than a header is cut. Nothing at the end of the stream.
std::optional<std::string> header_line(std::istream& in) {
  std::string out;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') {
      if (out.ends_with('\r')) out.pop_back();
      return out;
    }
    if (out.size() < kMaxHeader) out += static_cast<char>(c);
  }
  return std::nullopt;
}

bool is_length(std::string_view name) {
  constexpr std::string_view kName = "content-length";
  return name.size() == kName.size() &&
         std::equal(name.begin(), name.end(), kName.begin(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::optional<std::size_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Incoming> read_message(std::istream& in) {
  std::optional<std::size_t> length;
  bool any = false;
  for (;;) {
    const std::optional<std::string> line = header_line(in);
    if (!line) return std::nullopt;
    if (line->empty()) {
      if (any) break;
      continue;  // before a message nothing is lost by an empty line
    }
    any = true;
    const std::size_t colon = line->find(':');
    if (colon != std::string::npos && is_length(std::string_view(*line).substr(0, colon)))
      length = number_in(std::string_view(*line).substr(colon + 1));
  }
  if (!length) return Incoming{"", "a header without Content-Length"};
  if (*length > kMaxMessage) {
    in.ignore(static_cast<std::streamsize>(std::min<std::size_t>(*length, std::size_t{1} << 62)));
    return Incoming{"", "a message that is too long"};
  }
  Incoming out;
  out.body.resize(*length);
  in.read(out.body.data(), static_cast<std::streamsize>(*length));
  if (static_cast<std::size_t>(in.gcount()) != *length) return std::nullopt;
  return out;
}

void write_message(std::ostream& out, const nlohmann::json& message) {
  const std::string body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body << std::flush;
}

}  // namespace ptxmc::lsp
