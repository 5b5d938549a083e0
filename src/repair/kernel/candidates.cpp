// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include "explain/verify/kernels.h"
#include "finding/rules.h"
#include "ptx/isa/scopes.h"
#include "repair/cost_model.h"
#include "repair/kernel/code_points.h"
#include "repair/order.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;
using trace::Missing;

/// What the cause of a finding asks for, beside what the extracted test is repaired by.
enum class Where : std::uint8_t {
  behind_first,
  before_second,
  above_second,  ///< before one of the instructions that stand above it
  behind_acquire,
  before_release,
  meeting,  ///< at a point between the two
};
struct Asked {
  Missing missing;
  Where where;
  const char* instruction;
};
constexpr Asked kAsked[] = {
    {Missing::synchronization, Where::meeting, "bar.warp.sync 0xffffffff"},
    {Missing::synchronization, Where::meeting, "bar.sync 0"},
    {Missing::synchronization, Where::behind_first, "fence.acq_rel.gpu"},
    {Missing::synchronization, Where::before_second, "fence.acq_rel.gpu"},
    {Missing::warp_sync, Where::meeting, "bar.warp.sync 0xffffffff"},
    {Missing::wait, Where::before_second, "cp.async.wait_all"},
    {Missing::wait, Where::before_second, "cp.async.bulk.wait_group 0"},
    {Missing::wait, Where::before_second, "cp.async.bulk.wait_group.read 0"},
    {Missing::wait, Where::meeting, "bar.sync 0"},
    {Missing::proxy_fence, Where::behind_first, "fence.proxy.async"},
    {Missing::proxy_fence, Where::before_second, "fence.proxy.async"},
    {Missing::init_fence, Where::behind_first, "fence.mbarrier_init.release.cluster"},
    {Missing::init_fence, Where::behind_first, "fence.proxy.async"},
    {Missing::tensor_fence, Where::before_second, "tcgen05.fence::after_thread_sync"},
    {Missing::tensor_fence, Where::above_second, "tcgen05.fence::after_thread_sync"},
    {Missing::tensor_fence, Where::behind_first, "tcgen05.fence::before_thread_sync"},
    {Missing::wgmma_fence, Where::before_second, "wgmma.fence.sync.aligned"},
    {Missing::wgmma_fence, Where::above_second, "wgmma.fence.sync.aligned"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.cta"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.gpu"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.sys"},
    {Missing::release, Where::before_release, "fence.acq_rel.gpu"},
    {Missing::release, Where::before_release, "fence.acq_rel.sys"},
    {Missing::sequential_fence, Where::behind_acquire, "fence.sc.gpu"},
    {Missing::scope, Where::behind_acquire, "fence.acq_rel.gpu"},
    {Missing::scope, Where::before_release, "fence.acq_rel.gpu"},
};

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

std::string_view name_of(const std::string& instruction) {
  return std::string_view(instruction).substr(0, instruction.find(' '));
}

class Finder {
 public:
  Finder(const Asking& asking, const std::vector<Repair>& found) : asking_(asking), found_(found) {}

  std::vector<KernelCandidate> run() {
    for (const Repair& repair : found_) from_test(repair);
    by_cause();
    wait_for_kernels();
    publish_inits();
    respelt_ends();
    price();
    std::stable_sort(out_.begin(), out_.end(), [](const auto& a, const auto& b) {
      return a.orders != b.orders ? a.orders : a.cost < b.cost;
    });
    return std::move(out_);
  }

 private:
  using Ways = std::vector<std::vector<Option>>;  // of one change, in so many ways

  const Instruction& at(trace::Site site) const { return asking_.verified.run->instruction(site); }
  const std::vector<Instruction>& code_of(trace::Thread thread) const {
    return asking_.verified.run->thread(thread).body->code;
  }
  std::string line(const Instruction& i) const {
    return line_text(asking_.verified.program->origins, i.position);
  }
  Option behind(const Instruction& i, const std::string& what) const {
    return {fmt::format("after {}: insert {}", line(i), what),
            {asking_.module.put_behind(i.position, what)},
            std::string(name_of(what)),
            ""};
  }
  Option before(const Instruction& i, const std::string& what) const {
    return {fmt::format("before {}: insert {}", line(i), what),
            {asking_.module.put_before(i.position, what)},
            std::string(name_of(what)),
            ""};
  }
  std::optional<Option> respelt_as(const Instruction& i, isa::Semantics semantics, isa::Scope scope) const;

  /// A weak access of the two becomes a relaxed one.
  bool makes_strong(const Option& made) const {
    const auto is = [&](const trace::Place& place) {
      const Instruction& access = at(place.site);
      return access.modifiers.semantics == isa::Semantics::weak &&
             made.edits.front().begin == asking_.module.respell(access.position, "").begin;
    };
    return !made.before.empty() && said_by(made.instruction).semantics == isa::Semantics::relaxed &&
           (is(asking_.finding.first) || is(asking_.finding.second));
  }

  void add(const std::vector<Option>& made);
  void add_ways(const std::vector<Option>& so_far, const std::vector<Ways>& ways, std::size_t next);
  void from_test(const Repair& repair);
  std::optional<Ways> mapped(const Edit& edit) const;
  std::optional<Ways> mapped_change(const Edit& edit, trace::Site site) const;
  Ways meeting(const std::string& instruction) const;
  Ways above(const trace::Place& place, const std::string& instruction) const;
  void by_cause();
  void wait_for_kernels();
  void publish_inits();
  void respelt_ends();
  void price();

  std::size_t test_line(std::size_t offset) const {
    const std::string& text = asking_.confirmed.test;
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  }
  std::optional<trace::Site> site_of_line(std::size_t line) const {
    const auto& sites = asking_.confirmed.sites;
    return line < sites.size() ? sites[line] : std::nullopt;
  }

  const Asking& asking_;
  const std::vector<Repair>& found_;
  std::vector<KernelCandidate> out_;
  std::vector<Site> made_;      // of each of them: its changes
  std::set<std::string> seen_;  // texts
};

std::optional<Option> Finder::respelt_as(const Instruction& i, isa::Semantics semantics,
                                         isa::Scope scope) const {
  const std::string old(asking_.module.mnemonic(i.position));
  const std::optional<Spelt> to = respelt(old, semantics, scope, isa::Notation::any);
  if (!to || to->mnemonic == old || !at_most(i.modifiers, to->modifiers)) return std::nullopt;
  return Option{fmt::format("{}: {} -> {}", line(i), old, to->mnemonic),
                {asking_.module.respell(i.position, to->mnemonic)},
                to->mnemonic,
                old};
}

void Finder::add(const std::vector<Option>& made) {
  KernelCandidate candidate;
  std::vector<Option> once;
  for (const Option& one : made) {
    const bool again = std::any_of(once.begin(), once.end(), [&](const Option& other) {
      return other.edits.front().begin == one.edits.front().begin &&
             other.edits.front().text == one.edits.front().text;
    });
    if (again) continue;  // several threads of the test execute the same code
    if (overlap(one.edits, candidate.edits)) return;
    once.push_back(one);
    candidate.edits.push_back(one.edits.front());
    candidate.what.push_back(one.what);
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
  bool meets = false;
  for (const Edit& edit : repair.edits) {
    const std::string& text = edit.text;
    const bool barrier = edit.begin == edit.end && (text.find("bar.sync") != std::string::npos ||
                                                    text.find("bar.warp.sync") != std::string::npos ||
                                                    text.find("barrier.cluster") != std::string::npos);
    if (barrier) {  // of several threads of the test; of all in the kernel, which have one code
      if (std::exchange(meets, true)) continue;
      const bool of_cluster = text.find("barrier.cluster") != std::string::npos;
      ways.push_back(meeting(of_cluster ? "barrier.cluster.arrive; barrier.cluster.wait"
                             : text.find("bar.warp.sync") != std::string::npos ? "bar.warp.sync 0xffffffff"
                                                                               : "bar.sync 0"));
      continue;
    }
    std::optional<Ways> there = mapped(edit);
    if (!there) return;  // it speaks of what the test alone has
    ways.push_back(std::move(*there));
  }
  constexpr std::size_t kMostWays = 64;
  std::size_t product = 1;
  for (const Ways& there : ways) product *= there.size();
  if (product <= kMostWays) add_ways({}, ways, 0);
}

// What is put in between two instructions of the test stands directly after the one, or directly before the
// other.
std::optional<Finder::Ways> Finder::mapped(const Edit& edit) const {
  const std::string& text = asking_.confirmed.test;
  const std::size_t line = test_line(edit.begin);
  if (edit.begin != edit.end) {
    const auto site = site_of_line(line);
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
  const bool at_end = edit.begin > 0 && text[edit.begin - 1] == ';';
  const auto above = site_of_line(at_end ? line : line - 1), below = site_of_line(at_end ? line + 1 : line);
  std::string all;
  for (const std::string& instruction : instructions) all += (all.empty() ? "" : "; ") + instruction;
  Ways out;
  if (above) out.push_back({behind(at(*above), all)});
  if (below) out.push_back({before(at(*below), all)});
  if (out.empty()) return std::nullopt;
  return out;
}

// Orders and scopes are those of the test's new instruction; the number of groups left pending is the same there and here.
std::optional<Finder::Ways> Finder::mapped_change(const Edit& edit, trace::Site site) const {
  const Instruction& there = at(site);
  const std::string old(asking_.module.mnemonic(there.position));
  if (std::isdigit(static_cast<unsigned char>(edit.text.front())) != 0) {
    return Ways{{Option{fmt::format("{}: {} {}", line(there), old, edit.text),
                        {asking_.module.replace_operand(there.position, edit.text)},
                        old,
                        old}}};
  }
  const std::size_t read = old.find(".read");
  if (edit.text.find("wait_group") != std::string::npos && read != std::string::npos) {
    const std::string to = old.substr(0, read) + old.substr(read + 5);
    return Ways{{Option{fmt::format("{}: {} -> {}", line(there), old, to),
                        {asking_.module.respell(there.position, to)},
                        to,
                        old}}};
  }
  const Said said = said_by(edit.text);
  if (!said.semantics) return std::nullopt;
  const auto made = respelt_as(there, *said.semantics, said.scope);
  if (!made) return std::nullopt;
  return Ways{{*made}};
}

Finder::Ways Finder::meeting(const std::string& instruction) const {
  const trace::Finding& finding = asking_.finding;
  const std::vector<Instruction>& code = code_of(finding.first.thread);
  Ways out;
  for (const std::size_t i :
       points_between(code, at(finding.first.site).position, at(finding.second.site).position))
    out.push_back({before(code[i], instruction)});
  return out;
}

Finder::Ways Finder::above(const trace::Place& place, const std::string& instruction) const {
  const std::vector<Instruction>& code = code_of(place.thread);
  Ways out;
  for (const std::size_t i : points_above(code, at(place.site).position))
    out.push_back({before(code[i], instruction)});
  return out;
}

void Finder::by_cause() {
  const trace::Finding& finding = asking_.finding;
  const Instruction &first = at(finding.first.site), &second = at(finding.second.site);
  for (const Asked& asked : kAsked) {
    if (asked.missing != finding.cause.missing) continue;
    switch (asked.where) {
      case Where::behind_first:
        add({behind(first, asked.instruction)});
        break;
      case Where::before_second:
        add({before(second, asked.instruction)});
        break;
      case Where::above_second:
        for (const std::vector<Option>& way : above(finding.second, asked.instruction)) add(way);
        break;
      case Where::behind_acquire:
        if (finding.cause.acquire) add({behind(at(*finding.cause.acquire), asked.instruction)});
        break;
      case Where::before_release:
        if (finding.cause.release) add({before(at(*finding.cause.release), asked.instruction)});
        break;
      case Where::meeting:
        for (const std::vector<Option>& way : meeting(asked.instruction)) add(way);
        break;
    }
  }
}

// A kernel that starts before the one that it depends on is over waits for that (9.7.12.13).
void Finder::wait_for_kernels() {
  if (!explain::between_kernels(asking_.verified, asking_.finding)) return;
  constexpr const char* kWait = "griddepcontrol.wait";
  const Option waits = before(at(asking_.finding.second.site), kWait);
  add({waits});
  std::vector<Option> chain{waits};  // where kernels stand between the two, they wait, too
  for (const program::Kernel& kernel : asking_.verified.program->kernels.kernels) {
    const auto runs = [&](const trace::Place& place) {
      return std::find(kernel.threads.begin(), kernel.threads.end(), place.thread) != kernel.threads.end();
    };
    if (kernel.programmatic.empty() || kernel.threads.empty() || runs(asking_.finding.first) ||
        runs(asking_.finding.second))
      continue;
    const std::vector<Instruction>& code = code_of(kernel.threads.front());
    const auto entry =
        std::find_if(code.begin(), code.end(), [](const Instruction& i) { return i.position.known(); });
    if (entry != code.end()) chain.push_back(before(*entry, kWait));
  }
  if (chain.size() > 1) add(chain);
  for (const std::vector<Option>& way : above(asking_.finding.second, kWait)) add(way);
}

// What threads did to several mbarrier objects is published by one fence after the last of them.
void Finder::publish_inits() {
  const finding::RuleId rule = asking_.finding.rule;
  if (rule != finding::RuleId::mbarrier_uninitialised && rule != finding::RuleId::mbarrier_init_unfenced)
    return;
  for (const std::vector<Option>& way : meeting("fence.mbarrier_init.release.cluster")) add(way);
}

// A release and an acquire that do not meet: at wider scopes, and as what they are not yet.
void Finder::respelt_ends() {
  using isa::Scope;
  using isa::Semantics;
  const trace::Cause& cause = asking_.finding.cause;
  if (cause.missing != Missing::scope && cause.missing != Missing::acquire &&
      cause.missing != Missing::release && cause.missing != Missing::mutual_scope)
    return;
  const trace::Site left = cause.release.value_or(asking_.finding.first.site);
  const trace::Site right = cause.acquire.value_or(asking_.finding.second.site);
  for (const Scope scope : isa::kEveryScope) {
    std::vector<std::vector<Option>> ends(2);
    for (const Semantics s : {Semantics::relaxed, Semantics::release, Semantics::acq_rel, Semantics::sc}) {
      if (auto made = respelt_as(at(left), s, scope)) ends[0].push_back(std::move(*made));
    }
    for (const Semantics s : {Semantics::relaxed, Semantics::acquire, Semantics::acq_rel, Semantics::sc}) {
      if (auto made = respelt_as(at(right), s, scope)) ends[1].push_back(std::move(*made));
    }
    for (const auto& end : ends) {
      for (const Option& made : end) add({made});
    }
    for (const Option& a : ends[0]) {
      for (const Option& b : ends[1]) add({a, b});
    }
  }
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
