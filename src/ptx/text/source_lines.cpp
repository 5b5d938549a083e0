// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/source_lines.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ptxmc::ptx {

namespace {

using FilePlace = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // file, line, column

FilePlace place_of(const SourceLine& at) {
  return {at.file, at.line, at.column};
}

/// Lines of `asm` statements of CUDA, which nvcc marks by comments.
class AssemblyLines {
 public:
  explicit AssemblyLines(std::string_view text) {
    std::uint32_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view here = text.substr(at, end - at);
      if (here.find("// begin inline asm") != std::string_view::npos) ranges_.emplace_back(line, line);
      if (here.find("// end inline asm") != std::string_view::npos && !ranges_.empty())
        ranges_.back().second = line;
      at = end + 1;
    }
  }

  bool has(std::uint32_t line) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), line,
                                        [](std::uint32_t l, const auto& range) { return l < range.first; });
    return after != ranges_.begin() && line < std::prev(after)->second;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // from the first comment to the second
};

class LineReader {
 public:
  LineReader(const Module& module, const std::vector<std::uint32_t>& also)
      : assembly_(module.source == nullptr ? std::string_view() : module.source->text), also_(also) {
    for (const Item& item : module.items) {
      if (const auto* file = std::get_if<File>(&item)) files_.emplace(file->index, out_.file(file->name));
    }
  }

  void read(const Body& body) {
    frames_.clear();
    std::optional<Origins::Frame> here;  // a function begins without a place
    for (const Statement& statement : body.statements) {
      add_unread(statement.position.line, here);
      if (const auto* location = std::get_if<Location>(&statement.node)) {
        here = frame(*location);
      } else if (std::holds_alternative<Instruction>(statement.node) && here) {
        out_.add(statement.position.line, *here, assembly_.has(statement.position.line));
        any_ = true;
      }
    }
  }

  OriginsPtr take() { return any_ ? std::make_shared<const Origins>(std::move(out_)) : nullptr; }

 private:
  /// Lines before `line` of which the statements are missing.
  void add_unread(std::uint32_t line, std::optional<Origins::Frame> here) {
    for (; next_ < also_.size() && also_[next_] < line; ++next_) {
      if (here) out_.add(also_[next_], *here);
      any_ = any_ || here;
    }
  }

  /// Nothing: line 0, or a file that no `.file` names; what it is inlined at still has a place.
  std::optional<Origins::Frame> frame(const Location& location) {
    std::optional<Origins::Frame> caller;
    if (location.inlined_at.file != 0) {
      const auto known = frames_.find(place_of(location.inlined_at));
      caller = known != frames_.end() ? known->second : add(location.inlined_at, std::nullopt);
    }
    const auto frame = add(location.at, caller);
    if (!frame) return caller;
    frames_.insert_or_assign(place_of(location.at), *frame);
    return frame;
  }

  std::optional<Origins::Frame> add(const SourceLine& at, std::optional<Origins::Frame> inlined_at) {
    const auto file = files_.find(at.file);
    if (file == files_.end() || at.line == 0) return std::nullopt;
    return out_.frame(file->second, at.line, at.column, inlined_at);
  }

  AssemblyLines assembly_;
  std::map<std::uint32_t, Origins::File> files_;  // by their numbers in the module
  std::map<FilePlace, Origins::Frame> frames_;    // of the function so far, the last of each place
  const std::vector<std::uint32_t>& also_;
  std::size_t next_ = 0;  // of those
  Origins out_;
  bool any_ = false;
};

}  // namespace

OriginsPtr source_lines(const Module& module, const std::vector<std::uint32_t>& also) {
  LineReader reader(module, also);
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr && function->body) reader.read(*function->body);
  }
  return reader.take();
}

Diagnostics with_origins(const Diagnostics& diagnostics, const Module& module, Statements about) {
  std::vector<std::uint32_t> lines;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.source == module.source && about == Statements::unread)
      lines.push_back(diagnostic.position.line);
  }
  std::sort(lines.begin(), lines.end());
  const OriginsPtr origins = source_lines(module, lines);
  Diagnostics out(module.source);
  for (Diagnostic diagnostic : diagnostics.all()) {
    if (diagnostic.source == module.source) diagnostic.message += origin_text(origins, diagnostic.position);
    out.add(std::move(diagnostic));
  }
  return out;
}

}  // namespace ptxmc::ptx
