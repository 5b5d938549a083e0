// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/host_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>

#include "gpu/harness/harness.h"
#include "gpu/run/launches.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Pace kPace = {4, 1'000'000, 0.05, 16};
constexpr std::uint32_t kFirstEvaluation = 3;  // turn t evaluates round t - 3

std::uint64_t load(const unsigned char* from, std::uint32_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

/// Counts outcomes, and makes memory ready for the next round but one.
class Evaluator {
 public:
  Evaluator(const HostTest& test, const Observation& observation, const HostStage& stage)
      : test_(test), observation_(observation), stage_(stage) {}

  void evaluate(std::uint32_t turn) {
    const std::uint32_t round = turn - kFirstEvaluation;
    const unsigned half = 1 - turn % 2;
    std::vector<std::uint32_t> drawn;
    for (unsigned v = 0; v < test_.shape.variables; ++v)
      drawn.push_back(draw(stage_.seed, round, kDrawVariable + v));
    for (unsigned block = 0; block < test_.shape.blocks; ++block) {
      const auto at = [&](std::uint32_t place) {
        return stage_.memory + offset_of(test_.shape, drawn[place], place, half, block, 0);
      };
      if (turn >= kFirstEvaluation) count(half, block, at);
      for (const HostCell& cell : test_.cells) {
        const std::uint64_t value =
            cell.address_of ? reinterpret_cast<std::uint64_t>(at(*cell.address_of)) : cell.initial;
        std::memcpy(at(cell.place) + cell.offset, &value, cell.bytes);
      }
      std::memset(row(half, stage_.rows - 1, block), 0, sizeof(std::uint64_t));
    }
  }

  std::map<Values, std::uint64_t> counts;
  std::uint64_t hung = 0;
  std::uint64_t unrecorded = 0;  ///< values too large for their fields

 private:
  /// Outcomes have signed values as keys of kernels have them: the low bits of a field. False: too large.
  bool narrow(const Observed& o, std::uint64_t& value) const {
    const unsigned field = field_bits(observation_.names().size());
    if (!is_narrowed(o, field)) return true;
    const event::Value wide =
        event::as_signed(static_cast<event::Value>(value), static_cast<event::Width>(o.bits));
    value = static_cast<std::uint64_t>(event::wrap(wide, static_cast<event::Width>(field)));
    return event::as_signed(static_cast<event::Value>(value), static_cast<event::Width>(field)) == wide;
  }

  unsigned char* row(unsigned half, unsigned number, unsigned block) const {
    return stage_.results + result_offset(test_.shape, stage_.rows, half, number, block, 0);
  }

  template <typename At>
  void count(unsigned half, unsigned block, const At& at) {
    if (load(row(half, stage_.rows - 1, block), 8) != 0) {
      ++hung;
      return;
    }
    values_.clear();
    for (unsigned i = 0; i < observation_.names().size(); ++i) {
      const auto& final_cell = test_.finals[i];
      std::uint64_t value = 0;
      if (final_cell) {
        const HostCell& cell = test_.cells[*final_cell];
        value = load(at(cell.place) + cell.offset, cell.bytes);
      } else {
        value = load(row(half, i, block), 8);
      }
      if (!narrow(observation_.names()[i], value)) {
        ++unrecorded;
        return;
      }
      values_.push_back(value);
    }
    ++counts[values_];
  }

  const HostTest& test_;
  const Observation& observation_;
  const HostStage& stage_;
  Values values_;
};

class HostWriter {
 public:
  HostWriter(const program::Program& test, const Observation& observation, const RunOptions& options)
      : test_(test), facts_(test), observation_(observation), options_(options) {}

  HostTest run() {
    if (const auto& undefined = options_.harness.hazards.undefined)
      facts_.cannot_run(*undefined, "its behaviour is undefined");
    for (const Observed& o : observation_.names()) {
      if (o.pointer) facts_.cannot_run(o.name.position, "its condition is over addresses, on the host");
    }
    for (const program::Thread& thread : test_.threads)
      out_.codes.push_back(compile_host(facts_, thread, observation_));
    unsigned stride = options_.harness.stride;
    for (const program::Variable& variable : test_.variables) stride = std::max(stride, add(variable));
    const auto variables = static_cast<unsigned>(out_.places.size());
    const bool moves = std::none_of(out_.cells.begin(), out_.cells.end(),
                                    [](const HostCell& cell) { return cell.address_of.has_value(); });
    out_.shape = {options_.batch, 1, variables, stride, moves};
    name_addresses();
    for (const Observed& o : observation_.names()) out_.finals.push_back(final_of(o));
    return std::move(out_);
  }

 private:
  /// Returns the bytes from one instance's variable to the next one's that it asks for.
  unsigned add(const program::Variable& variable) {
    if (!variable.aliases.empty() || facts_.home(variable.name) == Home::address)
      facts_.cannot_run(variable.position, fmt::format("`{}` is memory of several names", variable.name));
    if (facts_.space(variable.name) != isa::Space::global) return 1;
    const auto place = static_cast<std::uint32_t>(out_.places.size());
    out_.places.push_back(place);
    const int bits = facts_.type(variable.name).bits;
    if (bits > 64)
      facts_.cannot_run(variable.position, fmt::format("`{}` has elements of 16 bytes", variable.name));
    const std::uint32_t bytes = static_cast<std::uint32_t>(bits) / 8;
    for (std::uint32_t i = 0; i < variable.elements; ++i) {
      HostCell cell{place, i * bytes, bytes, 0, std::nullopt};
      if (i < variable.initial.size()) {
        cell.initial = static_cast<std::uint64_t>(variable.initial[i].integer);
        if (!variable.initial[i].address_of.empty()) {
          cell.address_of = 0;
          addresses_.emplace_back(out_.cells.size(), variable.initial[i].address_of);
        }
      }
      out_.cells.push_back(cell);
    }
    return std::max(std::bit_ceil(bytes * variable.elements), facts_.alignment(variable.name));
  }

  std::uint32_t place_of(const std::string& name, Position position) const {
    const auto& names = out_.codes.front().variables;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      facts_.cannot_run(position, fmt::format("`{}` is not global, and its threads are on the host", name));
    return static_cast<std::uint32_t>(found - names.begin());
  }

  void name_addresses() {
    for (const auto& entry : addresses_)
      out_.cells[entry.first].address_of = place_of(entry.second, test_.threads.front().position);
  }

  std::optional<std::uint32_t> final_of(const Observed& o) const {
    if (o.name.thread) return std::nullopt;
    const std::uint32_t place = place_of(o.name.name, o.name.position);
    const auto first = std::find_if(out_.cells.begin(), out_.cells.end(),
                                    [&](const HostCell& cell) { return cell.place == place; });
    return static_cast<std::uint32_t>(first - out_.cells.begin()) + o.name.element.value_or(0);
  }

  const program::Program& test_;
  Facts facts_;
  const Observation& observation_;
  const RunOptions& options_;
  HostTest out_;
  std::vector<std::pair<std::size_t, std::string>> addresses_;  // cells that hold one
};

/// The memory of a run, aligned as variables ask.
class Arena {
 public:
  explicit Arena(std::size_t bytes) : bytes_(bytes), words_((bytes + kAlignment) / 8 + 1) {}
  unsigned char* data() {
    void* at = words_.data();
    std::size_t space = words_.size() * 8;
    return static_cast<unsigned char*>(std::align(kAlignment, bytes_, at, space));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kAlignment = 1024;
  std::size_t bytes_;
  std::vector<std::uint64_t> words_;
};

/// One launch: all threads but the first are others of this process.
double launch(const HostTest& test, const HostStage& stage, const Meeting& meeting, unsigned fuel,
              Evaluator& evaluator) {
  meeting.clear();
  const auto begin = Clock::now();
  std::vector<HostReport> reports(test.codes.size());
  const auto play = [&](unsigned i) {
    const HostActor actor(test.codes[i], test.places, i, fuel);
    reports[i] = actor.play(stage, meeting, [&, i](std::uint32_t turn) {
      if (i == 0) evaluator.evaluate(turn);
    });
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < test.codes.size(); ++i) threads.emplace_back(play, i);
  play(0);
  for (std::thread& thread : threads) thread.join();
  for (unsigned i = 0; i < test.codes.size(); ++i) {
    if (reports[i].fault)
      throw DriverError(
          fmt::format("P{} accesses an address outside of the variables", test.codes[i].thread));
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

bool is_host_test(const program::Program& test) {
  return !test.kernels.stated && std::all_of(test.threads.begin(), test.threads.end(),
                                             [](const program::Thread& t) { return t.placement.host; });
}

HostTest write_hosts(const program::Program& test, const Observation& observation,
                     const RunOptions& options) {
  return HostWriter(test, observation, options).run();
}

Histogram run_hosts(const HostTest& test, const Observation& observation, const RunOptions& options,
                    const std::function<bool()>& stop) {
  const MemoryShape& shape = test.shape;
  const auto rows = static_cast<unsigned>(observation.names().size()) + 1;
  Arena memory(std::size_t{2} * std::max(1U, shape.variables) * shape.blocks * shape.stride);
  Arena results(std::size_t{2} * rows * shape.blocks * sizeof(std::uint64_t));
  Arena lines(Meeting::bytes(test.codes.size()));
  const Meeting meeting(lines.data(), static_cast<unsigned>(test.codes.size()));
  Histogram histogram;
  histogram.blocks = shape.blocks;
  std::uint32_t rounds = kPace.first;
  while (histogram.launches == 0 || (!stop() && histogram.seconds < options.seconds)) {
    const std::uint32_t seed = launch_seed(options.seed, histogram.launches);
    const HostStage stage{{shape, memory.data(), memory.bytes(), results.data(), rows}, rounds, seed};
    Evaluator evaluator(test, observation, stage);
    const double took = launch(test, stage, meeting, options.harness.fuel, evaluator);
    std::uint64_t counted = evaluator.hung + evaluator.unrecorded;
    for (const auto& entry : evaluator.counts) {
      histogram.counts[entry.first] += entry.second;
      counted += entry.second;
    }
    const std::uint64_t expected = std::uint64_t{shape.blocks} * rounds;
    PTXMC_CHECK(counted == expected,
                fmt::format("{} instances ran on the host, and {} were counted", expected, counted));
    histogram.instances += expected;
    histogram.hung += evaluator.hung;
    histogram.unrecorded += evaluator.unrecorded;
    histogram.seconds += took;
    ++histogram.launches;
    if (options.instances != 0 && histogram.instances >= options.instances) break;
    rounds = next_rounds(kPace, rounds, took, options.seconds - histogram.seconds);
    rounds = cut_rounds(rounds, options.instances, histogram.instances, shape.blocks);
  }
  return histogram;
}

}  // namespace ptxmc::gpu
