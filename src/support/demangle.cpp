// SPDX-License-Identifier: Apache-2.0
#include "support/demangle.h"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>

namespace ptxmc {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return name.starts_with("_Z") && status == 0 ? std::string(text.get()) : name;
}

namespace {

/// The identifiers at the beginning of a mangled name, `_ZN1n5templI...` or `_Z5templI...`; the last of them.
std::string last_identifier(std::string_view mangled) {
  mangled.remove_prefix(std::string_view("_Z").size());
  if (mangled.starts_with('N')) mangled.remove_prefix(1);
  std::string out;
  for (;;) {
    std::size_t length = 0;
    const char* end = mangled.data() + mangled.size();
    const auto [digits, problem] = std::from_chars(mangled.data(), end, length);
    if (problem != std::errc() || length == 0 || length > static_cast<std::size_t>(end - digits)) return out;
    out.assign(digits, length);
    mangled = std::string_view(digits + length, static_cast<std::size_t>(end - digits) - length);
  }
}

}  // namespace

std::string short_function_name(const std::string& name) {
  const std::string whole = demangled(name);
  if (whole == name && name.starts_with("_Z")) {
    const std::string last = last_identifier(name);
    return last.empty() ? name : last;
  }
  int depth = 0;
  std::string out;  // up to the parameters, without what stands in <>
  for (const char c : whole) {
    if (c == '(' && depth == 0 && !out.empty() && out.back() != ':' && out.back() != ' ') break;
    if (c == '>') --depth;
    if (depth == 0 && c != '<' && c != '>') out += c;
    if (c == '<') ++depth;
  }
  return out.substr(out.find_last_of(": ") == std::string::npos ? 0 : out.find_last_of(": ") + 1);
}

std::string short_variable_name(const std::string& name) {
  const std::string whole = demangled(name);
  const std::size_t at = whole == name ? std::string::npos : whole.rfind("::");
  const bool plain = at != std::string::npos && whole.find_first_of(")>", at) == std::string::npos;
  return plain ? whole.substr(at + 2) : whole;
}

}  // namespace ptxmc
