// SPDX-License-Identifier: Apache-2.0
// What memory holds before a launch: numbers, addresses, and bytes of which nothing is said.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "input/launch/memory.h"
#include "ptx/isa/table.h"
#include "support/printable.h"

namespace ptxmc::launch {

namespace {

using program::Extent;
using Initial = std::vector<program::InitialValue>;

/// The largest power of two, up to `element`, that both are multiples of.
std::uint64_t unit_of(Extent bytes, std::uint64_t element) {
  while (bytes.begin % element != 0 || bytes.bytes % element != 0) element /= 2;
  return element;
}

/// Writes the lower bytes of a value over those of elements.
void patch(Initial& initial, std::uint64_t element, std::uint64_t at, std::uint64_t bytes,
           std::uint64_t value) {
  if (bytes == element) {
    initial[at / element].integer = static_cast<std::int64_t>(value);
    return;
  }
  const std::uint64_t shift = at % element * 8;
  const std::uint64_t mask = ((std::uint64_t{1} << (bytes * 8)) - 1) << shift;
  const auto old = static_cast<std::uint64_t>(initial[at / element].integer);
  initial[at / element].integer = static_cast<std::int64_t>((old & ~mask) | (value << shift & mask));
}

}  // namespace

void Memory::contents(const Buffer& buffer, program::Variable& out) {
  const auto element = static_cast<std::uint64_t>(out.type->bits / 8);
  const Extent all{0, out.elements * element};
  numbers(buffer.contents, out);
  OpenBytes open;
  if (buffer.contents.kind == Contents::Kind::opaque) open.put_in(all);
  for (const Buffer::Range& range : buffer.ranges) {
    const Extent bytes{range.begin, range.bytes};
    const std::uint64_t unit = range.type
                                   ? unit_of(bytes, std::min<std::uint64_t>(range.type->bits / 8u, element))
                                   : unit_of(bytes, element);
    if (range.type ? unit != range.type->bits / 8u : unit != element && buffer.type) {
      of_plan_.error(
          range.contents.position,
          fmt::format("{} bytes of `{}` from byte {} on are no whole elements of .{}", bytes.bytes,
                      buffer.name, bytes.begin, isa::name_of(range.type ? *range.type : *buffer.type)));
      return;
    }
    program::Variable part;
    part.type = unit == element ? out.type : bits_type_of(unit);
    part.elements = static_cast<std::uint32_t>(bytes.bytes / unit);
    numbers(range.contents, part);
    if (range.contents.kind == Contents::Kind::opaque) {
      open.put_in(bytes);
    } else {
      open.take_out(bytes);
    }
    // Behind the last one that is said, elements are zero.
    const std::uint64_t said = part.initial.empty() ? 0 : (bytes.end() + element - 1) / element;
    if (out.initial.size() < said) out.initial.resize(said);
    for (std::uint64_t i = 0; i < part.elements; ++i) {
      const std::uint64_t at = bytes.begin + i * unit;
      if (at / element >= out.initial.size()) break;
      const std::int64_t value = i < part.initial.size() ? part.initial[i].integer : 0;
      patch(out.initial, element, at, unit, static_cast<std::uint64_t>(value));
    }
  }
  fields(buffer, out, open);
  out.open = open.ranges();
  if (out.open == std::vector{all}) {
    out.opaque = true;
    out.open.clear();
    out.initial.clear();
  }
}

void Memory::fields(const Buffer& buffer, program::Variable& out, OpenBytes& open) {
  for (const auto& [offset, pointer] : buffer.fields) {
    if (!is_known(pointer)) return;
    if (out.type->bits != 64 || offset % 8 != 0) {
      of_plan_.error(pointer.position, fmt::format("an address at byte {} of `{}`, whose elements are .{}: "
                                                   "it is an element of 8 bytes",
                                                   offset, buffer.name, isa::name_of(*out.type)));
      return;
    }
    out.initial.resize(std::max<std::size_t>(out.initial.size(), offset / 8 + 1));
    out.initial[offset / 8] = {pointer.offset, name_of_buffer(pointer.buffer)};
    open.take_out({offset, 8});
  }
}

void Memory::numbers(const Contents& contents, program::Variable& out) {
  const auto bytes = static_cast<std::uint32_t>(out.type->bits / 8);
  const std::uint64_t size = std::uint64_t{out.elements} * bytes;
  if (contents.kind == Contents::Kind::file) {
    const auto path =
        std::filesystem::path(plan_.source ? plan_.source->name : "").parent_path() / contents.file;
    std::ifstream in(path, std::ios::binary);
    const std::optional<std::string> text = in ? read_bounded(in, size) : std::nullopt;
    if (!text || text->size() % bytes != 0) {
      of_plan_.error(contents.position,
                     fmt::format("data: cannot read '{}' of at most {} bytes, in whole elements; words are "
                                 "\"opaque\" and \"zero\"",
                                 printable(path.string()), size));
      return;
    }
    for (std::size_t at = 0; at < text->size(); at += bytes) {
      std::uint64_t value = 0;
      for (std::uint32_t i = 0; i < std::min(bytes, 8u); ++i)
        value |= std::uint64_t{static_cast<unsigned char>((*text)[at + i])} << (8 * i);
      out.initial.push_back({static_cast<std::int64_t>(value), {}});
    }
    return;
  }
  if (contents.numbers.size() > out.elements) {
    of_plan_.error(contents.position,
                   fmt::format("{} numbers in {} elements", contents.numbers.size(), out.elements));
    return;
  }
  for (const Number& number : contents.numbers) {
    const bool real = std::holds_alternative<double>(number.value);
    const auto bits = bits_of(number, real ? "f" : "", bytes);
    if (!bits) of_plan_.error(number.position, fmt::format("the number does not fit {} bytes", bytes));
    out.initial.push_back({static_cast<std::int64_t>(bits.value_or(0)), {}});
  }
}

}  // namespace ptxmc::launch
