// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/claim_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "dynamic/claim/hangs.h"
#include "dynamic/claim/severity.h"
#include "explain/verify/findings.h"

namespace ptxmc::explain {

namespace {

using exec::Source;

constexpr std::size_t kMostShown = 6;  // places of one kind

/// Their lines, the first few of them: "line 12, line 14 and 3 more".
std::string sites_text(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites) {
  std::vector<std::string> places;
  for (const trace::Site site : sites) {
    if (places.size() < kMostShown) places.push_back(line_of(place_of(verified, site)));
  }
  const std::size_t more = sites.size() - places.size();
  return fmt::format("{}{}", fmt::join(places, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

/// "data and timing decide"
std::string decide_text(exec::Sources sources) {
  std::vector<std::string> all;
  if ((sources & bit(Source::data)) != 0) all.emplace_back("data");
  if ((sources & bit(Source::timing)) != 0) all.emplace_back("timing");
  return fmt::format("{} decide{}", fmt::join(all, " and "), all.size() == 1 ? "s" : "");
}

std::string_view order_text(const claim::VerifyResult& verified) {
  const std::vector<trace::Site> sites = claim::decided_by_turns(verified);
  const bool atomics = std::all_of(sites.begin(), sites.end(), [&](trace::Site site) {
    return verified.run->instruction(site).opcode == isa::Opcode::atom;
  });
  return atomics ? "the order of atomics" : "the order of atomics, strong reads and writes";
}

/// How many orders there are.
std::string taken_text(const claim::Explored& explored) {
  if (explored.orders == 1)
    return explored.equivalent_orders ? "all come to one, which was" : "there is one, which was";
  return explored.equivalent_orders ? fmt::format("{} differ, all", explored.orders)
                                    : fmt::format("there are {}, all", explored.orders);
}

/// What control and addresses rest on beside ids and parameters.
std::string resting_text(const claim::VerifyResult& verified, const claim::Explored& explored) {
  std::string out;
  const std::vector<trace::Site> turns = claim::decided_by_turns(verified);
  if (!turns.empty())
    out += fmt::format(" and on {} at {}, of which {} taken", order_text(verified),
                       sites_text(verified, turns), taken_text(explored));
  if (!explored.both_sides.empty())
    out += fmt::format("{} on data at {}, where both ways were taken", out.empty() ? " and" : ", and",
                       sites_text(verified, explored.both_sides));
  return out.empty() ? " only" : out;
}

/// The first of them: "0, 1 and 30 more".
std::string numbers_text(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kMostNumbers = 16;
  const std::size_t shown = std::min(numbers.size(), kMostNumbers);
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(shown);
  return fmt::format("{}{}", fmt::join(numbers.begin(), end, ", "),
                     numbers.size() == shown ? "" : fmt::format(" and {} more", numbers.size() - shown));
}

std::string proof_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::string under, avoided, rest;
  for (const claim::Assumed& assumed : claim.assumptions) {
    switch (assumed.what) {
      case claim::Assumption::readings:
        under = fmt::format("under {} ", verified.under);
        break;
      case claim::Assumption::no_trap:
        avoided = fmt::format(" in which {}", assumption_text(verified, assumed));
        break;
      case claim::Assumption::wgmma_groups:
      case claim::Assumption::aligned_barrier:
      case claim::Assumption::equal_values:
      case claim::Assumption::elected_lane:
      case claim::Assumption::module_values:
      case claim::Assumption::practice:
      case claim::Assumption::atomic_release:
      case claim::Assumption::cluster_addresses:
      case claim::Assumption::register_pool:
      case claim::Assumption::device_heap:
        rest += fmt::format("; {}", assumption_text(verified, assumed));
        break;
    }
  }
  return fmt::format(
      "race-free {}in ALL schedules of this launch{}: control and addresses rest on ids and parameters{}; "
      "every phase is confluent{}{}",
      under, avoided, resting_text(verified, claim.explored),
      claim.explored.spin_loops ? "; the same writes let the loops that poll memory go on" : "", rest);
}

}  // namespace

std::string claim_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  switch (claim.verdict) {
    case claim::Verdict::violated:
      return "what is said above happens in some schedule";
    case claim::Verdict::proven:
      return proof_text(verified, claim);
    case claim::Verdict::incomplete:
      break;
  }
  const bool nothing = verified.findings.empty() && verified.outcome.faults.empty() &&
                       !claim::hangs(verified) && !claim::hangs_elsewhere(verified);
  return fmt::format(
      "{} found in what was run{}; NOT all schedules", nothing ? "nothing" : "no error",
      claim.explored.schedules == 1 ? "" : fmt::format(" ({} schedules)", claim.explored.schedules));
}

std::string schedule_dependent_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  if (claim.schedule_dependent.empty()) return "";
  return fmt::format("the value stored at {} may depend on the schedule",
                     sites_text(verified, claim.schedule_dependent));
}

std::string assumption_text(const claim::VerifyResult& verified, const claim::Assumed& assumed) {
  switch (assumed.what) {
    case claim::Assumption::readings:
      return "the readings are " + verified.under;
    case claim::Assumption::wgmma_groups:
      return fmt::format(
          "a wait of one warp waits for the products of its warpgroup (wgmma-groups=warpgroup), at {}",
          sites_text(verified, assumed.sites));
    case claim::Assumption::aligned_barrier:
      return fmt::format(
          "warps meet at one aligned barrier from several places (aligned-barrier=warp), at {}",
          sites_text(verified, assumed.sites));
    case claim::Assumption::no_trap:
      return fmt::format("nobody goes to a trap at {}", sites_text(verified, assumed.sites));
    case claim::Assumption::elected_lane:
      return fmt::format("if any lane that elect.sync elects does as the {} that were elected",
                         verified.elected.lanes);
    case claim::Assumption::module_values:
      return fmt::format("`{}` hold what the module says (else say it with \"variables\")",
                         fmt::join(claim::named_module_values(verified), "`, `"));
    case claim::Assumption::practice: {
      std::string all;
      for (const claim::Idiom* idiom : claim::waived(verified))
        all += fmt::format("{}{} ({}; {})", all.empty() ? "" : ", ", idiom->name, idiom->what, idiom->why);
      return "in practice, which the wording of the manual does not give: " + all;
    }
    case claim::Assumption::atomic_release:
      return "atomics release what they acquired from narrower releases (8.9.5), which H100 and H200 do not: "
             "widen those releases (--reading atomic-release=program-order)";
    case claim::Assumption::cluster_addresses:
      return fmt::format(
          "the rank of a thread block is in the bits from 24 of its shared addresses, as mapa does not make "
          "them "
          "at {}",
          sites_text(verified, assumed.sites));
    case claim::Assumption::register_pool:
      return fmt::format("the thread block has the registers that setmaxnreg.inc waits for, at {}",
                         sites_text(verified, assumed.sites));
    case claim::Assumption::device_heap:
      return fmt::format("malloc never returns null, at {}", sites_text(verified, assumed.sites));
    case claim::Assumption::equal_values:
      break;
  }
  return "but for bytes into which equal values are written in either order";
}

std::string open_text(const claim::VerifyResult& verified, const claim::Open& open) {
  switch (open.reason) {
    case claim::OpenReason::rules_not_shown:
      return "findings of some rules are not shown (--only, --ignore)";
    case claim::OpenReason::blocks_not_run:
      return fmt::format(
          "only CTA {} of {} ran{}{}", numbers_text(verified.ctas), verified.of_ctas,
          verified.all_can_run ? " (--cta all runs the others)" : ", as all are more than run together",
          verified.compared.empty() ? "" : "; " + verified.compared);
    case claim::OpenReason::outside_writers:
      return "writers outside of the launch wrote 1 into each word, once";
    case claim::OpenReason::orders_not_checked:
      return "no orders were checked";
    case claim::OpenReason::restricted_fences:
      return "fences with .sync_restrict were taken for fences of all memory";
    case claim::OpenReason::overlapping_kernels:
      return "kernels that may overlap ran one after the other";
    case claim::OpenReason::aliases:
      return "accesses through different names of one location were not told apart";
    case claim::OpenReason::step_limit:
      return "ended by --steps";
    case claim::OpenReason::time_limit:
      return "ended by --timeout";
    case claim::OpenReason::memory_limit:
      return "ended by --memory";
    case claim::OpenReason::interrupted:
      return "interrupted";
    case claim::OpenReason::control:
      return fmt::format("{} control at {}", decide_text(open.sources), sites_text(verified, open.sites));
    case claim::OpenReason::addresses:
      return fmt::format("{} addresses at {}", decide_text(open.sources), sites_text(verified, open.sites));
    case claim::OpenReason::places:
      return fmt::format("where objects lie in memory decides at {}", sites_text(verified, open.sites));
    case claim::OpenReason::machine:
      return fmt::format("the machine decides at {}", sites_text(verified, open.sites));
    case claim::OpenReason::atomic_orders:
      return fmt::format("{} decides at {}: {} taken, {}", order_text(verified),
                         sites_text(verified, open.sites), plural(verified.turns.taken, "order"),
                         verified.turns.why);
    case claim::OpenReason::address_contents:
      return "addresses rest on contents that the launch does not give";
    case claim::OpenReason::loop_contents:
      return "a loop rests on contents that the launch does not give";
    case claim::OpenReason::waits_for_left_out: {
      const exec::Waiting& waiting = verified.outcome.waiting.front();
      const VerifyPlace place = place_of(verified, waiting.site, waiting.threads.front());
      return fmt::format(
          "ended where {} waits at {} for what {} may do", place.thread, line_of(place),
          claim::was_left_out(verified) ? "an instruction with an error" : "a CTA that did not run");
    }
    case claim::OpenReason::warnings:
      return "there are warnings";
    case claim::OpenReason::equal_writes:
      return "of unordered writes of equal values of a byte not all were compared with what came later";
    case claim::OpenReason::phase_confluence:
      break;
  }
  return "an arrival may count to another phase of its mbarrier object";
}

std::vector<std::string> open_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::vector<std::string> out;
  for (const claim::Open& open : claim.open) out.push_back(open_text(verified, open));
  if (!out.empty() && !verified.excused.empty()) out.push_back("but " + verified.excused);
  return out;
}

}  // namespace ptxmc::explain
