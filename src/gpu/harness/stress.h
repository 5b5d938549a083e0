// SPDX-License-Identifier: Apache-2.0
// What makes weak behaviour likelier in the persistent kernel of harness.h, beside the number of instances
// and their stride. The parameters are those of published work on testing the memory of GPUs: Alglave et al.,
// GPU Concurrency (ASPLOS 2015: threads that only cause traffic, random places); Sorensen and Donaldson,
// Exposing Errors Related to Weak Memory in GPU Applications (PLDI 2016: scratch memory in lines, patterns of
// accesses); Kirkham et al., Foundations of Empirical Memory Consistency Testing (OOPSLA 2020: tuning them);
// Levine et al., MC Mutants (ASPLOS 2023) and GPUHarbor (ISSTA 2023: rounds in percent, random search).
//
// Stress is relaxed accesses at gpu scope, so it orders nothing; all its loops are bounded. Percentages of
// rounds are drawn from the seed, alike in all threads. What is off leaves no trace in the kernel's text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::gpu {

/// The two accesses that a stressing thread repeats, at one address.
enum class Pattern : std::uint8_t { store_store, store_load, load_store, load_load };
/// Which warp hammers which of the target lines.
enum class Assignment : std::uint8_t { round_robin, chunks };

struct StressOptions {
  unsigned ctas = 0;        ///< percent of the clusters that stress in a round instead of playing the test
  unsigned iterations = 8;  ///< of the pattern, by each of their threads, in a round
  Pattern pattern = Pattern::store_load;
  unsigned pre = 0;             ///< percent of rounds in which the test's own threads stress before they run
  unsigned pre_iterations = 2;  ///< of the pattern, by each of them
  Pattern pre_pattern = Pattern::store_load;
  unsigned line = 128;    ///< bytes of a line of scratch memory, a power of two
  unsigned lines = 16;    ///< that are hammered; where they lie is drawn for each round
  unsigned scratch = 64;  ///< KiB, a power of two
  Assignment assignment = Assignment::round_robin;
  unsigned shuffle = 100;     ///< percent of rounds in which it is drawn which CTA and warp plays which part
  unsigned spread = 100;      ///< percent of rounds in which it is drawn where each variable lies
  unsigned align = 0;         ///< percent of rounds in which the threads of an instance wait for each other
  unsigned align_limit = 64;  ///< looks at the others before a thread runs without them
  unsigned occupancy = 100;   ///< percent of the CTAs that the device holds

  bool operator==(const StressOptions&) const = default;
  bool hammers() const { return (ctas != 0 && iterations != 0) || (pre != 0 && pre_iterations != 0); }
  /// 0 where nothing hammers.
  std::size_t scratch_bytes() const { return hammers() ? std::size_t{scratch} * 1024 : 0; }
};

/// A list of settings, or one of them, that is none.
class StressError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "ctas=25,iterations=16", in any order; "off": everything as in StressOptions{}. Throws StressError.
StressOptions parse_stress(std::string_view text);
/// One setting. Throws StressError.
void set_stress(StressOptions& stress, std::string_view key, std::string_view value);
/// What differs from StressOptions{}, as parse_stress() reads it; "off": nothing does.
std::string print_stress(const StressOptions& stress);

/// All settings, as set_stress() reads them.
struct StressSetting {
  std::string key, value;
  bool number = true;  ///< else a word
};
std::vector<StressSetting> stress_settings(const StressOptions& stress);
/// A line a key: what it takes, its default, what it means.
std::string stress_help();

}  // namespace ptxmc::gpu
