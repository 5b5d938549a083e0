// SPDX-License-Identifier: Apache-2.0
#include "model/readings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "support/check.h"
#include "support/nearest.h"

namespace ptxmc::model {

namespace {

struct Choice {
  std::size_t reading = 0;
  std::size_t value = 0;
};

template <typename List, typename Name>
std::string listed(const List& list, const Name& name) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + std::string(name(item));
  return out;
}

/// Throws std::invalid_argument.
Choice find(std::string_view name, std::string_view value) {
  const std::vector<Reading>& all = readings();
  const auto reading = std::find_if(all.begin(), all.end(), [&](const Reading& r) { return r.name == name; });
  if (reading == all.end()) {
    std::vector<std::string> names;
    for (const Reading& known : all) names.emplace_back(known.name);
    const std::optional<std::string> near = nearest(std::string(name), names);
    throw std::invalid_argument(
        "there is no reading '" + std::string(name) + "'; " +
        (near ? "did you mean '" + *near + "'?"
              : "the readings are " + listed(all, [](const Reading& r) { return r.name; })));
  }
  const auto found = std::find(reading->values.begin(), reading->values.end(), value);
  if (found == reading->values.end()) {
    throw std::invalid_argument("reading '" + std::string(name) + "' has no value '" + std::string(value) +
                                "'; its values are " +
                                listed(reading->values, [](std::string_view v) { return v; }));
  }
  return {static_cast<std::size_t>(reading - all.begin()),
          static_cast<std::size_t>(found - reading->values.begin())};
}

/// Of NAME=VALUE.
Choice find(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw std::invalid_argument("found '" + std::string(assignment) + "', expected NAME=VALUE of a reading");
  }
  return find(assignment.substr(0, equals), assignment.substr(equals + 1));
}

std::string print(std::size_t reading, std::size_t value) {
  const Reading& row = readings()[reading];
  return std::string(row.name) + "=" + std::string(row.values[value]);
}

}  // namespace

std::string_view name_of(Acts acts) {
  switch (acts) {
    case Acts::text:
      return "model text";
    case Acts::lowering:
      return "lowering";
    case Acts::verdict:
      return "verdict";
  }
  return "";
}

const std::vector<Reading>& readings() {  // NOLINT(readability-function-size): a table
  static const std::vector<Reading> kReadings = {
      {"host-atomics",
       {"atomic", "not-atomic"},
       "8.1.1, R4",
       Acts::text,
       "on some systems operations of scope sys are not single operations towards the host's processor: "
       "whether "
       "single-copy and RMW atomicity hold between a host thread and a device thread"},
      {"multimem",
       {"alias", "same-name"},
       "8.2.2, 8.2.3, 9.7.8.13, D50",
       Acts::lowering,
       "an access through a multimem address goes through an alias of the names of its locations, or through "
       "those names"},
      {"atom-sink",
       {"red", "atom"},
       "8.4, 9.7.12.5, D18",
       Acts::lowering,
       "an atom whose destination is _ counts as a red, or as an atom whose value nobody uses"},
      {"failed-cas",
       {"read", "write"},
       "8.4, R30, D19",
       Acts::lowering,
       "an atom.cas or red.cas that compares unequal is a read alone, or writes back the value that it read"},
      {"race",
       {"reported", "undefined"},
       "8.7.1, R47, D14",
       Acts::verdict,
       "a uniform-size data race is reported beside the outcomes, or makes the behaviour undefined"},
      {"mixed-size",
       {"undefined", "axioms", "indivisible"},
       "8.7.2, R48, R49, D14",
       Acts::verdict,
       "a race of accesses of different sizes makes the behaviour undefined, or is one of the outcomes that "
       "the axioms allow; or it leaves nothing but that overlapping atomics of mutual scope are indivisible "
       "to "
       "each other"},
      {"after-exit",
       {"reported", "undefined"},
       "5.1.7, R17, R18",
       Acts::verdict,
       "that the shared memory of a CTA is used when its threads may all have ended is reported beside the "
       "outcomes, or makes the behaviour undefined"},
      {"wide",
       {"whole", "halves"},
       "8.2.4, R10, D11",
       Acts::lowering,
       "a strong access of 128 bits is one operation, or two of 64 bits in no order, as a weak one is; an "
       "atomic is one in any case"},
      {"vector",
       {"elements", "whole"},
       "8.2.4, R11, D12",
       Acts::lowering,
       "a vector access is its elements in no order, or one operation of all its bytes"},
      {"non-coherent",
       {"texture", "generic"},
       "8.1, 8.6, R3, D45",
       Acts::lowering,
       "ld.global.nc reads as a texture does, and nothing that the kernel writes is ordered before it; or as "
       "an "
       "ordinary weak load"},
      {"fence-sc",
       {"acq-rel", "only-sc"},
       "8.8, 9.7.12.4, R52, R56",
       Acts::text,
       "fence.sc is a fence of the release and acquire patterns too, or synchronizes with other fence.sc "
       "alone (Dat3M's texts of the published models; the papers' own Alloy texts have it as the manual "
       "does)"},
      {"alias-pattern",
       {"virtual", "physical"},
       "8.2.2, 8.8, R51, R55, D16",
       Acts::text,
       "the two operations of a release or acquire pattern are on one location if they have one virtual "
       "name, "
       "or if they access the same bytes"},
      {"red",
       {"no-acquire", "acquire"},
       "8.4, 8.8, R29, R56, D18",
       Acts::text,
       "a red, which is no read operation, never begins an acquire pattern, or its read does (the published "
       "models)"},
      {"barrier",
       {"phase", "quorum"},
       "8.9.4, 9.7.12.1, R68, D7",
       Acts::text,
       "arrivals synchronize with the waits of their own phase, and a phase that never fills hangs; or with "
       "every wait "
       "that follows by the count, and leftover arrivals pass (the published models)"},
      {"aligned-barrier",
       {"warp", "cta"},
       "9.7.12.1, R169",
       Acts::verdict,
       "the threads that must execute the same aligned barrier are those of a warp, as warps of different "
       "roles meet at one barrier; or all threads of the CTA: the letter"},
      {"remote-arrive",
       {"letter", "cluster"},
       "9.7.12.15.13, R211",
       Acts::text,
       "an arrival of scope .cta at the mbarrier of another CTA synchronizes with nobody there, nor does a "
       "wait of scope .cta with arrivals from other CTAs: the letter; or at such an mbarrier .cta counts as "
       ".cluster"},
      {"same-address",
       {"overlap", "complete"},
       "8.9.5, R80, D17",
       Acts::text,
       "causality preserves the order of accesses that share a byte, or only of those of one address and "
       "size"},
      {"same-proxy",
       {"cta", "anywhere"},
       "8.9.5, R81, D31",
       Acts::text,
       "two accesses through one proxy that is not the generic one are ordered without a proxy fence in one "
       "thread "
       "block only, or anywhere"},
      {"cross-proxy",
       {"fences", "literal"},
       "8.6, 8.9.5, R43, R80, D1",
       Acts::text,
       "a proxy fence of the right kind orders accesses of different proxies, or nothing but an alias fence "
       "does: the "
       "letter of 8.9.5"},
      {"proxy-fence",
       {"cta", "anywhere"},
       "8.6, D2",
       Acts::text,
       "the fence stands in the thread block of the access whose proxy it fences (of tensor maps: the "
       "acquire), or anywhere on the path"},
      {"async-fence",
       {"anywhere", "cta"},
       "9.7.12.4, D2",
       Acts::text,
       "a fence.proxy.async orders asynchronous accesses wherever they were issued, or only those of its own "
       "thread block"},
      {"async-pairs",
       {"cluster", "cta"},
       "8.9.5, D31",
       Acts::text,
       "two accesses through the async proxy are ordered without a proxy fence in one cluster, or in one "
       "thread "
       "block only: the letter of 8.9.5"},
      {"wait-read",
       {"sources", "map"},
       "9.7.8.24.13, R155",
       Acts::lowering,
       "cp.async.bulk.wait_group.read waits for the reads of the copied data, or for those of tensor maps, "
       "too"},
      {"grid-end",
       {"operations", "threads"},
       "8.9.4, 9.7.12.13, R232",
       Acts::text,
       "what waits for a grid waits for its asynchronous operations, too, or for what its threads did and "
       "waited for"},
      {"grid-overlap",
       {"triggered", "always"},
       "9.7.12.13, R233",
       Acts::lowering,
       "a programmatic dependent starts before its prerequisites end only if one of them uses "
       "griddepcontrol.launch_dependents, or may do so in any case"},
      {"wgmma-first-fence",
       {"required", "free"},
       "9.7.14.7.1, R245",
       Acts::lowering,
       "a first wgmma.mma_async without a wgmma.fence before it has undefined behaviour, or needs one only "
       "for "
       "registers that were accessed"},
      {"wgmma-groups",
       {"warpgroup", "warp"},
       "9.7.14.7.2, 9.7.14.7.3, R249, R250",
       Acts::text,
       "a wgmma group is one of the warpgroup, so that a wait of one of its warps waits for the whole "
       "product; "
       "or each warp waits for what it has issued itself"},
      {"null-address",
       {"none", "possible"},
       "6.4.1",
       Acts::lowering,
       "no variable is at address 0 of global (generic) memory, so a null pointer names none; or one may be"},
      {"test-wait",
       {"immediate", "may-fail"},
       "9.7.12.15.16, R218",
       Acts::lowering,
       "mbarrier.test_wait returns false only while the phase is incomplete, or at any time, as a try_wait "
       "does "
       "whose time limit passes"},
      {"init-visible",
       {"fenced", "causality"},
       "9.7.12.15.9, 9.7.12.4, R185",
       Acts::text,
       "what completes through the async proxy finds an mbarrier.init behind which its thread has a "
       "fence.mbarrier_init or a fence.proxy.async, or any that precedes it in causality"},
      {"async-stores",
       {"generic", "async"},
       "9.7.8.12, 9.7.12.7, D26",
       Acts::lowering,
       "st.async and red.async access memory through the generic proxy, or through the async proxy"},
      {"tcgen05-fence",
       {"pipelined", "literal"},
       "9.7.16.6.2, 9.7.16.6.3, D42",
       Acts::text,
       "tcgen05 fences order pipelined pairs across threads, and others only once the first is complete; or "
       "any "
       "two asynchronous tcgen05 operations before and behind them: the letter of 9.7.16.6.3"},
      {"coherence",
       {"partial", "total"},
       "8.9.6, R84, D15",
       Acts::text,
       "racing writes stay unordered, or each location has one total order of its writes, as in herd's "
       "models"},
      {"tearing",
       {"mixed", "bytes", "none"},
       "8.9.7, 8.10.3, R90",
       Acts::text,
       "a read never takes bytes from two writes that both write all of these, so that only accesses of "
       "different sizes tear each other; to the letter whatever is not morally strong may tear at every "
       "byte; or "
       "no read takes a byte of an older write than the rest"},
      {"dependencies",
       {"semantic", "no-exits", "no-control", "none"},
       "8.10.4, R94, D13",
       Acts::text,
       "what no value may come out of thin air through: values, addresses and guards after constant folding, "
       "and the exit of a waiting loop; all but these exits; values and addresses; nothing"},
      {"atomic-causality",
       {"operation", "halves"},
       "8.9.2, 8.10.6, R96",
       Acts::text,
       "an atomic is one operation in causality, which precedes neither itself nor what it reads from; or "
       "its "
       "halves are two operations there (the published models)"},
      {"red-causality",
       {"read", "no-read"},
       "8.4, 8.9.7, 8.10.6, D18",
       Acts::text,
       "what a red reads must not contradict causality order, as for an atom; or, as a red is no read "
       "operation by the letter of 8.4, no communication ends or begins there"},
      {"atomic-release",
       {"transitive", "program-order"},
       "8.8, 8.9.5",
       Acts::text,
       "an atomic that acquires and releases passes on what it acquires itself, as causality order is "
       "transitive; or, by the letter of 8.8, it releases what precedes it in program order alone (so H100)"},
      {"alias-race",
       {"physical", "virtual"},
       "8.2.2, 8.7.1, D16",
       Acts::text,
       "accesses through two virtual names of the same bytes may race, or only accesses through one name "
       "overlap"},
  };
  return kReadings;
}

Readings::Readings() : chosen_(readings().size(), 0) {}

void Readings::set(std::string_view assignment) {
  const Choice choice = find(assignment);
  chosen_[choice.reading] = choice.value;
}

std::optional<bool> Readings::holds(std::string_view assignment) const {
  try {
    const Choice choice = find(assignment);
    return chosen_[choice.reading] == choice.value;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

bool Readings::is(std::string_view name, std::string_view value) const {
  const Choice choice = find(name, value);
  return chosen_[choice.reading] == choice.value;
}

std::vector<std::string> Readings::changed() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (chosen_[i] != 0) out.push_back(print(i, chosen_[i]));
  }
  return out;
}

std::vector<Readings::Variant> Readings::variants() const {
  std::vector<Variant> out;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Reading& reading = readings()[i];
    for (std::size_t value = 0; value < reading.values.size(); ++value) {
      if (value == chosen_[i]) continue;
      Variant& variant = out.emplace_back(Variant{reading.name, reading.values[value], reading.acts, *this});
      variant.readings.chosen_[i] = value;
    }
  }
  return out;
}

}  // namespace ptxmc::model
