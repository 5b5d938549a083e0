// SPDX-License-Identifier: Apache-2.0
// property: draws programs and models at random and compares everything that has to agree (see harness.h,
// reference.h). A failure is shrunk and written as a litmus file whose doc string says how to reproduce it.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "generate.h"
#include "harness.h"
#include "input/litmus/parse.h"
#include "input/litmus/print.h"
#include "model/cat/read.h"
#include "model/models.h"
#include "random.h"
#include "random_model.h"
#include "reference.h"
#include "shrink.h"
#include "support/beyond_limits.h"
#include "support/check.h"

namespace {

using namespace ptxmc;
using namespace ptxmc::testing;
using relation::MemoryModel;

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  std::string model;             // empty: rotate over all of them and random ones
  std::filesystem::path file;    // check this one test instead
  std::filesystem::path corpus;  // check the base relations of the tests below this folder instead
  std::filesystem::path out = ".";
  unsigned jobs = 2;
  bool tiny = false;  // small programs, compared with the exhaustive reference too
  bool verbose = false;
  std::size_t max_failures = 5;
};

constexpr std::size_t kReferenceLimit = 1500;    // candidate executions
constexpr std::size_t kReferenceWork = 1000000;  // and what judging them costs: each, events squared
constexpr std::uint64_t kRaces = 4, kHangs = 4, kBytes = 3, kTurns = 5,
                        kExchanges = 2;  // one program in so many

/// One program with its model: everything that a seed determines.
struct Case {
  std::uint64_t seed = 0;
  std::string model_name;  // as an option of this program
  std::string model_text;  // random models only
  const MemoryModel* model = nullptr;
  MemoryModel own_model;  // random models
  std::string text;
  lower::Options lowering;
  bool tiny = false;
};

class Models {
 public:
  Models() {
    for (const model::Profile& profile : model::profiles()) {
      all_.emplace(std::string(profile.name),
                   model::load(std::string(profile.name), event::base_signature()));
    }
  }
  const MemoryModel& at(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = all_.find(name);
    if (found != all_.end()) return found->second;
    return all_.emplace(name, model::load(name, event::base_signature())).first->second;
  }
  bool has(const std::string& name) const { return all_.contains(name); }

 private:
  std::map<std::string, MemoryModel> all_;
  std::mutex mutex_;
};

/// Which model a seed is judged by: the default one most often.
std::string draw_model(Random& random) {
  switch (random.weighted({40, 10, 7, 8, 5, 30})) {
    case 0:
      return "ptx-9.4";
    case 1:
      return "ptx-8.4";
    case 2:
      return "ptx-6.0";
    case 3:
      return "ptx-7.5";
    case 4:
      return "sc";
    default:
      return "random";
  }
}

Case draw(std::uint64_t seed, const Options& options, Models& models) {
  Case drawn;
  drawn.seed = seed;
  drawn.tiny = options.tiny;
  Random random(seed * 0x9e3779b97f4a7c15ull + 1);
  drawn.model_name = options.model.empty() ? draw_model(random) : options.model;
  Shape shape = options.tiny ? tiny_shape() : Shape{};
  shape.proxies = drawn.model_name == "ptx-7.5" || random.chance(5);
  drawn.lowering.unbounded = random.chance(10);
  drawn.lowering.unroll = random.between(1, 2);
  if (drawn.model_name == "random") {
    drawn.model_text = generate_model(seed, event::base_signature());
    drawn.own_model =
        cat::read(std::make_shared<Source>(Source{fmt::format("random-{}.cat", seed), drawn.model_text}),
                  event::base_signature());
  } else {
    drawn.model = &models.at(drawn.model_name);
  }
  drawn.text = generate_test(seed, shape);
  return drawn;
}

const MemoryModel& model_of(const Case& drawn) {
  return drawn.model ? *drawn.model : drawn.own_model;
}

std::size_t reference_limit(const Prepared& prepared) {
  const std::size_t n = prepared.graph->size();
  return std::min(kReferenceLimit, kReferenceWork / (n * n + 1));
}

/// Races of one program in kRaces, liveness of one in kHangs.
std::optional<Failure> check_findings(const Case& drawn, const Prepared& prepared, Counts& counts) {
  const MemoryModel& model = model_of(drawn);
  if (drawn.seed % kRaces == 0) {
    if (auto failure = compare_races(prepared, model, counts)) return failure;
  }
  if (drawn.seed % kHangs != 1) return std::nullopt;
  const auto progress = drawn.seed % (3 * kHangs) / kHangs;
  const auto endless = unending(prepared, model, drawn.lowering, static_cast<lower::ProgressModel>(progress));
  if (!endless) return std::nullopt;
  if (auto failure = check_base(endless->prepared)) return failure;
  if (auto failure = compare_liveness(*endless, counts)) return failure;
  if (!drawn.tiny) return std::nullopt;
  auto failure = compare_with_reference(endless->prepared, endless->model, reference_limit(endless->prepared),
                                        false, counts);
  if (failure) failure->kind = "liveness-" + failure->kind;
  return failure;
}

/// The manual's model: it says what may tear (reading `tearing`), which barriers meet, so that programs whose barriers nobody
/// passes have no execution, and nothing of how many turns a waiting loop takes.
bool of_the_manual(const Case& drawn) {
  return drawn.model_name == "ptx-9.4" || drawn.model_name == "ptx-8.4";
}

/// Everything that is checked about one program.
std::optional<Failure> check_text(const Case& drawn, const std::string& text, Counts& counts) {
  const Prepared prepared = prepare(fmt::format("seed-{}", drawn.seed), text, drawn.lowering);
  if (auto failure = check_round_trip(prepared, drawn.lowering)) return failure;
  if (auto failure = check_base(prepared)) return failure;
  CompareOptions compare;
  compare.all_flags = drawn.tiny;
  compare.flag = drawn.seed;
  if (auto failure = compare_engines(prepared, model_of(drawn), compare, counts)) return failure;
  if (of_the_manual(drawn) && drawn.seed % kTurns == 0) {
    const Engine engine = drawn.seed % (2 * kTurns) == 0 ? Engine::smt : Engine::explicit_;
    if (auto failure = compare_all_turns(prepared, model_of(drawn), drawn.lowering, engine, counts))
      return failure;
  }
  if (of_the_manual(drawn) && drawn.seed % kExchanges == 0) {
    const Engine engine = drawn.seed % (2 * kExchanges) == 0 ? Engine::smt : Engine::explicit_;
    if (auto failure = compare_exchanges(prepared, model_of(drawn), drawn.lowering, engine, counts))
      return failure;
  }
  if (of_the_manual(drawn) && drawn.seed % kBytes == 0) {
    const Engine engine = drawn.seed % (2 * kBytes) == 0 ? Engine::smt : Engine::explicit_;
    if (auto failure = compare_single_bytes(prepared, model_of(drawn), drawn.lowering, engine, counts))
      return failure;
  }
  if (auto failure = check_findings(drawn, prepared, counts)) return failure;
  if (!drawn.tiny) return std::nullopt;
  return compare_with_reference(prepared, model_of(drawn), reference_limit(prepared),
                                drawn.seed % kRaces == 0, counts);
}

/// As check_text; an exception of ours is a failure, an input error means that the generator wrote nonsense.
std::optional<Failure> check_case(const Case& drawn, const std::string& text, Counts& counts) {
  try {
    return check_text(drawn, text, counts);
  } catch (const BeyondLimits&) {
    ++counts.unsupported;
    return std::nullopt;
  } catch (const InputError& error) {
    if (std::string(error.what()).find("not supported") != std::string::npos) {
      ++counts.unsupported;
      return std::nullopt;
    }
    return Failure{"refused", error.what()};
  } catch (const std::exception& error) {
    return Failure{"exception", error.what()};
  }
}

std::string shrunk(const Case& drawn, const Failure& failure) {
  litmus::Test test;
  try {
    test = litmus::parse(std::make_shared<Source>(Source{"drawn", drawn.text}));
  } catch (const InputError&) {
    return drawn.text;
  }
  if (failure.kind == "refused" || failure.kind == "round-trip")
    return drawn.text;  // printing cannot be relied on
  return shrink(test, [&](const std::string& text) {
    Counts unused;
    const auto again = check_case(drawn, text, unused);
    return again && again->kind == failure.kind;
  });
}

/// The shrunk test with a doc string that says what failed and how to see it again.
void write(const Case& drawn, const Failure& failure, const Options& options) {
  const std::string name = fmt::format("{}-{}-{}", failure.kind, drawn.model_name, drawn.seed);
  std::string text = shrunk(drawn, failure);
  const std::size_t end_of_name = text.find('\n');
  const std::string doc =
      fmt::format("\"{} under {}; property --seed {} --count 1 --model {}{}; unroll {}{}\"\n", failure.kind,
                  drawn.model_name, drawn.seed, drawn.model_name, drawn.tiny ? " --tiny" : "",
                  drawn.lowering.unroll, drawn.lowering.unbounded ? ", unbounded integers" : "");
  if (end_of_name != std::string::npos) text.insert(end_of_name + 1, doc);
  const std::filesystem::path path = options.out / (name + ".litmus");
  std::filesystem::create_directories(options.out);
  std::ofstream(path) << text;
  if (!drawn.model_text.empty()) std::ofstream(options.out / (name + ".cat")) << drawn.model_text;
  fmt::print("FAILURE {}\n  {}\n  written to {}\n{}\n", name, failure.detail, path.string(), text);
  if (!drawn.model_text.empty()) fmt::print("model:\n{}\n", drawn.model_text);
}

/// A test lowered; nothing where it cannot be lowered for liveness.
std::optional<Prepared> prepare_file(const std::filesystem::path& file, bool liveness) {
  lower::Options options;
  if (liveness) options.liveness = lower::ProgressModel::obe;
  try {
    return prepare(file.string(), read_file(file), options);
  } catch (const BeyondLimits&) {
    if (liveness) return std::nullopt;
    throw;
  } catch (const InputError& error) {
    if (liveness && std::string(error.what()).find("not supported") != std::string::npos) return std::nullopt;
    throw;
  }
}

/// The base relations of every litmus test below a folder, lowered for its outcomes and for liveness.
int check_corpus(const std::filesystem::path& folder) {
  std::size_t graphs = 0, failures = 0;
  for (const std::filesystem::path& file : files_below(folder, ".litmus")) {
    for (const bool liveness : {false, true}) {
      const auto prepared = prepare_file(file, liveness);
      if (!prepared) continue;
      ++graphs;
      const auto failure = check_base(*prepared);
      if (!failure) continue;
      ++failures;
      fmt::print("FAILURE {}{}: {}\n", file.string(), liveness ? ", for liveness" : "", failure->detail);
    }
  }
  fmt::print("{} program graphs, {} failures\n", graphs, failures);
  return failures > 0 || graphs == 0 ? 1 : 0;
}

/// One file under one model, with the reference: to look at a failure again.
int check_file(const Options& options) {
  Case drawn;
  drawn.own_model = model::load(options.model.empty() ? std::string(model::kDefaultProfile) : options.model,
                                event::base_signature());
  drawn.tiny = true;
  Counts counts;
  const auto failure = check_case(drawn, read_file(options.file), counts);
  if (failure) fmt::print("FAILURE {}: {}\n", failure->kind, failure->detail);
  if (!failure)
    fmt::print("{} states, all agree{}\n", counts.states,
               counts.reference > 0 ? ", with the reference too" : "");
  return failure ? 1 : 0;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  int all() {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (unsigned j = 0; j < options_.jobs; ++j) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    fmt::print(
        "{} programs, {} states, {} questions left open, {} not supported, {} compared with the exhaustive "
        "reference, {} with memory cut into bytes, {} with waiting loops unrolled, {} with exchanges path by "
        "path, {} races in {} programs, "
        "{} of {} may wait for ever, "
        "{} failures, {:.1f} s\n",
        done_.load(), counts_.states, counts_.incomplete, counts_.unsupported, counts_.reference,
        counts_.bytes, counts_.turns, counts_.exchanges, counts_.races, counts_.raced, counts_.hangs,
        counts_.waited, failures_, time.count());
    if (failures_ > 0) return 1;
    // Vacuity: a generator or an engine that says nothing would agree with everything.
    if (counts_.states < options_.count / 2 || counts_.unsupported > options_.count / 10 ||
        counts_.incomplete > options_.count / 10 || counts_.races < options_.count / 20 ||
        counts_.bytes < options_.count / 50 || counts_.hangs < options_.count / 100 ||
        (options_.tiny && counts_.reference < options_.count / 3)) {
      fmt::print("too few states or comparisons, or too much left open: the run says too little\n");
      return 1;
    }
    return 0;
  }

 private:
  void work() {
    while (true) {
      const std::uint64_t index = next_++;
      if (index >= options_.count || stop_) return;
      one(options_.seed + index);
      ++done_;
    }
  }

  void one(std::uint64_t seed) {
    Counts counts;
    std::optional<Failure> failure;
    Case drawn;
    const auto start = std::chrono::steady_clock::now();
    try {
      drawn = draw(seed, options_, models_);
      failure = check_case(drawn, drawn.text, counts);
    } catch (const std::exception& error) {
      drawn.seed = seed;
      failure = Failure{"model-refused", error.what()};
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const std::lock_guard<std::mutex> lock(mutex_);
    counts_ += counts;
    if (time.count() > 5 || options_.verbose)
      fmt::print("seed {} ({}): {:.2f} s\n", seed, drawn.model_name, time.count());
    if (!failure) return;
    write(drawn, *failure, options_);
    if (++failures_ >= options_.max_failures) stop_ = true;
  }

  const Options& options_;
  Models models_;
  std::atomic<std::uint64_t> next_{0}, done_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  Counts counts_;
  std::size_t failures_ = 0;
};

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("not a number: " + text);
  return value;
}

constexpr const char* kUsage =
    "property [--seed N] [--count N] [--model NAME|FILE.cat|random] [--tiny] [--out FOLDER] [--jobs N]\n"
    "         [--max-failures N] [--show] [--verbose], or: property --file TEST.litmus [--model "
    "NAME|FILE.cat], or: property --corpus FOLDER\n";

int run(const std::vector<std::string>& arguments) {
  Options options;
  bool show = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--tiny") {
      options.tiny = true;
      continue;
    }
    if (name == "--show") {
      show = true;
      continue;
    }
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (i + 1 == arguments.size()) throw std::runtime_error("unknown option, or no value: " + name);
    const std::string& value = arguments[++i];
    if (name == "--seed")
      options.seed = number(value);
    else if (name == "--count")
      options.count = number(value);
    else if (name == "--model")
      options.model = value;
    else if (name == "--file")
      options.file = value;
    else if (name == "--corpus")
      options.corpus = value;
    else if (name == "--out")
      options.out = value;
    else if (name == "--jobs")
      options.jobs = static_cast<unsigned>(number(value));
    else if (name == "--max-failures")
      options.max_failures = number(value);
    else
      throw std::runtime_error("unknown option: " + name);
  }
  if (!options.file.empty()) return check_file(options);
  if (!options.corpus.empty()) return check_corpus(options.corpus);
  if (!show) return Run(options).all();
  Models models;
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const Case drawn = draw(options.seed + i, options, models);
    fmt::print("{}{}\n", drawn.text, drawn.model_text);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "property: {}\n{}", error.what(), kUsage);
    return 2;
  }
}
