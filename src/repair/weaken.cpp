// SPDX-License-Identifier: Apache-2.0
#include "repair/weaken.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "finding/rules.h"
#include "input/litmus/parse.h"
#include "repair/cost_model.h"
#include "repair/new_findings.h"
#include "repair/order.h"
#include "repair/points.h"
#include "repair/repair.h"

namespace ptxmc::repair {

using isa::Opcode;
using isa::Scope;

namespace {

/// Leaving it out changes the order of others alone.
bool only_orders(const program::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::fence:
    case Opcode::fence_proxy:
    case Opcode::fence_mbarrier_init:
    case Opcode::wgmma_fence:
    case Opcode::tcgen05_fence:
    case Opcode::tcgen05_wait:
    case Opcode::cp_async_wait:
    case Opcode::cp_async_wait_all:
    case Opcode::wgmma_wait:
    case Opcode::griddep_wait:
      return true;
    default:
      return false;
  }
}

class Relaxing {
 public:
  Relaxing(const litmus::Test& test, const Layout& layout)
      : test_(test), layout_(layout), scopes_(telling_scopes(test)) {
    if (scopes_.front() != Scope::cta) scopes_.insert(scopes_.begin(), Scope::cta);
  }

  std::vector<Site> run() {
    for (std::size_t code = 0; code < layout_.codes().size(); ++code) {
      for (std::size_t i = 0; i < layout_.size(code); ++i) instruction(code, i);
    }
    barriers();
    return std::move(sites_);
  }

 private:
  std::string where(std::size_t code, std::size_t i) const {
    return fmt::format("{} line {}", threads_of(test_, layout_, code), layout_.line(code, i));
  }
  void instruction(std::size_t code, std::size_t i);
  void barriers();

  const litmus::Test& test_;
  const Layout& layout_;
  std::vector<Scope> scopes_;
  std::vector<Site> sites_;
};

void Relaxing::instruction(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  if (!acts(now)) return;
  const std::string old(layout_.mnemonic(code, i));
  Site site;
  std::vector<isa::Modifiers> said;
  const isa::Notation notation = test_.native ? isa::Notation::any : isa::Notation::short_form;
  for (Spelt& to : spellings(old, scopes_, notation)) {
    if (!at_most(to.modifiers, now.modifiers) || at_most(now.modifiers, to.modifiers)) continue;
    site.options.push_back({fmt::format("{}: {} -> {}", where(code, i), old, to.mnemonic),
                            {layout_.replace_mnemonic(code, i, to.mnemonic)},
                            to.mnemonic,
                            old,
                            1,
                            {}});
    said.push_back(to.modifiers);
  }
  for (std::size_t a = 0; a < said.size(); ++a) {
    for (std::size_t b = 0; b < said.size(); ++b) {
      if (a != b && at_most(said[b], said[a])) site.options[a].weaker.push_back(b);
    }
  }
  if (only_orders(now)) {
    for (Option& option : site.options) option.weaker.push_back(site.options.size());
    site.options.push_back(
        {fmt::format("{}: leave out {}", where(code, i), old), {layout_.remove(code, i)}, "", old, 1, {}});
  }
  if (!site.options.empty()) sites_.push_back(std::move(site));
}

// A barrier of a CTA goes from all threads that meet there: the N-th of one id, where each code has as many of it.
void Relaxing::barriers() {
  using Key = std::tuple<int, std::int64_t>;  // the CTA of codes that run in one, and the id
  std::map<Key, std::map<std::size_t, std::vector<std::size_t>>> found;
  for (std::size_t code = 0; code < layout_.codes().size(); ++code) {
    const program::Placement& place = test_.threads[layout_.codes()[code].thread].placement;
    for (std::size_t i = 0; i < layout_.size(code); ++i) {
      const program::Instruction& now = layout_.instruction(code, i);
      if (now.opcode != Opcode::bar_sync || now.modifiers.warp || now.operands.empty()) continue;
      const auto* id = std::get_if<program::Integer>(&now.operands.front().value);
      if (id != nullptr) found[{place.cta.value_or(-1) + 4096 * place.gpu, id->value}][code].push_back(i);
    }
  }
  for (const auto& [key, codes] : found) {
    const std::size_t count = codes.begin()->second.size();
    const bool alike = std::all_of(codes.begin(), codes.end(),
                                   [&](const auto& entry) { return entry.second.size() == count; });
    for (std::size_t n = 0; alike && n < count; ++n) {
      Site site;
      Option option{"", {}, "", "", codes.size(), {}};
      for (const auto& [code, list] : codes) {
        option.before = layout_.mnemonic(code, list[n]);
        option.what += (option.what.empty() ? "" : ", ") + where(code, list[n]);
        option.edits.push_back(layout_.remove(code, list[n]));
      }
      option.what += ": leave out " + option.before;
      site.options.push_back(std::move(option));
      sites_.push_back(std::move(site));
    }
  }
}

/// All that holds of a test.
Wanted holding(const Found& found) {
  Wanted out;
  out.outcome = found.outcome == false;
  out.race_free = found.races == false;
  out.terminates = found.hangs == false;
  out.defined = !found.undefined;
  return out;
}

/// And no finding that it does not have.
Wanted keeping(const Found& found) {
  Wanted out = holding(found);
  for (const finding::Rule& rule : finding::rules()) {
    const auto& had = found.findings;
    if (is_other_finding(rule) && std::find(had.begin(), had.end(), rule.name) == had.end())
      out.without.emplace_back(rule.name);
  }
  return out;
}

class Weakening {
 public:
  Weakening(const session::Session& session, const litmus::Test& test, const Costs& costs,
            const Budget& budget, Weakened& out)
      : layout_(test),
        sites_(relaxations(test, layout_)),
        prices_(costs, sites_),
        judge_(session, keeping(out.before), budget),
        new_findings_(session, test, out.before, budget),
        out_(out) {
    out_.measured = prices_.measured();
  }

  void run() {
    find_single();
    find_together();
  }
  Changes together;
  std::string text() const { return changed(layout_, sites_, together); }
  const std::vector<Site>& sites() const { return sites_; }
  double saved(const Change& change) const { return -prices_.difference(option(change)); }
  const Option& option(const Change& change) const { return sites_[change.site].options[change.option]; }

 private:
  bool keeps(const Changes& changes) {
    const std::string now = changed(layout_, sites_, changes);
    std::optional<bool> answer = judge_.safe(now);
    if (answer == true) answer = judge_.live(now, out_.kept.terminates);
    if (answer == true) answer = adds_none(now, changes);
    if (!answer) out_.open = true;
    return answer == true;
  }
  std::optional<bool> adds_none(const std::string& now, const Changes& changes) {
    std::vector<Edit> edits;
    for (const Change& change : changes)
      edits.insert(edits.end(), option(change).edits.begin(), option(change).edits.end());
    const std::optional<bool> added = new_findings_.any(now, edits);
    return added ? std::optional<bool>(!*added) : std::nullopt;
  }
  void find_single();
  void find_together();

  const Layout layout_;
  const std::vector<Site> sites_;
  const CostModel prices_;
  Judge judge_;
  NewFindings new_findings_;
  Weakened& out_;
  std::vector<Change> keeping_;  // alone
};

void Weakening::find_single() {
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    const std::vector<Option>& options = sites_[site].options;
    std::vector<bool> keeping(options.size());
    for (std::size_t k = 0; k < options.size(); ++k) {
      keeping[k] = keeps({{site, k}});
      if (keeping[k]) keeping_.push_back({site, k});
    }
    for (std::size_t k = 0; k < options.size(); ++k) {
      const bool weakest = std::none_of(options[k].weaker.begin(), options[k].weaker.end(),
                                        [&](std::size_t weaker) { return keeping[weaker]; });
      if (keeping[k] && weakest)
        out_.single.push_back({options[k].what, saved({site, k}), changed(layout_, sites_, {{site, k}})});
    }
  }
}

// What saves most first; what is relaxed already may be relaxed further.
void Weakening::find_together() {
  std::stable_sort(keeping_.begin(), keeping_.end(),
                   [&](const Change& a, const Change& b) { return saved(a) > saved(b); });
  for (bool more = true; more;) {
    more = false;
    for (const Change& change : keeping_) {
      Changes next = together;
      const auto there =
          std::find_if(next.begin(), next.end(), [&](const Change& c) { return c.site == change.site; });
      if (there != next.end()) {
        const std::vector<std::size_t>& weaker = option(*there).weaker;
        if (std::find(weaker.begin(), weaker.end(), change.option) == weaker.end()) continue;
        next.erase(there);
      }
      next.push_back(change);
      std::sort(next.begin(), next.end());
      if (!keeps(next)) continue;
      together = next;
      more = true;
    }
  }
}

}  // namespace

std::vector<Site> relaxations(const litmus::Test& test, const Layout& layout) {
  return Relaxing(test, layout).run();
}

Weakened weaken(const session::Session& session, const litmus::Test& test, const Costs& costs,
                const Budget& budget) {
  Weakened out;
  out.before = look(session, test, budget);
  out.kept = holding(out.before);
  out.text = test.source->text;
  if (out.keeps_nothing()) return out;
  Weakening weakening(session, test, costs, budget, out);
  try {
    weakening.run();
  } catch (const OutOfTime&) {
    out.out_of_time = true;
  }
  out.proof = out.before;
  if (weakening.together.empty()) return out;
  try {
    const std::string text = weakening.text();
    const auto source = std::make_shared<const Source>(Source{test.source->name, text});
    out.proof = look(session, litmus::parse(source), budget);
    if (!out.proof.has(out.kept)) throw OutOfTime();  // what was known of it a moment ago is open now
    out.text = text;
  } catch (const OutOfTime&) {
    out.out_of_time = true;
    return out;
  }
  for (const Change& change : weakening.together) {
    out.together.push_back(weakening.option(change).what);
    out.saved += weakening.saved(change);
  }
  return out;
}

}  // namespace ptxmc::repair
