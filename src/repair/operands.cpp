// SPDX-License-Identifier: Apache-2.0
#include "repair/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ptx/program/register_use.h"

namespace ptxmc::repair {

using isa::Family;
using isa::Opcode;
using isa::Role;

namespace {

constexpr std::size_t kMostValues = 16;  // that a loop may wait for instead

/// What an instruction does at the place that an operand of that role names.
void read_role(const program::Instruction& instruction, Role role, Access& out) {
  const Family family = isa::traits(instruction.opcode).family;
  out.object = role == Role::mbarrier;  // that it is initialised, or ends, is no signal
  if (out.object) {
    out.reads =
        instruction.opcode == Opcode::mbarrier_try_wait || instruction.opcode == Opcode::mbarrier_test_wait;
    out.writes = instruction.opcode == Opcode::mbarrier_arrive || family != Family::mbarrier;
  } else if (role == Role::source_address) {
    out.reads = true;
  } else if (family == Family::memory) {
    out.reads = instruction.opcode != Opcode::st;
    out.writes = instruction.opcode != Opcode::ld;
    if (instruction.modifiers.type) out.bytes = instruction.modifiers.type->bits / 8;
    out.bytes *= instruction.modifiers.vector;
  } else if (family == Family::async_copy) {
    out.writes = true;
  }
}

/// Variables that stand for themselves alone.
const program::Variable* own_variable(const litmus::Test& test, const std::string& name) {
  const auto found = std::find_if(test.variables.begin(), test.variables.end(),
                                  [&](const program::Variable& v) { return v.name == name; });
  if (found == test.variables.end() || !found->aliases.empty() || !found->locations.empty() || found->map)
    return nullptr;
  const bool aliased = std::any_of(test.variables.begin(), test.variables.end(),
                                   [&](const program::Variable& v) { return v.aliases == name; });
  return aliased ? nullptr : &*found;
}

bool same_place(const Access& a, const Access& b) {
  return a.variable == b.variable && a.offset == b.offset;
}

class Places {
 public:
  Places(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites)
      : runs_(runs), layout_(runs.layout), sites_(sites), all_(all) {}

  /// First the places that a code has nothing to do with yet.
  void run() {
    for (const bool known : {false, true}) {
      for (const Access& access : all_) add(access, known);
    }
  }

 private:
  void add(const Access& access, bool known) {
    if (!access.reads && !access.writes) return;
    Site site = operand_site();
    std::set<std::pair<const program::Variable*, std::int64_t>> tried;
    for (const Access& other : all_) {
      if (!alike(access, other) || same_place(access, other) || accesses(access.code, other) != known)
        continue;
      if (tried.emplace(other.variable, other.offset).second && stays_heard(access, other))
        site.options.push_back(option(access, other));
    }
    if (!site.options.empty()) sites_.push_back(std::move(site));
  }
  bool accesses(std::size_t code, const Access& place) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Access& access) {
      return access.code == code && same_place(access, place);
    });
  }
  /// Threads synchronize by it: some access of the place is strong (8.7.1).
  bool is_flag(const Access& place) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Access& access) {
      const program::Instruction& i = layout_.instruction(access.code, access.index);
      const bool memory = isa::traits(i.opcode).family == Family::memory;
      return memory && i.modifiers.semantics != isa::Semantics::weak && same_place(access, place);
    });
  }
  /// Variables that are declared alike, and used alike: data stay data, and flags stay flags.
  bool alike(const Access& a, const Access& b) const {
    return a.object == b.object && is_flag(a) == is_flag(b) && a.variable->space == b.variable->space &&
           a.variable->type == b.variable->type && (a.bytes == 0 || b.bytes == 0 || a.bytes == b.bytes);
  }
  /// Another code reads, or writes, the place as seen from a code.
  bool by_others(const Access& place, const Access& own, bool writes) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Access& b) {
      const bool other = b.code != own.code || runs_.threads[own.code].size() > 1;
      return other && (writes ? b.writes : b.reads) && same_place(place, b) &&
             share(runs_, *b.variable, own.code, b.code);
    });
  }
  /// At the new place others write what it reads, or read what it writes; and who read what it wrote reads what others do.
  bool stays_heard(const Access& access, const Access& to) const {
    if (access.reads && !by_others(to, access, true)) return false;
    if (!access.writes) return true;
    if (!by_others(to, access, false)) return false;
    return std::all_of(all_.begin(), all_.end(), [&](const Access& reader) {
      if (!reader.reads || reader.code == access.code || !same_place(reader, access)) return true;
      return std::any_of(all_.begin(), all_.end(), [&](const Access& writer) {
        return writer.writes && writer.operand != access.operand && writer.code != reader.code &&
               same_place(writer, reader) && share(runs_, *writer.variable, writer.code, reader.code);
      });
    });
  }
  Option option(const Access& access, const Access& to) const {
    const std::string name(layout_.mnemonic(access.code, access.index));
    return {fmt::format("{} line {}: {} of {} -> {}", threads_of(runs_.test, layout_, access.code),
                        layout_.line(access.code, access.index), name,
                        place_name(*access.variable, access.offset), place_name(*to.variable, to.offset)),
            {layout_.replace_operand(*access.operand, "[" + place_name(*to.variable, to.offset) + "]")},
            name,
            name};
  }

  const Runs& runs_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  const std::vector<Access>& all_;
};

class Values {
 public:
  Values(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites)
      : runs_(runs), layout_(runs.layout), sites_(sites), all_(all) {}

  void run() {
    for (std::size_t code = 0; code < runs_.codes(); ++code) {
      for (std::size_t i = 0; i < layout_.size(code); ++i) {
        if (in_loop(layout_, code, i)) compare(code, i);
      }
    }
  }

 private:
  /// The load in the loop whose result is compared.
  const Access* polled(std::size_t code, const std::string& result) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Access& access) {
      if (access.code != code || !access.reads || access.object || !in_loop(layout_, code, access.index))
        return false;
      const std::vector<std::string> writes =
          program::register_use(layout_.instruction(code, access.index)).writes;
      return std::find(writes.begin(), writes.end(), result) != writes.end();
    });
    return found == all_.end() ? nullptr : &*found;
  }

  void compare(std::size_t code, std::size_t i) {
    const program::Instruction& now = layout_.instruction(code, i);
    const bool jumps = isa::traits(now.opcode).family == Family::control;
    if (now.opcode != Opcode::setp && !jumps) return;
    const program::Operand *a = now.find(Role::a), *b = now.find(Role::b);
    if (a == nullptr || b == nullptr) return;
    const auto* result = std::get_if<program::Register>(&a->value);
    const auto* constant = std::get_if<program::Integer>(&b->value);
    if (result == nullptr || constant == nullptr) return;
    const Access* place = polled(code, result->name);
    if (place == nullptr) return;
    Site site = operand_site();
    for (const std::int64_t value : written(*place)) {
      if (value == constant->value) continue;
      site.options.push_back(
          {fmt::format("{} line {}: wait for {} in place of {}", threads_of(runs_.test, layout_, code),
                       layout_.line(code, i), value, constant->value),
           {layout_.replace_operand(*b, std::to_string(value))},
           std::string(layout_.mnemonic(code, i)),
           std::string(layout_.mnemonic(code, i))});
    }
    if (!site.options.empty()) sites_.push_back(std::move(site));
  }

  /// Constants that other codes store at a place, and what comes of those that they add.
  std::set<std::int64_t> written(const Access& place) const {
    const auto& initial = place.variable->initial;
    std::set<std::int64_t> values, sums{initial.empty() ? 0 : initial.front().integer};
    for (const Access& access : all_) {
      if (!access.writes || access.code == place.code || !same_place(access, place)) continue;
      const program::Instruction& writer = layout_.instruction(access.code, access.index);
      const program::Operand* operand = writer.find(Role::value);
      const auto* value = operand == nullptr ? nullptr : std::get_if<program::Integer>(&operand->value);
      if (value == nullptr) continue;
      const bool adds = writer.opcode != Opcode::st && writer.modifiers.atomic == isa::AtomicOp::add;
      if (!adds) values.insert(value->value);
      for (std::size_t t = 0; adds && t < runs_.threads[access.code].size(); ++t) {
        const std::set<std::int64_t> before = sums;
        for (const std::int64_t sum : before) {
          if (sums.size() < kMostValues) sums.insert(sum + value->value);
        }
      }
    }
    values.insert(sums.begin(), sums.end());
    return values;
  }

  const Runs& runs_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  const std::vector<Access>& all_;
};

}  // namespace

std::vector<Access> accesses_of(const Runs& runs) {
  std::vector<Access> out;
  for (std::size_t code = 0; code < runs.codes(); ++code) {
    if (runs.first(code).host) continue;
    for (std::size_t i = 0; i < runs.layout.size(code); ++i) {
      const program::Instruction& instruction = runs.layout.instruction(code, i);
      for (const program::Operand& operand : instruction.operands) {
        const auto* address = std::get_if<program::Address>(&operand.value);
        if (address == nullptr || address->variable.empty()) continue;
        Access access{code, i, &operand, own_variable(runs.test, address->variable), address->offset};
        if (access.variable == nullptr) continue;
        read_role(instruction, operand.place.role, access);
        out.push_back(access);
      }
    }
  }
  return out;
}

bool share(const Runs& runs, const program::Variable& variable, std::size_t a, std::size_t b) {
  return variable.space == isa::Space::global || runs.first(a).cta_key() == runs.first(b).cta_key();
}

std::string place_name(const program::Variable& variable, std::int64_t offset) {
  return offset == 0 ? variable.name : fmt::format("{}+{}", variable.name, offset);
}

Site operand_site() {
  Site out;
  out.kind = Kind::operand;
  out.effect = Effect::other;
  out.rank = Rank::meeting;
  return out;
}

void add_places(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites) {
  Places(runs, all, sites).run();
}

void add_values(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites) {
  Values(runs, all, sites).run();
}

}  // namespace ptxmc::repair
