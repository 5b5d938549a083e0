// SPDX-License-Identifier: Apache-2.0
// What instructions cost: a table of measured times, as a text. A line is an instruction, its time in
// nanoseconds and, after a `#`, anything; before the first there may be `source:` lines, which say where the
// figures are from.
//
//     source: NVIDIA H100 80GB HBM3, driver 550.54, 2026-11-24
//     fence.acq_rel.gpu 412.5
//
// A row is of the instruction with that mnemonic, or of all that begin with it and have no row of their own: `ld.relaxed.gpu` of
// ld.relaxed.gpu.global.u32. Words that say where and what (.global, .u32) may be left out of the middle, too.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace ptxmc::repair {

class Costs {
 public:
  /// Throws InputError for a text that is no table.
  explicit Costs(const SourcePtr& text);
  /// The table that ptxmc is shipped with.
  static const Costs& shipped();

  /// Nanoseconds of one instruction; nothing: no row.
  std::optional<double> of(std::string_view mnemonic) const;
  /// "NVIDIA H100 ..."; empty: the table does not say.
  const std::string& source() const { return source_; }
  bool empty() const { return rows_.empty(); }

 private:
  std::map<std::string, double> rows_;  // by the words that tell, sorted
  std::string source_;
};

/// How strong an instruction is, where no figure is known: what orders more, at a wider scope, and what is put in rather than
/// changed, is more. A number without a unit.
double strength(std::string_view mnemonic);

}  // namespace ptxmc::repair
