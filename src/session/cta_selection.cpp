// SPDX-License-Identifier: Apache-2.0
#include "session/cta_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "dynamic/exec/run.h"
#include "dynamic/shadow/footprints.h"
#include "dynamic/shadow/grid.h"

namespace ptxmc::session {

namespace {

constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 20U;  // at once
constexpr std::uint64_t kWhole = std::uint64_t{1}
                                 << 13U;  // threads of a launch that runs whole, whatever it does
constexpr std::uint64_t kMostElements = (std::uint64_t{1} << 32U) - 1;  // of a buffer
constexpr double kWholeWork = 3e7;    // thread instructions: a launch with fewer runs whole, with orders
constexpr double kOpenWork = 1e9;     // the same, if some CTAs do not tell of the others
constexpr double kWithOrders = 2;     // how much longer a run takes with orders, if it accesses much
constexpr double kOpenSeconds = 60;   // the longest such run; it may take half of the time that is left, too
constexpr double kFollowed = 50;      // how much longer a run takes that follows the grid (exec::GridCover)
constexpr double kCompareWork = 2e8;  // thread instructions: with fewer, all CTAs are compared
constexpr std::uint64_t kProbe = 300'000'000;  // of CTAs that are compared together
constexpr std::size_t kMostMeet = 6;           // CTAs
constexpr std::size_t kOfClass = 2;            // CTAs that do the same
constexpr std::size_t kMostKinds = 24;         // of CTAs, of which one stands for all that do the same

/// CTAs whose accesses are known.
struct Known {
  std::vector<trace::Footprints::OfCta> accesses;
  std::vector<std::uint64_t> classes;
  trace::GridShape shape;
  std::uint64_t instructions = 0;
  double seconds = 0;
  bool whole = true;  // they ran to the end
};

class Choosing {
 public:
  Choosing(const ReadCtas& read, const VerifySettings& settings) : read_(read), settings_(settings) {}

  explore::VerificationTask run() {
    launch::Beside beside;
    explore::VerificationTask first = read_(choice({0}, settings_.small_runs_whole ? kWhole : 0), beside);
    if (first.ctas.empty()) return first;
    Known known;
    probe(first, beside, known);
    const double work = static_cast<double>(known.instructions) / static_cast<double>(first.ctas.size()) *
                        static_cast<double>(beside.ctas);
    const bool may_run_whole = settings_.small_runs_whole && beside.threads <= kMostThreads;
    const bool affordable = may_run_whole && known.whole && work <= kOpenWork && has_time(known, beside);
    if (may_run_whole && work <= kWholeWork) return whole();
    if (beside.launches > 1) return affordable ? whole() : first;
    if (settings_.interrupted()) return first;
    threads_of_cta_ = beside.threads / beside.ctas;
    shape_ = beside;
    const double most_followed = affordable ? work / kFollowed : std::numeric_limits<double>::infinity();
    if (auto out = covering(first, most_followed)) return *std::move(out);
    if (affordable && !settings_.interrupted()) return whole();
    return work <= kCompareWork ? compared(all()) : compared(some());
  }

 private:
  /// Is there time for all CTAs, as long as the known ones took?
  bool has_time(const Known& known, const launch::Beside& all) const {
    const double seconds = kWithOrders * known.seconds / static_cast<double>(known.shape.ran.size()) *
                           static_cast<double>(all.ctas);
    const double left = settings_.budget().left().value_or(2 * kOpenSeconds);
    return seconds <= std::min(kOpenSeconds, left / 2);
  }

  /// All CTAs of all launches.
  explore::VerificationTask whole() const {
    launch::Beside all;
    return read_(choice({0}, kMostThreads), all);
  }

  /// Blocks of which every other one does what one of them does: one of each kind, found one after the other. Nothing: it is not
  /// known what the others do, or blocks meet, which are to run together; or it takes more than so many instructions.
  std::optional<explore::VerificationTask> covering(const explore::VerificationTask& first, double most) {
    if (!first.grid) return std::nullopt;
    const auto cover = explore::follow(*first.grid);
    std::vector<std::uint64_t> all, more = {0};
    bool faulty = false;
    while (answer_.verdict == exec::GridCover::Verdict::more && !faulty && all.size() < kMostKinds) {
      all.insert(all.end(), more.begin(), more.end());
      launch::Beside beside;
      const exec::Outcome outcome = run_followed(read_(choice(more), beside), cover);
      most -= static_cast<double>(outcome.instructions);
      if (outcome.end != exec::End::finished || most < 0) return std::nullopt;
      faulty = is_faulty(outcome);
      answer_ = cover->judge();
      more = answer_.blocks;
    }
    const std::uint64_t threads = all.size() * shape_.cluster.count() * threads_of_cta_;
    if (answer_.verdict == exec::GridCover::Verdict::meet) meeting_ = answer_.blocks;
    if (threads > kMostThreads || (answer_.verdict != exec::GridCover::Verdict::covered && !faulty))
      return std::nullopt;
    launch::Beside beside;
    explore::VerificationTask out = read_(choice(all), beside);
    out.follows_grid = true;
    return out;
  }

  static bool is_faulty(const exec::Outcome& outcome) {
    return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                       [](const exec::Fault& fault) { return fault.is_error(); });
  }

  exec::Options probing() const {
    exec::Options limits;
    limits.steps = std::min(settings_.steps.value_or(kProbe), kProbe);
    limits.budget = settings_.budget();
    limits.stop = [this](std::uint64_t) -> std::optional<exec::End> {
      if (settings_.interrupted()) return exec::End::stopped;
      return settings_.stop ? settings_.stop(0) : std::nullopt;
    };
    return limits;
  }

  exec::Outcome run_followed(const explore::VerificationTask& task,
                             const std::shared_ptr<exec::GridCover>& cover) const {
    exec::Run run(task.test, nullptr, task.inner_maps);
    exec::Options limits = probing();
    limits.grid = cover;
    limits.both_sides = settings_.reductions.both_sides;
    limits.open_registers = task.launched;
    limits.readings = task.readings.execution;
    return run.run(limits);
  }

  static launch::Choice choice(std::vector<std::uint64_t> ctas, std::uint64_t whole = 0) {
    launch::Choice out = widest_choice();
    out.ctas = std::move(ctas);
    out.whole = whole;
    return out;
  }

  /// explore::Runs the CTAs together, without orders.
  void probe(const explore::VerificationTask& task, const launch::Beside& beside, Known& known) const {
    trace::Footprints footprints;
    exec::Run run(task.test, &footprints, task.inner_maps);
    const exec::Outcome outcome = run.run(probing());
    known.instructions += outcome.instructions;
    known.seconds += outcome.seconds;
    known.whole = known.whole && outcome.end == exec::End::finished && !footprints.overflowed();
    for (std::size_t cta = 0; cta < beside.ran.size(); ++cta) {
      known.accesses.push_back(footprints.ctas()[cta]);
      known.classes.push_back(footprints.classes()[cta]);
    }
    known.shape.extents = {beside.grid.x, beside.grid.y, beside.grid.z};
    known.shape.cluster = {beside.cluster.x, beside.cluster.y, beside.cluster.z};
    known.shape.ran.insert(known.shape.ran.end(), beside.ran.begin(), beside.ran.end());
  }

  /// CTAs that run with each other, at most.
  std::uint64_t at_once() const {
    if (settings_.ctas_at_once) return std::max<std::uint64_t>(*settings_.ctas_at_once, 2);
    return std::max<std::uint64_t>(kWhole / std::max<std::uint64_t>(threads_of_cta_, 1), 4);
  }

  /// Every CTA, so many at once.
  Known all() const {
    Known out;
    const std::uint64_t step = at_once();
    const Budget budget = settings_.budget();
    std::set<std::uint64_t> had;
    for (std::uint64_t cta = 0; cta < shape_.ctas && !settings_.interrupted() && !budget.over();) {
      std::vector<std::uint64_t> batch;
      for (; cta < shape_.ctas && batch.size() < step; ++cta) {
        if (!had.contains(cta)) batch.push_back(cta);
      }
      if (batch.empty()) break;
      launch::Beside beside;
      const explore::VerificationTask task = read_(choice(batch), beside);
      probe(task, beside, out);
      had.insert(beside.ran.begin(), beside.ran.end());
    }
    return out;
  }

  /// The first, its neighbours along each axis, the last, and some between.
  Known some() const {
    const auto number = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
      return (z * shape_.grid.y + y) * shape_.grid.x + x;
    };
    const launch::Extents &grid = shape_.grid, &cluster = shape_.cluster;
    const std::uint64_t right = grid.x > cluster.x ? cluster.x : 0, down = grid.y > cluster.y ? cluster.y : 0,
                        deep = grid.z > cluster.z ? cluster.z : 0;
    const std::vector<std::uint64_t> order = {0,
                                              number(right, 0, 0),
                                              number(0, down, 0),
                                              number(0, 0, deep),
                                              number(grid.x - 1, grid.y - 1, grid.z - 1),
                                              number(grid.x / 2, grid.y / 2, grid.z / 2),
                                              number(right, down, 0),
                                              number(std::min<std::uint64_t>(2 * right, grid.x - 1), 0, 0)};
    std::vector<std::uint64_t> ctas;
    const std::uint64_t most = std::max<std::uint64_t>(at_once() / cluster.count(), 2);
    for (const std::uint64_t cta : order) {
      if (ctas.size() < most && std::find(ctas.begin(), ctas.end(), cta) == ctas.end()) ctas.push_back(cta);
    }
    Known out;
    launch::Beside beside;
    const explore::VerificationTask task = read_(choice(ctas), beside);
    probe(task, beside, out);
    return out;
  }

  /// CTAs of the launch that run together with orders: as many as there is time for, where no number is
  /// given.
  std::size_t most_with_orders(const Known& known) const {
    if (settings_.ctas_at_once) return at_once();
    const double of_cta = static_cast<double>(std::max<std::uint64_t>(known.instructions, 1)) /
                          static_cast<double>(std::max<std::size_t>(known.shape.ran.size(), 1));
    const std::uint64_t fit = kMostThreads / std::max<std::uint64_t>(threads_of_cta_, 1);
    return std::max<std::size_t>(at_once(), std::min(fit, static_cast<std::uint64_t>(kWholeWork / of_cta)));
  }

  /// Those that meet, one CTA of each class, and then another one of each.
  explore::VerificationTask compared(const Known& known) const {
    const trace::Compared found = trace::compare(known.accesses, known.shape, kMostMeet);
    std::set<std::uint64_t> chosen = {0};
    chosen.insert(found.meet.begin(), found.meet.end());
    chosen.insert(meeting_.begin(), meeting_.end());
    const std::size_t most = most_with_orders(known);
    const std::set<std::uint64_t> classes(known.classes.begin(), known.classes.end());
    std::map<std::uint64_t, std::size_t> of_class;  // that were chosen
    for (std::size_t i = 0; i < known.classes.size(); ++i) {
      if (chosen.contains(known.shape.ran[i])) ++of_class[known.classes[i]];
    }
    for (std::size_t wanted = 1; wanted <= kOfClass; ++wanted) {
      for (std::size_t i = 0; i < known.classes.size() && chosen.size() < most; ++i) {
        std::size_t& count = of_class[known.classes[i]];
        if (count < wanted && chosen.insert(known.shape.ran[i]).second) ++count;
      }
    }
    const auto left = static_cast<std::size_t>(
        std::count_if(classes.begin(), classes.end(), [&](std::uint64_t one) { return of_class[one] == 0; }));
    launch::Beside beside;
    explore::VerificationTask out = read_(choice({chosen.begin(), chosen.end()}), beside);
    if (out.grid) out.grid_answer = answer_;
    out.compared = words(known, found, classes.size(), left);
    return out;
  }

  /// `left`: kinds of which no CTA runs with orders.
  std::string words(const Known& known, const trace::Compared& found, std::size_t classes,
                    std::size_t left) const {
    const std::string kinds =
        fmt::format("{} kinds, {}", classes,
                    left == 0 ? "all of which ran" : fmt::format("{} of which did not run", left));
    const std::string who =
        known.shape.ran.size() == shape_.ctas
            ? fmt::format("all blocks ({}; {} at once, without orders)", kinds, at_once())
            : fmt::format("{} blocks ({}; without orders), and the others by extrapolation",
                          known.shape.ran.size(), kinds);
    const char* const apart =
        found.followed == found.instructions ? "no two blocks conflict" : "no two of those known conflict";
    return fmt::format("accesses of {} were compared: {} of {} instructions, {}{}", who, found.followed,
                       found.instructions, found.meet.empty() ? apart : "blocks that conflict ran together",
                       known.whole ? "" : ", as far as they ran");
  }

  const ReadCtas& read_;
  const VerifySettings& settings_;
  launch::Beside shape_;
  std::uint64_t threads_of_cta_ = 1;
  exec::GridCover::Answer answer_ = {exec::GridCover::Verdict::more, {}, {}};
  std::vector<std::uint64_t> meeting_;
};

}  // namespace

launch::Choice widest_choice() {
  launch::Choice out;
  out.threads = kMostThreads;
  out.elements = kMostElements;
  return out;
}

explore::VerificationTask choose_ctas(const ReadCtas& read, const VerifySettings& settings) {
  return Choosing(read, settings).run();
}

namespace {

/// Nothing: there are too many clusters.
std::optional<explore::PartlyRunGrid> partly_run(const launch::Beside& beside) {
  explore::PartlyRunGrid out;
  const std::array grid = {beside.grid.x, beside.grid.y, beside.grid.z},
                   cluster = {beside.cluster.x, beside.cluster.y, beside.cluster.z};
  std::uint64_t all = 1;
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    out.cluster.at(axis) = cluster.at(axis);
    out.clusters.at(axis) = grid.at(axis) / cluster.at(axis);
    all *= out.clusters.at(axis);
    if (all > exec::GridMoves::kMostPlaces) return std::nullopt;
  }
  for (const auto& [name, of_grid] : beside.of_grid) out.registers[name] = {of_grid.axis, of_grid.factor};
  return out;
}

}  // namespace

explore::VerificationTask task_of(litmus::Test launched, launch::Beside& beside) {
  explore::VerificationTask task;
  task.test = std::move(launched);
  task.inner_maps = std::move(beside.inner_maps);
  task.of_ctas = beside.ctas;
  task.all_can_run = beside.threads <= widest_choice().threads;
  task.sizes = std::move(beside.sizes);
  task.peers = beside.peers;
  task.cooperation = std::move(beside.cooperation);
  task.resident = beside.resident;
  task.module_values = std::move(beside.module_values);
  task.launched = true;
  const auto sides = [](const launch::Extents& of) { return std::array{of.x, of.y, of.z}; };
  if (beside.launches == 1) task.shape = claim::LaunchShape{sides(beside.grid), sides(beside.block)};
  if (beside.ran.size() < beside.ctas) task.ctas = beside.ran;
  if (beside.launches == 1 && !beside.peers && !task.ctas.empty()) task.grid = partly_run(beside);
  return task;
}

}  // namespace ptxmc::session
