// SPDX-License-Identifier: Apache-2.0
// What a text may leave unsaid: coherence of herd-style and of published PTX texts, and the usual derived
// names.
#pragma once

#include "model/cat/syntax.h"
#include "model/relation/signature.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

/// Completes a parsed text:
///  - Syntax::predefined: rfe, po-loc, com ... in terms of base names and of the `co` in force where they are
///  used;
///  - a text that declares no order and does not define `co` gets one, in front of its first statement: total
///  per
///    location, or partial when its first line is `PTX`, with the axiom `acyclic co as co`;
///  - in such a text whose first line is `PTX`, F, GEN, CON, TEX, SUR and vloc are those of published PTX texts;
///  - a text that names sync_fence without defining it gets the order that published PTX texts mean by it; one that names
///    sync_barrier or syncbar, the axiom that barriers do not wait for each other in a circle.
/// An order without a definition of `co` is an error.
void add_defaults(Syntax& syntax, const relation::Signature& signature, Diagnostics& diagnostics);

/// Whether a statement comes from here and not from the user's text.
bool is_default(const Statement& statement);

}  // namespace ptxmc::cat
