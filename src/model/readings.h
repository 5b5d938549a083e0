// SPDX-License-Identifier: Apache-2.0
// Readings: what chapter 8 of the manual leaves open, as named choices. The table says which there are; a
// Readings object says which value of each is in force. Both halves take what is in force from such an object: the lowering of
// litmus tests, model texts, and runs of kernels (session/verify_readings.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::model {

/// Where the value of a reading is consulted.
enum class Acts : std::uint8_t {
  text,      ///< `if "NAME=VALUE"` in a model text: a text without it does not depend on the reading
  lowering,  ///< the events of an instruction (lower::Readings): every model depends on it
  verdict,   ///< what the answer is called, once executions and flags are known
};
std::string_view name_of(Acts acts);

/// The values of a reading, at most four.
class ReadingValues {
 public:
  template <typename... Names>
  constexpr ReadingValues(Names... names) : names_{names...}, size_(sizeof...(names)) {}
  constexpr const std::string_view* begin() const { return names_.data(); }
  constexpr const std::string_view* end() const { return names_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr std::string_view operator[](std::size_t i) const { return names_.at(i); }

 private:
  std::array<std::string_view, 4> names_;
  std::size_t size_;
};

struct Reading {
  std::string_view name;
  ReadingValues values;    ///< the first is the default
  std::string_view rules;  ///< sections of the manual, rules R.. and readings D.. of README.md
  Acts acts = Acts::text;
  std::string_view doc;  ///< what each value means
};

/// In the order of the manual's sections. Two lines a reading. The defaults are those of the newest edition; what an older one
/// says otherwise stands with its profile (model/models.cpp).
// clang-format off
inline constexpr Reading kReadings[] = {
    {"host-atomics", {"atomic", "not-atomic"}, "8.1.1, R4", Acts::text,
     "on some systems operations of scope sys are not single operations towards the host's processor: whether single-copy and RMW atomicity hold between a host thread and a device thread"},
    {"multimem", {"alias", "same-name"}, "8.2.2, 8.2.3, 9.7.8.13, D50", Acts::lowering,
     "an access through a multimem address goes through an alias of the names of its locations, or through those names"},
    {"atom-sink", {"red", "atom"}, "8.4, 9.7.12.5, D18", Acts::lowering,
     "an atom whose destination is _ counts as a red, or as an atom whose value no thread uses"},
    {"failed-cas", {"read", "write"}, "8.4, R30, D19", Acts::lowering,
     "an atom.cas or red.cas that compares unequal is a read alone, or writes back the value that it read"},
    {"race", {"reported", "undefined"}, "8.7.1, R47, D14", Acts::verdict,
     "a uniform-size data race is reported beside the outcomes, or makes the behaviour undefined"},
    {"mixed-size", {"undefined", "axioms", "indivisible"}, "8.7.2, R48, R49, D14", Acts::verdict,
     "a race of accesses of different sizes makes the behaviour undefined, or is one of the outcomes that the axioms allow; or it leaves nothing but that overlapping atomics of mutual scope are indivisible to each other"},
    {"after-exit", {"reported", "undefined"}, "5.1.7, R17, R18", Acts::verdict,
     "use of the shared memory of a CTA whose threads may all have ended is reported beside the outcomes, or makes the behaviour undefined"},
    {"wide", {"whole", "halves"}, "8.2.4, R10, D11", Acts::lowering,
     "a strong access of 128 bits is one operation, or two of 64 bits in no order, as a weak one is; an atomic is one in any case"},
    {"vector", {"elements", "whole"}, "8.2.4, R11, D12", Acts::lowering,
     "a vector access is its elements in no order, or one operation of all its bytes"},
    {"non-coherent", {"texture", "generic"}, "8.1, 8.6, R3, D45", Acts::lowering,
     "ld.global.nc reads as a texture does, and nothing that the kernel writes is ordered before it; or as an ordinary weak load"},
    {"fence-sc", {"acq-rel", "only-sc"}, "8.8, 9.7.12.4, R52, R56", Acts::text,
     "fence.sc is a fence of the release and acquire patterns too, or synchronizes with other fence.sc alone (Dat3M's texts of the published models; the papers' own Alloy texts have it as the manual does)"},
    {"strong-proxies", {"eventual", "race", "none"}, "8.6.1, 8.7.1, D54", Acts::text,
     "strong reads through the generic or the async proxy come to see strong writes through the other one, and do not race with them; or they come to see them, and race by the wording of 8.7.1; or they need not see them (up to PTX ISA 9.1)"},
    {"async-patterns", {"bridged", "same-proxy", "none"}, "8.6.1, 8.8, D55", Acts::text,
     "release and acquire patterns may hold asynchronous operations with strong accesses, which accesses through the generic proxy observe, and are observed by; or only accesses of one proxy observe each other, by the wording of 8.9.2; or they hold none (up to PTX ISA 9.1)"},
    {"alias-pattern", {"virtual", "physical"}, "8.2.2, 8.8, R51, R55, D16", Acts::text,
     "the operations of a release or acquire pattern are on one location if they have one virtual name, or access the same bytes"},
    {"red", {"no-acquire", "acquire"}, "8.4, 8.8, R29, R56, D18", Acts::text,
     "a red, which is no read operation, never begins an acquire pattern, or its read does (the published models)"},
    {"barrier", {"phase", "quorum"}, "8.9.4, 9.7.12.1, R68, D7", Acts::text,
     "arrivals synchronize with the waits of their own phase, and a phase that never fills hangs; or with every wait that follows by the count, and leftover arrivals pass (the published models)"},
    {"aligned-barrier", {"warp", "cta"}, "9.7.12.1, R169", Acts::verdict,
     "the threads that must execute the same aligned barrier are those of a warp, as warps of different roles meet at one barrier; or all threads of the CTA: the letter"},
    {"remote-arrive", {"letter", "cluster"}, "9.7.12.15.13, R211", Acts::text,
     "an arrival of scope .cta at the mbarrier of another CTA synchronizes with no thread there, nor such a wait with arrivals from other CTAs; or at such an mbarrier .cta counts as .cluster"},
    {"same-address", {"overlap", "complete"}, "8.9.5, R80, D17", Acts::text,
     "causality preserves the order of accesses that share a byte, or only of those of one address and size"},
    {"same-proxy", {"cta", "anywhere"}, "8.9.5, R81, D31", Acts::text,
     "two accesses through one proxy that is not the generic one are ordered without a proxy fence in one thread block only, or anywhere"},
    {"cross-proxy", {"fences", "literal"}, "8.6, 8.9.5, R43, R80, D1", Acts::text,
     "a proxy fence of the right kind orders accesses of different proxies, or nothing but an alias fence does: the wording of 8.9.5"},
    {"proxy-fence", {"cta", "anywhere"}, "8.6, D2", Acts::text,
     "the fence stands in the thread block of the access whose proxy it fences (of tensor maps: the acquire), or anywhere on the path"},
    {"async-fence", {"anywhere", "cta"}, "9.7.12.4, D2", Acts::text,
     "a fence.proxy.async orders asynchronous accesses wherever they were issued, or only those of its own thread block"},
    {"async-pairs", {"cluster", "cta"}, "8.9.5, D31", Acts::text,
     "two accesses through the async proxy are ordered without a proxy fence in one cluster, or in one thread block only: the wording of 8.9.5"},
    {"wait-read", {"map", "sources"}, "9.7.8.24.13, R155", Acts::lowering,
     "cp.async.bulk.wait_group.read waits for the reads of the copied data and of tensor maps, or for those of the data alone (PTX ISA 8.4; H100 and H200 do so)"},
    {"bulk-reduce-scope", {"sys", "gpu"}, "9.7.8.24.7, R149", Acts::lowering,
     "the reductions of a cp.reduce.async.bulk that names no scope are of scope sys, or of scope gpu (up to PTX ISA 9.1); those of its tensor form are of scope gpu"},
    {"tensor-reduce-scope", {"gpu", "sys"}, "9.7.8.24.10, R151, D59", Acts::lowering,
     "the reductions of a cp.reduce.async.bulk.tensor are of scope gpu: the letter; or of scope sys, as those of the linear form"},
    {"read-fence", {"own", "cumulative"}, "9.7.12.4, D57", Acts::text,
     "a fence.proxy.async that releases reads alone releases those of its own thread; or those of other threads that come before it, too"},
    {"restricted-fence", {"cumulative", "own"}, "9.7.12.4, D58", Acts::text,
     "a release fence with .sync_restrict::shared::cta orders all accesses of that memory that come before it, of other threads, too; or those of its own thread alone"},
    {"map-at-start", {"acquire", "both-fences"}, "8.9.4, D33", Acts::text,
     "a kernel that uses a tensor map of an earlier task needs the acquire fence of the tensormap proxy alone; or both fences (up to PTX ISA 9.1)"},
    {"grid-end", {"operations", "threads"}, "8.9.4, 9.7.12.13, R232", Acts::text,
     "what waits for a grid waits for its asynchronous operations, too, or for what its threads did and waited for"},
    {"launch-dependents-edge", {"fenced", "none"}, "9.7.12.13, D53", Acts::text,
     "a release fence of scope gpu or sys before griddepcontrol.launch_dependents synchronizes with the start of the dependent grids; or the instruction orders nothing (up to PTX ISA 9.1)"},
    {"grid-overlap", {"triggered", "always"}, "9.7.12.13, R233", Acts::lowering,
     "a programmatic dependent starts before its prerequisites end only if one of them uses griddepcontrol.launch_dependents, or may do so in any case"},
    {"wgmma-first-fence", {"required", "free"}, "9.7.14.7.1, R245", Acts::lowering,
     "a first wgmma.mma_async without a wgmma.fence before it has undefined behaviour, or needs one only for registers that were accessed"},
    {"wgmma-groups", {"warpgroup", "warp"}, "9.7.14.7.2, 9.7.14.7.3, R249, R250", Acts::text,
     "a wgmma group is one of the warpgroup, so that a wait of one of its warps waits for the whole product; or each warp waits for what it has issued itself"},
    {"null-address", {"none", "possible"}, "6.4.1", Acts::lowering,
     "no variable is at address 0 of global (generic) memory, so a null pointer names none; or one may be"},
    {"test-wait", {"immediate", "may-fail"}, "9.7.12.15.16, R218", Acts::lowering,
     "mbarrier.test_wait returns false only while the phase is incomplete, or at any time, as a try_wait does whose time limit passes"},
    {"init-visible", {"causality", "fenced"}, "9.7.12.15.9, 9.7.12.4, R185", Acts::text,
     "the completion of an asynchronous operation finds any mbarrier.init that precedes it in causality, as it accesses the object through the generic proxy; or only one with a fence.mbarrier_init or a fence.proxy.async after it (PTX ISA 8.4)"},
    {"async-stores", {"generic", "async"}, "9.7.8.12, 9.7.12.7, D26", Acts::lowering,
     "st.async and red.async access memory through the generic proxy, or through the async proxy"},
    {"tcgen05-pairs", {"9.4", "9.1"}, "9.7.16.6.2, 9.7.16.6.4", Acts::text,
     "instructions of one warp are pipelined by their operands, in issue order, and those of two warps never are (PTX ISA 9.4); or whole instructions are, in two threads with the tcgen05 fences (PTX ISA 9.1)"},
    {"scale-factors", {"metadata", "apart"}, "9.7.16.6.2", Acts::lowering,
     "the scale factors of a tcgen05.mma are pipelined as its metadata are; or no pair of PTX ISA 9.4 has them, so that a tcgen05.cp of them must be complete before"},
    {"pair-address", {"overlap", "start"}, "9.7.16.6.2, D56", Acts::text,
     "a tcgen05.cp and a later tcgen05.mma that reads what it wrote are pipelined if the two share bytes; or only if they begin at one address"},
    {"tmem-lane", {"own", "named"}, "9.7.16.8.1, R288", Acts::lowering,
     "an address of the first 32 lanes in a tcgen05.ld or tcgen05.st stands for the lanes that its warp reaches, as code that ships has it; or for the lanes that it names, which only the first warp of a warpgroup reaches: the letter"},
    {"tcgen05-fence", {"pipelined", "literal"}, "9.7.16.6.2, 9.7.16.6.3, D42", Acts::text,
     "tcgen05 fences order pipelined pairs across threads, and others only once the first is complete; or any two asynchronous tcgen05 operations before and behind them: the wording of 9.7.16.6.3"},
    {"coherence", {"partial", "total"}, "8.9.6, R84, D15", Acts::text,
     "racing writes stay unordered, or each location has one total order of its writes, as in herd's models"},
    {"tearing", {"mixed", "bytes", "none"}, "8.9.7, 8.10.3, R90", Acts::text,
     "a read never takes bytes from two writes that both write all of these, so that only accesses of different sizes tear each other; to the letter whatever is not morally strong may tear at every byte; or no read takes a byte of an older write than the rest"},
    {"dependencies", {"semantic", "no-exits", "no-control", "none"}, "8.10.4, R94, D13", Acts::text,
     "what no value may come out of thin air through: values, addresses and guards after constant folding, and the exit of a waiting loop; all but these exits; values and addresses; nothing"},
    {"atomic-causality", {"operation", "halves"}, "8.9.2, 8.10.6, R96", Acts::text,
     "an atomic is one operation in causality, which precedes neither itself nor what it reads from; or its halves are two operations there (the published models)"},
    {"red-causality", {"read", "no-read"}, "8.4, 8.9.7, 8.10.6, D18", Acts::text,
     "what a red reads must not contradict causality order, as for an atom; or, as a red is no read operation by the wording of 8.4, no communication ends or begins there"},
    {"atomic-release", {"transitive", "program-order"}, "8.8, 8.9.5", Acts::text,
     "an atomic that acquires and releases passes on what it acquires itself, as causality order is transitive; or, by the wording of 8.8, it releases what precedes it in program order alone (so H100)"},
    {"alias-race", {"physical", "virtual"}, "8.2.2, 8.7.1, D16", Acts::text,
     "accesses through two virtual names of the same bytes may race, or only accesses through one name overlap"},
};
// clang-format on

constexpr std::span<const Reading> readings() {
  return kReadings;
}

/// NAME=VALUE of the table; in code what is not there does not compile.
struct ReadingChoice {
  std::size_t reading = 0, value = 0;

  constexpr ReadingChoice(std::size_t r, std::size_t v) : reading(r), value(v) {}
  consteval ReadingChoice(const char* assignment) {
    const std::string_view all = assignment, name = all.substr(0, all.find('='));
    for (reading = 0; kReadings[reading].name != name;) ++reading;  // beyond the table: no constant
    const std::string_view wanted = all.substr(name.size() + 1);
    for (value = 0; kReadings[reading].values[value] != wanted;) ++value;
  }
  friend bool operator==(const ReadingChoice&, const ReadingChoice&) = default;
};

/// One value for each reading; the defaults at first.
class Readings {
 public:
  Readings() = default;
  /// The values of an edition of the manual (Profile::readings): what is not chosen is as it has it.
  explicit Readings(std::span<const ReadingChoice> edition) { take_edition(edition); }
  void take_edition(std::span<const ReadingChoice> edition);

  /// Sets one, given as NAME=VALUE. Throws std::invalid_argument, with the names or values that there are.
  void set(std::string_view assignment);
  void choose(ReadingChoice choice) {
    chosen_.at(choice.reading) = static_cast<std::uint8_t>(choice.value + 1);
  }

  bool has(ReadingChoice choice) const { return value_of(choice.reading) == choice.value; }
  /// Those that are not as the edition has them.
  std::vector<ReadingChoice> changes() const;
  /// The same as NAME=VALUE, in the order of the table.
  std::vector<std::string> changed() const;
  /// Whether NAME=VALUE is in force; nothing: there is no such reading or value (cat::Conditions).
  std::optional<bool> holds(std::string_view assignment) const;
  /// The choices that differ from this one in one reading.
  struct Variant;
  std::vector<Variant> variants() const;

  /// One value is in force of each, whatever the editions are.
  friend bool operator==(const Readings& a, const Readings& b);

 private:
  std::size_t value_of(std::size_t reading) const {
    return chosen_.at(reading) != 0 ? chosen_[reading] - 1U : edition_[reading];
  }

  // By reading: the index of its value that the edition has; that was chosen, from 1 on.
  std::array<std::uint8_t, std::size(kReadings)> edition_{}, chosen_{};
};

struct Readings::Variant {
  std::string_view name;   ///< of the reading that differs
  std::string_view value;  ///< its value there
  Acts acts;
  Readings readings;
};

/// NAME=VALUE.
std::string print(ReadingChoice choice);

}  // namespace ptxmc::model
