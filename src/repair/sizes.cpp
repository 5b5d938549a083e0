// SPDX-License-Identifier: Apache-2.0
// Accesses of other sizes are never morally strong, whatever their order (8.7.1): they become accesses of one size, with shifts
// around them that keep what the register holds.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "repair/operands.h"

namespace ptxmc::repair {

using isa::Opcode;
using isa::Role;

namespace {

/// Bytes [begin, begin + bytes) of an access.
struct Part {
  std::int64_t begin = 0, bytes = 0;
};

/// What lies between the cuts, each part aligned to its size as the whole is to its own.
std::vector<Part> parts_between(const std::set<std::int64_t>& cuts) {
  std::vector<Part> out;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    for (std::int64_t at = *cut, end = *std::next(cut); at < end;) {
      std::int64_t bytes = 1;
      while (at % (2 * bytes) == 0 && at + 2 * bytes <= end) bytes *= 2;
      out.push_back({at, bytes});
      at += bytes;
    }
  }
  return out;
}

class Sizes {
 public:
  Sizes(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites)
      : runs_(runs), layout_(runs.layout), sites_(sites), all_(all) {}

  void run() {
    if (layout_.columns()) return;
    for (const Access& access : all_) {
      if (!divides(access)) continue;
      Site site = operand_site();
      if (std::optional<Option> option = in_parts(access)) site.options.push_back(std::move(*option));
      for (Option& option : as_wholes(access)) site.options.push_back(std::move(option));
      if (!site.options.empty()) sites_.push_back(std::move(site));
    }
  }

 private:
  /// A load, or a store of a constant, of one integer.
  bool divides(const Access& access) const {
    const program::Instruction& now = instruction(access);
    const bool scalar = access.bytes > 0 && access.bytes <= 8 && now.modifiers.vector == 1 &&
                        !now.modifiers.type->is_floating() && !now.modifiers.type->is_signed();
    if (!scalar || access.offset < 0) return false;
    if (now.opcode == Opcode::ld) return now.find(Role::result) != nullptr;
    const program::Operand* value = now.find(Role::value);
    return now.opcode == Opcode::st && value != nullptr &&
           std::holds_alternative<program::Integer>(value->value);
  }
  const program::Instruction& instruction(const Access& access) const {
    return layout_.instruction(access.code, access.index);
  }
  /// Accesses of other codes that overlap with it in part.
  std::vector<const Access*> across(const Access& access) const {
    std::vector<const Access*> out;
    for (const Access& other : all_) {
      const bool same = other.offset == access.offset && other.bytes == access.bytes;
      if (other.code == access.code || other.variable != access.variable || other.bytes == 0 || same)
        continue;
      if (other.offset >= access.offset + access.bytes || access.offset >= other.offset + other.bytes)
        continue;
      if (share(runs_, *access.variable, access.code, other.code)) out.push_back(&other);
    }
    return out;
  }
  std::string sized(const Access& access, std::int64_t bytes) const {
    const std::string name(layout_.mnemonic(access.code, access.index));
    return fmt::format("{}.u{}", name.substr(0, name.rfind('.')), 8 * bytes);
  }
  std::string place(const Access& access, std::int64_t offset) const {
    return "[" + place_name(*access.variable, offset) + "]";
  }
  /// In place of the instruction; each is under its guard.
  Edit instead(const Access& access, const std::vector<std::string>& instructions) const {
    const Span& span = layout_.codes()[access.code].spans[access.index];
    const std::string guard = layout_.text().substr(span.guard, span.mnemonic - span.guard);
    std::string text;
    for (const std::string& one : instructions) {
      const bool declares = one.starts_with(".reg");
      text += (text.empty() ? "" : ";\n  ") + (declares ? one : guard + one);
    }
    return {span.guard, span.end, text};
  }
  Option option(const Access& access, const std::string& how, const std::vector<std::string>& instructions,
                std::int64_t bytes, std::vector<std::string> beside) const {
    return {fmt::format("{} line {}: {} of {} {}", threads_of(runs_.test, layout_, access.code),
                        layout_.line(access.code, access.index), layout_.mnemonic(access.code, access.index),
                        place_name(*access.variable, access.offset), how),
            {instead(access, instructions)},
            sized(access, bytes),
            std::string(layout_.mnemonic(access.code, access.index)),
            1,
            {},
            std::move(beside)};
  }
  /// A register that no code has, declared where they are.
  std::string fresh(const Access& access, std::int64_t bytes, std::vector<std::string>& instructions) const {
    std::string name = fmt::format("%ptxmc{}", sites_.size());
    if (!runs_.test.threads[layout_.codes()[access.code].thread].registers().empty())
      instructions.push_back(fmt::format(".reg .b{} {}", 8 * bytes, name));
    return name;
  }

  std::optional<Option> in_parts(const Access& access) const;
  std::vector<Option> as_wholes(const Access& access) const;
  std::string result(const Access& access) const {
    const program::Operand* operand = instruction(access).find(Role::result);
    const auto* named = operand == nullptr ? nullptr : std::get_if<program::Register>(&operand->value);
    return named == nullptr ? "" : "%" + named->name;
  }

  const Runs& runs_;
  const Layout& layout_;
  std::vector<Site>& sites_;
  const std::vector<Access>& all_;
};

// The parts are of the sizes that others access: a load puts its parts together again, and each part of a
// constant is stored.
std::optional<Option> Sizes::in_parts(const Access& access) const {
  std::set<std::int64_t> cuts{access.offset, access.offset + access.bytes};
  for (const Access* other : across(access)) {
    for (const std::int64_t cut : {other->offset, other->offset + other->bytes}) {
      if (cut > access.offset && cut < access.offset + access.bytes) cuts.insert(cut);
    }
  }
  if (cuts.size() == 2) return std::nullopt;
  const std::vector<Part> parts = parts_between(cuts);
  std::vector<std::string> code, beside;
  std::string how = "in parts:";
  const std::string to = result(access);
  std::string part_register;
  if (!to.empty()) part_register = fresh(access, access.bytes, code);
  const auto* constant =
      to.empty() ? &std::get<program::Integer>(instruction(access).operand(Role::value).value) : nullptr;
  for (const Part& part : parts) {
    const std::string name = sized(access, part.bytes);
    const std::int64_t shift = 8 * (part.begin - access.offset);
    how += fmt::format("{} {} bytes at {}", how.ends_with(":") ? "" : ",", part.bytes,
                       place_name(*access.variable, part.begin));
    if (&part != &parts.front()) beside.push_back(name);
    if (constant != nullptr) {
      const auto bits = static_cast<std::uint64_t>(constant->value) >> shift;
      const std::uint64_t mask =
          part.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * part.bytes)) - 1;
      code.push_back(fmt::format("{} {}, {}", name, place(access, part.begin), bits & mask));
      continue;
    }
    const bool first = &part == &parts.front();
    code.push_back(fmt::format("{} {}, {}", name, first ? to : part_register, place(access, part.begin)));
    if (first) continue;
    code.push_back(fmt::format("shl.b{0} {1}, {1}, {2}", 8 * access.bytes, part_register, shift));
    code.push_back(fmt::format("or.b{0} {1}, {1}, {2}", 8 * access.bytes, to, part_register));
  }
  return option(access, how, code, parts.front().bytes, std::move(beside));
}

// A load takes all that another access has at once, and keeps its part.
std::vector<Option> Sizes::as_wholes(const Access& access) const {
  std::vector<Option> out;
  std::set<std::pair<std::int64_t, std::int64_t>> tried;
  const std::string to = result(access);
  if (to.empty()) return out;
  for (const Access* other : across(access)) {
    const bool within = other->offset <= access.offset && other->bytes <= 8 &&
                        access.offset + access.bytes <= other->offset + other->bytes;
    if (!within || !tried.emplace(other->offset, other->bytes).second) continue;
    const std::int64_t bits = 8 * other->bytes, shift = 8 * (access.offset - other->offset);
    std::vector<std::string> code;
    const std::string whole = fresh(access, other->bytes, code);
    code.push_back(
        fmt::format("{} {}, {}", sized(access, other->bytes), whole, place(access, other->offset)));
    if (shift != 0) code.push_back(fmt::format("shr.u{0} {1}, {1}, {2}", bits, whole, shift));
    code.push_back(fmt::format("cvt.u{}.u{} {}, {}", 8 * access.bytes, bits, to, whole));
    out.push_back(option(
        access,
        fmt::format("as part of {} bytes at {}", other->bytes, place_name(*access.variable, other->offset)),
        code, other->bytes, {}));
  }
  return out;
}

}  // namespace

void add_sizes(const Runs& runs, const std::vector<Access>& all, std::vector<Site>& sites) {
  Sizes(runs, all, sites).run();
}

}  // namespace ptxmc::repair
