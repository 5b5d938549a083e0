// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ptx/isa/scopes.h"
#include "repair/cost_model.h"
#include "repair/kernel/access_moves.h"
#include "repair/kernel/advice.h"
#include "repair/kernel/barrier_changes.h"
#include "repair/kernel/code_points.h"
#include "repair/order.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;

/// The words of a mnemonic that say an order and a scope.
struct Said {
  std::optional<isa::Semantics> semantics;
  isa::Scope scope = isa::Scope::none;
};
Said said_by(std::string_view mnemonic) {
  Said out;
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos;) {
    const std::size_t end = mnemonic.find('.', at + 1);
    const std::string_view word = mnemonic.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    using isa::Semantics;
    for (const Semantics s : {Semantics::weak, Semantics::relaxed, Semantics::acquire, Semantics::release,
                              Semantics::acq_rel, Semantics::sc}) {
      if (word == word_of(s)) out.semantics = s;
    }
    for (const isa::Scope s : isa::kEveryScope) {
      if (word == word_of(s)) out.scope = s;
    }
    at = end;
  }
  return out;
}

/// An instruction of the test that stands elsewhere: what is left out in one place is put in at the other.
const Edit* moved_to(const std::vector<Edit>& edits, const Edit& out, const std::string& test) {
  if (!out.text.empty() || out.begin == out.end) return nullptr;
  std::string text = test.substr(out.begin, out.end - out.begin);
  const std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find(';');
  if (begin == std::string::npos) return nullptr;
  text = text.substr(begin, end == std::string::npos ? end : end - begin);
  const auto found = std::find_if(edits.begin(), edits.end(), [&](const Edit& edit) {
    return edit.begin == edit.end && edit.text.find(text) != std::string::npos;
  });
  return found == edits.end() ? nullptr : &*found;
}

class Finder {
 public:
  Finder(const Asking& asking, const std::vector<Repair>& found)
      : asking_(asking), changes_(asking.module, *asking.verified.program), found_(found) {}

  std::vector<KernelCandidate> run() {
    if (asking_.finding != nullptr) {
      for (const Repair& repair : found_) from_test(repair);
      for (const Way& way : advised(asking_, changes_)) add(way);
      for (const Way& way : access_moves(asking_, changes_)) add(way);
    }
    for (const Way& way : barrier_changes(asking_, changes_)) add(way);
    price();
    std::stable_sort(out_.begin(), out_.end(), [](const auto& a, const auto& b) {
      return std::tuple(!a.orders, a.moves, a.cost, a.nesting) <
             std::tuple(!b.orders, b.moves, b.cost, b.nesting);
    });
    return std::move(out_);
  }

 private:
  using Ways = std::vector<Way>;  // alternatives for one change

  const Instruction& at(trace::Site site) const { return asking_.verified.run->instruction(site); }

  /// A weak access of the two becomes a relaxed one.
  bool makes_strong(const Option& made) const {
    const auto is = [&](const trace::Place& place) {
      const Instruction& access = at(place.site);
      const std::size_t begin = asking_.module.respell(access.position, "").begin;
      return access.modifiers.semantics == isa::Semantics::weak &&
             std::any_of(made.edits.begin(), made.edits.end(),
                         [&](const Edit& edit) { return edit.begin == begin; });
    };
    return asking_.finding != nullptr && !made.before.empty() &&
           said_by(made.instruction).semantics == isa::Semantics::relaxed &&
           (is(asking_.finding->first) || is(asking_.finding->second));
  }

  void add(const Way& made);
  void add_ways(const Way& so_far, const std::vector<Ways>& ways, std::size_t next);
  void from_test(const Repair& repair);
  std::optional<Ways> mapped(const Edit& edit) const;
  std::optional<Ways> mapped_change(const Edit& edit, trace::Site site) const;
  std::optional<Ways> mapped_move(const Edit& out, const Edit& in) const;
  void price();

  std::size_t test_line(std::size_t offset) const {
    const std::string& text = asking_.confirmed->test;
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  }
  std::optional<trace::Site> site_of_line(std::size_t line) const {
    const auto& sites = asking_.confirmed->sites;
    return line < sites.size() ? sites[line] : std::nullopt;
  }
  /// The instructions of the test above and below what is put in.
  std::pair<std::optional<trace::Site>, std::optional<trace::Site>> around(const Edit& in) const {
    const std::size_t line = test_line(in.begin);
    const bool at_end = in.begin > 0 && asking_.confirmed->test[in.begin - 1] == ';';
    return {site_of_line(at_end ? line : line - 1), site_of_line(at_end ? line + 1 : line)};
  }

  const Asking& asking_;
  const ModuleChanges changes_;
  const std::vector<Repair>& found_;
  std::vector<KernelCandidate> out_;
  std::vector<Site> made_;      // of each of them: its changes
  std::set<std::string> seen_;  // texts
};

void Finder::add(const Way& made) {
  KernelCandidate candidate;
  std::vector<Option> once;
  for (const Option& one : made) {
    const bool again =
        std::any_of(once.begin(), once.end(), [&](const Option& other) { return other.edits == one.edits; });
    if (again) continue;  // several threads of the test execute the same code
    if (overlap(one.edits, candidate.edits)) return;
    once.push_back(one);
    candidate.edits.insert(candidate.edits.end(), one.edits.begin(), one.edits.end());
    candidate.what.push_back(one.what);
    candidate.nesting = std::max(candidate.nesting, one.nesting);
    candidate.moves = candidate.moves || one.moves;
  }
  if (std::all_of(once.begin(), once.end(), [](const Option& one) { return one.source.has_value(); })) {
    for (const Option& one : once) candidate.source.push_back(*one.source);
  }
  candidate.orders =
      !std::all_of(once.begin(), once.end(), [&](const Option& one) { return makes_strong(one); });
  if (!seen_.insert(edited(asking_.module.text(), candidate.edits)).second) return;
  out_.push_back(std::move(candidate));
  made_.push_back({.options = std::move(once)});
}

void Finder::add_ways(const std::vector<Option>& so_far, const std::vector<Ways>& ways, std::size_t next) {
  if (next == ways.size()) return add(so_far);
  for (const std::vector<Option>& way : ways[next]) {
    std::vector<Option> longer = so_far;
    longer.insert(longer.end(), way.begin(), way.end());
    add_ways(longer, ways, next + 1);
  }
}

void Finder::from_test(const Repair& repair) {
  std::vector<Ways> ways;
  std::vector<const Edit*> moved;  // what is put in of that is done
  bool meets = false;
  for (const Edit& edit : repair.edits) {
    if (std::find(moved.begin(), moved.end(), &edit) != moved.end()) continue;
    const std::string& text = edit.text;
    const bool barrier = edit.begin == edit.end && (text.find("bar.sync") != std::string::npos ||
                                                    text.find("bar.warp.sync") != std::string::npos ||
                                                    text.find("barrier.cluster") != std::string::npos);
    if (barrier) {  // of several threads of the test; of all in the kernel, which have one code
      if (std::exchange(meets, true)) continue;
      const bool of_cluster = text.find("barrier.cluster") != std::string::npos;
      ways.push_back(meetings(asking_, changes_,
                              of_cluster ? "barrier.cluster.arrive; barrier.cluster.wait"
                              : text.find("bar.warp.sync") != std::string::npos ? "bar.warp.sync 0xffffffff"
                                                                                : "bar.sync 0"));
      continue;
    }
    const Edit* in = moved_to(repair.edits, edit, asking_.confirmed->test);
    if (in != nullptr) moved.push_back(in);
    std::optional<Ways> there = in != nullptr ? mapped_move(edit, *in) : mapped(edit);
    if (!there) return;  // it speaks of what the test alone has
    ways.push_back(std::move(*there));
  }
  constexpr std::size_t kMostWays = 64;
  std::size_t product = 1;
  for (const Ways& there : ways) product *= there.size();
  if (product <= kMostWays) add_ways({}, ways, 0);
}

// An access of the kernel stands before, or after, the instruction that it does in the test.
std::optional<Finder::Ways> Finder::mapped_move(const Edit& out, const Edit& in) const {
  const std::size_t begin = asking_.confirmed->test.find_first_not_of(" \t\n", out.begin);
  const auto from = site_of_line(test_line(begin));
  const auto [above, below] = around(in);
  if (!from) return std::nullopt;
  Ways ways;
  const auto add_way = [&](std::optional<trace::Site> to, bool behind) {
    if (!to || !may_move(asking_, *from, !behind)) return;
    for (const trace::Place& place : {asking_.finding->first, asking_.finding->second}) {
      const std::vector<Instruction>& code = asking_.verified.run->thread(place.thread).body->code;
      const auto moved =
          changes_.moved(code, index_of(code, at(*from).position), index_of(code, at(*to).position), behind);
      if (moved) ways.push_back({*moved});
      if (moved) return;
    }
  };
  add_way(below, false);
  add_way(above, true);
  if (ways.empty()) return std::nullopt;
  return ways;
}

// What is put in between two instructions of the test stands directly after the one, or directly before the
// other.
std::optional<Finder::Ways> Finder::mapped(const Edit& edit) const {
  if (edit.begin != edit.end) {
    const auto site = site_of_line(test_line(edit.begin));
    return site ? mapped_change(edit, *site) : std::nullopt;
  }
  std::vector<std::string> instructions;
  for (std::size_t at = 0; at < edit.text.size();) {
    const std::size_t begin = edit.text.find_first_not_of(" \t\n;", at);
    if (begin == std::string::npos) break;
    at = std::min(edit.text.find(';', begin), edit.text.size());
    instructions.push_back(edit.text.substr(begin, at - begin));
  }
  for (const std::string& instruction : instructions) {
    if (instruction.find_first_of("[%@:") != std::string::npos && instruction.find("::") == std::string::npos)
      return std::nullopt;  // names of the test
    if (instruction.find('[') != std::string::npos || instruction.find('%') != std::string::npos)
      return std::nullopt;
  }
  const auto [above, below] = around(edit);
  std::string all;
  for (const std::string& instruction : instructions) all += (all.empty() ? "" : "; ") + instruction;
  Ways out;
  if (above) out.push_back({changes_.behind(at(*above), all)});
  if (below) out.push_back({changes_.before(at(*below), all)});
  if (out.empty()) return std::nullopt;
  return out;
}

// Orders and scopes are those of the test's new instruction; the number of groups left pending is the same there and here.
std::optional<Finder::Ways> Finder::mapped_change(const Edit& edit, trace::Site site) const {
  const Instruction& there = at(site);
  const std::string old(changes_.mnemonic(there));
  if (edit.text.empty()) return std::nullopt;
  if (std::isdigit(static_cast<unsigned char>(edit.text.front())) != 0)
    return Ways{{changes_.with_operand(there, 0, edit.text, edit.text)}};
  const std::size_t read = old.find(".read");
  if (edit.text.find("wait_group") != std::string::npos && read != std::string::npos)
    return Ways{{changes_.respelt_as(there, old.substr(0, read) + old.substr(read + 5))}};
  const Said said = said_by(edit.text);
  if (!said.semantics) return std::nullopt;
  const auto made = changes_.respelt_as(there, *said.semantics, said.scope);
  if (!made) return std::nullopt;
  return Ways{{*made}};
}

void Finder::price() {
  const CostModel prices(asking_.costs, made_);
  for (std::size_t i = 0; i < out_.size(); ++i) {
    for (const Option& one : made_[i].options) out_[i].cost += prices.of(one);
  }
}

}  // namespace

std::vector<KernelCandidate> candidates(const Asking& asking, const std::vector<Repair>& found) {
  return Finder(asking, found).run();
}

}  // namespace ptxmc::repair
