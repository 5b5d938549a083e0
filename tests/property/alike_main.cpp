// SPDX-License-Identifier: Apache-2.0
// Cells that are accessed alike: of random programs with arrays, in loops and copies, what flags relate and who may wait for
// ever is the same whether their accesses are left out (axiomatic/lower/finish/cell_symmetry.cpp) or not.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <tuple>

#include "axiomatic/event/base.h"
#include "axiomatic/question/races.h"
#include "harness.h"
#include "model/models.h"
#include "random.h"

namespace ptxmc::testing {
namespace {

constexpr int kElements = 4;  // of each array

/// Writes one program. Threads are of one CTA or of two; two arrays in global memory, one in shared memory, two flags.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string run() {
    const int threads = 2 + static_cast<int>(random_.below(2));
    const bool apart = random_.below(3) == 0;
    rounds_ = 1 + static_cast<int>(random_.below(2));
    meet_ = !apart && random_.below(2) == 0;
    std::string out = "PTX alike\n{\n";
    for (const char* array :
         {"global .align 16 .b32 a", "global .align 16 .b32 b", "shared .align 16 .b32 s"})
      out += fmt::format("  .{}[{}];\n", array, kElements);
    out += "  .global .u32 f = 0;\n  .global .u32 g = 0;\n}\n";
    for (int t = 0; t < threads; ++t)
      out += fmt::format("P{} @ cta {} {{\n{}}}\n", t, apart ? t : 0, thread());
    return out + "forall (true)\n";
  }

 private:
  std::string thread() {
    std::string out;
    for (int round = 0; round < rounds_; ++round) {
      if (round != 0 && meet_) out += "  bar.cta.sync 0;\n";
      const int blocks = 1 + static_cast<int>(random_.below(3));
      for (int i = 0; i < blocks; ++i) out += block();
    }
    return out;
  }

  std::string block() {
    switch (random_.below(8)) {
      case 0:
        return fmt::format("  st.{}.gpu.global.u32 [{}], 1;\n", pick({"relaxed", "release"}),
                           pick({"f", "g"}));
      case 1:
        return flag_read();
      case 2:
        return fmt::format("  fence.acq_rel.{};\n", pick({"cta", "gpu"}));
      case 3:
        return copy();
      default:
        return loop();
    }
  }

  /// A flag is read; what follows may depend on it.
  std::string flag_read() {
    const int n = ++names_;
    std::string out = fmt::format("  ld.{}.gpu.global.u32 %f{}, [{}];\n", pick({"relaxed", "acquire"}), n,
                                  pick({"f", "g"}));
    if (random_.below(2) == 0) return out;
    out += fmt::format("  setp.eq.u32 %q{0}, %f{0}, 0;\n  @%q{0} bra S{0};\n{1}S{0}:\n", n, loop());
    return out;
  }

  std::string copy() {
    std::string out = random_.below(2) == 0 ? "  fence.proxy.async;\n" : "";
    out += fmt::format(
        "  cp.async.bulk.global.shared::cta.bulk_group [{}], [s], {};\n  cp.async.bulk.commit_group;\n",
        pick({"a", "b"}), kElements * 4);
    if (random_.below(3) != 0) out += fmt::format("  cp.async.bulk.wait_group{} 0;\n", pick({"", ".read"}));
    return out;
  }

  /// Each element of a part of an array, or of two.
  std::string loop() {
    const int n = ++names_;
    const std::string from = array(), to = random_.below(3) == 0 ? array() : from;
    const int begin = static_cast<int>(random_.below(2)),
              end = kElements - static_cast<int>(random_.below(2));
    const int step = random_.below(4) == 0 ? 2 : 1;
    std::string out = fmt::format("  mov.u64 %i{}, {};\nL{}:\n", n, begin * 4, n);
    out += fmt::format(
        "  mov.u64 %x{0}, {1};\n  add.u64 %x{0}, %x{0}, %i{0};\n  mov.u64 %y{0}, {2};\n  add.u64 %y{0}, "
        "%y{0}, %i{0};\n",
        n, from, to);
    const auto kind = random_.below(4);
    const std::string value = kind == 1 ? "7" : fmt::format("%v{}", n);
    if (kind != 1) out += fmt::format("  ld.weak.{}.u32 %v{}, [%x{}];\n", space(from), n, n);
    if (kind == 2 && random_.below(2) == 0) out += fmt::format("  add.u32 %v{0}, %v{0}, 1;\n", n);
    if (kind != 0) out += fmt::format("  st.weak.{}.u32 [%y{}], {};\n", space(to), n, value);
    if (kind == 3) out += fmt::format("  ld.weak.{}.u32 %v{}, [%y{}];\n", space(to), n, n);
    out += fmt::format("  add.u64 %i{0}, %i{0}, {1};\n  setp.lt.u64 %p{0}, %i{0}, {2};\n  @%p{0} bra L{0};\n",
                       n, step * 4, end * 4);
    return out;
  }

  std::string array() { return pick({"a", "b", "s", "s"}); }
  static std::string space(const std::string& array) { return array == "s" ? "shared" : "global"; }
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(random_.below(list.size())));
  }

  Random random_;
  int names_ = 0, rounds_ = 1;
  bool meet_ = false;
};

/// What a flag relates: its number, and the places of two instructions.
using Related = std::set<std::tuple<std::size_t, std::string, std::string>>;

std::optional<Related> related(Engine engine, const Prepared& prepared, const relation::MemoryModel& model) {
  const auto races = races_by(engine, prepared, model);
  if (!races) return std::nullopt;
  const auto keys = check::instruction_keys(*prepared.graph);
  std::map<std::size_t, std::string> places;
  for (event::EventId e = 0; e < keys.size(); ++e) {
    const event::Event& event = prepared.graph->events[e];
    places.emplace(keys[e], fmt::format("{}:{}", event.position.line, event.position.column));
  }
  Related out;
  for (const auto& [flag, a, b] : *races) out.emplace(flag, places.at(a), places.at(b));
  return out;
}

struct Tally {
  std::size_t merged = 0, racy = 0, hangs = 0, open = 0;
};

/// What differs; empty: nothing.
std::string difference(const std::string& text, Engine engine, const relation::MemoryModel& model,
                       Tally& tally) {
  lower::Options all, merged;
  merged.alike = lower::Alike::always;
  const Prepared one = prepare("all", text, all), other = prepare("merged", text, merged);
  if (one.graph->size() == other.graph->size()) return "";
  ++tally.merged;
  if (const auto wrong = check_base(other)) return wrong->detail;
  const auto in_all = related(engine, one, model), in_merged = related(engine, other, model);
  if (!in_all || !in_merged) return ++tally.open, "";
  tally.racy += !in_all->empty();
  if (*in_all != *in_merged)
    return fmt::format("{} pairs that flags relate, {} where cells are left out, or others", in_all->size(),
                       in_merged->size());
  const auto hangs = [&](const lower::Options& options) {
    const auto endless = unending(one, model, options, lower::ProgressModel::fair);
    return endless && !endless->prepared.graph->hangs.empty() &&
           !solve_in_time(engine, query_for(endless->prepared, endless->model, engine::Ask::verdict))
                .states.empty();
  };
  const bool some = hangs(all);
  tally.hangs += some;
  return some == hangs(merged) ? "" : "liveness differs where cells are left out";
}

}  // namespace
}  // namespace ptxmc::testing

int main(int argc, char** argv) {
  using namespace ptxmc;
  std::uint64_t seed = 1, count = 100, failures = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  testing::Tally tally;
  for (std::uint64_t s = seed; s < seed + count && failures < 5; ++s) {
    const std::string text = testing::Writer(s).run();
    try {
      const auto engine = s % 4 == 0 ? testing::Engine::explicit_ : testing::Engine::smt;
      const std::string what = testing::difference(text, engine, model, tally);
      if (what.empty()) continue;
      fmt::print("seed {}: {}\n{}", s, what, text);
    } catch (const std::exception& error) {
      fmt::print("seed {}: {}\n{}", s, error.what(), text);
    }
    ++failures;
  }
  fmt::print(
      "{} programs, {} with cells left out, {} with findings, {} that may wait for ever, {} open, {} "
      "differ\n",
      count, tally.merged, tally.racy, tally.hangs, tally.open, failures);
  return failures == 0 && tally.merged * 3 > count && tally.open * 20 <= count ? 0 : 1;
}
