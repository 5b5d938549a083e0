// SPDX-License-Identifier: Apache-2.0
// Memory layout: variables and their aliases, the addresses that name them, and the cells (cells.h) they own.
//
// A .shared variable has one instance per CTA, a .local one per thread (5.1). A plain address of such a
// variable means the accessing thread's own instance; every instance of a .shared variable also has an
// address of its own, which mapa and cvta make. Lowering runs twice: the survey finds which bytes are
// accessed and how wide untyped variables are; freeze() numbers the cells; the second run uses them.
//
// Tensor memory is one hidden variable with an instance per CTA (tensor_layout.cpp). A .tensor variable is no
// memory of its own: it is columns of that memory that were allocated before the program starts, in every
// CTA, and its address is that of lane 0 of the first one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/cells.h"
#include "axiomatic/lower/memory/errors.h"
#include "axiomatic/lower/memory/tensor_cells.h"
#include "ptx/footprint/tensor_map.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

using footprint::MapFields;

/// Bytes `offset`.. of a variable as an instruction names them.
struct Location {
  VariableId variable = 0;
  std::int64_t offset = 0;
  /// the instance of a .shared variable that the address names; none: one's own
  std::optional<std::uint32_t> cta;
};

constexpr std::uint32_t kMaxNamedElements = 64;  // of an array, whose addresses print as names

/// The name of the variable that stands for tensor memory; no program can write it.
constexpr const char* kTensorMemory = "tensor memory";

class Layout {
 public:
  /// `ctas`: how many CTAs the threads are in.
  Layout(const program::Program& program, const Errors& errors, bool unbounded, std::uint32_t ctas);

  const program::Variable& variable(VariableId id) const { return program_.variables[id]; }
  VariableId root(VariableId id) const { return root_[id]; }
  /// The generic name that a name of another proxy stands for; itself for a generic name.
  VariableId generic_name(VariableId id) const { return generic_[id]; }
  /// Fails at `position` when there is no such variable.
  VariableId find(const std::string& name, Position position) const;

  /// Type of the elements, as declared; none for untyped variables.
  const std::optional<isa::Type>& type(VariableId id) const { return program_.variables[root_[id]].type; }
  std::uint32_t bits(VariableId id) const;  ///< of an element
  event::Width width(VariableId id) const;
  std::int64_t stride(VariableId id) const { return bits(id) / 8; }  ///< bytes of an element
  std::int64_t extent(VariableId id) const;                          ///< bytes of the variable
  bool is_signed(VariableId id) const { return !type(id) || type(id)->is_signed(); }
  bool is_shared(VariableId id) const;
  bool is_array(VariableId id) const;
  /// What is wrong with an access that needs this alignment, where the variable is declared with a smaller one (5.4.5); empty: nothing.
  std::string too_little_alignment(VariableId id, std::uint64_t needed) const;
  bool is_tensor(VariableId id) const { return variable(root_[id]).space == isa::Space::tensor; }
  isa::Space space(VariableId id) const;  ///< global, shared, local, const_ or param
  std::uint32_t variables() const { return static_cast<std::uint32_t>(root_.size()); }
  std::uint32_t ctas() const { return ctas_; }

  /// The address constant of a variable, or of its instance in a CTA; `use_address` also makes values equal
  /// to it print as its name.
  event::Value address(VariableId id, std::optional<std::uint32_t> cta = std::nullopt) const;
  void use_address(VariableId id, std::optional<std::uint32_t> cta = std::nullopt) {
    if (!is_tensor(id)) address_used_.insert({id, cta});
  }
  /// Variables (and instances) whose address the program uses: where an address that is computed may point.
  using AddressUse = std::pair<VariableId, std::optional<std::uint32_t>>;
  const std::set<AddressUse>& addresses_used() const { return address_used_; }
  std::optional<Location> locate(event::Value address) const;
  /// The variable whose end an address lies behind, for messages.
  std::optional<Location> before(event::Value address) const;
  std::vector<std::pair<event::Value, std::string>> symbols() const;

  /// In the survey: an untyped variable is as wide as its widest access. `scalar`: of one element of a
  /// vector.
  void note_access(VariableId id, std::uint32_t scalar, std::uint32_t total);
  /// In the survey: bytes that an access covers. No size: an untyped access, of one element.
  void note_cells(const Block& block, std::int64_t begin, std::optional<std::uint32_t> bytes);
  /// In the survey: bytes that an asynchronous copy reads or writes; `note_copy`: that it moves from one
  /// place to another.
  void note_tile(const Block& block, Range range) {
    if (!frozen_) cells_.tile(block, range);
  }
  void note_copy(const Block& from, std::int64_t begin, const Block& to, std::int64_t at,
                 std::uint32_t bytes) {
    if (!frozen_) cells_.link(from, begin, to, at, bytes);
  }
  /// The block of a variable that a condition means: the only instance, or one of number 0 when nothing
  /// accesses it.
  Block named_block(VariableId id, Position position) const;
  void observe(const Block& block, Range range) { cells_.observe(block, range); }
  std::vector<event::CellId> covering(const Block& block, Range range) const {
    return cells_.covering(block, range);
  }

  /// Fields of a declared tensor map.
  MapFields map_fields(VariableId id) const;
  /// What the bytes of a declared map hold that are no field which anything replaces: its token, from 1.
  event::Value map_token(VariableId id) const { return static_cast<event::Value>(id) + 1; }
  /// In the survey: something writes a variable; an instruction replaces a field of a tensor map.
  void note_write(VariableId id) {
    if (!frozen_) written_.insert(root_[id]);
  }
  bool is_written(VariableId id) const { return written_.contains(root_[id]); }
  void note_field(std::size_t field, event::Value value) {
    if (!frozen_) fields_[field].insert(value);
  }
  /// What a field of a tensor map may be replaced by.
  const std::set<event::Value>& replacements(std::size_t field) const { return fields_[field]; }
  void note_split(const Block& block, std::int64_t at) {
    if (!frozen_) cells_.split(block, at);
  }
  void note_map_read() { reads_maps_ = true; }
  bool reads_maps() const { return reads_maps_; }

  // ---- Tensor memory (tensor_layout.cpp) ----
  VariableId tensor_memory() const;  ///< the hidden variable; the program has tcgen05 instructions
  /// In the survey: what an access covers; columns that an instruction allocates.
  void note_tensor(std::uint32_t cta, const TensorRegion& region) {
    if (!frozen_) tensor_.access(cta, region);
  }
  void note_allocation(const TensorAllocation& allocation);
  /// All that the survey found, and the .tensor variables.
  const std::vector<TensorAllocation>& allocations() const { return allocations_; }
  std::int64_t first_free_column() const { return declared_columns_; }
  /// After freeze().
  std::vector<event::CellId> tensor_covering(std::uint32_t cta, const TensorRegion& region) const;
  const TensorCell& tensor_cell(event::CellId cell) const;
  /// The only CTA whose tensor memory a condition can mean.
  std::uint32_t named_tensor_cta(VariableId id, Position position) const;
  /// The .tensor variable that holds a column.
  std::optional<VariableId> tensor_variable(std::int64_t column) const;
  std::int64_t tensor_column(VariableId id) const { return tensor_columns_.at(id); }

  /// In the survey: grows whenever an address or a size is learnt that computed addresses depend on, or what
  /// a tensor map may hold.
  std::size_t knowledge() const;
  void note_computed_addresses() { computes_addresses_ = true; }
  bool computes_addresses() const { return computes_addresses_; }

  /// In the survey: memory will be cut into single bytes; an element that is operated on as a whole is kept.
  void shatter();
  void note_element(const Block& block, Range range) {
    if (!frozen_) cells_.keep(block, range);
  }

  void freeze();
  bool frozen() const { return frozen_; }

  /// After freeze(): all cells, and whose they are.
  const std::vector<CellOwner>& owners() const { return owners_; }
  std::string element_name(VariableId id, std::int64_t element) const;  ///< "x", "a[1]"
  std::string cell_name(
      const CellOwner& owner) const;  ///< "x", "a[1]"; of a part "x+2", of several elements "a[0..1]"
  event::Width cell_width(const CellOwner& owner) const;

 private:
  struct Region {
    event::Value base = 0;
    VariableId variable = 0;
    std::optional<std::uint32_t> cta;
  };
  struct Size {
    std::uint32_t bits = 0;   // of the widest scalar access
    std::uint32_t bytes = 0;  // of the widest access
  };
  struct Whole {
    Block block;
    std::int64_t begin = 0;
  };
  void resolve_aliases();
  void check_variable(const program::Variable& variable) const;
  void assign_addresses();
  std::int64_t reserved(VariableId id) const;  ///< bytes of its address range
  void assign_tensor_columns();
  void freeze_tensor();
  std::string tensor_cell_name(const CellOwner& owner) const;

  const program::Program& program_;
  const Errors& errors_;
  bool unbounded_;
  std::uint32_t ctas_;
  bool frozen_ = false;
  bool computes_addresses_ = false;
  std::map<std::string, VariableId> ids_;
  std::vector<VariableId> root_, generic_;
  std::vector<Region> regions_;  // by base
  std::set<AddressUse> address_used_;
  std::map<VariableId, Size> sizes_;  // by root, untyped variables
  std::vector<Whole> wholes_;         // untyped accesses
  std::set<VariableId> written_;      // roots
  std::array<std::set<event::Value>, footprint::kMapFields> fields_;
  bool reads_maps_ = false;
  Cells cells_;
  TensorCells tensor_;
  std::map<VariableId, std::int64_t> tensor_columns_;  // first column of each .tensor variable
  std::int64_t declared_columns_ = 0;                  // of all .tensor variables
  std::vector<TensorAllocation> allocations_;
  std::vector<CellOwner> owners_;  // cells_, then tensor_: their ranges say which cell of it
};

}  // namespace ptxmc::lower
