// SPDX-License-Identifier: Apache-2.0
// Whole modules (chapter 11).
#pragma once

#include <string>
#include <string_view>

#include "ptx/text/errors.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

/// Reads a module. Throws InputError with every error found, for any bytes. Instructions are not looked up: a
/// module with unknown ones is a module.
Module parse_module(const SourcePtr& source);

/// The definition of that name, or its declaration where there is no definition; null: there is neither.
const Function* find_function(const Module& module, std::string_view name);
const Variable* find_variable(const Module& module, std::string_view name);

/// Reports names that nothing declares.
void check_names(const Module& module, Errors& errors);

}  // namespace ptxmc::ptx
