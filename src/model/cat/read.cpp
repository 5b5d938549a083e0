// SPDX-License-Identifier: Apache-2.0
#include "model/cat/read.h"

#include "model/cat/defaults.h"
#include "model/cat/elaborate.h"
#include "model/cat/parser.h"
#include "model/cat/walk.h"

namespace ptxmc::cat {

namespace {

/// The most operands below each other, through definitions; the code that evaluates a text goes as deep.
constexpr std::size_t kMostDeep = 6000;

void refuse_deep(const relation::MemoryModel& model, Diagnostics& diagnostics) {
  const Depths deep = depths(model.tree, kMostDeep);
  for (const relation::Definition& definition : model.definitions) {
    const auto* set = std::get_if<relation::Set>(&definition.value);
    const std::size_t depth =
        set ? deep.sets[set->index] : deep.relations[std::get<relation::Rel>(definition.value).index];
    if (depth < kMostDeep) continue;
    diagnostics.add({Severity::error, definition.source ? definition.source : model.source,
                     definition.position,
                     "`" + definition.name + "` and what it is made of are nested more than " +
                         std::to_string(kMostDeep) + " deep"});
    return;
  }
}

}  // namespace

relation::MemoryModel read(const SourcePtr& source, const relation::Signature& signature,
                           const IncludeResolver& include, const Conditions& conditions) {
  Diagnostics diagnostics(source);
  Syntax syntax = parse(source, include, diagnostics);
  add_defaults(syntax, signature, diagnostics);
  Elaborated elaborated = elaborate(syntax, signature, conditions, diagnostics);
  if (!diagnostics.has_errors()) refuse_deep(elaborated.model, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return std::move(elaborated.model);
}

}  // namespace ptxmc::cat
