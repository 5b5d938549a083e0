// SPDX-License-Identifier: Apache-2.0
// What the text of one instruction depends on elsewhere in its test: types, spaces and kinds of variables.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ptx/isa/isa.h"
#include "ptx/program/program.h"
#include "support/diagnostic.h"

namespace ptxmc::gpu {

constexpr int kHardwareBarriers = 16;

inline bool is_shared(isa::Space space) {
  return space == isa::Space::shared || space == isa::Space::shared_cta ||
         space == isa::Space::shared_cluster;
}

/// How a variable exists in a module.
enum class Home : std::uint8_t {
  symbol,   ///< declared under its name: .global, .shared, .const, .local
  address,  ///< memory of several names, mapped by the launcher: its address is a parameter of the entry
  param,    ///< a parameter of the entry
  columns,  ///< of tensor memory: an address in a register (tensor_memory.h)
};

/// A test that is right, but that PTX cannot express, or that a GPU cannot run yet.
class CannotRun : public InputError {
 public:
  using InputError::InputError;
};

class Facts {
 public:
  /// Throws InputError for variables that PTX cannot express: aliases by the surface proxy, and by the
  /// texture proxy where nothing binds `textures`.
  explicit Facts(const program::Program& test, bool textures = false);

  const program::Program& test() const { return test_; }
  /// Null: no variable of the test.
  const program::Variable* find(const std::string& name) const;
  /// Behind all aliases. The variable must exist.
  const program::Variable& root(const std::string& name) const;
  /// The type of an element: as declared, else as wide as the widest access of it, else .b64.
  isa::Type type(const std::string& name) const;
  isa::Space space(const std::string& name) const;
  Home home(const std::string& name) const;
  /// In shared memory, and some mbarrier operation acts on it or may do so.
  bool is_mbarrier(const std::string& name) const { return mbarriers_.contains(name); }
  /// Bytes, as asynchronous copies and matrix descriptors need.
  std::uint32_t alignment(const std::string& name) const;

  /// The modifiers with type and space filled in, where a short form left them out.
  isa::Modifiers completed(const program::Instruction& instruction) const;

  [[noreturn]] void fail(Position position, const std::string& message) const;
  /// These two throw CannotRun. "PTX cannot express WHAT"
  [[noreturn]] void refuse(Position position, const std::string& what) const;
  /// "cannot run on a GPU yet: WHY"
  [[noreturn]] void cannot_run(Position position, const std::string& why) const;

 private:
  void check(const program::Variable& variable) const;
  void note(const program::Instruction& instruction);

  const program::Program& test_;
  bool textures_ = false;
  std::map<std::string, std::uint16_t> widths_;  // bits, of untyped variables
  std::set<std::string> aliased_;                // roots of aliases
  std::set<std::string> constant_;               // roots with a name of the constant proxy
  std::set<std::string> mbarriers_;
  std::set<std::string> described_;  // by matrix descriptors
  std::set<std::string> tensors_;    // tensor maps, and boxes in shared memory
  bool swizzles_ = false;            // some tensor map does: the pattern is one of absolute addresses
};

/// bar or barrier, not of a warp.
bool is_cta_barrier(const program::Instruction& instruction);

}  // namespace ptxmc::gpu
