// SPDX-License-Identifier: Apache-2.0
// Signature: the base sets and relations that a model text may name. The front end (src/axiomatic/event) supplies the
// rows; cat and the engines know only what a row says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::relation {

enum class Sort : std::uint8_t { set, relation };

/// Where the value of a base relation comes from in a candidate execution.
enum class Provider : std::uint8_t {
  fixed,       ///< known per program graph, restricted to the events that exist
  reads_from,  ///< the engine chooses one source per read
  enumerated,  ///< one of finitely many alternatives per control-flow path (barrier phases)
};

struct BaseRow {
  std::string name;
  Sort sort = Sort::set;
  Provider provider = Provider::fixed;
  std::string doc;      ///< one line for `ptxmc model base`
  std::string section;  ///< manual section or rule
};

/// Index of a row is the base id used in the tree.
class Signature {
 public:
  explicit Signature(std::vector<BaseRow> rows) : rows_(std::move(rows)) {}
  const std::vector<BaseRow>& rows() const { return rows_; }
  const BaseRow& operator[](std::uint32_t id) const { return rows_[id]; }
  std::optional<std::uint32_t> find(std::string_view name) const {
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].name == name) return i;
    }
    return std::nullopt;
  }

 private:
  std::vector<BaseRow> rows_;
};

}  // namespace ptxmc::relation
