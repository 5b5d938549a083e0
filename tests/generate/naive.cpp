// SPDX-License-Identifier: Apache-2.0
// naive PTXMC: what `generate --all` and `generate --all --minimal` list, beside an enumeration of every way to write a small test
// down. It shares nothing with src/generate: operations, names, relaxations and symmetry are its own, tests come as text from the
// program, and verdicts from the final states of each program. By definition (src/doc/generate.md) a test has no location that
// nobody writes, or that one of several threads has for itself, no threads that share nothing with the others, and no
// fence at an end of a thread.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../command.h"
#include "naive_test.h"
#include "ptxmc/ptxmc.h"

using namespace ptxmc::naive;

namespace {

struct Case {
  int size;
  std::vector<std::string> scopes;
  std::vector<std::string> orders;  // none: all
  int atomics;
  bool minimal;
};

class Oracle {
 public:
  bool allowed(const Test& test) {
    if (test.finals.empty()) return true;  // fences alone: there is nothing to ask
    for (const std::map<std::string, std::string>& state : states(litmus_of(test)))
      if (meets(test, state)) return true;
    return false;
  }
  std::size_t asked() const { return known_.size(); }

 private:
  using States = std::vector<std::map<std::string, std::string>>;

  static bool meets(const Test& test, const std::map<std::string, std::string>& state) {
    bool met = true;
    const auto ask = [&](const std::string& name, int value) {
      if (value != kOpen) met = met && state.at(name) == std::to_string(value);
    };
    each(test, [&](std::size_t t, std::size_t i, const Op& op) {
      if (reads(op)) ask(fmt::format("{}:r{}", t, i), op.read);
    });
    for (std::size_t location = 0; location < test.finals.size(); ++location)
      ask(fmt::format("[v{}]", location), test.finals[location]);
    return met;
  }

  const States& states(const std::string& text) {
    const auto [place, fresh] = known_.try_emplace(text);
    if (fresh) {
      const ptxmc::api::Result result = checker_.check(text);
      if (!result.complete || !result.problems.empty()) {
        std::cerr << "no states of\n" << text << result.report;
        std::exit(1);
      }
      for (const ptxmc::api::State& state : result.states)
        place->second.emplace_back(state.values.begin(), state.values.end());
    }
    return place->second;
  }

  ptxmc::api::Checker checker_;
  std::map<std::string, States> known_;
};

// ------------------------------------------------------------------ relaxations

/// The values of a location without one.
void forget_value(Test& test, int location, int gone) {
  const auto shift = [&](int& value) { value = value == gone ? kOpen : value > gone ? value - 1 : value; };
  for (auto& thread : test.threads) {
    for (Op& op : thread) {
      if (op.kind == 'F' || op.location != location) continue;
      if (writes(op) && op.written > gone) --op.written;
      if (op.read != kOpen) shift(op.read);
    }
  }
  int& final = test.finals[static_cast<std::size_t>(location)];
  if (final != kOpen) shift(final);
}

/// Threads and locations that have nothing any more are gone.
Test tidied(const Test& test) {
  Test out;
  std::map<int, int> numbers;
  each(test, [&](std::size_t, std::size_t, const Op& op) {
    if (op.kind != 'F') numbers[op.location] = 0;
  });
  for (auto& [old, number] : numbers) {
    number = static_cast<int>(out.finals.size());
    out.finals.push_back(test.finals[static_cast<std::size_t>(old)]);
  }
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    if (test.threads[t].empty()) continue;
    out.threads.push_back(test.threads[t]);
    out.cta.push_back(test.cta[t]);
    out.cluster.push_back(test.cluster[t]);
    for (Op& op : out.threads.back())
      if (op.kind != 'F') op.location = numbers.at(op.location);
  }
  return out;
}

/// Weaker orders of 8.4, one step down.
std::vector<std::string> weaker(char kind, const std::string& order) {
  if (order == "sc") return {"acq_rel"};
  if (order == "acq_rel") return {"acquire", "release"};
  if (kind == 'F' || order == "weak") return {};
  if (order == "relaxed") return kind == 'U' ? std::vector<std::string>{} : std::vector<std::string>{"weak"};
  return {"relaxed"};
}

std::vector<Test> relaxed(const Test& test, const std::vector<std::string>& scopes) {
  std::vector<Test> out;
  each(test, [&](std::size_t t, std::size_t i, const Op& op) {
    const auto change = [&](const auto& what) {
      Test changed = test;
      what(changed.threads[t][i]);
      out.push_back(changed);
    };
    Test less = test;
    less.threads[t].erase(less.threads[t].begin() + static_cast<std::ptrdiff_t>(i));
    if (writes(op)) forget_value(less, op.location, op.written);
    out.push_back(tidied(less));
    for (const std::string& order : weaker(op.kind, op.order)) {
      // A weak access has no scope: it is one step below the narrowest.
      if (order == "weak" && op.scope != scopes.front()) continue;
      change([&](Op& o) { o.order = order, o.scope = order == "weak" ? "" : o.scope; });
    }
    const auto at = std::find(scopes.begin(), scopes.end(), op.scope);
    if (at != scopes.end() && at != scopes.begin()) change([&](Op& o) { o.scope = *(at - 1); });
    if (op.read != kOpen) change([](Op& o) { o.read = kOpen; });
    if (op.kind == 'U') {
      Test split = test;
      Op load = op, store = op;
      load.kind = 'R', load.written = 0;
      store.kind = 'W', store.read = kOpen;
      load.order = op.order == "acquire" || op.order == "acq_rel" ? "acquire" : "relaxed";
      store.order = op.order == "release" || op.order == "acq_rel" ? "release" : "relaxed";
      split.threads[t][i] = load;
      split.threads[t].insert(split.threads[t].begin() + static_cast<std::ptrdiff_t>(i) + 1, store);
      out.push_back(split);
    }
  });
  for (std::size_t location = 0; location < test.finals.size(); ++location) {
    if (test.finals[location] == kOpen) continue;
    out.push_back(test);
    out.back().finals[location] = kOpen;
  }
  const bool clusters = std::find(scopes.begin(), scopes.end(), "cluster") != scopes.end();
  for (std::size_t t = 0; t < test.cta.size(); ++t) {
    const bool cta = std::count(test.cta.begin(), test.cta.end(), test.cta[t]) > 1;
    const bool cluster = std::count(test.cluster.begin(), test.cluster.end(), test.cluster[t]) > 1;
    if (!cta && !cluster) continue;
    out.push_back(test);
    if (cta) out.back().cta[t] = 100;
    if (!cta || !clusters) out.back().cluster[t] = 100;
  }
  return out;
}

bool minimal(const Test& test, const std::vector<std::string>& scopes, Oracle& oracle) {
  if (oracle.allowed(test)) return false;
  for (const Test& weaker_test : relaxed(test, scopes))
    if (!oracle.allowed(weaker_test)) return false;
  return true;
}

// ------------------------------------------------------------------ every test

class Enumeration {
 public:
  Enumeration(const Case& asked, Oracle& oracle) : asked_(asked), oracle_(oracle) {}

  /// By code: is it allowed?
  std::map<std::string, bool> run() {
    for (int size = 1; size <= asked_.size; ++size) divide(size);
    return found_;
  }

 private:
  void divide(int left) {
    if (left == 0) return fill(0, 0);
    for (int size = 1; size <= left; ++size) {
      test_.threads.emplace_back(static_cast<std::size_t>(size));
      divide(left - size);
      test_.threads.pop_back();
    }
  }

  void fill(std::size_t t, std::size_t i) {
    if (t == test_.threads.size()) return place(0);
    if (i == test_.threads[t].size()) return fill(t + 1, 0);
    constexpr std::array<std::string_view, 6> kOrders{"weak",    "relaxed", "acquire",
                                                      "release", "acq_rel", "sc"};
    constexpr std::array<std::pair<char, std::string_view>, 4> kKinds{
        {{'R', "weak relaxed acquire"},
         {'W', "weak relaxed release"},
         {'U', "relaxed acquire release acq_rel"},
         {'F', "acquire release acq_rel sc"}}};
    for (const auto& [kind, orders] : kKinds) {
      for (const std::string_view order : kOrders) {
        const bool known = fmt::format(" {} ", orders).find(fmt::format(" {} ", order)) != std::string::npos;
        const bool wanted = asked_.orders.empty() || std::find(asked_.orders.begin(), asked_.orders.end(),
                                                               order) != asked_.orders.end();
        if (!known || !wanted) continue;
        for (const std::string& scope : order == "weak" ? std::vector<std::string>{""} : asked_.scopes)
          for (int location = 0; location < (kind == 'F' ? 1 : asked_.size); ++location) {
            test_.threads[t][i] = {kind, std::string(order), scope, location, 0, kOpen};
            fill(t, i + 1);
          }
      }
    }
  }

  void place(std::size_t t) {
    test_.cta.resize(test_.threads.size());
    test_.cluster.resize(test_.threads.size());
    if (t == test_.threads.size()) return program();
    const int fresh = static_cast<int>(t);
    const auto least = [&](const std::string& scope) {  // without that scope nobody can tell
      return std::find(asked_.scopes.begin(), asked_.scopes.end(), scope) != asked_.scopes.end() ? 0 : fresh;
    };
    for (int cta = least("cta"); cta <= fresh; ++cta) {
      for (int cluster = least("cluster"); cluster <= fresh; ++cluster) {
        test_.cta[t] = cta;
        test_.cluster[t] = cluster;
        for (std::size_t other = 0; other < t; ++other)  // a CTA is in one cluster
          if (test_.cta[other] == cta) test_.cluster[t] = test_.cluster[other];
        place(t + 1);
      }
    }
  }

  /// Locations are named as they come, and the test is one by definition.
  bool taken() {
    int atomics = 0, next = 0;
    bool named = true, inside = true;
    std::map<int, std::set<std::size_t>> users;
    each(test_, [&](std::size_t t, std::size_t i, const Op& op) {
      atomics += op.kind == 'U' ? 1 : 0;
      if (op.kind == 'F') {
        inside = inside && i != 0 && i + 1 != test_.threads[t].size();
        return;
      }
      named = named && op.location <= next;
      next = std::max(next, op.location + 1);
      users[op.location].insert(t);
    });
    if (!named || !inside || atomics > asked_.atomics) return false;
    test_.finals.assign(static_cast<std::size_t>(next), kOpen);
    std::set<std::size_t> together{0};
    for (std::size_t round = 0; round < test_.threads.size(); ++round)
      for (const auto& [location, threads] : users)
        if (std::any_of(threads.begin(), threads.end(), [&](std::size_t t) { return together.contains(t); }))
          together.insert(threads.begin(), threads.end());
    if (together.size() != test_.threads.size()) return false;
    for (const auto& [location, threads] : users)
      if (written(test_, location) == 0 || (test_.threads.size() > 1 && threads.size() == 1)) return false;
    return true;
  }

  void program() {
    if (!taken()) return;
    std::map<int, int> values;
    for (auto& thread : test_.threads)
      for (Op& op : thread) op.written = writes(op) ? ++values[op.location] : 0;
    if (!programs_.insert(code_of(test_)).second) return;  // met already, with other numbers
    condition(0, 0);
  }

  void condition(std::size_t t, std::size_t i) {
    if (t == test_.threads.size()) return finals(0);
    if (i == test_.threads[t].size()) return condition(t + 1, 0);
    const int last = reads(test_.threads[t][i]) ? written(test_, test_.threads[t][i].location) : kOpen;
    for (int value = kOpen; value <= last; ++value) {
      Op& op = test_.threads[t][i];
      if (value > 0 && writes(op) && value == op.written) continue;
      op.read = value;
      condition(t, i + 1);
    }
    test_.threads[t][i].read = kOpen;
  }

  void finals(std::size_t location) {
    if (location == test_.finals.size()) return judge();
    const int last = written(test_, static_cast<int>(location));
    finals(location + 1);
    for (int value = 1; last > 1 && value <= last; ++value) {
      test_.finals[location] = value;
      finals(location + 1);
    }
    test_.finals[location] = kOpen;
  }

  void judge() {
    bool says =
        std::any_of(test_.finals.begin(), test_.finals.end(), [](int value) { return value != kOpen; });
    each(test_, [&](std::size_t, std::size_t, const Op& op) { says = says || op.read != kOpen; });
    if (!says) return;
    if (!asked_.minimal) found_[code_of(test_)] = oracle_.allowed(test_);
    if (asked_.minimal && minimal(test_, asked_.scopes, oracle_)) found_[code_of(test_)] = false;
  }

  const Case& asked_;
  Oracle& oracle_;
  Test test_;
  std::set<std::string> programs_;
  std::map<std::string, bool> found_;
};

// ------------------------------------------------------------------ what the program lists

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

int compare(const std::string& ptxmc, const Case& asked, Oracle& oracle) {
  std::string command =
      fmt::format("generate --all{} --events {} --scopes {} --atomics {}", asked.minimal ? " --minimal" : "",
                  asked.size, joined(asked.scopes), asked.atomics);
  if (!asked.orders.empty()) command += " --orders " + joined(asked.orders);
  const ptxmc::testing::Ran ran = ptxmc::testing::run_command(ptxmc + " " + command + " --jobs 2");
  int wrong = ran.status == 0 ? 0 : 1;
  std::map<std::string, bool> listed;
  for (const std::string& text : split("\n" + ran.output, "\nPTX ")) {
    if (text.empty()) continue;
    const auto [test, allowed] = parsed(text);
    if (listed.emplace(code_of(test), allowed).second) continue;
    std::cout << "listed twice: " << text << "\n";
    ++wrong;
  }
  const std::map<std::string, bool> all = Enumeration(asked, oracle).run();
  for (const auto& [code, allowed] : all) {
    const auto found = listed.find(code);
    if (found != listed.end() && found->second == allowed) continue;
    std::cout << (found == listed.end() ? "not listed: " : "another verdict: ") << code << "\n";
    ++wrong;
  }
  for (const auto& [code, allowed] : listed) {
    if (all.contains(code)) continue;
    std::cout << "listed, and no test of this kind: " << code << "\n";
    ++wrong;
  }
  std::cout << fmt::format("{}: {} tests, {} programs asked, {} mistakes\n", command, all.size(),
                           oracle.asked(), wrong);
  return wrong + (all.empty() ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cout << "usage: naive PTXMC [nightly]\n";
    return 2;
  }
  std::vector<Case> cases = {
      {2, {"cta", "gpu"}, {}, 1, false},
      {2, {"cta", "gpu"}, {}, 2, true},
      {3, {"cta", "gpu"}, {}, 1, true},
      {4, {"gpu"}, {"relaxed"}, 0, false},
      {2, {"cta", "cluster", "gpu"}, {}, 1, false},
      {3, {"cluster", "gpu"}, {}, 0, true},
  };
  if (argc > 2)
    cases = {{3, {"gpu"}, {"weak", "relaxed", "sc"}, 1, false},
             {3, {"cta", "gpu"}, {"relaxed", "release"}, 1, false},
             {4, {"gpu"}, {}, 0, true}};
  Oracle oracle;
  int wrong = 0;
  for (const Case& asked : cases) wrong += compare(argv[1], asked, oracle);
  return wrong == 0 ? 0 : 1;
}
