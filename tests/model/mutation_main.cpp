// SPDX-License-Identifier: Apache-2.0
// mutation: is every clause of the model needed, and is it tested?
//
// Each mutant of the model text (one clause dropped: model/cat/mutate.h) is tried on the tests of litmus/ until one
// answers differently from the unmutated model: that test kills the mutant. A mutant that no test kills must
// be listed in redundant.txt with its argument, and is then tried on all small programs, where it may not
// differ either. The list has to be exact: a listed mutant that is killed, or that no longer exists, is an
// error too.
//
// Cost: mutants * tests until the first kill. killers.txt names a test that killed a mutant once: it is tried
// first, and then those that killed others in this run; a name that does not hold any more only costs time.
// `--write-killers FILE` writes the list anew. What folding leaves of a mutant for a kind of program (folded.h) is
// often what it leaves of the model: then no program of the kind is asked. A mutant may make the search of a
// large test explode: an answer that takes too long notices nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "corpus.h"
#include "harness.h"
#include "model/cat/mutate.h"
#include "model/models.h"
#include "small_programs.h"

namespace {

using namespace ptxmc;
using namespace ptxmc::testing;

constexpr double kMutantTime = 0.5;  // seconds that a mutant may take for one question about a test

struct Options {
  std::string file = "ptx.cat";
  std::vector<std::filesystem::path> litmus = {PTXMC_LITMUS_DIR, PTXMC_EXTRA_LITMUS_DIR};
  std::filesystem::path redundant = PTXMC_REDUNDANT;
  std::filesystem::path killers = PTXMC_KILLERS;
  std::string write_killers;  ///< file; empty: none
  std::size_t size = 3;       ///< of the small programs
  unsigned jobs = 2;
  bool verbose = false;        ///< tell each mutant's end as it comes, and what it took
  std::set<std::string> only;  ///< definitions, axioms and flags whose mutants to try; empty: all
};

struct Subject {
  std::string key;  ///< the description without its line, numbered when several are alike
  cat::Mutant mutant;
  std::string killer;      ///< a named test; empty: survives
  std::string difference;  ///< on a small program; empty: none
  double seconds = 0;      ///< that the hunt took
};

/// "line 23: drop ..." -> "drop ...": keys of the list survive edits elsewhere in the text.
std::string without_line(const std::string& description) {
  const std::size_t colon = description.find(": ");
  return description.starts_with("line ") && colon != std::string::npos ? description.substr(colon + 2)
                                                                        : description;
}

/// "drop `| po` from ms" -> "ms", "drop the flag proxy-race" -> "proxy-race".
std::string clause_of(const std::string& key) {
  return key.substr(key.rfind(' ') + 1);
}

std::vector<Subject> subjects(const Options& options) {
  const SourcePtr text = model::text_of(options.file);
  if (!text) throw std::runtime_error("no built-in model text " + options.file);
  std::vector<Subject> all;
  std::map<std::string, int> seen;
  for (cat::Mutant& mutant :
       cat::mutants(text, event::base_signature(), model::text_of, model::conditions())) {
    std::string key = without_line(mutant.description);
    if (!options.only.empty() && !options.only.contains(clause_of(key))) continue;
    const int count = ++seen[key];
    if (count > 1) key += fmt::format(" ({})", count);
    all.push_back({key, std::move(mutant), "", ""});
  }
  return all;
}

/// Lines `KEY -- ARGUMENT`; `#` starts a comment.
std::map<std::string, std::string> read_list(const std::filesystem::path& path) {
  std::map<std::string, std::string> list;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t dashes = line.find(" -- ");
    if (dashes == std::string::npos || dashes + 4 >= line.size()) {
      throw std::runtime_error(path.string() + ": a line without ` -- ARGUMENT`: " + line);
    }
    if (!list.emplace(line.substr(0, dashes), line.substr(dashes + 4)).second) {
      throw std::runtime_error(path.string() + ": listed twice: " + line);
    }
  }
  return list;
}

/// Runs job(0) ... job(count - 1) on some threads; the first exception ends the run.
template <typename Job>
void parallel(std::size_t count, unsigned jobs, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  std::vector<std::thread> workers;
  for (unsigned j = 0; j < jobs; ++j) {
    workers.emplace_back([&] {
      try {
        for (std::size_t i = next++; i < count; i = next++) job(i);
      } catch (...) {
        next = count;
        const std::lock_guard<std::mutex> lock(mutex);
        error = std::current_exception();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  if (error) std::rethrow_exception(error);
}

class MutationTest {
 public:
  explicit MutationTest(const Options& options)
      : options_(options),
        model_(cat::read(model::text_of(options.file), event::base_signature(), model::text_of,
                         model::conditions())),
        subjects_(subjects(options)),
        listed_(read_list(options.redundant)),
        killers_(read_list(options.killers)),
        answerer_(model_, kinds_) {
    for (const relation::Constraint& flag : model_.flags) questions_.push_back(flag.name);
    for (const std::filesystem::path& folder : options.litmus) {
      std::vector<NamedTest> more = load_corpus(folder, model_, answerer_, kinds_, questions_);
      if (more.empty()) throw std::runtime_error("no tests below " + folder.string());
      for (NamedTest& test : more) test.prepared.time_limit = kMutantTime;
      std::move(more.begin(), more.end(), std::back_inserter(tests_));
    }
  }

  int run() {
    for (std::size_t t = 0; t < tests_.size(); ++t) by_name_.emplace(tests_[t].name, t);
    parallel(subjects_.size(), options_.jobs, [this](std::size_t i) {
      hunt(subjects_[i]);
      if (options_.verbose) tell(subjects_[i]);
    });
    try_small_programs();
    if (!options_.write_killers.empty()) write_killers();
    return report();
  }

 private:
  struct Survivor {
    Subject* subject;
    std::unique_ptr<Answerer> answerer;
  };

  /// The first question that a mutant answers differently; nothing when it answers all alike.
  std::optional<std::string> difference(const NamedTest& test, Answerer& mutant) {
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      if (answerer_.same(mutant, test.kind, questions_[q])) continue;
      const Answer found = mutant.ask(test.prepared, test.kind, questions_[q]);
      if (found != test.answers[q] && found != Answer::unknown)
        return questions_[q].empty() ? "the condition" : "flag " + questions_[q];
    }
    return std::nullopt;
  }

  std::vector<std::size_t> deadliest_first(const Subject& subject) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::size_t> order(tests_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return tests_[a].kills > tests_[b].kills; });
    const auto killer = killers_.find(subject.key);
    const auto known = killer == killers_.end() ? by_name_.end() : by_name_.find(killer->second);
    if (known != by_name_.end()) {
      const auto at = std::find(order.begin(), order.end(), known->second);
      std::rotate(order.begin(), at, at + 1);
    }
    return order;
  }

  void write_killers() const {
    std::ofstream out(options_.write_killers);
    out << "# Tests that kill mutants of ptx.cat: KEY -- TEST. `mutation --write-killers FILE` writes this "
           "file.\n";
    for (const Subject& subject : subjects_) {
      if (!subject.killer.empty())
        out << subject.key << " -- " << subject.killer.substr(0, subject.killer.find(", ")) << '\n';
    }
    out.flush();
    if (!out) throw std::runtime_error("cannot write " + options_.write_killers);
  }

  void tell(const Subject& subject) {
    const std::lock_guard<std::mutex> lock(mutex_);
    fmt::print(stderr, "{:.2f} s: {}: {}\n", subject.seconds, subject.mutant.description,
               subject.killer.empty() ? "SURVIVES" : subject.killer);
  }

  void hunt(Subject& subject) {
    const auto begin = std::chrono::steady_clock::now();
    try_tests(subject);
    subject.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void try_tests(Subject& subject) {
    Answerer mutant(subject.mutant.model, kinds_);
    for (std::size_t t : deadliest_first(subject)) {
      const auto found = difference(tests_[t], mutant);
      if (!found) continue;
      const std::lock_guard<std::mutex> lock(mutex_);
      ++tests_[t].kills;
      subject.killer = *found == "the condition" ? tests_[t].name : tests_[t].name + ", " + *found;
      return;
    }
  }

  /// The evidence behind the list: survivors and the model reach the same states of every small program.
  void try_small_programs() {
    std::vector<Survivor> survivors;
    for (Subject& subject : subjects_) {
      if (subject.killer.empty())
        survivors.push_back({&subject, std::make_unique<Answerer>(subject.mutant.model, kinds_)});
    }
    if (survivors.empty()) return;
    std::vector<std::string> programs;
    for_each_small_program(options_.size, [&](const std::string& text) { programs.push_back(text); });
    std::vector<std::size_t> kinds(programs.size());
    parallel(programs.size(), options_.jobs,
             [&](std::size_t i) { kinds[i] = kinds_.of(prepare("small", programs[i], {})); });
    std::map<std::size_t, std::vector<std::string>> groups;
    for (std::size_t i = 0; i < programs.size(); ++i) groups[kinds[i]].push_back(programs[i]);
    const std::vector<std::pair<std::size_t, std::vector<std::string>>> by_kind(groups.begin(), groups.end());
    parallel(by_kind.size(), options_.jobs,
             [&](std::size_t i) { try_programs(by_kind[i].first, by_kind[i].second, survivors); });
    small_programs_ = programs.size();
    if (options_.verbose)
      fmt::print(stderr, "{} small programs of {} kinds\n", programs.size(), by_kind.size());
  }

  // Programs of one kind: what folding leaves of a mutant for them is looked at once.
  void try_programs(std::size_t kind, const std::vector<std::string>& programs,
                    const std::vector<Survivor>& survivors) {
    std::vector<std::pair<const Survivor*, std::string>> open;
    for (const Survivor& survivor : survivors) {
      for (const std::string& question : questions_) {
        if (!answerer_.same(*survivor.answerer, kind, question)) open.emplace_back(&survivor, question);
      }
    }
    if (open.empty()) return;
    for (const std::string& text : programs) {
      const Prepared prepared = prepare("small", text, {});
      std::map<std::string, std::string> expected;  // by question
      for (const auto& [survivor, question] : open) {
        std::string& wanted = expected[question];
        if (wanted.empty()) wanted = reply(answerer_, prepared, kind, question);
        if (reply(*survivor->answerer, prepared, kind, question) == wanted) continue;
        const std::string found =
            (question.empty() ? "other states on:\n" : "flag " + question + " on:\n") + text;
        const std::lock_guard<std::mutex> lock(mutex_);
        std::string& difference = survivor->subject->difference;
        if (difference.empty() || found.size() < difference.size()) difference = found;
      }
    }
  }

  /// All states, or whether the flag is raised.
  static std::string reply(Answerer& answerer, const Prepared& prepared, std::size_t kind,
                           const std::string& question) {
    if (!question.empty()) return std::string(name_of(answerer.ask(prepared, kind, question)));
    std::string states = "states";
    const auto model = answerer.left_of(kind, "");
    for (const engine::State& state : solve(Engine::explicit_, query_for(prepared, *model)).states)
      states += fmt::format(" {}", fmt::join(state.values, ","));
    return states;
  }

  int report() {
    std::size_t killed = 0, errors = 0;
    std::set<std::string> keys;
    for (const Subject& subject : subjects_) {
      keys.insert(subject.key);
      const auto listed = listed_.find(subject.key);
      fmt::print("{:60} | {}\n", subject.mutant.description,
                 !subject.killer.empty()   ? subject.killer
                 : listed != listed_.end() ? "redundant: " + listed->second
                                           : "SURVIVES");
      if (!subject.killer.empty()) ++killed;
      if (subject.killer.empty() && listed == listed_.end()) {
        fmt::print("ERROR: no test notices, and it is not listed: {}\n", subject.key);
        ++errors;
      }
      if (!subject.killer.empty() && listed != listed_.end()) {
        fmt::print("ERROR: listed as redundant, but {} notices: {}\n", subject.killer, subject.key);
        ++errors;
      }
      if (!subject.difference.empty()) {
        fmt::print("ERROR: no named test notices, but a small program does: {}: {}\n", subject.key,
                   subject.difference);
        ++errors;
      }
    }
    for (const auto& entry : listed_) {
      if (keys.contains(entry.first) || !options_.only.empty()) continue;
      fmt::print("ERROR: listed as redundant, but there is no such mutant: {}\n", entry.first);
      ++errors;
    }
    fmt::print("{} mutants of {}, {} killed by {} tests, {} survive ({} small programs tried), {} errors\n",
               subjects_.size(), options_.file, killed, tests_.size(), subjects_.size() - killed,
               small_programs_, errors);
    return errors == 0 ? 0 : 1;
  }

  const Options& options_;
  relation::MemoryModel model_;
  std::vector<Subject> subjects_;
  std::map<std::string, std::string> listed_;
  std::map<std::string, std::string> killers_;  // by key: a test's name
  std::map<std::string, std::size_t> by_name_;  // of a test: its place
  Kinds kinds_;
  Answerer answerer_;
  std::vector<std::string> questions_ = {""};  // the condition, and flags by name
  std::vector<NamedTest> tests_;
  std::size_t small_programs_ = 0;
  std::mutex mutex_;
};

constexpr const char* kUsage =
    "mutation [--verbose] [--file NAME.cat] [--litmus FOLDER] [--redundant FILE] [--killers FILE] "
    "[--write-killers FILE] "
    "[--size N] [--jobs N] [--only NAME]...\n";

int run(std::vector<std::string> arguments) {
  Options options;
  if (!arguments.empty() && arguments.front() == "--verbose") {
    options.verbose = true;
    arguments.erase(arguments.begin());
  }
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string &name = arguments[i], &value = arguments[i + 1];
    if (name == "--file")
      options.file = value;
    else if (name == "--litmus")
      options.litmus = {value};
    else if (name == "--redundant")
      options.redundant = value;
    else if (name == "--only")
      options.only.insert(value);
    else if (name == "--killers")
      options.killers = value;
    else if (name == "--write-killers")
      options.write_killers = value;
    else if (name == "--size")
      options.size = std::stoul(value);
    else if (name == "--jobs")
      options.jobs = static_cast<unsigned>(std::stoul(value));
    else
      throw std::runtime_error("unknown option: " + name);
  }
  if (arguments.size() % 2 != 0) throw std::runtime_error("an option without its value");
  return MutationTest(options).run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "mutation: {}\n{}", error.what(), kUsage);
    return 2;
  }
}
