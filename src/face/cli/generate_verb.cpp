// SPDX-License-Identifier: Apache-2.0
#include "face/cli/generate_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "face/cli/generated.h"
#include "generate/all.h"
#include "generate/edge.h"
#include "generate/judge.h"
#include "generate/minimal.h"
#include "generate/name.h"
#include "generate/random.h"
#include "model/models.h"
#include "support/budget.h"
#include "support/parallel.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr std::size_t kAtOnce = 16;  // tests that one thread is given before they are written

/// Names tests, asks for their verdicts, and hands them on, in the order in which they are added.
class Maker {
 public:
  Maker(const GenerateOptions& options, const session::Session& session, const Budget& budget, Taker& out)
      : options_(options),
        session_(session),
        budget_(budget),
        out_(out),
        workers_(workers_of(options.common.jobs)) {}

  void add(generate::Sketch sketch) {
    sketch.name = told_apart(seen_, options_.prefix + shortened(sketch.name));
    waiting_.push_back(std::move(sketch));
    if (waiting_.size() == kAtOnce * workers_) hand_on();
  }
  void hand_on() {
    std::vector<generate::Judged> judged(waiting_.size());
    in_parallel(waiting_.size(), workers_, [&](std::size_t i) {
      judged[i] = generate::judge(session_, waiting_[i].name, generate::print(waiting_[i], ""), budget_);
    });
    for (std::size_t i = 0; i < waiting_.size(); ++i) hand_on(waiting_[i], judged[i]);
    waiting_.clear();
  }
  Results results;

 private:
  /// A name is that of a file.
  static std::string shortened(const std::string& name) {
    constexpr std::size_t kMost = 200;
    return name.size() <= kMost ? name : name.substr(0, name.find_last_of("+-", kMost));
  }
  /// The test with its verdict; without one where there is none, and a message then.
  void hand_on(const generate::Sketch& sketch, const generate::Judged& judged) {
    const bool known = note(sketch.name, judged, results);
    out_.test({sketch.name,
               generate::print(
                   sketch,
                   known ? fmt::format("{}={}", verdict_key(session_), explain::name_of(judged.answer)) : ""),
               nlohmann::ordered_json::array({verdict_json(session_, judged)}).dump()});
  }

  const GenerateOptions& options_;
  const session::Session& session_;
  const Budget& budget_;
  Taker& out_;
  const unsigned workers_;
  std::map<std::string, int> seen_;
  std::vector<generate::Sketch> waiting_;
};

std::vector<generate::Sketch> sketches_of_cycles(const GenerateOptions& options) {
  std::vector<generate::Sketch> sketches;
  for (const std::string& text : options.cycles) {
    const generate::Cycle cycle =
        generate::parse_cycle(std::make_shared<const Source>(Source{"--cycle", text}));
    sketches.push_back(generate::sketch_of(cycle, options.defaults));
  }
  if (!options.name.empty()) {
    if (sketches.size() != 1) refuse("--name is the name of one test, and several are made");
    sketches[0].name = options.name;
  }
  return sketches;
}

void add_of_size(const GenerateOptions& options, const session::Session& session, const Budget& budget,
                 Maker& maker) {
  for (std::size_t size = 1; size <= options.events; ++size) {
    if (options.minimal) {
      for (generate::Sketch& test :
           generate::minimal_tests(size, options.alphabet, session, budget, workers_of(options.common.jobs)))
        maker.add(std::move(test));
      maker.hand_on();  // before the next size, which takes twenty times as long
      continue;
    }
    generate::for_each_test(size, options.alphabet, options.semantics, budget, [&](generate::Sketch test) {
      generate::give_name(test);
      maker.add(std::move(test));
    });
  }
}

std::vector<generate::Sketch> random_sketches(const GenerateOptions& options, std::string& messages) {
  generate::Draw draw;
  if (options.seed) draw.seed = *options.seed;
  if (options.count) draw.count = *options.count;
  draw.edges = options.events;
  draw.scopes = options.alphabet.scopes;
  draw.open = options.defaults.order;
  std::vector<generate::Sketch> tests = generate::random_tests(draw);
  if (tests.size() < draw.count)
    messages += fmt::format("ptxmc: {} tests: no more were drawn that differ, of {} edges at most\n",
                            tests.size(), options.events);
  return tests;
}

/// What a run is asked for, in one process.
Results make_tests(const GenerateOptions& options, const session::Session& session,
                   std::vector<generate::Sketch> sketches, Taker& out) {
  const Budget budget(options.common.settings.timeout);
  Maker maker(options, session, budget, out);
  try {
    if (options.all) add_of_size(options, session, budget, maker);
    if (options.random) sketches = random_sketches(options, maker.results.messages);
  } catch (const OutOfTime&) {
    maker.hand_on();
    maker.results.messages += "ptxmc: unknown: timeout: which other tests there are\n";
    maker.results.status = worse(maker.results.status, Status::unknown);
    maker.results.whole = false;
    return std::move(maker.results);
  }
  for (generate::Sketch& sketch : sketches) maker.add(std::move(sketch));
  maker.hand_on();
  return std::move(maker.results);
}

}  // namespace

Status generate_tests(const GenerateOptions& options, Streams& streams) {
  const int ways = (options.cycles.empty() ? 0 : 1) + (options.all ? 1 : 0) + (options.random ? 1 : 0);
  if (ways != 1)
    refuse(
        "generate makes one of these: the tests of cycles, --cycle \"PodWW Rfe PodRR Fre\", or all of a "
        "size, --all "
        "or --all --minimal, or those of random cycles, --random");
  if (!options.random && (options.seed || options.count)) refuse("--seed and --count are of --random");
  if (options.random && options.events < 2) refuse("a cycle has two edges at least: --events 2");
  if (options.cycles.empty() && !options.defaults.places.empty())
    refuse("--place says where the threads of a cycle are: it needs --cycle");
  if (!options.all && options.minimal) refuse("--minimal says which tests of a size: it needs --all");
  if (!options.semantics.empty() && (!options.all || options.minimal))
    refuse("--orders is of --all without --minimal, which looks at all orders");
  for (const std::string* part : {&options.name, &options.prefix})
    if (part->find_first_of("/ \t\n\r") != std::string::npos)
      refuse(fmt::format("'{}' is no part of a test's name: it has neither `/` nor blanks in it", *part));
  std::vector<generate::Sketch> sketches = sketches_of_cycles(options);
  const session::Session session(generate::judging(options.common.settings));
  return write_tests(options.common, options.folder, {options.common.settings.model}, streams,
                     [&](Taker& out) { return make_tests(options, session, std::move(sketches), out); });
}

}  // namespace ptxmc::cli
