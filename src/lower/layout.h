// SPDX-License-Identifier: Apache-2.0
// Memory layout: variables and their aliases, the cells they own, and the addresses that name them.
//
// A cell is one element of a variable, accessed whole; a .shared variable has one instance per CTA that
// accesses it (design: Litmus files). Lowering runs twice: the survey finds which cells are touched and how
// wide untyped variables are; freeze() numbers the cells; the second run uses them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "event/program_graph.h"
#include "litmus/test.h"
#include "lower/errors.h"

namespace ptxmc::lower {

using VariableId = std::uint32_t;

/// Bytes `offset`.. of a variable as an instruction names them.
struct Location {
  VariableId variable = 0;
  std::int64_t offset = 0;
};

class Layout {
 public:
  Layout(const litmus::Test& test, const Errors& errors, bool unbounded);

  const litmus::Variable& variable(VariableId id) const { return test_.variables[id]; }
  VariableId root(VariableId id) const { return root_[id]; }
  /// The generic name that a name of another proxy stands for; itself for a generic name.
  VariableId generic_name(VariableId id) const { return generic_[id]; }
  /// Fails at `position` when there is no such variable.
  VariableId find(const std::string& name, Position position) const;

  /// Type of the elements, as declared; none for untyped variables.
  const std::optional<isa::Type>& type(VariableId id) const { return test_.variables[root_[id]].type; }
  std::uint32_t bits(VariableId id) const;  ///< of an element
  event::Width width(VariableId id) const;
  bool is_signed(VariableId id) const { return !type(id) || type(id)->is_signed(); }
  bool is_shared(VariableId id) const;

  /// The address constant of a variable; `use_address` also makes values equal to it print as its name.
  event::Value address(VariableId id) const { return base_[id]; }
  void use_address(VariableId id) { address_used_.insert(id); }
  std::optional<Location> locate(event::Value address) const;
  std::vector<std::pair<event::Value, std::string>> symbols() const;

  /// In the survey: an access of `bits` to an untyped variable decides its width. Later: fails when sizes
  /// differ.
  void note_access(VariableId id, std::uint32_t bits, Position position, const std::string& text);
  /// The cell of an element; `cta` is the accessing thread's CTA. Made on demand in the survey.
  event::CellId cell(VariableId id, std::uint32_t element, std::uint32_t cta);
  /// The cell that a condition means: the only instance, or a new one of CTA 0 when nobody accesses the
  /// variable.
  event::CellId named_cell(VariableId id, std::uint32_t element, Position position);

  void freeze();
  bool frozen() const { return frozen_; }

  /// After freeze(): all cells, and whose they are.
  struct CellOwner {
    VariableId variable = 0;
    std::uint32_t element = 0;
    std::optional<std::uint32_t> cta;
  };
  const std::vector<CellOwner>& owners() const { return owners_; }
  std::string element_name(VariableId id, std::uint32_t element) const;  ///< "x", "a[1]"

 private:
  struct CellKey {
    VariableId variable;
    std::int64_t cta;  // -1: not shared
    std::uint32_t element;
    friend auto operator<=>(const CellKey&, const CellKey&) = default;
  };
  struct FirstAccess {
    std::uint32_t bits;
    std::uint32_t line;
    std::string text;
  };
  void resolve_aliases();
  void check_variable(const litmus::Variable& variable) const;
  void assign_addresses();
  event::CellId cell_of(const CellKey& key);
  std::uint32_t stride(VariableId id) const;  ///< bytes of an element

  const litmus::Test& test_;
  const Errors& errors_;
  bool unbounded_;
  bool frozen_ = false;
  std::map<std::string, VariableId> ids_;
  std::vector<VariableId> root_, generic_;
  std::vector<event::Value> base_;
  std::set<VariableId> address_used_;
  std::map<VariableId, FirstAccess> first_access_;  // by root, untyped variables
  std::map<CellKey, event::CellId> cells_;
  std::vector<CellOwner> owners_;
};

}  // namespace ptxmc::lower
