// SPDX-License-Identifier: Apache-2.0
#include "source_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

#include "axiomatic/recheck/describe.h"

namespace ptxmc::testing {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using program::Instruction;
using program::Variable;

/// The words of an instruction's name: `ld.acquire.gpu.u32` has four.
std::vector<std::string> words_of(const Instruction& instruction) {
  std::string_view text = instruction.text;
  while (!text.empty() && text.front() == '@') {  // a guard is no part of it
    const std::size_t space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  std::vector<std::string> words(1);
  for (const char c : text.substr(0, text.find(' '))) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

struct Bytes {
  std::string root, mapping;  ///< the variable that is memory, and the generic name that leads there
  bool shared = false;
  bool whole = false;  ///< of a notation without types: all of the variable
  std::int64_t first = 0, size = 0;
};

/// An event whose instruction is known, and plain.
struct Plain {
  bool known = false;
  std::size_t index = 0;  ///< of the instruction in its thread
  std::vector<std::string> words;
  std::string semantics, scope;
  std::optional<Bytes> bytes;
  bool says(std::initializer_list<std::string_view> some) const {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(some.begin(), some.end(), word) != some.end();
    });
  }
};

bool plain_opcode(isa::Opcode opcode) {
  switch (opcode) {
    case isa::Opcode::ld:
    case isa::Opcode::st:
    case isa::Opcode::atom:
    case isa::Opcode::red:
    case isa::Opcode::fence:
      return true;
    default:
      return false;
  }
}

class Source {
 public:
  explicit Source(const Prepared& prepared) : p_(prepared), test_(prepared.test), graph_(*prepared.graph) {
    for (std::size_t k = 0; k < test_.kernels.kernels.size(); ++k) {
      for (const int number : test_.kernels.kernels[k].threads) kernel_of_[number] = static_cast<int>(k);
    }
    plain_.resize(graph_.size());
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (graph_.events[e].thread != event::kNoThread) classify(e);
    }
  }

  std::optional<std::string> difference() {
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (plain_[e].known && !members(e)) return *wrong_;
    }
    for (EventId a = 0; a < graph_.size(); ++a) {
      for (EventId b = 0; b < graph_.size(); ++b) {
        if (a != b && !pair(a, b)) return *wrong_;
      }
    }
    return std::nullopt;
  }

 private:
  const program::Thread& thread(EventId e) const { return test_.threads[graph_.events[e].thread]; }

  // ---- What an event's instruction says ----

  void classify(EventId e) {
    const Event& event = graph_.events[e];
    const auto& code = thread(e).code();
    const auto at = std::find_if(code.begin(), code.end(),
                                 [&](const Instruction& i) { return i.position == event.position; });
    const bool access = event.is_access() || event.kind == EventKind::fence;
    if (at == code.end() || !access || event.issue != event::kNoEvent || !plain_opcode(at->opcode)) return;
    Plain& plain = plain_[e];
    plain.known = true;
    plain.index = static_cast<std::size_t>(at - code.begin());
    plain.words = words_of(*at);
    meaning(at->opcode, plain);
    if (event.is_access()) plain.bytes = bytes_of(*at, plain);
  }

  // 9.7.8.8, 9.7.8.11, 9.7.12.4, 9.7.12.5: what stands for what is left out.
  static void meaning(isa::Opcode opcode, Plain& plain) {
    for (const char* word : {"weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile"}) {
      if (plain.says({word})) plain.semantics = word;
    }
    if (plain.says({"mmio"}) && plain.semantics == "relaxed") plain.semantics = "mmio";
    for (const char* word : {"cta", "cluster", "gpu", "sys"}) {
      if (plain.says({word})) plain.scope = word;
    }
    const bool atomic = opcode == isa::Opcode::atom || opcode == isa::Opcode::red;
    if (plain.words.front() == "membar") {
      plain.semantics = "sc";
      if (plain.says({"gl"})) plain.scope = "gpu";
    } else if (opcode == isa::Opcode::fence && plain.semantics.empty()) {
      plain.semantics = "acq_rel";
    } else if (atomic && plain.semantics.empty()) {
      plain.semantics = "relaxed";
    }
    if (atomic && plain.scope.empty()) plain.scope = "gpu";
    if (plain.semantics == "volatile" || plain.semantics == "mmio") plain.scope = "sys";
    if (!atomic && opcode != isa::Opcode::fence && plain.semantics.empty()) plain.semantics = "weak";
  }

  const Variable* variable(const std::string& name) const {
    for (const Variable& v : test_.variables) {
      if (v.name == name) return &v;
    }
    return nullptr;
  }

  std::optional<Bytes> bytes_of(const Instruction& instruction, const Plain& plain) const {
    if (plain.says({"v2", "v4", "v8", "f16x2", "bf16x2", "b128", "u16x2", "s16x2"})) return std::nullopt;
    const program::Address* address = nullptr;
    for (const program::Operand& operand : instruction.operands) {
      if (const auto* found = std::get_if<program::Address>(&operand.value)) address = found;
    }
    const Variable* v = address == nullptr ? nullptr : variable(address->variable);
    if (v == nullptr || !address->base_register.empty()) return std::nullopt;
    Bytes bytes;
    bytes.first = address->offset;
    for (; v != nullptr && !v->aliases.empty(); v = variable(v->aliases)) {
      if (bytes.mapping.empty() && v->alias_proxy == isa::Proxy::generic) bytes.mapping = v->name;
    }
    if (v == nullptr || (v->space != isa::Space::global && v->space != isa::Space::shared))
      return std::nullopt;
    bytes.root = v->name;
    if (bytes.mapping.empty()) bytes.mapping = v->name;
    bytes.shared = v->space == isa::Space::shared;
    bytes.whole = true;
    for (const std::string& word : plain.words) {
      int bits = 0;
      const bool type =
          word.size() > 1 && (word[0] == 'b' || word[0] == 'u' || word[0] == 's' || word[0] == 'f');
      const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), bits);
      if (!type || error != std::errc{} || end != word.data() + word.size()) continue;
      bytes.whole = false;
      bytes.size = bits / 8;
    }
    return bytes;
  }

  // ---- Places (8.5) ----

  int kernel(const program::Thread& t) const {
    const auto found = kernel_of_.find(t.number);
    return found == kernel_of_.end() ? -1 : found->second;
  }

  bool same_grid(const program::Thread& s, const program::Thread& t) const {
    return !s.placement.host && !t.placement.host && s.placement.gpu == t.placement.gpu &&
           kernel(s) == kernel(t);
  }

  bool same_cta(const program::Thread& s, const program::Thread& t) const {
    return &s == &t || (same_grid(s, t) && s.placement.cta && s.placement.cta == t.placement.cta);
  }

  /// The cluster that a thread states, or another thread of its CTA.
  std::optional<int> cluster(const program::Thread& s) const {
    for (const program::Thread& t : test_.threads) {
      if (same_cta(s, t) && t.placement.cluster) return t.placement.cluster;
    }
    return std::nullopt;
  }

  bool same_cluster(const program::Thread& s, const program::Thread& t) const {
    return same_cta(s, t) || (same_grid(s, t) && cluster(s) && cluster(s) == cluster(t));
  }

  bool includes(const std::string& scope, const program::Thread& s, const program::Thread& t) const {
    if (scope == "cta") return same_cta(s, t);
    if (scope == "cluster") return same_cluster(s, t);
    if (scope == "gpu") return !s.placement.host && !t.placement.host && s.placement.gpu == t.placement.gpu;
    return scope == "sys";
  }

  // ---- Comparison ----

  bool expect(bool found, bool wanted, const char* row, EventId a, EventId b) {
    if (found == wanted) return true;
    wrong_ = fmt::format("base {} and the source do not agree about {}{}", row, check::describe(graph_, a),
                         a == b ? "" : " and " + check::describe(graph_, b));
    return false;
  }

  bool set(const char* row, EventId e, bool wanted) {
    return expect(p_.base.sets[*event::base_signature().find(row)].test(e), wanted, row, e, e);
  }
  bool table(const char* row, EventId a, EventId b) const {
    return p_.base.relations[*event::base_signature().find(row)].test(a, b);
  }
  bool relation(const char* row, EventId a, EventId b, bool wanted) {
    return expect(table(row, a, b), wanted, row, a, b);
  }

  bool members(EventId e) {
    const Plain& it = plain_[e];
    const Event& event = graph_.events[e];
    const bool read = event.kind == EventKind::read, write = event.kind == EventKind::write;
    const auto is = [&](std::initializer_list<std::string_view> some) {
      return std::find(some.begin(), some.end(), it.semantics) != some.end();
    };
    const bool acquires = read && is({"acquire", "acq_rel"}), releases = write && is({"release", "acq_rel"});
    const bool weak = (read || write) && is({"weak"}), fence = event.kind == EventKind::fence;
    const bool restricted = fence && event.text.find(".sync_restrict::") != std::string::npos;
    const bool release = fence && is({"release"}), acquire = fence && is({"acquire"});
    return set("R", e, read) && set("W", e, write) && set("ACQ", e, acquires) && set("REL", e, releases) &&
           set("WEAK", e, weak) && set("RLX", e, (read || write) && !weak && !acquires && !releases) &&
           set("FSC", e, fence && is({"sc"})) && set("FACQREL", e, fence && is({"acq_rel"})) &&
           set("FREL", e, release && !restricted) && set("FACQ", e, acquire && !restricted) &&
           set("RREL", e, release && restricted) && set("RACQ", e, acquire && restricted) &&
           set("CTA", e, it.scope == "cta") && set("CLUSTER", e, it.scope == "cluster") &&
           set("GPU", e, it.scope == "gpu") && set("SYS", e, it.scope == "sys");
  }

  bool pair(EventId a, EventId b) {
    if (graph_.events[a].thread == event::kNoThread || graph_.events[b].thread == event::kNoThread)
      return true;
    if (!relation("scta", a, b, same_cta(thread(a), thread(b)))) return false;
    const Plain &x = plain_[a], &y = plain_[b];
    if (!x.known || !y.known) return true;
    const bool scoped = includes(x.scope, thread(a), thread(b)) && includes(y.scope, thread(b), thread(a));
    return relation("mscope", a, b, scoped) && order(a, b) && (!x.bytes || !y.bytes || places(a, b));
  }

  /// Without a way back, a thread performs its instructions in the order of the text.
  bool order(EventId a, EventId b) {
    if (&thread(a) != &thread(b) || plain_[a].index == plain_[b].index || goes_back(thread(a))) return true;
    const bool first = plain_[a].index < plain_[b].index;
    if (first && !table("po", a, b))  // left out where the two never exist together
      return expect(false, unguarded(a) || unguarded(b), "po", a, b);
    return relation("po", a, b, first);
  }

  bool unguarded(EventId e) const { return graph_.exprs.is_true(graph_.events[e].guard); }

  static bool goes_back(const program::Thread& t) {
    std::set<std::string> passed;
    for (const Instruction& instruction : t.code()) {
      passed.insert(instruction.labels.begin(), instruction.labels.end());
      for (const program::Operand& operand : instruction.operands) {
        const auto* label = std::get_if<program::LabelName>(&operand.value);
        if (label != nullptr && passed.contains(label->name)) return true;
      }
    }
    return false;
  }

  bool places(EventId a, EventId b) {
    const Bytes &x = *plain_[a].bytes, &y = *plain_[b].bytes;
    if (x.whole != y.whole) return true;
    const bool one = x.root == y.root && (!x.shared || same_cta(thread(a), thread(b)));
    const bool meet = one && (x.whole || (x.first < y.first + y.size && y.first < x.first + x.size));
    const bool equal = x.whole || (x.first == y.first && x.size == y.size);
    return relation("ploc", a, b, meet) && relation("ov", a, b, meet && x.mapping == y.mapping) &&
           relation("full", a, b, meet && equal && x.mapping == y.mapping);
  }

  const Prepared& p_;
  const litmus::Test& test_;
  const event::ProgramGraph& graph_;
  std::map<int, int> kernel_of_;  // by thread number
  std::vector<Plain> plain_;
  std::optional<std::string> wrong_;
};

}  // namespace

std::optional<std::string> source_difference(const Prepared& prepared) {
  return Source(prepared).difference();
}

}  // namespace ptxmc::testing
