// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/claim_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "dynamic/claim/hangs.h"
#include "dynamic/claim/severity.h"
#include "explain/verify/findings.h"
#include "support/check.h"

namespace ptxmc::explain {

namespace {

using exec::Source;

constexpr std::size_t kMostShown = 6;  // places of one kind

/// Their lines, the first few of them: "k.cu:12, k.cu:14 and 3 more".
std::string sites_text(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites) {
  std::vector<std::string> lines;
  for (const trace::Site site : sites) {
    std::string line = line_of(place_of(verified, site));
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  const std::size_t shown = std::min(lines.size(), kMostShown), more = lines.size() - shown;
  lines.resize(shown);
  return fmt::format("{}{}", fmt::join(lines, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

/// "the branch at k.cu:12 depends", "addresses at k.cu:12 and k.cu:14 depend"
std::string depending_text(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites,
                           std::string_view one, std::string_view many) {
  return sites.size() == 1 ? fmt::format("the {} at {} depends", one, sites_text(verified, sites))
                           : fmt::format("{} at {} depend", many, sites_text(verified, sites));
}

/// What decides something: a branch, a guard or a load on which one rests; a swap that writes or not; an operand of another instruction.
std::string_view deciding_noun(const program::Instruction& instruction) {
  if (instruction.opcode == isa::Opcode::atom) return "atomic";
  const isa::Family family = isa::traits(instruction.opcode).family;
  const bool branches = instruction.guard || family == isa::Family::control || family == isa::Family::memory;
  return branches ? "branch" : "instruction";
}

/// "branches and atomics at line 3, line 5 depend"
std::string deciding_text(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites) {
  std::vector<std::string_view> nouns;
  for (const trace::Site site : sites) {
    const std::string_view noun = deciding_noun(verified.run->instruction(site));
    if (std::find(nouns.begin(), nouns.end(), noun) == nouns.end()) nouns.push_back(noun);
  }
  if (sites.size() == 1) return depending_text(verified, sites, nouns.front(), "");
  std::vector<std::string> many;
  for (const std::string_view noun : nouns)
    many.push_back(fmt::format("{}{}", noun, noun == "branch" ? "es" : "s"));
  return depending_text(verified, sites, "", fmt::format("{}", fmt::join(many, " and ")));
}

/// "buffer contents and scheduling"
std::string sources_text(exec::Sources sources) {
  std::vector<std::string> all;
  if ((sources & bit(Source::data)) != 0) all.emplace_back("buffer contents");
  if ((sources & bit(Source::timing)) != 0) all.emplace_back("scheduling");
  return fmt::format("{}", fmt::join(all, " and "));
}

std::string_view order_text(const claim::VerifyResult& verified) {
  const std::vector<trace::Site> sites = claim::decided_by_turns(verified);
  const bool atomics = std::all_of(sites.begin(), sites.end(), [&](trace::Site site) {
    return verified.run->instruction(site).opcode == isa::Opcode::atom;
  });
  return atomics ? "the order of atomics" : "the order of atomics, strong reads and writes";
}

/// How many orders there are, all of which were explored.
std::string explored_text(const claim::Explored& explored) {
  if (explored.orders == 1)
    return explored.equivalent_orders ? "all orders are equivalent; one was explored" : "there is one order";
  return explored.equivalent_orders
             ? fmt::format("{} orders are not equivalent; all were explored", explored.orders)
             : fmt::format("all {} orders were explored", explored.orders);
}

/// The first of them: "0, 1 and 30 more".
std::string numbers_text(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kMostNumbers = 16;
  const std::size_t shown = std::min(numbers.size(), kMostNumbers);
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(shown);
  return fmt::format("{}{}", fmt::join(numbers.begin(), end, ", "),
                     numbers.size() == shown ? "" : fmt::format(" and {} more", numbers.size() - shown));
}

/// "4", or where there are more dimensions "(4,2,1)".
std::string sides_text(const std::array<std::uint32_t, 3>& sides) {
  if (sides[1] == 1 && sides[2] == 1) return std::to_string(sides[0]);
  return fmt::format("({},{},{})", sides[0], sides[1], sides[2]);
}

std::string practice_text(const claim::VerifyResult& verified) {
  std::string all;
  for (const claim::Idiom* idiom : claim::waived(verified))
    all += fmt::format("{}{} ({}; {})", all.empty() ? "" : ", ", idiom->name, idiom->what, idiom->why);
  return "in practice, though the wording of the manual does not guarantee it: " + all;
}

/// Why those that ran do not tell of the others; empty: that was not looked at.
std::string unlike_text(const claim::VerifyResult& verified) {
  using enum exec::GridCover::Verdict;
  if (!verified.grid) return "";
  switch (verified.grid->verdict) {
    case covered:
      return "";
    case refused: {
      const std::vector<trace::Site> sites(verified.grid->refused.begin(), verified.grid->refused.end());
      return sites.empty()
                 ? "; the order of accesses may decide what the others do"
                 : fmt::format("; what the others do at {} does not follow from their place in the grid",
                               sites_text(verified, sites));
    }
    case more:
      return fmt::format("; block {} does something else", verified.grid->blocks.front());
    case meet:
      return fmt::format("; blocks {} and {} may access the same bytes", verified.grid->blocks.front(),
                         verified.grid->blocks.back());
    case too_much:
      break;
  }
  return "; the others access too many ranges of memory to compare them";
}

std::string blocks_text(const claim::VerifyResult& verified) {
  const std::string_view others =
      verified.all_can_run ? " (--cta all runs all)" : ", as all are more than run together";
  return fmt::format("only block {} of {} ran{}{}{}", numbers_text(verified.ctas), verified.of_ctas, others,
                     unlike_text(verified), verified.compared.empty() ? "" : "; " + verified.compared);
}

std::string waits_text(const claim::VerifyResult& verified) {
  const exec::Waiting& waiting = verified.outcome.waiting.front();
  const Place place = place_of(verified, waiting.site, waiting.threads.front());
  return fmt::format(
      "the run ended: {} waits at {}, and {} may end that wait", place.who, line_of(place),
      claim::was_left_out(verified) ? "an instruction with an error" : "a block that did not run");
}

bool finds_nothing(const claim::VerifyResult& verified) {
  return verified.findings.empty() && verified.outcome.faults.empty() && !claim::hangs(verified) &&
         !claim::hangs_elsewhere(verified);
}

/// A launch of a kernel that others may launch with more blocks: nothing was looked at between them.
bool has_one_block(const claim::VerifyResult& verified) {
  if (!verified.launched || !verified.shape) return false;
  const std::array<std::uint32_t, 3>& grid = verified.shape->grid;
  return std::all_of(grid.begin(), grid.end(), [](std::uint32_t side) { return side == 1; });
}

/// The other orders of contended accesses, and why they were not explored.
std::string_view left_text(claim::OrdersLeft left) {
  using enum claim::OrdersLeft;
  switch (left) {
    case none:
      return "and there are no others";
    case too_many:
      return "and there are others (--choices)";
    case ended:
      return "then a run was cut";
    case long_order:
      return "and there are others, with too many turns";
    case unknown_write:
      return "and not all writes there are known";
    case not_followed:
      return "and others that are not followed: of lanes of one warp, or of swaps that may fail";
    case together:
      return "and others of several locations together";
    case by_execution:
      return "and others that only the order of execution forbids, which the memory model does not go by";
    case by_contents:
      return "and others that other first contents of memory may allow";
  }
  return "";
}

}  // namespace

std::string launch_title(const claim::VerifyResult& verified) {
  constexpr std::size_t kMostNamed = 4;
  const auto one = [](const std::string& name, const std::array<std::uint32_t, 3>& grid,
                      const std::array<std::uint32_t, 3>& block) {
    return fmt::format("{}<<<{}, {}>>>", name, sides_text(grid), sides_text(block));
  };
  if (verified.shape) return one(verified.name, verified.shape->grid, verified.shape->block);
  const std::vector<program::Kernel>& kernels = verified.program->kernels.kernels;
  if (!verified.launched || kernels.empty()) return verified.name;
  std::vector<std::string> names;
  for (const program::Kernel& kernel : kernels) {
    if (names.size() < kMostNamed) names.push_back(one(kernel.function, kernel.grid, kernel.block));
  }
  const std::size_t more = kernels.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

std::string verdict_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  const std::string_view of = verified.launched ? "launch" : "test";
  switch (claim.verdict) {
    case claim::Verdict::violated:
      return "each error occurs in at least one schedule";
    case claim::Verdict::waived:
      return fmt::format(
          "waived: no error was found in this {} but those that are waived or known; what depends on their outcome is "
          "not covered",
          of);
    case claim::Verdict::proven:
      return fmt::format("no race, deadlock or barrier misuse in any schedule of this {}", of);
    case claim::Verdict::incomplete:
      break;
  }
  const std::string runs =
      claim.explored.schedules == 1 ? "" : fmt::format(" in {} schedules", claim.explored.schedules);
  const std::string_view what = finds_nothing(verified) ? "nothing"
                                : verified.accepted.any ? "no error but those that are waived or known"
                                                        : "no error";
  return fmt::format("incomplete: {} found{}, and other schedules are not covered", what, runs);
}

std::vector<std::string> proof_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::vector<std::string> out;
  if (claim.verdict != claim::Verdict::proven) return out;
  out.emplace_back("branches and addresses depend only on thread ids and kernel arguments");
  const std::vector<trace::Site> turns = claim::decided_by_turns(verified);
  if (!turns.empty())
    out.back() += fmt::format(", and on {} at {} ({})", order_text(verified), sites_text(verified, turns),
                              explored_text(claim.explored));
  std::vector<trace::Site> sides = claim.explored.both_sides;  // and accesses whose place contents decide
  const auto places = std::stable_partition(sides.begin(), sides.end(), [&](trace::Site site) {
    return verified.run->instruction(site).guard.has_value();
  });
  const std::vector<trace::Site> accesses(places, sides.end());
  sides.erase(places, sides.end());
  if (!sides.empty())
    out.back() +=
        fmt::format(", and on buffer contents at {} (both sides were explored)", sites_text(verified, sides));
  if (!accesses.empty())
    out.back() += fmt::format(", and on buffer contents at {} (each element was tried)",
                              sites_text(verified, accesses));
  if (verified.partial())
    out.push_back(fmt::format(
        "block {} of {} ran; each other block takes the same branches, at other addresses, and no two conflict",
        numbers_text(verified.ctas), verified.of_ctas));
  out.emplace_back("every barrier phase has the same arrivals in all schedules");
  if (claim.explored.spin_loops) out.emplace_back("spin loops exit on the same writes in all schedules");
  return out;
}

std::vector<std::string> assumption_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::vector<std::string> out;
  if (claim.verdict != claim::Verdict::proven) return out;
  for (const claim::Assumed& assumed : claim.assumptions) out.push_back(assumption_text(verified, assumed));
  return out;
}

std::string claim_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::string out = verdict_text(verified, claim);
  const std::vector<std::string> proof = proof_texts(verified, claim),
                                 given = assumption_texts(verified, claim);
  if (!proof.empty()) out += fmt::format(": {}", fmt::join(proof, "; "));
  if (!given.empty()) out += fmt::format("; assuming that {}", fmt::join(given, "; that "));
  return out;
}

std::string schedule_dependent_text(const claim::VerifyResult& verified, const claim::Claim& claim) {
  if (claim.schedule_dependent.empty()) return "";
  return fmt::format("the value stored at {} may depend on the schedule",
                     sites_text(verified, claim.schedule_dependent));
}

std::vector<std::string> covered_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  if (claim.verdict != claim::Verdict::proven) return {};
  return {verified.launched
              ? "this grid, block and these arguments; all contents that the launch does not give"
              : "this test"};
}

std::vector<std::string> uncovered_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::vector<std::string> out;
  if (claim.verdict == claim::Verdict::proven && verified.launched)
    out.emplace_back("launches with other sizes, arguments or stated contents");
  if (claim.verdict != claim::Verdict::violated && has_one_block(verified))
    out.emplace_back("what threads of different blocks do to each other: this launch has one block");
  if (std::string varies = schedule_dependent_text(verified, claim); !varies.empty())
    out.push_back(std::move(varies));
  return out;
}

namespace {

struct AtInstructions {
  claim::Assumption what;
  std::string_view text;  // and ", at sum.cu:7"
};
using claim::Assumption;
constexpr AtInstructions kAtInstructions[] = {
    {Assumption::wgmma_groups,
     "a wait of one warp waits for the products of its warpgroup (wgmma-groups=warpgroup)"},
    {Assumption::aligned_barrier,
     "warps may meet at one aligned barrier from several instructions (aligned-barrier=warp)"},
    {Assumption::tensor_lanes,
     "lane 0 in an address of tensor memory stands for the lanes of its own warp (tmem-lane=own)"},
    {Assumption::matrix_rows,
     "ldmatrix and stmatrix are in order with what any lane of their warp does before and after them"},
    {Assumption::no_trap, "no thread reaches a trap"},
    {Assumption::resident_blocks,
     "thread blocks that wait for others run at once, which only a cooperative launch guarantees"},
    {Assumption::exit_order,
     "a thread that exits instead of waiting at a barrier has read before the others pass it"},
    {Assumption::reserved_shared,
     "the shared memory that is reserved for system software is used as that does"},
    {Assumption::valid_metadata, "the metadata of sparse matrices select two of four elements"},
    {Assumption::valid_targets,
     "branch indices have labels, registers of calls hold functions that these may call, and .noreturn functions do not return"},
    {Assumption::register_pool, "the warps have the registers that setmaxnreg takes or gives back"},
    {Assumption::device_heap, "malloc never returns null"},
    {Assumption::quotient_to_zero, "quotients of negative numbers are rounded to zero, as in CUDA C++"},
    {Assumption::no_fused_products, "no mul without a rounding becomes an fma with the add behind it"},
};

}  // namespace

std::string assumption_text(const claim::VerifyResult& verified, const claim::Assumed& assumed) {
  const std::string at = sites_text(verified, assumed.sites);
  const auto* const row = std::find_if(std::begin(kAtInstructions), std::end(kAtInstructions),
                                       [&](const AtInstructions& one) { return one.what == assumed.what; });
  if (row != std::end(kAtInstructions)) return fmt::format("{}, at {}", row->text, at);
  switch (assumed.what) {
    case Assumption::readings:
      return fmt::format("the manual is read as --model and --reading say: {}", verified.under);
    case Assumption::elected_lane:
      return fmt::format("every lane that elect.sync may elect behaves as the {} lanes that were explored",
                         verified.elected.lanes);
    case Assumption::module_values:
      return fmt::format("`{}` hold the values in the module (give others with \"variables\")",
                         fmt::join(claim::named_module_values(verified), "`, `"));
    case Assumption::practice:
      return practice_text(verified);
    case Assumption::atomic_release:
      return "atomics release what they acquired from narrower releases (8.9.5), which H100 and H200 do not do: "
             "widen those releases (--reading atomic-release=program-order)";
    case Assumption::cluster_addresses:
      return fmt::format(
          "the rank of a thread block is in the bits from 24 of its shared addresses, as mapa does not make "
          "them at {}",
          at);
    default:
      PTXMC_CHECK(assumed.what == Assumption::equal_values, "an assumption has a text");
      return "unordered writes of equal values to the same bytes are no race";
  }
}

std::string_view closing_text(const claim::VerifyResult& verified, const claim::Open& open) {
  const bool other =
      open.reason == claim::OpenReason::atomic_orders && verified.turns.left != claim::OrdersLeft::too_many;
  return other ? std::string_view() : claim::closed_by(open.reason);
}

std::string open_text(const claim::VerifyResult& verified, const claim::Open& open) {
  switch (open.reason) {
    case claim::OpenReason::rules_not_shown:
      return "findings of some rules are hidden by --only or --ignore";
    case claim::OpenReason::blocks_not_run:
      return blocks_text(verified);
    case claim::OpenReason::outside_writers:
      return "each writer outside of the launch wrote 1 into each word, once";
    case claim::OpenReason::orders_not_checked:
      return "no ordering was checked (--no-orders)";
    case claim::OpenReason::overlapping_kernels:
      return "kernels that may overlap ran one after the other";
    case claim::OpenReason::aliases:
      return "accesses through different names of one location were treated as accesses through one name";
    case claim::OpenReason::step_limit:
      return "--steps ended the run";
    case claim::OpenReason::time_limit:
      return "--timeout ended the run";
    case claim::OpenReason::memory_limit:
      return "--memory ended the run";
    case claim::OpenReason::interrupted:
      return "the run was interrupted";
    case claim::OpenReason::control:
      return fmt::format("{} on {}", deciding_text(verified, open.sites), sources_text(open.sources));
    case claim::OpenReason::addresses:
      return fmt::format("{} on {}", depending_text(verified, open.sites, "address", "addresses"),
                         sources_text(open.sources));
    case claim::OpenReason::places:
      return depending_text(verified, open.sites, "instruction", "instructions") +
             " on where objects lie in memory";
    case claim::OpenReason::machine:
      return depending_text(verified, open.sites, "instruction", "instructions") +
             " on a value that the GPU decides";
    case claim::OpenReason::atomic_orders:
      return fmt::format("{} on {}: {} explored, {}",
                         depending_text(verified, open.sites, "branch", "branches"), order_text(verified),
                         plural(verified.turns.taken, "order"), left_text(verified.turns.left));
    case claim::OpenReason::address_contents:
      return "an address depends on buffer contents that the launch does not give";
    case claim::OpenReason::loop_contents:
      return "a loop depends on buffer contents that the launch does not give";
    case claim::OpenReason::waits_for_left_out:
      return waits_text(verified);
    case claim::OpenReason::warnings:
      return "there are warnings";
    case claim::OpenReason::equal_writes:
      return "some unordered writes of equal values were not compared with later accesses";
    case claim::OpenReason::accepted_stops:
      return "an error that is waived or known ends threads, or leaves an instruction out; what follows it was not run";
    case claim::OpenReason::proxy_orders:
      return depending_text(verified, open.sites, "strong read", "strong reads") +
             " on when asynchronous operations are done (8.6.1), of which one order was taken";
    case claim::OpenReason::phase_confluence:
      break;
  }
  return "an arrival may count to another phase of its mbarrier object";
}

std::vector<std::string> open_texts(const claim::VerifyResult& verified, const claim::Claim& claim) {
  std::vector<std::string> out;
  for (const claim::Open& open : claim.open) out.push_back(open_text(verified, open));
  if (!out.empty() && !verified.waived.empty())
    out.push_back("under other readings of the manual: " + verified.waived);
  return out;
}

}  // namespace ptxmc::explain
