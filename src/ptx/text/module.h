// SPDX-License-Identifier: Apache-2.0
// Whole modules (chapter 11).
#pragma once

#include <string>
#include <string_view>

#include "ptx/text/errors.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

/// Reads a module. Throws InputError with every error found outside of functions, for any bytes; those of a function are
/// Function::unread. Instructions are not looked up: a module with unknown ones is a module.
Module parse_module(const SourcePtr& source);

/// The functions that could not be read.
class UnreadFunction : public InputError {
 public:
  using InputError::InputError;
};
/// Throws UnreadFunction if it could not be read.
void check_read(const Module& module, const Function& function);
/// The same of all functions of the module.
void check_read(const Module& module);

/// The definition of that name, or its declaration where there is no definition; null: there is neither.
const Function* find_function(const Module& module, std::string_view name);
const Variable* find_variable(const Module& module, std::string_view name);

/// Reports names that nothing declares: those of functions that could be read in Function::unread.
void check_names(Module& module, Errors& errors);

}  // namespace ptxmc::ptx
