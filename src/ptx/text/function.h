// SPDX-License-Identifier: Apache-2.0
// Functions and kernels of a module (11.2). Inside src/ptx/text only.
#pragma once

#include <string_view>

#include "ptx/text/cursor.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

class FunctionReader {
 public:
  FunctionReader(Cursor& cursor, const SourcePtr& source) : c_(cursor), source_(source) {}
  /// The cursor stands behind .entry or .func. What is wrong behind the signature of a function with code is
  /// Function::unread. False: reported.
  bool read(Function& out);

 private:
  bool signature(Function& out);
  bool rest(Function& out);
  bool tuning(Cursor& c, Function& out);
  void body(Cursor& c, Function& out);

  Cursor& c_;
  const SourcePtr& source_;
};

/// A name of the module; false: reported as `what` that is missing.
bool read_name(Cursor& cursor, Name& out, std::string_view what);

}  // namespace ptxmc::ptx
