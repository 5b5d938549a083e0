// SPDX-License-Identifier: Apache-2.0
#include "model/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "model/cat/read.h"
#include "model/elaborated.h"
#include "model/roles.h"
#include "support/embedded.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::model {

std::span<const EmbeddedText> texts();  // src/model/*.cat

namespace {

constexpr std::size_t kMaxBytes = 4u << 20;

SourcePtr read_file(const std::filesystem::path& path, const std::string& shown) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return nullptr;
  std::ifstream in(path, std::ios::binary);
  if (!in) return nullptr;
  std::optional<std::string> text = read_bounded(in, kMaxBytes);
  if (!text) refuse(fmt::format("'{}': a model has at most {} bytes", shown, kMaxBytes));
  return std::make_shared<const Source>(Source{shown, std::move(*text)});
}

relation::MemoryModel with_roles(relation::MemoryModel model) {
  Diagnostics diagnostics(model.source);
  check_roles(model, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return model;
}

std::string profile_names() {
  std::string names;
  for (const Profile& profile : profiles()) names += (names.empty() ? "" : ", ") + std::string(profile.name);
  return names;
}

}  // namespace

const std::vector<Profile>& profiles() {
  // What 9.2 to 9.4 changed, and what 9.1 did.
  static const std::vector<ReadingChoice> kOf91 = {"tcgen05-pairs=9.1",     "launch-dependents-edge=none",
                                                   "bulk-reduce-scope=gpu", "map-at-start=both-fences",
                                                   "strong-proxies=none",   "async-patterns=none"};
  static const std::vector<ReadingChoice> kOf84 = [] {
    std::vector<ReadingChoice> out = kOf91;
    out.insert(out.end(), {"wait-read=sources", "init-visible=fenced"});
    return out;
  }();
  static const std::vector<Profile> kProfiles = {
      {"ptx-9.4", "ptx.cat", "chapter 8 of the manual of PTX ISA 9.4", {}, true},
      {"ptx-9.1", "ptx.cat", "PTX ISA 9.1: ptx-9.4 with the readings of 9.1 (also: ptx-9)", kOf91, true},
      {"ptx-8.4", "ptx-8.4.cat", "PTX ISA 8.4: its readings, without fence.acquire and fence.release", kOf84,
       true},
      {"ptx-7.5", "ptx-7.5.cat", "the published mixed-proxy model (ISCA 2022), for comparison", {}},
      {"ptx-6.0", "ptx-6.0.cat", "the published model of PTX 6.0 (ASPLOS 2019), for comparison", {}},
      {"sc", "sc.cat", "sequential consistency, a toy", {}},
  };
  return kProfiles;
}

const Profile* find_profile(std::string_view name) {
  if (name == "ptx-9") name = "ptx-9.1";  // its name before there was ptx-9.4
  const auto found =
      std::find_if(profiles().begin(), profiles().end(), [&](const Profile& p) { return p.name == name; });
  return found == profiles().end() ? nullptr : &*found;
}

std::string profile_name(const std::string& name) {
  const Profile* const profile = find_profile(name);
  return profile == nullptr ? name : std::string(profile->name);
}

std::span<const ReadingChoice> edition_of(std::string_view name_or_path) {
  const Profile* const profile = find_profile(name_or_path);
  return profile == nullptr ? std::span<const ReadingChoice>() : profile->readings;
}

SourcePtr text_of(const std::string& file) {
  for (const EmbeddedText& text : texts()) {
    if (fmt::format("{}.cat", text.name) == file)
      return std::make_shared<const Source>(Source{file, std::string(text.text)});
  }
  return nullptr;
}

namespace {

/// What a text may include: also the library of herd, as far as its names are not predefined here (co is, where a text names
/// it and does not define it).
SourcePtr included_text(const std::string& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kLibrary = {
      {{"cos.cat", "(* co is predefined *)\n"}, {"stdlib.cat", "let fencerel(B) = (po & (_ * B)); po\n"}}};
  if (SourcePtr text = text_of(file)) return text;
  for (const auto& [name, text] : kLibrary) {
    if (name == file) return std::make_shared<const Source>(Source{file, std::string(text)});
  }
  return nullptr;
}

}  // namespace

cat::Conditions conditions(const Readings& readings) {
  return [readings](const std::string& condition) { return readings.holds(condition); };
}

relation::MemoryModel atomicity(const relation::Signature& signature, const Readings& readings) {
  if (readings == Readings()) {
    if (auto model = restore(kAtomicity, signature)) return *std::move(model);
  }
  return cat::read(text_of("atomicity.cat"), signature, text_of, conditions(readings));
}

relation::MemoryModel load(const std::string& name_or_path, const relation::Signature& signature,
                           const Readings& readings) {
  if (const Profile* profile = find_profile(name_or_path)) {
    if (readings == Readings(profile->readings)) {
      if (auto model = restore(profile->name, signature)) return *std::move(model);
    }
    relation::MemoryModel model =
        with_roles(cat::read(text_of(std::string(profile->file)), signature, text_of, conditions(readings)));
    model.name = profile->name;
    return model;
  }
  const std::filesystem::path path(name_or_path);
  const SourcePtr source = read_file(path, name_or_path);
  if (!source)
    refuse("found no model \"" + name_or_path + "\": neither a cat file nor one of " + profile_names());
  // An included file is looked for beside the text, then among the built-in ones.
  const auto include = [&](const std::string& name) {
    const std::filesystem::path beside = path.parent_path() / name;
    const SourcePtr found = read_file(beside, beside.string());
    return found ? found : included_text(name);
  };
  return with_roles(cat::read(source, signature, include, conditions(readings)));
}

relation::MemoryModel load_text(const SourcePtr& text, const relation::Signature& signature,
                                const Readings& readings) {
  return with_roles(cat::read(text, signature, included_text, conditions(readings)));
}

}  // namespace ptxmc::model
