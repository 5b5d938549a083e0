// SPDX-License-Identifier: Apache-2.0
#include "support/source_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace ptxmc {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{16} << 20;

bool is_readable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) <= kMostBytes && !error;
}

/// Relative to the current folder, if it is below that.
std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return (below ? relative : path.lexically_normal()).string();
}

/// What ends `path`, longest first: for "/a/b/k.cu" the paths a/b/k.cu, b/k.cu and k.cu.
std::vector<fs::path> ends_of(const fs::path& path) {
  const fs::path relative = path.relative_path();
  const std::vector<fs::path> parts(relative.begin(), relative.end());
  std::vector<fs::path> out;
  for (auto from = parts.begin(); from != parts.end(); ++from) {
    fs::path end;
    for (auto part = from; part != parts.end(); ++part) end /= *part;
    if (std::find(from, parts.end(), fs::path("..")) == parts.end()) out.push_back(end);
  }
  return out;
}

}  // namespace

SourceFiles::SourceFiles(const std::vector<std::string>& folders, const std::string& module)
    : folders_(folders.begin(), folders.end()), beside_(fs::path(module).parent_path()) {}

SourcePtr SourceFiles::find(const std::string& path) {
  const auto [at, fresh] = known_.try_emplace(path);
  if (fresh) at->second = read(path);
  return at->second;
}

SourcePtr SourceFiles::read(const std::string& path) const {
  const fs::path name(path);
  std::vector<fs::path> places;
  for (const fs::path& folder : folders_) {
    for (const fs::path& end : ends_of(name)) places.push_back(folder / end);
  }
  places.push_back(name);
  if (name.has_filename()) places.push_back(beside_ / name.filename());
  const auto found = std::find_if(places.begin(), places.end(), is_readable);
  if (found == places.end()) return nullptr;
  std::ifstream in(*found, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return nullptr;
  return std::make_shared<const Source>(Source{shown(*found), std::move(text)});
}

}  // namespace ptxmc
