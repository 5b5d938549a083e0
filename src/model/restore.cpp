// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/archive.h"
#include "model/elaborated.h"
#include "support/check.h"

namespace ptxmc::model {

std::uint64_t fingerprint(const relation::Signature& signature) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const relation::BaseRow& row : signature.rows()) {
    for (const char c : row.name) add(static_cast<unsigned char>(c));
    add(static_cast<unsigned char>(0x80 + static_cast<int>(row.sort) * 8 + static_cast<int>(row.provider)));
  }
  return hash;
}

std::optional<relation::MemoryModel> restore(std::string_view profile, const relation::Signature& signature) {
  const auto all = elaborated();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Elaborated& e) { return e.profile == profile; });
  if (found == all.end() || found->signature != fingerprint(signature)) return std::nullopt;
  ArchiveReader reader(found->numbers, found->strings);
  relation::MemoryModel model;
  archive(reader, model);
  PTXMC_CHECK(reader.at_end(), "the archive of a model has nothing else");
  return model;
}

}  // namespace ptxmc::model
