// SPDX-License-Identifier: Apache-2.0
#include "repair/order.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "ptx/isa/scopes.h"

namespace ptxmc::repair {

using isa::Group;
using isa::Scope;
using isa::Semantics;

namespace {

constexpr std::array kOrders = {Semantics::weak,    Semantics::relaxed, Semantics::acquire,
                                Semantics::release, Semantics::acq_rel, Semantics::sc};

/// What both directions of an order are: bit 0 strong, 1 acquire, 2 release, 3 sequential.
unsigned bits_of(Semantics semantics) {
  switch (semantics) {
    case Semantics::weak:
      return 0;
    case Semantics::relaxed:
    case Semantics::volatile_:
    case Semantics::mmio:
      return 1;
    case Semantics::acquire:
      return 3;
    case Semantics::release:
      return 5;
    case Semantics::acq_rel:
      return 7;
    case Semantics::sc:
      return 15;
  }
  return 0;
}

std::vector<std::string_view> words_of(std::string_view dotted) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t dot = dotted.find('.');
    out.push_back(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    dotted.remove_prefix(dot + 1);
  }
}

bool has_word(std::string_view list, std::string_view word) {
  const auto all = isa::split_words(list);
  return std::find(all.begin(), all.end(), word) != all.end();
}

const isa::Choice* choice_of(const isa::Form& form, Group group) {
  for (const isa::Choice& choice : form.choices) {
    if (choice.group == group) return &choice;
  }
  return nullptr;
}

bool of_group(const isa::Form& form, Group group, std::string_view word) {
  const isa::Choice* choice = choice_of(form, group);
  return choice != nullptr && has_word(choice->words, word);
}

/// A word that is not of the instruction any more.
bool goes(const isa::Form& form, Semantics semantics, std::string_view word) {
  for (const Group group : {Group::semantics, Group::mmio, Group::scope, Group::level, Group::non_coherent}) {
    if (of_group(form, group, word)) return true;
  }
  return semantics != Semantics::weak && of_group(form, Group::cache_operator, word);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ".") + word;
  return out;
}

}  // namespace

bool at_most(Semantics a, Semantics b) {
  return (bits_of(a) & ~bits_of(b)) == 0;
}

bool at_most(const isa::Modifiers& a, const isa::Modifiers& b) {
  if (b.non_coherent && !a.non_coherent) return false;
  if (a.semantics == Semantics::weak) return true;
  return at_most(a.semantics, b.semantics) && a.scope <= b.scope;
}

std::string word_of(Semantics semantics) {
  switch (semantics) {
    case Semantics::weak:
      return "weak";
    case Semantics::relaxed:
      return "relaxed";
    case Semantics::acquire:
      return "acquire";
    case Semantics::release:
      return "release";
    case Semantics::acq_rel:
      return "acq_rel";
    case Semantics::sc:
      return "sc";
    case Semantics::volatile_:
      return "volatile";
    case Semantics::mmio:
      return "mmio";
  }
  return "";
}

std::string word_of(Scope scope) {
  constexpr std::array<std::string_view, 5> kWords = {"", "cta", "cluster", "gpu", "sys"};
  return std::string(kWords[static_cast<std::size_t>(scope)]);
}

std::vector<Scope> telling_scopes(const litmus::Test& test) {
  // Placement: an absent CTA is a fresh one, an absent cluster one of its own.
  using Cta = std::tuple<int, int, int>;
  int fresh = -1;
  bool host = false;
  std::map<Cta, std::size_t> threads;
  std::map<std::pair<int, int>, std::set<Cta>> clusters;
  std::map<int, std::set<std::pair<int, int>>> gpus;
  for (const program::Thread& thread : test.threads) {
    const program::Placement& place = thread.placement;
    if (place.host) {
      host = true;
      continue;
    }
    const int cta = place.cta.value_or(fresh--);
    const int cluster = place.cluster.value_or(cta < 0 ? cta : -1000000 - cta);
    ++threads[{place.gpu, cluster, cta}];
    clusters[{place.gpu, cluster}].insert({place.gpu, cluster, cta});
    gpus[place.gpu].insert({place.gpu, cluster});
  }
  const auto several = [](const auto& map) {
    return std::any_of(map.begin(), map.end(), [](const auto& entry) { return entry.second.size() > 1; });
  };
  std::vector<Scope> out;
  if (std::any_of(threads.begin(), threads.end(), [](const auto& entry) { return entry.second > 1; }))
    out.push_back(Scope::cta);
  if (several(clusters)) out.push_back(Scope::cluster);
  if (several(gpus)) out.push_back(Scope::gpu);
  if (gpus.size() > 1 || host) out.push_back(Scope::sys);
  if (out.empty()) out.push_back(Scope::cta);
  return out;
}

std::optional<Spelt> respelt(std::string_view mnemonic, Semantics semantics, Scope scope,
                             isa::Notation notation) {
  const isa::Resolution now = isa::resolve(mnemonic, notation);
  if (!now.resolved) return std::nullopt;
  const isa::Form& form = *now.resolved->form;
  if (semantics == Semantics::volatile_ || semantics == Semantics::mmio) return std::nullopt;
  const std::vector<std::string_view> words = words_of(mnemonic);
  if (words.front() == "membar") {  // fence.sc by another name (9.7.12.4)
    if (words.size() == 2) return respelt("fence.sc.gpu", semantics, scope, notation);
    return std::nullopt;
  }
  if (choice_of(form, Group::semantics) == nullptr) return std::nullopt;
  std::vector<std::string> kept;
  std::size_t name = 0;
  for (const std::string_view word : words) {
    if (!kept.empty() && goes(form, semantics, word)) continue;
    if (kept.size() == name && (kept.empty() || has_word(form.selector, word))) ++name;
    kept.emplace_back(word);
  }
  std::vector<std::string> said;
  if (semantics != Semantics::weak) said.push_back(word_of(semantics));
  const bool scoped = choice_of(form, Group::scope) != nullptr && semantics != Semantics::weak;
  if (scoped) said.push_back(word_of(scope));
  kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(name), said.begin(), said.end());
  Spelt out{joined(kept), {}};
  const isa::Resolution then = isa::resolve(out.mnemonic, notation);
  if (!then.resolved || then.resolved->form->opcode != form.opcode) return std::nullopt;
  out.modifiers = then.resolved->modifiers;
  if (out.modifiers.semantics != semantics) return std::nullopt;
  if (scoped && out.modifiers.scope != scope) return std::nullopt;
  return out;
}

std::vector<Spelt> spellings(std::string_view mnemonic, const std::vector<Scope>& scopes,
                             isa::Notation notation) {
  std::vector<Spelt> out;
  for (const Semantics semantics : kOrders) {
    for (const Scope scope : isa::kEveryScope) {
      if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) continue;
      std::optional<Spelt> spelt = respelt(mnemonic, semantics, scope, notation);
      if (!spelt) continue;
      const bool known = std::any_of(out.begin(), out.end(),
                                     [&](const Spelt& other) { return other.mnemonic == spelt->mnemonic; });
      if (!known) out.push_back(std::move(*spelt));
    }
  }
  return out;
}

}  // namespace ptxmc::repair
