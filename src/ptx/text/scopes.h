// SPDX-License-Identifier: Apache-2.0
// The scopes of a body: what its names mean, and names that are unique in all of it.
//
// A name means the declaration above it in the innermost open `{ }` that has one. A label is known in all of its
// scope and in those inside of it. Where a nested scope declares a name that the body uses for something else, too, it
// is renamed when the body is complete: inline assembly declares the same few names again and again.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/text/errors.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

class Scopes {
 public:
  /// `owner`: whose body it is, as messages say it.
  Scopes(Errors& errors, std::string owner);

  bool open(Position position);  // false: nested too deeply, which is reported
  void close();
  std::size_t depth() const { return open_.size(); }
  std::uint32_t current() const { return open_.back().id; }
  Position position() const { return body_.scopes[current()].position; }

  /// Declares what stands at `spelled` in the source, in the current scope; false: it is there already (reported).
  bool declare(Declarator& declarator, std::string_view spelled, std::string_view noun);
  /// Declares a parameter, whose name has been read.
  bool declare_parameter(Declarator& declarator);
  bool declare_label(Name& label, std::string_view spelled);
  /// The scope whose declaration `spelled` means here, or kUndeclared, which is noted.
  std::uint32_t find(std::string_view spelled);

  void add(Statement statement);
  /// The statements of the body, its names made unique. No scope is open but the body's own.
  Body finish();

 private:
  /// A declaration: a name, or the names of a range.
  struct Entity {
    std::uint32_t scope = 0;
    std::string_view spelled;  // with its %; of a range: the prefix
    bool range = false;
    std::uint32_t count = 0;
    std::string name;   // that it gets, without %; empty: its own
    Position position;  // of its declaration
  };
  /// Which entities a name means in the open scopes, innermost last.
  using Table = std::unordered_map<std::string_view, std::vector<std::uint32_t>>;
  struct Open {
    std::uint32_t id = 0;
    std::vector<std::vector<std::uint32_t>*> declared;  // what its end takes from the tables
  };
  using Place = std::pair<std::uint32_t, std::string_view>;  // a scope, and a name in it
  struct PlaceHash {
    std::size_t operator()(const Place& p) const {
      return std::hash<std::string_view>()(p.second) * 31 + p.first;
    }
  };
  using Places = std::unordered_map<Place, std::uint32_t, PlaceHash>;

  const Entity* entity(std::string_view spelled) const;
  std::uint32_t label_scope(std::string_view label, std::uint32_t scope) const;
  void find_labels(Statement& statement) const;
  bool name_shared();
  void rename(Name& name) const;
  void rename(Declarator& declarator) const;
  void rename(Operand& operand) const;
  void rename(Statement& statement) const;

  Errors& errors_;
  std::string owner_;
  Body body_;
  std::vector<Open> open_;
  std::vector<Entity> entities_;
  std::deque<std::string> parameters_;  // as spelled
  std::vector<Entity> labels_;
  Table names_, ranges_;
  bool digits_before_range_ = false;  // some range is `x1<4>`
  Places label_of_;
  Places shared_names_, shared_ranges_;              // entities that are renamed
  std::unordered_set<std::string_view> undeclared_;  // without %
};

}  // namespace ptxmc::ptx
