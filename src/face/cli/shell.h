// SPDX-License-Identifier: Apache-2.0
// Words as a shell takes them.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::cli {

/// A word that is taken as it is: in single quotes.
std::string shell_quoted(const std::string& text);
/// The same, in quotes only where a shell would take it otherwise.
std::string shell_word(const std::string& word);
/// "ptxmc VERB ARGUMENT...": words in quotes where a shell would take them otherwise.
std::string shell_command(const std::string& verb, const std::vector<std::string>& arguments);

}  // namespace ptxmc::cli
