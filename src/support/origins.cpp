// SPDX-License-Identifier: Apache-2.0
#include "support/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "support/check.h"

namespace ptxmc {

namespace {

/// Headers of the toolkit with functions that compilers put into kernels, for modules that name files without folders.
constexpr std::array<std::string_view, 9> kToolkitHeaders = {
    "device_atomic_functions.hpp", "device_functions.hpp",       "sm_20_atomic_functions.hpp",
    "sm_20_intrinsics.hpp",        "sm_30_intrinsics.hpp",       "sm_32_atomic_functions.hpp",
    "sm_32_intrinsics.hpp",        "sm_60_atomic_functions.hpp", "cooperative_groups.h"};

}  // namespace

std::string SourceFrame::text() const {
  const std::string_view name = std::string_view(path).substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
  return fmt::format("{}:{}", name, line);
}

bool SourceFrame::is_in_toolkit() const {
  if (path.find_first_of("/\\") == std::string::npos)
    return std::find(kToolkitHeaders.begin(), kToolkitHeaders.end(), path) != kToolkitHeaders.end();
  const std::size_t include = path.find("/include/");
  return include != std::string::npos && (path.starts_with("/usr/") || path.find("/cuda") < include);
}

bool SourceFrame::is_in_unit() const {
  constexpr std::array<std::string_view, 5> kUnits = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::any_of(kUnits.begin(), kUnits.end(), [&](std::string_view end) { return path.ends_with(end); });
}

SourceFrame SourceFrame::parse(std::string_view text) {
  SourceFrame out;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return out;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), out.line);
  out.path = text.substr(0, colon);
  return out;
}

std::string Origin::callers() const {
  std::string out;
  for (std::size_t i = first_shown() + 1; i < frames.size(); ++i) {
    if (frames[i].path == frames.back().path) out += (out.empty() ? "" : ", ") + frames[i].text();
  }
  return out;
}

std::size_t Origin::first_shown() const {
  const auto find = [&](std::size_t from, const auto& holds) {
    return static_cast<std::size_t>(
        std::find_if(frames.begin() + static_cast<std::ptrdiff_t>(from), frames.end(), holds) -
        frames.begin());
  };
  const auto is_own = [](const SourceFrame& frame) { return !frame.is_in_toolkit(); };
  if (assembly && frames.size() > 1) {
    const bool in_unit = frames.back().is_in_unit();
    const std::size_t call = find(1, [&](const SourceFrame& frame) {
      return in_unit ? frame.path == frames.back().path : is_own(frame);
    });
    if (call != frames.size()) return call;
  }
  const std::size_t own = find(0, is_own);
  return own == frames.size() ? 0 : own;
}

const SourceFrame* Origin::wrapped() const {
  const bool is_called = assembly && first_shown() != 0 && !frames.front().is_in_toolkit();
  return is_called ? &frames.front() : nullptr;
}

const SourceFrame& Origin::shown() const {
  return frames.at(first_shown());
}

std::string Origin::text() const {
  if (frames.empty()) return "";
  const std::string others = callers();
  return shown().text() + (others.empty() ? "" : " inlined at " + others);
}

Origins::File Origins::file(std::string_view name) {
  files_.emplace_back(name);
  return static_cast<File>(files_.size() - 1);
}

Origins::Frame Origins::frame(File file, std::uint32_t line, std::uint32_t column,
                              std::optional<Frame> inlined_at) {
  PTXMC_CHECK(file < files_.size(), "no such file");
  PTXMC_CHECK(!inlined_at || *inlined_at < frames_.size(), "a frame inlined at one that comes later");
  frames_.push_back({file, line, column, inlined_at});
  return static_cast<Frame>(frames_.size() - 1);
}

void Origins::add(std::uint32_t line, Frame frame, bool assembly) {
  PTXMC_CHECK(frame < frames_.size(), "no such frame");
  PTXMC_CHECK(lines_.empty() || lines_.back().line <= line, "lines in another order");
  if (!lines_.empty() && lines_.back().line == line) return;  // the first statement of a line speaks for it
  lines_.push_back({line, frame, assembly});
}

Origin Origins::at(Position position) const {
  Origin out;
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), position.line,
                                      [](const LineOf& row, std::uint32_t line) { return row.line < line; });
  if (found == lines_.end() || found->line != position.line) return out;
  out.assembly = found->assembly;
  for (std::optional<Frame> at = found->frame; at; at = frames_[*at].inlined_at)
    out.frames.push_back({files_[frames_[*at].file], frames_[*at].line, frames_[*at].column});
  return out;
}

std::string origin_text(const OriginsPtr& origins, Position position) {
  const Origin origin = origin_at(origins, position);
  return origin.known() ? fmt::format(" ({})", origin.text()) : "";
}

std::string line_text(const OriginsPtr& origins, Position position) {
  return fmt::format("line {}{}", position.line, origin_text(origins, position));
}

}  // namespace ptxmc
