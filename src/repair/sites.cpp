// SPDX-License-Identifier: Apache-2.0
// What can be made stronger in a test, and what can be inserted: a row of kInsertions for each kind of instruction.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "repair/change.h"
#include "repair/map_fences.h"
#include "repair/operands.h"
#include "repair/order.h"
#include "repair/points.h"
#include "repair/rendezvous.h"

namespace ptxmc::repair {

using isa::Family;
using isa::Opcode;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

namespace {

/// Instructions of one thread, or of all: groups of copies, and tcgen05.wait, are a thread's own.
struct Scene {
  const litmus::Test& test;
  const program::Body& own;
};

bool any_instruction(const litmus::Test& test, const std::function<bool(const program::Instruction&)>& is) {
  for (const program::Thread& thread : test.threads) {
    if (std::any_of(thread.code().begin(), thread.code().end(), is)) return true;
  }
  return false;
}

bool own_opcode(const Scene& scene, Opcode opcode) {
  return std::any_of(scene.own.code.begin(), scene.own.code.end(),
                     [&](const program::Instruction& instruction) { return instruction.opcode == opcode; });
}

bool has_opcode(const litmus::Test& test, std::initializer_list<Opcode> opcodes) {
  return any_instruction(test, [&](const program::Instruction& instruction) {
    return std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
  });
}

bool has_family(const litmus::Test& test, Family family) {
  return any_instruction(test, [&](const program::Instruction& instruction) {
    return isa::traits(instruction.opcode).family == family;
  });
}

bool uses_async_proxy(const litmus::Test& test) {
  return has_family(test, Family::async_copy) || has_family(test, Family::tensor) ||
         has_opcode(test, {Opcode::wgmma_mma, Opcode::launch_cancel, Opcode::st_async, Opcode::red_async});
}

bool uses_proxy(const litmus::Test& test, Proxy proxy) {
  const bool aliased = std::any_of(test.variables.begin(), test.variables.end(), [&](const auto& variable) {
    if (proxy == Proxy::alias) return !variable.aliases.empty() || !variable.locations.empty();
    return variable.alias_proxy == proxy;
  });
  return aliased || any_instruction(test, [&](const program::Instruction& instruction) {
           const bool nc = proxy == Proxy::texture && instruction.modifiers.non_coherent;
           return nc || (acts(instruction) && instruction.modifiers.proxy == proxy);
         });
}

/// What is inserted at a point: of the instructions, in order, the last is the strongest.
struct Insertion {
  Kind kind;
  Effect effect;
  bool ends;  ///< before and after everything, too
  bool (*useful)(const Scene&);
  std::vector<std::vector<std::string>> options;
  std::vector<std::vector<std::size_t>> weaker;
};

const std::vector<Insertion>& insertions() {  // NOLINT(readability-function-size): a table
  static const std::vector<Insertion> kInsertions = {
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return uses_async_proxy(s.test); },
       {{"fence.proxy.async.global"},
        {"fence.proxy.async.shared::cta"},
        {"fence.proxy.async.shared::cluster"},
        {"fence.proxy.async"}},
       {{}, {}, {1}, {0, 1, 2}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return uses_proxy(s.test, Proxy::alias); },
       {{"fence.proxy.alias"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return uses_proxy(s.test, Proxy::constant); },
       {{"fence.proxy.constant"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return uses_proxy(s.test, Proxy::texture); },
       {{"fence.proxy.texture"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return uses_proxy(s.test, Proxy::surface); },
       {{"fence.proxy.surface"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return own_opcode(s, Opcode::mbarrier_init); },
       {{"fence.mbarrier_init.release.cluster"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return has_family(s.test, Family::tensor); },
       {{"tcgen05.fence::before_thread_sync"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return has_family(s.test, Family::tensor); },
       {{"tcgen05.fence::after_thread_sync"}},
       {{}}},
      {Kind::proxy,
       Effect::orders,
       false,
       [](const Scene& s) { return own_opcode(s, Opcode::wgmma_mma); },
       {{"wgmma.fence.sync.aligned"}},
       {{}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) { return own_opcode(s, Opcode::wgmma_mma); },
       {{"wgmma.wait_group.sync.aligned 0"},
        {"wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned 0"}},
       {{}, {0}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) { return own_opcode(s, Opcode::tcgen05_ld); },
       {{"tcgen05.wait::ld.sync.aligned"}},
       {{}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) { return own_opcode(s, Opcode::tcgen05_st); },
       {{"tcgen05.wait::st.sync.aligned"}},
       {{}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) { return own_opcode(s, Opcode::cp_async); },
       {{"cp.async.wait_group 0"}, {"cp.async.wait_all"}},
       {{}, {0}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) {
         return std::any_of(s.own.code.begin(), s.own.code.end(), [](const program::Instruction& i) {
           return i.text.find(".bulk_group") != std::string::npos;
         });
       },
       {{"cp.async.bulk.wait_group.read 0"},
        {"cp.async.bulk.wait_group 0"},
        {"cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"}},
       {{}, {0}, {0, 1}}},
      {Kind::wait,
       Effect::orders,
       true,
       [](const Scene& s) {
         return std::any_of(s.test.kernels.kernels.begin(), s.test.kernels.kernels.end(),
                            [](const program::Kernel& k) { return !k.programmatic.empty(); }) ||
                has_family(s.test, Family::grid);
       },
       {{"griddepcontrol.wait"}},
       {{}}},
  };
  return kInsertions;
}

class Finder {
 public:
  Finder(const litmus::Test& test, const Layout& layout, const Reach& reach)
      : test_(test),
        layout_(layout),
        reach_(reach),
        scopes_(telling_scopes(test)),
        notation_(test.native ? isa::Notation::any : isa::Notation::short_form) {}

  std::vector<Site> run() {
    for (std::size_t code = 0; code < layout_.codes().size(); ++code) {
      for (std::size_t i = 0; i < layout_.size(code); ++i) instruction(code, i);
      if (test_.threads[layout_.codes()[code].thread].placement.host) continue;
      for (const Point& point : points_of(layout_, code)) {
        fence(point);
        for (const Insertion& one : insertions()) insert(point, one);
        add_map_fences(test_, layout_, scopes_, point, sites_);
      }
    }
    const Runs runs(test_, layout_);
    if (reach_.operands) {
      const std::vector<Access> all = accesses_of(runs);
      add_places(runs, all, sites_);
      add_values(runs, all, sites_);
      add_sizes(runs, all, sites_);
    }
    if (!reach_.meetings) return std::move(sites_);
    std::vector<Site> late;  // the same fences after what threads meet at
    for (const Site& site : sites_) {
      if (site.kind != Kind::fence && site.kind != Kind::proxy) continue;
      late.push_back(site);
      late.back().rank = Rank::late;
    }
    sites_.insert(sites_.end(), late.begin(), late.end());
    add_rendezvous(runs, sites_);
    add_signals(runs, sites_);
    add_other_signals(runs, sites_);
    add_moves(runs, sites_);
    return std::move(sites_);
  }

 private:
  void instruction(std::size_t code, std::size_t i);
  void wait(std::size_t code, std::size_t i);
  void fence(const Point& point);
  void insert(const Point& point, const Insertion& one);

  const litmus::Test& test_;
  const Layout& layout_;
  const Reach& reach_;
  std::vector<Scope> scopes_;
  isa::Notation notation_;
  std::vector<Site> sites_;
};

/// Those that are weaker, by what they say.
void relate(Site& site, const std::vector<isa::Modifiers>& said) {
  for (std::size_t a = 0; a < said.size(); ++a) {
    for (std::size_t b = 0; b < said.size(); ++b) {
      if (a != b && at_most(said[b], said[a])) site.options[a].weaker.push_back(b);
    }
  }
}

void Finder::instruction(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  if (now.opcode == Opcode::cp_async_wait || now.opcode == Opcode::wgmma_wait) return wait(code, i);
  if (!acts(now)) return;
  const std::string old(layout_.mnemonic(code, i));
  Site site;
  std::vector<isa::Modifiers> said;
  for (Spelt& to : spellings(old, scopes_, notation_)) {
    const Semantics semantics = to.modifiers.semantics;
    if (at_most(to.modifiers, now.modifiers) || !at_most(now.modifiers, to.modifiers)) continue;
    const bool half = semantics == Semantics::acquire || semantics == Semantics::release;
    const bool acquires = semantics == Semantics::acquire || semantics == Semantics::acq_rel;
    if (semantics == Semantics::sc && !reach_.sequential) continue;
    if (now.opcode == Opcode::fence && half && !reach_.half_fences) continue;
    if (now.opcode == Opcode::red && test_.native && acquires) continue;  // ptx/resolve/instruction.cpp
    site.options.push_back({fmt::format("{} line {}: {} -> {}", threads_of(test_, layout_, code),
                                        layout_.line(code, i), old, to.mnemonic),
                            {layout_.replace_mnemonic(code, i, to.mnemonic)},
                            to.mnemonic,
                            old});
    said.push_back(to.modifiers);
  }
  if (site.options.empty()) return;
  relate(site, said);
  sites_.push_back(std::move(site));
}

// Fewer groups left pending; of bulk groups, not their reads alone.
void Finder::wait(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  const auto* pending =
      now.operands.empty() ? nullptr : std::get_if<program::Integer>(&now.operands[0].value);
  if (pending == nullptr) return;
  const std::string old(layout_.mnemonic(code, i));
  const std::size_t read = old.find(".read");
  Site site;
  std::vector<std::pair<bool, std::int64_t>> said;
  for (const bool whole : {false, true}) {
    if (whole && read == std::string::npos) continue;
    const std::string to = whole ? old.substr(0, read) + old.substr(read + 5) : old;
    for (std::int64_t left = pending->value; left >= 0; --left) {
      if (left == pending->value && !whole) continue;
      Option option{fmt::format("{} line {}: {} {} -> {} {}", threads_of(test_, layout_, code),
                                layout_.line(code, i), old, pending->value, to, left),
                    {layout_.replace_operand(now.operands[0], std::to_string(left))},
                    to,
                    old};
      if (whole) option.edits.push_back(layout_.replace_mnemonic(code, i, to));
      for (std::size_t k = 0; k < said.size(); ++k) {
        if (said[k].first <= whole && said[k].second >= left) option.weaker.push_back(k);
      }
      site.options.push_back(std::move(option));
      said.emplace_back(whole, left);
      if (pending->value - left > 8) break;  // more stages than anybody has
    }
  }
  if (!site.options.empty()) sites_.push_back(std::move(site));
}

void Finder::fence(const Point& point) {
  if (!point.inner || point.fenced) return;  // beside a fence that is there, that one is strengthened
  Site site;
  site.kind = Kind::fence;
  std::vector<isa::Modifiers> said;
  for (const Spelt& to : spellings("fence.acq_rel.gpu", scopes_, notation_)) {
    const Semantics semantics = to.modifiers.semantics;
    const bool half = semantics == Semantics::acquire || semantics == Semantics::release;
    if ((half && !reach_.half_fences) || (semantics == Semantics::sc && !reach_.sequential)) continue;
    site.options.push_back({fmt::format("{}: insert {}", point.place(test_, layout_), to.mnemonic),
                            {point.insert(layout_, {to.mnemonic})},
                            to.mnemonic,
                            ""});
    said.push_back(to.modifiers);
  }
  relate(site, said);
  sites_.push_back(std::move(site));
}

void Finder::insert(const Point& point, const Insertion& one) {
  const Scene scene{test_, *test_.threads[layout_.codes()[point.code].thread].body};
  if ((!point.inner && !one.ends) || !one.useful(scene)) return;
  Site site;
  site.kind = one.kind;
  site.rank = one.kind == Kind::wait ? Rank::wait : Rank::fence;
  site.effect = one.effect;
  for (std::size_t k = 0; k < one.options.size(); ++k) {
    const std::vector<std::string>& instructions = one.options[k];
    std::string all;
    std::vector<std::string> beside;
    for (const std::string& instruction : instructions) {
      all += (all.empty() ? "" : "; ") + instruction;
      if (&instruction != &instructions.back())
        beside.push_back(instruction.substr(0, instruction.find(' ')));
    }
    const std::string& last = instructions.back();
    site.options.push_back({fmt::format("{}: insert {}", point.place(test_, layout_), all),
                            {point.insert(layout_, instructions)},
                            last.substr(0, last.find(' ')),
                            "",
                            1,
                            one.weaker[k],
                            std::move(beside)});
  }
  sites_.push_back(std::move(site));
}

}  // namespace

std::vector<Site> strengthenings(const litmus::Test& test, const Layout& layout, const Reach& reach) {
  return Finder(test, layout, reach).run();
}

std::string changed(const Layout& layout, const std::vector<Site>& sites, const Changes& changes) {
  std::vector<Edit> edits;
  for (const Rank rank : {Rank::wait, Rank::fence, Rank::meeting, Rank::late}) {
    for (const Change& change : changes) {
      if (sites[change.site].rank != rank) continue;
      const Option& option = sites[change.site].options[change.option];
      edits.insert(edits.end(), option.edits.begin(), option.edits.end());
    }
  }
  return edited(layout.text(), std::move(edits));
}

}  // namespace ptxmc::repair
