// SPDX-License-Identifier: Apache-2.0
#include "dynamic/claim/claim.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "dynamic/claim/hangs.h"
#include "dynamic/claim/severity.h"
#include "finding/rules.h"
#include "ptx/program/tasks.h"
#include "support/check.h"

namespace ptxmc::claim {

namespace {

using exec::Decided;
using exec::End;
using exec::Source;

constexpr std::array<std::string_view, kAssumptions> kAssumptionNames = {
    "readings",      "wgmma-groups",    "aligned-barrier", "tmem-lane",        "no-trap",
    "equal-values",  "module-values",   "practice",        "atomic-release",   "cluster-addresses",
    "register-pool", "elected-lane",    "device-heap",     "quotient-to-zero", "no-fused-products",
    "valid-targets", "resident-blocks", "exit-order",      "reserved-shared",  "matrix-rows",
    "valid-metadata"};

struct OpenRow {
  std::string_view name, closed_by;
  bool has_sites = false;  // it is about instructions
};
constexpr std::array<OpenRow, kOpenReasons> kOpenRows = {{
    {"rules-not-shown", "leave out --only and --ignore"},
    {"blocks-not-run", "run them with --cta"},
    {"outside-writers", ""},
    {"orders-not-checked", "leave out --no-orders"},
    {"overlapping-kernels", ""},
    {"aliases", ""},
    {"step-limit", "raise --steps"},
    {"time-limit", "raise --timeout"},
    {"memory-limit", "raise --memory"},
    {"interrupted", ""},
    {"control", "give the contents with \"data\"", true},
    {"addresses", "give the contents with \"data\"", true},
    {"places", "", true},
    {"machine", "", true},
    {"atomic-orders", "raise --choices", true},
    {"address-contents", "give the contents with \"data\"", true},
    {"loop-contents", "give the contents with \"data\"", true},
    {"waits-for-left-out", "run the other blocks with --cta", true},
    {"warnings", "correct what the warnings name"},
    {"equal-writes", ""},
    {"proxy-orders", "", true},
    {"phase-confluence", "", true},
    {"accepted-stops", "correct the fault or the hang"},
}};
static_assert(kOpenRows.back().name == "accepted-stops" &&
              static_cast<std::size_t>(OpenReason::accepted_stops) + 1 == kOpenReasons);

template <typename Is>
bool executes(const VerifyResult& of, Is&& is) {
  for (trace::Site site = 0; site < of.run->sites(); ++site) {
    if (of.outcome.executed[site] != 0 && is(of.run->instruction(site))) return true;
  }
  return false;
}

class OpenReasons {
 public:
  explicit OpenReasons(const VerifyResult& of) : of_(of) {}

  std::vector<Open> take() && {
    left_out();
    cut();
    decisions(Decided::control, OpenReason::control);
    decisions(Decided::address, OpenReason::addresses);
    add_at(OpenReason::places, decided_by(Source::place), bit(Source::place));
    add_at(OpenReason::machine, decided_by(Source::machine), bit(Source::machine));
    if (!of_.turns.all) add_at(OpenReason::atomic_orders, decided_by_turns(of_));
    add_at(OpenReason::proxy_orders, {of_.left_open.reads.begin(), of_.left_open.reads.end()});
    add_at(OpenReason::address_contents, guessed_faults());
    waiting();
    warned();
    return std::move(out_);
  }

 private:
  void add(OpenReason reason) { out_.push_back({reason}); }
  void add_at(OpenReason reason, std::vector<trace::Site> sites, exec::Sources sources = 0) {
    if (!sites.empty()) out_.push_back({reason, std::move(sites), sources});
  }

  /// Because of what was asked for and of the shape of the program, whatever the run shows.
  void left_out() {
    const program::Program& program = *of_.program;
    if (!of_.selection.all()) add(OpenReason::rules_not_shown);
    if (!of_.is_of_all()) add(OpenReason::blocks_not_run);
    if (of_.peers) add(OpenReason::outside_writers);
    if (!of_.orders) add(OpenReason::orders_not_checked);
    // Before its wait a programmatic dependent overlaps, and orders count where one of two accesses decides.
    if (of_.left_open.kernels || (program.kernels.stated && program::plan_tasks(program).may_overlap()))
      add(OpenReason::overlapping_kernels);
    if (std::any_of(program.variables.begin(), program.variables.end(),
                    [](const program::Variable& variable) { return !variable.aliases.empty(); }))
      add(OpenReason::aliases);
  }

  void cut() {
    switch (of_.outcome.end) {
      case End::out_of_steps:
        return add(OpenReason::step_limit);
      case End::out_of_time:
        return add(OpenReason::time_limit);
      case End::out_of_memory:
        return add(OpenReason::memory_limit);
      case End::stopped:
        return add(OpenReason::interrupted);
      case End::finished:
      case End::deadlock:
        return;
    }
  }

  void decisions(Decided what, OpenReason reason) {
    std::vector<trace::Site> sites;
    exec::Sources sources = 0;
    for (const exec::Decision& decision : of_.outcome.decisions) {
      const bool waits = decision.what == Decided::waiting && what == Decided::control && !of_.waits_settled;
      const auto given = static_cast<exec::Sources>(exec::open(decision.sources) &
                                                    ~(bit(Source::place) | bit(Source::machine)));
      if ((decision.what != what && !waits) || given == 0) continue;
      sources = static_cast<exec::Sources>(sources | given);
      if (std::find(sites.begin(), sites.end(), decision.site) == sites.end()) sites.push_back(decision.site);
    }
    add_at(reason, std::move(sites), sources);
  }

  /// What neither contents nor a schedule settle.
  std::vector<trace::Site> decided_by(Source source) const {
    std::vector<trace::Site> sites;
    for (const exec::Decision& decision : of_.outcome.decisions) {
      const bool settled = decision.what == Decided::waiting && of_.waits_settled;
      if (settled || (decision.sources & bit(source)) == 0) continue;
      if (std::find(sites.begin(), sites.end(), decision.site) == sites.end()) sites.push_back(decision.site);
    }
    return sites;
  }

  std::vector<trace::Site> guessed_faults() const {
    std::vector<trace::Site> out;
    for (const exec::Fault& fault : of_.outcome.faults) {
      if (fault.guessed) out.push_back(fault.site);
    }
    return out;
  }

  void waiting() {
    const std::vector<exec::Waiting>& waiting = of_.outcome.waiting;
    std::vector<trace::Site> sites;
    for (const exec::Waiting& one : waiting) sites.push_back(one.site);
    if (hangs(of_)) {
      if (is_guessed(waiting)) add_at(OpenReason::loop_contents, std::move(sites));
    } else if (of_.outcome.end == End::deadlock) {
      add_at(OpenReason::waits_for_left_out, std::move(sites));
    }
  }

  /// The skeleton of synchronization is not one trace, or what decides it was not written race-free.
  void warned() {
    std::vector<trace::Site> sites;
    bool warned =
        std::any_of(of_.outcome.faults.begin(), of_.outcome.faults.end(), [&](const exec::Fault& fault) {
          return !fault.guessed && !fault.is_error() && severity_of(of_, fault) != Severity::note;
        });
    warned = warned || (hangs_elsewhere(of_) && severity_of_elected_hang(of_) != Severity::note);
    for (const trace::Finding& finding : of_.findings) {
      warned = warned || severity_of(of_, finding) == Severity::warning;
      if (finding.rule == finding::RuleId::phase_not_confluent) sites.push_back(finding.second.site);
    }
    if (warned && !(of_.accepted.any && of_.accepted.every_warning)) add(OpenReason::warnings);
    if (of_.accepted.stops) add(OpenReason::accepted_stops);
    if (of_.left_open.equal_writes) add(OpenReason::equal_writes);
    add_at(OpenReason::phase_confluence, std::move(sites));
  }

  const VerifyResult& of_;
  std::vector<Open> out_;
};

std::vector<trace::Site> sites_of(const VerifyResult& of, isa::Opcode opcode) {
  std::vector<trace::Site> out;
  for (trace::Site site = 0; site < of.run->sites(); ++site) {
    if (of.outcome.executed[site] != 0 && of.run->instruction(site).opcode == opcode) out.push_back(site);
  }
  return out;
}

std::vector<Assumed> assumptions_of(const VerifyResult& of) {
  std::vector<Assumed> out;
  if (!of.under.empty()) out.push_back({Assumption::readings});
  std::vector<trace::Site> products = sites_of(of, isa::Opcode::wgmma_wait);
  if (!of.groups_of_warps && !products.empty())
    out.push_back({Assumption::wgmma_groups, std::move(products)});
  if (!of.outcome.apart.empty())
    out.push_back({Assumption::aligned_barrier, {of.outcome.apart.begin(), of.outcome.apart.end()}});
  if (!of.outcome.own_lanes.empty())
    out.push_back({Assumption::tensor_lanes, {of.outcome.own_lanes.begin(), of.outcome.own_lanes.end()}});
  if (!of.outcome.ranks.empty())
    out.push_back({Assumption::cluster_addresses, {of.outcome.ranks.begin(), of.outcome.ranks.end()}});
  if (!of.outcome.pools.empty())
    out.push_back({Assumption::register_pool, {of.outcome.pools.begin(), of.outcome.pools.end()}});
  if (!of.outcome.remainders.empty())
    out.push_back(
        {Assumption::quotient_to_zero, {of.outcome.remainders.begin(), of.outcome.remainders.end()}});
  if (!of.outcome.products.empty())
    out.push_back({Assumption::no_fused_products, {of.outcome.products.begin(), of.outcome.products.end()}});
  if (const auto& waits = of.outcome.global_waits; !of.resident && !waits.empty())
    out.push_back({Assumption::resident_blocks, {waits.begin(), waits.end()}});
  if (const auto& reads = of.outcome.exit_reads; !reads.empty())
    out.push_back({Assumption::exit_order, {reads.begin(), reads.end()}});
  if (const auto& reserved = of.outcome.reserved; !reserved.empty())
    out.push_back({Assumption::reserved_shared, {reserved.begin(), reserved.end()}});
  if (const auto& matrices = of.outcome.matrices; of.matrices_in_order && !matrices.empty())
    out.push_back({Assumption::matrix_rows, {matrices.begin(), matrices.end()}});
  if (const auto& metadata = of.outcome.metadata; !metadata.empty())
    out.push_back({Assumption::valid_metadata, {metadata.begin(), metadata.end()}});
  if (!of.outcome.valid_targets.empty())
    out.push_back(
        {Assumption::valid_targets, {of.outcome.valid_targets.begin(), of.outcome.valid_targets.end()}});
  if (!of.outcome.avoided.empty())
    out.push_back({Assumption::no_trap, {of.outcome.avoided.begin(), of.outcome.avoided.end()}});
  std::set<trace::Site> equal;
  for (const trace::Finding& finding : of.findings) {
    if (finding.rule == finding::RuleId::equal_bytes) equal.insert({finding.first.site, finding.second.site});
  }
  if (!equal.empty()) out.push_back({Assumption::equal_values, {equal.begin(), equal.end()}});
  if (!named_module_values(of).empty()) out.push_back({Assumption::module_values});
  if (!waived(of).empty()) out.push_back({Assumption::practice});
  if (of.relays) out.push_back({Assumption::atomic_release});
  if (!of.elected.all) out.push_back({Assumption::elected_lane});
  if (std::vector<trace::Site> sites = sites_of(of, isa::Opcode::heap_allocate); !sites.empty())
    out.push_back({Assumption::device_heap, std::move(sites)});
  return out;
}

Explored explored_of(const VerifyResult& of) {
  const exec::Outcome& outcome = of.outcome;
  Explored out;
  out.orders = of.turns.taken;
  out.all_orders = of.turns.all;
  out.equivalent_orders = of.turns.alike;
  out.schedules = of.schedules + 1;
  out.spin_loops = of.waits_settled && std::any_of(outcome.decisions.begin(), outcome.decisions.end(),
                                                   [](const exec::Decision& decision) {
                                                     return decision.what == Decided::waiting;
                                                   });
  out.both_sides = {outcome.both_sides.begin(), outcome.both_sides.end()};
  return out;
}

bool has_error(const VerifyResult& of) {
  const exec::Outcome& outcome = of.outcome;
  const finding::Selection& selection = of.selection;
  const bool faulty =
      std::any_of(outcome.faults.begin(), outcome.faults.end(), [&](const exec::Fault& fault) {
        return severity_of(of, fault) == Severity::error && selection.takes(finding::name_of(fault.rule));
      });
  const bool wrong = std::any_of(of.findings.begin(), of.findings.end(), [&](const trace::Finding& finding) {
    return severity_of(of, finding) == Severity::error && selection.takes(finding::name_of(finding.rule));
  });
  return faulty || wrong ||
         (selection.takes(finding::name_of(finding::RuleId::hang)) &&
          ((hangs(of) && severity_of_hang(of) == Severity::error) ||
           (hangs_elsewhere(of) && severity_of_elected_hang(of) == Severity::error)));
}

/// A proof has no part that contradicts it, whichever way it was put together.
void check_proof(const VerifyResult& of, const Claim& claim) {
  const exec::Outcome& outcome = of.outcome;
  PTXMC_CHECK(outcome.end == End::finished, "a proof is of a run that was finished");
  PTXMC_CHECK(outcome.waiting.empty(), "no thread of a proven launch waits at its end");
  PTXMC_CHECK(of.run != nullptr && of.orders && of.selection.all() && of.is_of_all(),
              "a proof leaves out nothing of the launch");
  PTXMC_CHECK(std::none_of(outcome.faults.begin(), outcome.faults.end(),
                           [](const exec::Fault& fault) { return fault.is_error() || fault.guessed; }),
              "a proven launch has no fault");
  PTXMC_CHECK(std::all_of(outcome.decisions.begin(), outcome.decisions.end(),
                          [&](const exec::Decision& decision) {
                            return exec::open(decision.sources) == 0 ||
                                   (decision.what == Decided::waiting && of.waits_settled);
                          }),
              "nothing that is open decides in a proof");
  PTXMC_CHECK(claim.explored.all_orders || decided_by_turns(of).empty(),
              "a proof explored all orders of contended accesses");
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "finding";
    case Verdict::incomplete:
      return "bounded";
    case Verdict::waived:
      return "waived";
    case Verdict::proven:
      break;
  }
  return "exact";
}

std::string_view name_of(Assumption assumption) {
  return kAssumptionNames.at(static_cast<std::size_t>(assumption));
}

std::string_view name_of(OpenReason reason) {
  return kOpenRows.at(static_cast<std::size_t>(reason)).name;
}

std::string_view closed_by(OpenReason reason) {
  return kOpenRows.at(static_cast<std::size_t>(reason)).closed_by;
}

std::vector<std::string> named_module_values(const VerifyResult& verified) {
  const auto names = [](const program::Operand& operand, const std::string& name) {
    const auto* address = std::get_if<program::Address>(&operand.value);
    const auto* of = std::get_if<program::AddressOf>(&operand.value);
    return (address != nullptr && address->variable == name) || (of != nullptr && of->variable == name);
  };
  std::vector<std::string> out;
  for (const std::string& name : verified.module_values) {
    const bool named = executes(verified, [&](const program::Instruction& instruction) {
      return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                         [&](const program::Operand& operand) { return names(operand, name); });
    });
    if (named) out.push_back(name);
  }
  return out;
}

std::vector<trace::Site> decided_by_turns(const VerifyResult& verified) {
  std::set<trace::Site> out;
  for (const exec::Decision& decision : verified.outcome.decisions) {
    const isa::Opcode opcode = verified.run->instruction(decision.site).opcode;
    const bool reads = opcode == isa::Opcode::atom || opcode == isa::Opcode::ld;
    if (reads && decision.what == Decided::control && (decision.sources & bit(Source::turns)) != 0)
      out.insert(decision.site);
  }
  return {out.begin(), out.end()};
}

Claim claim_of(const VerifyResult& verified) {
  Claim out;
  out.assumptions = assumptions_of(verified);
  out.open = OpenReasons(verified).take();
  out.explored = explored_of(verified);
  out.schedule_dependent = {verified.outcome.varies.begin(), verified.outcome.varies.end()};
  for (const Open& open : out.open)
    PTXMC_CHECK(kOpenRows.at(static_cast<std::size_t>(open.reason)).has_sites != open.sites.empty(),
                "a reason is about instructions, or about the launch");
  const bool error = has_error(verified);
  if (error && !(verified.accepted.any && verified.accepted.every_error)) {
    out.verdict = Verdict::violated;
  } else if (out.open.empty() && verified.accepted.any) {
    out.verdict = Verdict::waived;
  } else if (out.open.empty()) {
    out.verdict = Verdict::proven;
    check_proof(verified, out);
  }
  return out;
}

}  // namespace ptxmc::claim
