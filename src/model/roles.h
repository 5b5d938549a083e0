// SPDX-License-Identifier: Apache-2.0
// Roles: what ptxmc itself asks of a model text. The text says by `role ROLE = NAME` which of its definitions
// and flags that is, so names are the text's own business. A flag's role is its rule (rules.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "model/relation/memory_model.h"
#include "support/diagnostic.h"

namespace ptxmc::model {

/// A relation that diagnoses and reports need. A text without one gets a diagnosis that does without.
enum class Role : std::uint8_t {
  moral_strength,  ///< 8.7: which operations may race
  visibility,  ///< which writes a repeated read must come to see (axiomatic/question/liveness.h); else moral-strength
  observation,      ///< 8.9.2
  meeting,          ///< arrivals to the waits that they meet (9.7.12.1)
  synchronization,  ///< 8.9.4
  execution,        ///< whatever orders execution across threads, relaxed or not (9.7.16.6.3)
  base_causality,   ///< 8.9.5
  pipelined,  ///< 9.7.16.6.2: issues of tcgen05 instructions of which operands execute in the order of their issue
};

struct RoleRow {
  Role role;
  std::string_view name;  ///< in a text: "base-causality"
};
/// The table, a row a role.
std::span<const RoleRow> roles();

/// The relation that fills a role; nothing: the text declares none.
std::optional<relation::Rel> relation_of(const relation::MemoryModel& model, Role role);

/// Reports roles that do not exist, are given twice, or to something that cannot fill them.
void check_roles(const relation::MemoryModel& model, Diagnostics& diagnostics);

}  // namespace ptxmc::model
