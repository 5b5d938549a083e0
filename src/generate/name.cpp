// SPDX-License-Identifier: Apache-2.0
#include "generate/name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ptxmc::generate {

namespace {

/// Access and step by turns: `d`, `s` program order, `f`, `r`, `c` reads-from, from-reads, coherence.
struct NameRow {
  std::string_view name;
  std::string_view shape;
};
// diy7 names these; the manual of herdtools7, and Alglave, Maranget, Tautschnig: Herding Cats (2014), table III.
constexpr std::array kNames{
    NameRow{"MP", "WdWfRdRr"},       NameRow{"SB", "WdRrWdRr"},         NameRow{"LB", "RdWfRdWf"},
    NameRow{"S", "WdWfRdWc"},        NameRow{"R", "WdWcWdRr"},          NameRow{"2+2W", "WdWcWdWc"},
    NameRow{"WRC", "WfRdWfRdRr"},    NameRow{"WWC", "WfRdWfRdWc"},      NameRow{"WRR+2W", "WfRdRrWdWc"},
    NameRow{"WRW+2W", "WfRdWcWdWc"}, NameRow{"WRW+WR", "WfRdWcWdRr"},   NameRow{"RWC", "WfRdRrWdRr"},
    NameRow{"IRIW", "WfRdRrWfRdRr"}, NameRow{"IRRWIW", "WfRdRrWfRdWc"}, NameRow{"IRWIW", "WfRdWcWfRdWc"},
    NameRow{"ISA2", "WdWfRdWfRdRr"}, NameRow{"W+RWC", "WdWfRdRrWdRr"},  NameRow{"Z6.0", "WdWfRdWcWdRr"},
    NameRow{"Z6.1", "WdWcWdWfRdWc"}, NameRow{"Z6.2", "WdWfRdWfRdWc"},   NameRow{"Z6.3", "WdWcWdWfRdRr"},
    NameRow{"Z6.4", "WdWcWdRrWdRr"}, NameRow{"Z6.5", "WdWcWdWcWdRr"},   NameRow{"3.SB", "WdRrWdRrWdRr"},
    NameRow{"3.LB", "RdWfRdWfRdWf"}, NameRow{"3.2W", "WdWcWdWcWdWc"},   NameRow{"CoRR", "WfRsRr"},
    NameRow{"CoRW2", "WfRsWc"},      NameRow{"CoWR", "WsRrWc"},
};

std::string code_of(const Shape& shape, std::size_t first) {
  constexpr std::string_view kSteps = "dsfrc";
  std::string code;
  for (std::size_t i = 0; i < shape.steps.size(); ++i) {
    const std::size_t at = (first + i) % shape.steps.size();
    code += shape.accesses[at] == Direction::read ? 'R' : 'W';
    code += kSteps[static_cast<std::size_t>(shape.steps[at])];
  }
  return code;
}

constexpr Order kUsual{isa::Semantics::relaxed, isa::Scope::gpu};

/// The order that all accesses have.
std::optional<Order> common_order(const Sketch& sketch) {
  std::set<Order> orders;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (accesses(o.kind) && ordered(o.access_kind)) orders.insert(o.order);
  return orders.size() == 1 ? std::optional(*orders.begin()) : std::nullopt;
}

std::string_view word_of(Dependency dependency) {
  switch (dependency) {
    case Dependency::none:
      return "";
    case Dependency::data:
      return "data";
    case Dependency::address:
      return "addr";
    case Dependency::control:
      return "ctrl";
  }
  return "";
}

/// Names are those of files, and not too long.
std::string name_word(const Operation& operation) {
  if (operation.kind == Kind::wait) return "wait";
  if (operation.word.starts_with("wgmma.fence")) return "wgmma.fence";
  if (operation.word.starts_with("tcgen05.fence::"))
    return operation.word.find("before") != std::string::npos ? "before" : "after";
  return operation.word;
}

std::string_view word_of(AccessKind access_kind) {
  switch (access_kind) {
    case AccessKind::plain:
      return "";
    case AccessKind::bulk:
    case AccessKind::bulk_group:
      return "bulk";
    case AccessKind::cp_async:
      return "cp.async";
    case AccessKind::multicast:
      return "multicast";
    case AccessKind::tensor:
      return "tensor";
    case AccessKind::mma:
      return "mma";
    case AccessKind::tensor_copy:
      return "cp";
    case AccessKind::mma_a:
      return "mma.a";
    case AccessKind::mma_b:
      return "mma.b";
    case AccessKind::copy_source:
      return "cp";
    case AccessKind::wgmma:
      return "wgmma";
    case AccessKind::wgmma_a:
      return "wgmma.a";
  }
  return "";
}

/// What one thread does; empty: one access, of which there is nothing to say.
std::string describe(const Thread& thread, bool orders) {
  std::vector<std::string> parts;
  std::size_t accesses_seen = 0;
  for (const Operation& o : thread.operations) {
    if (o.dependency != Dependency::none) parts.emplace_back(word_of(o.dependency));
    if (fences(o.kind)) parts.push_back("fence." + print(o.order));
    if (o.kind == Kind::proxy || o.kind == Kind::wait || o.kind == Kind::barrier)
      parts.push_back(name_word(o));
    if (!accesses(o.kind)) continue;
    ++accesses_seen;
    if (atomic(o.kind)) {
      const std::string word = o.kind == Kind::exchange ? "exch" : "red";
      parts.push_back(orders ? word + "." + print(o.order) : word);
    } else if (o.access_kind != AccessKind::plain) {
      parts.emplace_back(word_of(o.access_kind));
    } else if (orders) {
      parts.push_back(print(o.order));
    }
    if (o.alias) parts.emplace_back("alias");
    if (o.unfenced) parts.emplace_back("unfenced");
  }
  if (parts.empty() && accesses_seen > 1) return "po";
  return fmt::format("{}", fmt::join(parts, "-"));
}

}  // namespace

std::optional<ShapeName> classic_name(const Shape& shape) {
  for (std::size_t first = 0; first < shape.steps.size(); ++first) {
    const std::string code = code_of(shape, first);
    for (const NameRow& row : kNames)
      if (row.shape == code) return ShapeName{std::string(row.name), first};
  }
  return std::nullopt;
}

std::string decorations(const Sketch& sketch) {
  const std::optional<Order> common = common_order(sketch);
  std::vector<std::string> parts;
  for (const Thread& thread : sketch.threads) {
    std::string part = describe(thread, !common);
    if (!part.empty()) parts.push_back(std::move(part));
  }
  const bool alike = std::all_of(parts.begin(), parts.end(), [&](const auto& p) { return p == parts[0]; });
  std::string text;
  if (alike && !parts.empty()) {
    if (parts[0] != "po") text = fmt::format("+{}{}", parts[0], parts.size() > 1 ? "s" : "");
  } else {
    for (const std::string& part : parts) text += "+" + part;
  }
  if (common && (*common != kUsual || text.empty())) text += "+" + print(*common);
  if (sketch.pair) text += "+pair";
  return text;
}

}  // namespace ptxmc::generate
