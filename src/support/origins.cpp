// SPDX-License-Identifier: Apache-2.0
#include "support/origins.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace ptxmc {

namespace {

std::string_view file_of(std::string_view frame) {
  return frame.substr(0, frame.rfind(':'));
}

}  // namespace

std::string Origin::text() const {
  if (frames.empty()) return "";
  std::string out = frames.front();
  bool any = false;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (file_of(frames[i]) != file_of(frames.back())) continue;
    out += (any ? ", " : " inlined at ") + frames[i];
    any = true;
  }
  return out;
}

Origins::File Origins::file(std::string_view name) {
  files_.emplace_back(name);
  return static_cast<File>(files_.size() - 1);
}

Origins::Frame Origins::frame(File file, std::uint32_t line, std::optional<Frame> inlined_at) {
  PTXMC_CHECK(file < files_.size(), "no such file");
  PTXMC_CHECK(!inlined_at || *inlined_at < frames_.size(), "a frame inlined at one that comes later");
  frames_.push_back({file, line, inlined_at});
  return static_cast<Frame>(frames_.size() - 1);
}

void Origins::add(std::uint32_t line, Frame frame) {
  PTXMC_CHECK(frame < frames_.size(), "no such frame");
  PTXMC_CHECK(lines_.empty() || lines_.back().first <= line, "lines in another order");
  if (!lines_.empty() && lines_.back().first == line) return;  // the first statement of a line speaks for it
  lines_.emplace_back(line, frame);
}

Origin Origins::at(Position position) const {
  Origin out;
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), std::pair{position.line, Frame{0}});
  if (found == lines_.end() || found->first != position.line) return out;
  for (std::optional<Frame> at = found->second; at; at = frames_[*at].inlined_at)
    out.frames.push_back(fmt::format("{}:{}", files_[frames_[*at].file], frames_[*at].line));
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
