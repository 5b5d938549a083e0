// SPDX-License-Identifier: Apache-2.0
// What the server says of a text; knows no protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "face/lsp/text.h"
#include "session/settings.h"
#include "support/diagnostic.h"

namespace ptxmc::lsp {

enum class Kind : std::uint8_t { litmus, nvidia, cat, module, launch, cuda, other };
/// By the name of a file.
Kind kind_of(std::string_view name);

/// All that is wrong with the text as it is read.
std::vector<Diagnostic> diagnostics_of(const SourcePtr& source);

struct OnConfirmed {
  std::string markdown;
  Range range;
};
/// The forms of an instruction and where the manual has it; where a name of a model is defined, and for which
/// section.
std::optional<OnConfirmed> hover_of(const SourcePtr& source, Place place);

struct Completed {
  std::string word, detail;
  Range range;  ///< that it replaces
};
/// Mnemonics and modifiers; in a model names of base relations and definitions.
std::vector<Completed> completions_of(const SourcePtr& source, Place place);

/// What replaces the word at the place of a diagnostic, where its message suggests one; empty: it does not.
std::string suggested_word(const Diagnostic& diagnostic);

/// Where the name at a place is defined in the same text: of a model, or a label or function of PTX.
std::optional<Range> definition_of(const SourcePtr& source, Place place);

/// "Forbidden, as stated; 3 states (ptx-9.4)". Throws nothing: errors are a line, too.
std::string verdict_line(const SourcePtr& source, const session::Settings& settings);

}  // namespace ptxmc::lsp
