// SPDX-License-Identifier: Apache-2.0
#include "launch/source_lines.h"

#include <map>
#include <string_view>
#include <tuple>

namespace ptxmc::launch {

namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // file, line, column

Place place_of(const ptx::SourceLine& at) {
  return {at.file, at.line, at.column};
}

std::string_view without_folder(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
}

class Reader {
 public:
  explicit Reader(const ptx::Module& module) {
    for (const ptx::Item& item : module.items) {
      if (const auto* file = std::get_if<ptx::File>(&item))
        files_.emplace(file->index, out_.file(without_folder(file->name)));
    }
  }

  void read(const ptx::Body& body) {
    frames_.clear();
    std::optional<Origins::Frame> here;  // a function begins without a place
    for (const ptx::Statement& statement : body.statements) {
      if (const auto* location = std::get_if<ptx::Location>(&statement.node)) {
        here = frame(*location);
      } else if (std::holds_alternative<ptx::Instruction>(statement.node) && here) {
        out_.add(statement.position.line, *here);
        any_ = true;
      }
    }
  }

  OriginsPtr take() { return any_ ? std::make_shared<const Origins>(std::move(out_)) : nullptr; }

 private:
  /// Nothing: line 0, or a file that no `.file` names; what it is inlined at still has a place.
  std::optional<Origins::Frame> frame(const ptx::Location& location) {
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

  std::optional<Origins::Frame> add(const ptx::SourceLine& at, std::optional<Origins::Frame> inlined_at) {
    const auto file = files_.find(at.file);
    if (file == files_.end() || at.line == 0) return std::nullopt;
    return out_.frame(file->second, at.line, inlined_at);
  }

  std::map<std::uint32_t, Origins::File> files_;  // by their numbers in the module
  std::map<Place, Origins::Frame> frames_;        // of the function so far, the last of each place
  Origins out_;
  bool any_ = false;
};

}  // namespace

OriginsPtr source_lines(const ptx::Module& module) {
  Reader reader(module);
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && function->body) reader.read(*function->body);
  }
  return reader.take();
}

}  // namespace ptxmc::launch
