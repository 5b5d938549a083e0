// SPDX-License-Identifier: Apache-2.0
#include "repair/minimal.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

namespace ptxmc::repair {

namespace {

bool includes(const Set& larger, const Set& smaller) {
  return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
}

Set with(const Set& set, std::size_t element) {
  Set out = set;
  out.insert(std::lower_bound(out.begin(), out.end(), element), element);
  return out;
}

Set united(const Set& a, const Set& b) {
  Set out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

class MinimalSearch {
 public:
  MinimalSearch(const std::vector<double>& costs, std::size_t most, const Ask& ask, const Minimal& found,
                bool monotone)
      : costs_(costs), most_(most), ask_(ask), found_(found), monotone_(monotone) {}

  MinimalSets run() {
    Set all(costs_.size());
    std::iota(all.begin(), all.end(), 0);
    if (monotone_ && !has(all)) {
      out_.any = false;
      return out_;
    }
    push({});
    while (!queue_.empty()) {
      const Partial next = queue_.top();
      queue_.pop();
      if (!visit(next.second, next.first)) break;
    }
    return out_;
  }

 private:
  using Partial = std::pair<double, Set>;

  bool has(const Set& set) {
    const std::optional<bool> answer = ask_(set);
    if (!answer) out_.open = true;
    return answer.value_or(false);
  }

  void push(Set set) {
    double cost = 0;
    for (const std::size_t element : set) cost += costs_[element];
    if (seen_.insert(set).second) queue_.emplace(cost, std::move(set));
  }

  // False: no more are wanted.
  bool visit(const Set& set, double cost) {
    for (const Set& known : minimal_) {
      if (includes(set, known)) return true;
    }
    if (const Set* cut = unmet(set)) {
      extend(set, *cut);
    } else if (has(set)) {
      minimal_.push_back(set);
      return found_(set, cost);
    } else if (monotone_) {
      cuts_.push_back(rest(grown(set)));
      extend(set, cuts_.back());
    } else {  // all larger sets are open
      extend(set, rest(set));
    }
    return true;
  }

  void extend(const Set& set, const Set& by) {
    if (set.size() == most_) {
      out_.beyond = out_.beyond || !by.empty();
      return;
    }
    for (const std::size_t element : by) push(with(set, element));
  }

  const Set* unmet(const Set& set) const {
    for (const Set& cut : cuts_) {
      const bool met = std::any_of(set.begin(), set.end(), [&](std::size_t element) {
        return std::binary_search(cut.begin(), cut.end(), element);
      });
      if (!met) return &cut;
    }
    return nullptr;
  }

  Set rest(const Set& set) const {
    Set out;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (!std::binary_search(set.begin(), set.end(), i)) out.push_back(i);
    }
    return out;
  }

  // A largest set around one that has not the property.
  Set grown(Set set) {
    grow(set, rest(set));
    return set;
  }
  void grow(Set& set, const Set& by) {
    if (by.empty()) return;
    const Set larger = united(set, by);
    if (!has(larger)) {
      set = larger;
      return;
    }
    if (by.size() == 1) return;
    const auto half = by.begin() + static_cast<std::ptrdiff_t>(by.size() / 2);
    grow(set, Set(by.begin(), half));
    grow(set, Set(half, by.end()));
  }

  const std::vector<double>& costs_;
  const std::size_t most_;
  const Ask& ask_;
  const Minimal& found_;
  const bool monotone_;
  MinimalSets out_;
  std::vector<Set> cuts_, minimal_;
  std::set<Set> seen_;
  std::priority_queue<Partial, std::vector<Partial>, std::greater<>> queue_;
};

bool no_stronger(const std::vector<std::vector<std::vector<std::size_t>>>& weaker, const Choice& a,
                 const Choice& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::vector<std::size_t>& below = weaker[i][b[i]];
    if (a[i] != b[i] && std::find(below.begin(), below.end(), a[i]) == below.end()) return false;
  }
  return true;
}

std::vector<Choice> by_asking_all(const std::vector<std::vector<std::vector<std::size_t>>>& weaker,
                                  const std::function<std::optional<bool>(const Choice&)>& ask) {
  std::vector<Choice> good;
  Choice now(weaker.size());
  for (bool more = true; more;) {
    if (ask(now) == true) good.push_back(now);
    more = false;
    for (std::size_t i = 0; i < now.size() && !more; ++i) {
      more = ++now[i] < weaker[i].size();
      if (!more) now[i] = 0;
    }
  }
  std::vector<Choice> out;
  for (const Choice& choice : good) {
    const bool least = std::none_of(good.begin(), good.end(), [&](const Choice& other) {
      return other != choice && no_stronger(weaker, other, choice);
    });
    if (least) out.push_back(choice);
  }
  return out;
}

}  // namespace

MinimalSets minimal_sets(const std::vector<double>& costs, std::size_t most, const Ask& ask,
                         const Minimal& found, bool monotone) {
  return MinimalSearch(costs, most, ask, found, monotone).run();
}

std::vector<Choice> minimal_choices(const std::vector<std::vector<std::vector<std::size_t>>>& weaker,
                                    const Choice& top,
                                    const std::function<std::optional<bool>(const Choice&)>& ask,
                                    bool monotone) {
  if (!monotone) return by_asking_all(weaker, ask);
  std::vector<Choice> good{top}, bad, minimal;
  const auto has = [&](const Choice& choice) {
    for (const Choice& known : bad) {
      if (no_stronger(weaker, choice, known)) return false;
    }
    for (const Choice& known : good) {
      if (no_stronger(weaker, known, choice)) return true;
    }
    const bool answer = ask(choice).value_or(false);
    (answer ? good : bad).push_back(choice);
    return answer;
  };
  std::set<Choice> seen{top};
  std::vector<Choice> open{top};
  while (!open.empty()) {
    const Choice now = open.back();
    open.pop_back();
    bool least = true;
    for (std::size_t i = 0; i < now.size(); ++i) {
      for (const std::size_t option : weaker[i][now[i]]) {
        Choice next = now;
        next[i] = option;
        if (!has(next)) continue;
        least = false;
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    if (least) minimal.push_back(now);
  }
  return minimal;
}

}  // namespace ptxmc::repair
