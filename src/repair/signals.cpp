// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "repair/rendezvous.h"

namespace ptxmc::repair {

using isa::Opcode;

namespace {

constexpr const char* kArrive = "mbarrier.arrive.release.cta.shared::cta.b64";
constexpr const char* kAnnounce = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64";
constexpr const char* kTryWait = "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64";
constexpr const char* kTryWaitFar = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64";

/// The object of an mbarrier instruction, as its address is written: "full+8".
std::optional<std::string> object_of(const program::Instruction& instruction) {
  for (const program::Operand& operand : instruction.operands) {
    const auto* address = std::get_if<program::Address>(&operand.value);
    if (address == nullptr) continue;
    if (address->variable.empty()) return std::nullopt;
    return address->offset == 0 ? address->variable
                                : fmt::format("{}+{}", address->variable, address->offset);
  }
  return std::nullopt;
}

bool is_wait(const program::Instruction& instruction) {
  return (instruction.opcode == Opcode::mbarrier_try_wait ||
          instruction.opcode == Opcode::mbarrier_test_wait) &&
         instruction.modifiers.parity;
}

/// How many arrivals a declaration says that a phase of an object takes: `.b64 bar = 2`.
struct Count {
  std::int64_t arrivals = 0;
  std::size_t begin = 0, end = 0;  ///< in the text
};

std::optional<Count> count_of(const litmus::Test& test, const Layout& layout, const std::string& name) {
  const auto variable = std::find_if(test.variables.begin(), test.variables.end(),
                                     [&](const program::Variable& v) { return v.name == name; });
  if (variable == test.variables.end() || variable->is_array || variable->initial.size() != 1)
    return std::nullopt;
  if (variable->space != isa::Space::shared || !variable->initial[0].address_of.empty()) return std::nullopt;
  const std::string& text = layout.text();
  const std::string arrivals = std::to_string(variable->initial[0].integer);
  const std::size_t at = text.find(" " + name + " = " + arrivals + ";");
  if (variable->initial[0].integer < 1 || at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + name.size() + 4;
  return Count{variable->initial[0].integer, begin, begin + arrivals.size()};
}

class Signals {
 public:
  Signals(const Runs& runs, std::vector<Site>& sites)
      : runs_(runs), test_(runs.test), layout_(runs.layout), sites_(sites) {
    find_objects();
  }

  void run() {
    for (std::size_t code = 0; code < runs_.codes(); ++code) {
      if (runs_.first(code).host) continue;
      phases(code);
      more_arrivals(code);
      for (std::size_t other = 0; other < runs_.codes(); ++other) tell(code, other);
    }
  }
  void run_other() {
    for (std::size_t code = 0; code < runs_.codes(); ++code) {
      if (runs_.first(code).host) continue;
      for (std::size_t i = 0; i < layout_.size(code); ++i) {
        other_phase(code, i);
        own_arrival(code, i);
        announce_there(code, i);
        other_rank(code, i);
      }
      missing_arrivals(code);
    }
  }

 private:
  void find_objects();
  void phases(std::size_t code);
  bool has_peers(std::size_t code) const;
  void more_arrivals(std::size_t code);
  void tell(std::size_t from, std::size_t to);
  void other_phase(std::size_t code, std::size_t i);
  void own_arrival(std::size_t code, std::size_t i);
  void announce_there(std::size_t code, std::size_t i);
  void other_rank(std::size_t code, std::size_t i);
  bool is_waited_for(const std::string& object, const std::tuple<int, int, int>& cta) const;
  void missing_arrivals(std::size_t code);
  std::set<int> committed_groups(std::size_t code) const;
  std::set<std::int64_t> copied_bytes() const;
  std::string who(std::size_t code) const { return threads_of(test_, layout_, code); }
  const std::set<std::string>& objects(std::size_t code) { return objects_[runs_.first(code).cta_key()]; }
  /// Instructions that wait for a phase.
  std::vector<std::string> wait(std::size_t code, const std::string& object, int parity, bool far) const;

  const Runs& runs_;
  const litmus::Test& test_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  std::map<std::tuple<int, int, int>, std::set<std::string>> objects_;  // by CTA: those in use
  std::vector<std::string> free_;  // for one arrival, and no instruction names them
};

// Another CTA of the cluster names those of a CTA through mapa.
void Signals::find_objects() {
  std::set<std::string> named, objects;
  for (std::size_t t = 0; t < test_.threads.size(); ++t) {
    for (const program::Instruction& instruction : test_.threads[t].code()) {
      for (const program::Operand& operand : instruction.operands) {
        std::string name;
        if (const auto* address = std::get_if<program::Address>(&operand.value)) name = address->variable;
        if (const auto* of = std::get_if<program::AddressOf>(&operand.value)) name = of->variable;
        if (name.empty()) continue;
        named.insert(name);
        if (instruction.opcode == Opcode::mapa && count_of(test_, layout_, name)) objects.insert(name);
      }
      if (isa::traits(instruction.opcode).family != isa::Family::mbarrier) continue;
      if (const auto object = object_of(instruction)) objects_[runs_.places[t].cta_key()].insert(*object);
    }
  }
  for (const Where& place : runs_.places) objects_[place.cta_key()].insert(objects.begin(), objects.end());
  for (const program::Variable& variable : test_.variables) {
    const std::optional<Count> count = count_of(test_, layout_, variable.name);
    if (!named.contains(variable.name) && count && count->arrivals == 1) free_.push_back(variable.name);
  }
}

std::vector<std::string> Signals::wait(std::size_t code, const std::string& object, int parity,
                                       bool far) const {
  const std::string tag = fmt::format("ptxmc{}", sites_.size());
  std::vector<std::string> put;
  if (!test_.threads[layout_.codes()[code].thread].registers().empty())
    put.push_back(fmt::format(".reg .pred %{}", tag));
  const std::string_view scope = far ? ".acquire.cluster" : "";
  put.push_back(fmt::format("{0}: mbarrier.try_wait.parity{3}.shared::cta.b64 %{0}, [{1}], {2}", tag, object,
                            parity, scope));
  put.push_back(fmt::format("@!%{0} bra {0}", tag));
  return put;
}

// A wait for a phase of an object of the CTA, at each point; where its cluster has others, for their arrivals, too.
void Signals::phases(std::size_t code) {
  for (const Point& point : runs_.points[code]) {
    for (const std::string& object : objects(code)) {
      for (const int parity : {0, 1}) {
        Site site;
        site.kind = Kind::signal;
        site.effect = Effect::waits;
        site.rank = Rank::meeting;
        for (const bool far : {false, true}) {
          if (far && !has_peers(code)) continue;
          site.options.push_back({fmt::format("{}: wait for phase {} of {}{}", point.place(test_, layout_),
                                              parity, object, far ? " at .cluster scope" : ""),
                                  {point.insert(layout_, wait(code, object, parity, far))},
                                  far ? kTryWaitFar : kTryWait,
                                  ""});
        }
        if (site.options.size() > 1) site.options.back().weaker = {0};
        sites_.push_back(std::move(site));
      }
    }
  }
}

bool Signals::has_peers(std::size_t code) const {
  const Where& own = runs_.first(code);
  return std::any_of(runs_.places.begin(), runs_.places.end(), [&](const Where& other) {
    return !other.host && other.cluster_key() == own.cluster_key() && other.cta != own.cta;
  });
}

// The threads of a code arrive, too, and the object expects so many more.
void Signals::more_arrivals(std::size_t code) {
  for (const std::string& object : objects(code)) {
    const std::optional<Count> count = count_of(test_, layout_, object);
    if (!count) continue;
    const std::int64_t now = count->arrivals + static_cast<std::int64_t>(runs_.threads[code].size());
    for (const Point& point : runs_.points[code])
      add_site(sites_, Kind::signal, Effect::other,
               {fmt::format("{}: arrive at {}, which expects {}", point.place(test_, layout_), object, now),
                {point.insert(layout_, {fmt::format("{} _, [{}]", kArrive, object)}),
                 {count->begin, count->end, std::to_string(now)}},
                kArrive,
                ""});
  }
}

// One thread arrives at an object that no thread uses, and others of its CTA wait for that.
void Signals::tell(std::size_t from, std::size_t to) {
  if (from == to || runs_.threads[from].size() != 1 ||
      runs_.first(from).cta_key() != runs_.first(to).cta_key())
    return;
  for (const std::string& object : free_) {
    for (const Point& p : runs_.points[from]) {
      for (const Point& q : runs_.points[to])
        add_site(sites_, Kind::signal, Effect::waits,
                 {fmt::format("{}: arrive at {}, and {}: wait for that", p.place(test_, layout_), object,
                              q.place(test_, layout_)),
                  {p.insert(layout_, {fmt::format("{} _, [{}]", kArrive, object)}),
                   q.insert(layout_, wait(to, object, 0, false))},
                  kArrive,
                  "",
                  1,
                  {},
                  {kTryWait}});
    }
  }
}

// The wait is for another phase, or another object.
void Signals::other_phase(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  if (!is_wait(now)) return;
  const auto object = object_of(now);
  const auto* parity = std::get_if<program::Integer>(&now.operands.back().value);
  if (!object || parity == nullptr) return;
  const auto address =
      std::find_if(now.operands.begin(), now.operands.end(), [](const program::Operand& operand) {
        return std::holds_alternative<program::Address>(operand.value);
      });
  const std::string name(layout_.mnemonic(code, i));
  Site site;
  site.kind = Kind::signal;
  site.effect = Effect::other;
  site.rank = Rank::meeting;
  for (const std::string& other : objects(code)) {
    for (const std::int64_t phase : {0, 1}) {
      if (other == *object && phase == parity->value) continue;
      Option option{
          fmt::format("{} line {}: wait for phase {} of {}", who(code), layout_.line(code, i), phase, other),
          {},
          name,
          name};
      if (other != *object) option.edits.push_back(layout_.replace_operand(*address, "[" + other + "]"));
      if (phase != parity->value)
        option.edits.push_back(layout_.replace_operand(now.operands.back(), std::to_string(phase)));
      site.options.push_back(std::move(option));
    }
  }
  if (!site.options.empty()) sites_.push_back(std::move(site));
}

// What arrives when copies have completed arrives for the thread itself; .noinc: the object expects as many.
void Signals::own_arrival(std::size_t code, std::size_t i) {
  const std::string old(layout_.mnemonic(code, i));
  if (!old.starts_with("cp.async.mbarrier.arrive.noinc")) return;
  add_site(sites_, Kind::signal, Effect::other,
           {fmt::format("{} line {}: {} -> {}", who(code), layout_.line(code, i), old, kArrive),
            {layout_.replace_mnemonic(code, i, fmt::format("{} _,", kArrive))},
            kArrive,
            old});
}

// The bytes of asynchronous operations that complete at an object (9.7.12.15.5), as the test writes them.
std::set<std::int64_t> Signals::copied_bytes() const {
  std::set<std::int64_t> out;
  for (const program::Thread& thread : test_.threads) {
    for (const program::Instruction& instruction : thread.code()) {
      const program::Operand* bytes = instruction.find(isa::Role::bytes);
      const auto* number = bytes == nullptr ? nullptr : std::get_if<program::Integer>(&bytes->value);
      if (number != nullptr && instruction.find(isa::Role::mbarrier) != nullptr) out.insert(number->value);
    }
  }
  return out;
}

// An arrival announces bytes, too.
void Signals::announce_there(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  const program::Operand* object = now.find(isa::Role::mbarrier);
  if (now.opcode != Opcode::mbarrier_arrive || now.modifiers.expect_tx || now.modifiers.no_complete ||
      &now.operands.back() != object)
    return;
  const std::string old(layout_.mnemonic(code, i));
  const std::string to = "mbarrier.arrive.expect_tx" + old.substr(std::string_view("mbarrier.arrive").size());
  const std::size_t end = layout_.codes()[code].spans[i].end;
  for (const std::int64_t bytes : copied_bytes())
    add_site(
        sites_, Kind::signal, Effect::other,
        {fmt::format("{} line {}: {} -> {} of {} bytes", who(code), layout_.line(code, i), old, to, bytes),
         {layout_.replace_mnemonic(code, i, to), {end, end, fmt::format(", {}", bytes)}},
         to,
         old});
}

// An address of an object in another CTA of the cluster: where a thread waits for it, if none does where it
// is.
void Signals::other_rank(std::size_t code, std::size_t i) {
  const program::Instruction& now = layout_.instruction(code, i);
  const program::Operand *operand = now.find(isa::Role::rank), *of = now.find(isa::Role::a);
  const auto* rank = operand == nullptr ? nullptr : std::get_if<program::Integer>(&operand->value);
  const auto* object = of == nullptr ? nullptr : std::get_if<program::AddressOf>(&of->value);
  if (now.opcode != Opcode::mapa || rank == nullptr || object == nullptr || object->offset != 0) return;
  std::set<std::tuple<int, int, int>> ctas;  // in the order of their ranks
  for (const Where& place : runs_.places) {
    if (!place.host && place.cluster_key() == runs_.first(code).cluster_key()) ctas.insert(place.cta_key());
  }
  const std::string name(layout_.mnemonic(code, i));
  std::int64_t other = 0;
  Site site;
  site.kind = Kind::signal;
  site.effect = Effect::other;
  site.rank = Rank::meeting;
  for (const auto& cta : ctas) {
    const bool waits = is_waited_for(object->variable, cta);
    if (other == rank->value && waits) return;
    if (other != rank->value && waits)
      site.options.push_back({fmt::format("{} line {}: {} of the CTA of rank {} -> {}", who(code),
                                          layout_.line(code, i), name, rank->value, other),
                              {layout_.replace_operand(*operand, std::to_string(other))},
                              name,
                              name});
    ++other;
  }
  if (!site.options.empty()) sites_.push_back(std::move(site));
}

bool Signals::is_waited_for(const std::string& object, const std::tuple<int, int, int>& cta) const {
  for (std::size_t t = 0; t < test_.threads.size(); ++t) {
    if (runs_.places[t].host || runs_.places[t].cta_key() != cta) continue;
    const auto& code = test_.threads[t].code();
    if (std::any_of(code.begin(), code.end(), [&](const program::Instruction& instruction) {
          return is_wait(instruction) && object_of(instruction) == object;
        }))
      return true;
  }
  return false;
}

// tcgen05.commit arrives when the operations of its thread and .cta_group are complete (9.7.16.11): of each group that the code has.
std::set<int> Signals::committed_groups(std::size_t code) const {
  std::set<int> out;
  for (std::size_t i = 0; i < layout_.size(code); ++i) {
    const program::Instruction& now = layout_.instruction(code, i);
    const bool completes = now.opcode == Opcode::tcgen05_mma || now.opcode == Opcode::tcgen05_cp ||
                           now.opcode == Opcode::tcgen05_shift;
    if (completes) out.insert(now.modifiers.tensor.cta_group);
  }
  return out;
}

// An object expects arrivals that no thread makes: the threads of a code arrive, and may announce bytes, or commit.
void Signals::missing_arrivals(std::size_t code) {
  for (const Point& point : runs_.points[code]) {
    for (const std::string& object : objects(code)) {
      const std::string where = point.place(test_, layout_);
      add_site(sites_, Kind::signal, Effect::other,
               {fmt::format("{}: arrive at {}", where, object),
                {point.insert(layout_, {fmt::format("{} _, [{}]", kArrive, object)})},
                kArrive,
                ""});
      for (const int group : committed_groups(code)) {
        const std::string commit =
            fmt::format("tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.b64", group);
        add_site(sites_, Kind::signal, Effect::other,
                 {fmt::format("{}: insert {} [{}]", where, commit, object),
                  {point.insert(layout_, {fmt::format("{} [{}]", commit, object)})},
                  commit,
                  ""});
      }
      for (const std::int64_t bytes : copied_bytes())
        add_site(sites_, Kind::signal, Effect::other,
                 {fmt::format("{}: arrive at {}, and announce {} bytes", where, object, bytes),
                  {point.insert(layout_, {fmt::format("{} _, [{}], {}", kAnnounce, object, bytes)})},
                  kAnnounce,
                  ""});
    }
  }
}

}  // namespace

void add_signals(const Runs& runs, std::vector<Site>& sites) {
  Signals(runs, sites).run();
}

void add_other_signals(const Runs& runs, std::vector<Site>& sites) {
  Signals(runs, sites).run_other();
}

}  // namespace ptxmc::repair
