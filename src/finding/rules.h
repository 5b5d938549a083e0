// SPDX-License-Identifier: Apache-2.0
// The rules: everything that ptxmc reports as wrong, one row each, for `check`, `races`, `verify`, `repair` and every format.
// A finding names its rule. Id, severity, section, text and advice of a rule are written here and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace ptxmc::finding {

/// In the order of their ids: `exit_in_flight` is "exit-in-flight". `own_flag` has no row in the table.
enum class RuleId : std::uint8_t {
  absent_lane,
  bad_operand,
  barrier_divergence,
  barrier_misuse,
  barrier_reuse,
  before_grid_wait,
  bulk_copy_to_own_cta,
  cross_proxy_war,
  declared_alignment,
  depends_on_unknown,
  equal_bytes,
  exit_in_flight,
  exit_in_flight_read,
  exited_lane,
  fence_of_a_later_version,
  generic_address,
  hang,
  input,
  mbarrier_init_unfenced,
  mbarrier_invalidated,
  mbarrier_misuse,
  mbarrier_no_complete,
  mbarrier_uninitialised,
  mbarrier_unwaited,
  misaligned,
  missing_acquire,
  mixed_size_race,
  not_in_membermask,
  out_of_bounds,
  phase_not_confluent,
  proxy_race,
  race,
  read_only,
  remote_arrival,
  scope_too_narrow,
  setmaxnreg_unsynchronized,
  shared_after_exit,
  shared_before_start,
  shfl_inactive_lane,
  sparsity_metadata,
  stale_poll,
  stale_read,
  tcgen05_fence,
  tcgen05_order,
  tensor_cta_group,
  tensor_map,
  tensor_memory_address,
  tensor_memory_alloc,
  tensor_memory_dealloc,
  tensor_memory_lanes,
  tensor_memory_leak,
  tmem_free,
  tmem_misuse,
  trap,
  unknown,
  verdict,
  wait_overtaken,
  warp_exchange,
  warp_lockstep,
  wgmma_register_behind_fence,
  wgmma_register_in_flight,
  wgmma_register_unfenced,
  wgmma_unfenced,
  wrong_space,
  own_flag,  ///< a flag of a user's model that no role explains
};

enum class Kind : std::uint8_t {
  race,    ///< two accesses that some execution leaves unordered (8.7.1): the program is Racy
  misuse,  ///< of an object, an address or an instruction
  hang,    ///< a thread waits forever
  answer,  ///< no finding: a verdict that is not met, an input that cannot be read, a question that is open
};

struct Rule {
  RuleId id = RuleId::own_flag;
  std::string_view name;  ///< the id as users write and read it: "exit-in-flight"
  Severity severity = Severity::error;
  Kind kind = Kind::misuse;
  bool undefined = false;  ///< an execution that breaks it has undefined behaviour: no verdict holds
  /// that rule is broken wherever this one is; the finding names this one
  std::optional<RuleId> refines = {};
  std::string_view section;  ///< of the PTX manual; empty: the rule is about a test, or about ptxmc
  std::string_view summary;  ///< what is wrong: one sentence without a full stop
  std::string_view fix;      ///< what to do: the same, an imperative
};

/// The table, in the order of the names.
std::span<const Rule> rules();
const Rule& rule(RuleId id);
std::string_view name_of(RuleId id);
Severity severity_of(RuleId id);
bool is_race(RuleId id);

/// By its name, or by the name that it had before (`former_names`). Null: there is no such rule.
const Rule* find_rule(std::string_view name);
/// Fails for a name that has no row.
const Rule& rule_named(std::string_view name);
/// The name that a misspelt one may mean.
std::optional<std::string> nearest_rule(const std::string& name);
/// Throws InputError, with what may have been meant. `option` as the user wrote it.
void check_rule_name(const std::string& option, const std::string& name);

/// Names that earlier versions gave to rules. Input may use them: --only, --ignore, verdicts, roles of models.
struct FormerName {
  std::string_view former;
  RuleId id;
};
std::span<const FormerName> former_names();
/// The name today; of what is no former name, that name itself.
std::string_view current_name(std::string_view name);

}  // namespace ptxmc::finding
