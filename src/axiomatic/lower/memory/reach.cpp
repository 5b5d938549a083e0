// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/reach.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "axiomatic/lower/memory/known_values.h"
#include "axiomatic/lower/memory/value_domains.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::Value;

/// What an expression says of the address it computes.
struct Pointer {
  std::set<Value> exact;                   // these addresses
  std::set<Layout::AddressUse> variables;  // any address in these
  bool unknown = false;                    // or any address that the program uses
  bool empty() const { return exact.empty() && variables.empty() && !unknown; }
};

class Analysis {
 public:
  Analysis(const event::ExprPool& pool, const Layout& layout, const VariablePlaces& places)
      : pool_(pool), layout_(layout), places_(places) {}

  const Pointer& of(Expr e) {
    const auto known = memo_.find(e);
    if (known != memo_.end()) return known->second;
    Pointer found = compute(e);
    return memo_.emplace(e, std::move(found)).first->second;
  }

 private:
  Pointer compute(Expr e) {
    const Node node = pool_[e];
    Pointer out;
    if (const auto number = places_.number_of(pool_, e)) {
      if (places_.locate(pool_, e)) out.exact.insert(*number);
      return out;
    }
    switch (node.op) {
      case Op::ite:
        join(out, of(node.b));
        join(out, of(node.c));
        break;
      case Op::add:
      case Op::sub:
      case Op::or_: {
        Pointer both;
        join(both, of(node.a));
        join(both, of(node.b));
        widen(both);
        out = both;
        break;
      }
      case Op::sign_extend:
      case Op::zero_extend:
      case Op::truncate:
        out = of(node.a);
        break;
      case Op::value_of:
        out.unknown = true;
        break;
      default:
        break;  // an index: no pointer comes out of other arithmetic
    }
    return out;
  }

  static void join(Pointer& out, const Pointer& more) {
    out.exact.insert(more.exact.begin(), more.exact.end());
    out.variables.insert(more.variables.begin(), more.variables.end());
    out.unknown = out.unknown || more.unknown;
  }

  // A sum stays within the variable whose address is in it; with one in it, a loaded summand is an index.
  void widen(Pointer& pointer) const {
    for (const Value address : pointer.exact) {
      const auto location = layout_.locate(address);
      pointer.variables.insert({location->variable, location->cta});
    }
    pointer.exact.clear();
    if (!pointer.variables.empty()) pointer.unknown = false;
  }

  const event::ExprPool& pool_;
  const Layout& layout_;
  const VariablePlaces& places_;
  std::map<Expr, Pointer> memo_;
};

std::uint64_t as_bits(Value value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::set<Value> possible_addresses(const event::ExprPool& pool, const Layout& layout,
                                   const VariablePlaces& places, Expr address, std::uint32_t bytes) {
  Pointer pointer = Analysis(pool, layout, places).of(address);
  if (pointer.unknown || pointer.empty()) {
    pointer.variables.insert(layout.addresses_used().begin(), layout.addresses_used().end());
  }
  KnownValues values(pool, [&](const Node& node) { return known_of_atom(pool, node); });
  const Known& known = values.of(address);
  const auto may_be = [&](Value base, std::int64_t at) {
    if (!places.symbolic()) return known.may_be(base + at);
    const auto fixed =
        (known.zeros | known.ones) & ((std::uint64_t{1} << std::countr_zero(as_bits(base))) - 1);
    return ((as_bits(at) ^ known.ones) & fixed) == 0;  // wherever the variable lies
  };
  std::set<Value> found;
  for (const Value exact : pointer.exact) {
    const auto location = layout.locate(exact);
    if (location->offset % bytes == 0 && location->offset + bytes <= layout.extent(location->variable))
      found.insert(exact);
  }
  for (const auto& [variable, cta] : pointer.variables) {
    const Value base = layout.address(variable, cta);
    for (std::int64_t at = 0; at + bytes <= layout.extent(variable); at += bytes) {
      if (may_be(base, at)) found.insert(base + at);
    }
  }
  return found;
}

void Reach::roll_back(std::size_t seen) {
  seen_ = seen;
  std::erase_if(guards_, [&](const auto& entry) { return entry.first.first >= seen; });
}

std::set<Reach::Place> Reach::impossible(const event::ProgramGraph& graph) const {
  const ValueDomains domains(graph);
  std::set<Place> found;
  for (const auto& [place, guard] : guards_) {
    if (!domains.may_hold(guard)) found.insert(place);
  }
  return found;
}

}  // namespace ptxmc::lower
