// SPDX-License-Identifier: Apache-2.0
// A memory model as numbers and strings, and back: one description of the order for both directions.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/relation/memory_model.h"
#include "support/check.h"

namespace ptxmc::model {

/// Takes a model apart.
class ArchiveWriter {
 public:
  static constexpr bool kReads = false;
  std::vector<std::uint32_t> numbers;
  std::vector<std::string> strings;

  void operator()(std::uint32_t& number) { numbers.push_back(number); }
  void operator()(std::string& text) {
    const auto place = ids_.try_emplace(text, static_cast<std::uint32_t>(strings.size()));
    if (place.second) strings.push_back(text);
    numbers.push_back(place.first->second);
  }
  void operator()(SourcePtr& source) {
    std::string name = source ? source->name : "", text = source ? source->text : "";
    (*this)(name), (*this)(text);
  }

 private:
  std::map<std::string, std::uint32_t> ids_;
};

/// Puts it together again.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;
  ArchiveReader(std::span<const std::uint32_t> numbers, std::span<const std::string_view> strings)
      : numbers_(numbers), strings_(strings) {}

  void operator()(std::uint32_t& number) { number = next(); }
  void operator()(std::string& text) { text = strings_[next()]; }
  /// Places of one text share it.
  void operator()(SourcePtr& source) {
    const std::uint32_t name = next(), text = next();
    if (strings_[name].empty()) return;
    SourcePtr& known = sources_[{name, text}];
    if (!known)
      known =
          std::make_shared<const Source>(Source{std::string(strings_[name]), std::string(strings_[text])});
    source = known;
  }
  bool at_end() const { return numbers_.empty(); }

 private:
  std::uint32_t next() {
    PTXMC_CHECK(!numbers_.empty(), "the archive of a model is whole");
    const std::uint32_t number = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return number;
  }

  std::span<const std::uint32_t> numbers_;
  std::span<const std::string_view> strings_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SourcePtr> sources_;
};

template <typename Archive, typename T>
requires(std::is_enum_v<T> || std::is_same_v<T, bool>) void archive(Archive& a, T& value) {
  auto number = static_cast<std::uint32_t>(value);
  a(number);
  value = static_cast<T>(number);
}
template <typename Archive>
void archive(Archive& a, std::uint32_t& number) {
  a(number);
}
template <typename Archive>
void archive(Archive& a, std::string& text) {
  a(text);
}
template <typename Archive>
void archive(Archive& a, SourcePtr& source) {
  a(source);
}
template <typename Archive>
void archive(Archive& a, Position& p) {
  a(p.line), a(p.column), a(p.length);
}

/// A node of a tree, or a handle: as many numbers as it is made of.
template <typename Archive, typename T>
requires(std::is_trivially_copyable_v<T>&& std::is_class_v<T> &&
         !std::is_same_v<T, Position>) void archive_words(Archive& a, T& value) {
  if constexpr (!std::is_empty_v<T>) {
    auto words = std::bit_cast<std::array<std::uint32_t, sizeof(T) / sizeof(std::uint32_t)>>(value);
    for (std::uint32_t& word : words) a(word);
    value = std::bit_cast<T>(words);
  }
}
template <typename Archive>
void archive(Archive& a, relation::Rel& r) {
  archive_words(a, r);
}

template <std::size_t I = 0, typename... Nodes>
void choose_alternative(std::variant<Nodes...>& node, std::uint32_t index) {
  if constexpr (I < sizeof...(Nodes)) {
    if (index == I) return void(node.template emplace<I>());
    choose_alternative<I + 1>(node, index);
  } else {
    PTXMC_CHECK(false, "the archive of a model names alternatives that there are");
  }
}
template <typename Archive, typename... Nodes>
void archive(Archive& a, std::variant<Nodes...>& node) {
  auto index = static_cast<std::uint32_t>(node.index());
  a(index);
  if constexpr (Archive::kReads) choose_alternative(node, index);
  std::visit([&](auto& n) { archive_words(a, n); }, node);
}

template <typename Archive, typename T>
void archive(Archive& a, std::vector<T>& list);
template <typename Archive, typename T>
void archive(Archive& a, std::optional<T>& value) {
  bool there = value.has_value();
  archive(a, there);
  if (there && !value) value.emplace();
  if (there) archive(a, *value);
}

template <typename Archive>
void archive(Archive& a, relation::RecGroup& g) {
  archive(a, g.variables), archive(a, g.bodies);
}
template <typename Archive>
void archive(Archive& a, relation::OrderDeclaration& o) {
  archive(a, o.name), archive(a, o.over), archive(a, o.partial), archive(a, o.position), archive(a, o.source),
      archive(a, o.section);
}
template <typename Archive>
void archive(Archive& a, relation::Definition& d) {
  archive(a, d.name), archive(a, d.value), archive(a, d.section), archive(a, d.position),
      archive(a, d.source);
}
template <typename Archive>
void archive(Archive& a, relation::Constraint& c) {
  archive(a, c.test), archive(a, c.negated), archive(a, c.expression), archive(a, c.name),
      archive(a, c.section), archive(a, c.position), archive(a, c.source), archive(a, c.role);
}
template <typename Archive>
void archive(Archive& a, relation::RoleDeclaration& r) {
  archive(a, r.role), archive(a, r.name), archive(a, r.value), archive(a, r.flag), archive(a, r.position),
      archive(a, r.source);
}
template <typename Archive>
void archive(Archive& a, relation::Tree& tree) {
  auto sets = tree.sets();
  auto relations = tree.relations();
  auto groups = tree.groups();
  archive(a, sets), archive(a, relations), archive(a, groups);
  if constexpr (Archive::kReads)
    tree = relation::Tree(std::move(sets), std::move(relations), std::move(groups));
}

template <typename Archive, typename T>
void archive(Archive& a, std::vector<T>& list) {
  auto size = static_cast<std::uint32_t>(list.size());
  a(size);
  list.resize(size);
  for (T& element : list) archive(a, element);
}

template <typename Archive>
void archive(Archive& a, relation::MemoryModel& m) {
  archive(a, m.name), archive(a, m.source), archive(a, m.tree), archive(a, m.orders),
      archive(a, m.definitions), archive(a, m.axioms), archive(a, m.flags), archive(a, m.roles),
      archive(a, m.coherence);
}

}  // namespace ptxmc::model
