// SPDX-License-Identifier: Apache-2.0
#include "face/lsp/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <functional>
#include <memory>
#include <set>

#include "axiomatic/event/base.h"
#include "explain/judgement.h"
#include "finding/manual.h"
#include "input/launch/plan_file.h"
#include "input/litmus/nvidia.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "ptx/isa/describe.h"
#include "ptx/isa/sections.h"
#include "ptx/text/module.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::lsp {

namespace {

constexpr std::string_view kMnemonic = "._:", kName = "_-";

void read(const SourcePtr& source, std::vector<Diagnostic>& warnings) {
  switch (kind_of(source->name)) {
    case Kind::litmus:
      litmus::parse(source, &warnings);
      break;
    case Kind::nvidia:
      litmus::parse_nvidia(source);
      break;
    case Kind::cat:
      model::load_text(source, event::base_signature());
      break;
    case Kind::module: {
      const ptx::Module module = ptx::parse_module(source);
      warnings.insert(warnings.end(), module.notes.begin(), module.notes.end());
      ptx::check_read(module);
      break;
    }
    case Kind::launch:
      launch::read_plan(source);
      break;
    case Kind::cuda:
    case Kind::other:
      break;
  }
}

/// A model as far as it can be read.
std::optional<relation::MemoryModel> model_in(const SourcePtr& source) {
  try {
    return model::load_text(source, event::base_signature());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string form_text(const isa::FormText& form) {
  std::string out = fmt::format("**{}**", form.name);
  for (std::size_t i = 0; i < form.operands.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? " " : ", ", form.operands[i]);
  out += "\n\n";
  for (const isa::FormText::Choice& choice : form.choices)
    out += fmt::format("- {}{}: `{}`\n", choice.what, choice.required ? " (required)" : "", choice.words);
  return out + "\n";
}

std::string mnemonic_text(const std::string& mnemonic) {
  constexpr std::size_t kMostForms = 4;
  // A word that is not finished, or not known: what the name alone says.
  std::vector<isa::FormText> forms = isa::forms_of(mnemonic);
  if (forms.empty()) forms = isa::forms_of(mnemonic.substr(0, mnemonic.find('.')));
  if (forms.empty()) return "";
  const std::string_view sections = isa::sections_of(mnemonic);
  std::string out = sections.empty() ? "" : fmt::format("{}\n\n", finding::citation(sections));
  for (std::size_t i = 0; i < forms.size() && i < kMostForms; ++i) out += form_text(forms[i]);
  if (forms.size() > kMostForms) out += fmt::format("and {} forms more\n", forms.size() - kMostForms);
  return out;
}

std::string defined_text(const std::string& name, std::string_view kind, const std::string& section,
                         const SourcePtr& source, Position position, const std::string& own) {
  std::string out = fmt::format("`{}`: {}", name, kind);
  if (!section.empty()) out += fmt::format(", {}", finding::citation(section));
  if (source && position.known()) {
    const std::string where = source->name == own ? "" : fmt::format(" of {}", source->name);
    out +=
        fmt::format("\n\nline {}{}:\n```cat\n{}\n```\n", position.line, where, source->line(position.line));
  }
  return out;
}

std::string model_text(const SourcePtr& source, const std::string& name) {
  if (const auto model = model_in(source)) {
    for (const relation::Definition& one : model->definitions)
      if (one.name == name)
        return defined_text(name, std::holds_alternative<relation::Set>(one.value) ? "a set" : "a relation",
                            one.section, one.source, one.position, source->name);
    for (const relation::OrderDeclaration& one : model->orders)
      if (one.name == name)
        return defined_text(name, "an order that each execution chooses", one.section, one.source,
                            one.position, source->name);
    for (const auto* constraints : {&model->axioms, &model->flags})
      for (const relation::Constraint& one : *constraints)
        if (one.name == name)
          return defined_text(name, constraints == &model->axioms ? "an axiom" : "a flag", one.section,
                              one.source, one.position, source->name);
  }
  const relation::Signature& signature = event::base_signature();
  if (const auto id = signature.find(name)) {
    const relation::BaseRow& row = signature[*id];
    return fmt::format("`{}`: a base {}, {}{}", name, row.sort == relation::Sort::set ? "set" : "relation",
                       row.doc,
                       row.section.empty() ? "" : fmt::format(" ({})", finding::citation(row.section)));
  }
  return "";
}

std::vector<Completed> model_completions(const SourcePtr& source, const Word& word) {
  std::vector<Completed> out;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const std::string& detail) {
    if (name.starts_with(word.before) && seen.insert(name).second) out.push_back({name, detail, word.range});
  };
  if (const auto model = model_in(source)) {
    for (const relation::Definition& one : model->definitions) add(one.name, one.section);
    for (const relation::OrderDeclaration& one : model->orders) add(one.name, one.section);
  }
  for (const relation::BaseRow& row : event::base_signature().rows()) add(row.name, row.doc);
  return out;
}

std::string verdict_of(const SourcePtr& source, const session::Settings& settings) {
  const session::Session session(settings);
  const auto analysis = session::check_test(session, litmus::parse(source));
  const explain::Judgement& judgement = analysis->judgement;
  const std::string under = fmt::format(" ({})", session.model_name());
  if (judgement.answer == explain::Answer::unknown)
    return fmt::format("Unknown: {}{}", judgement.unknown, under);
  const litmus::Verdict* stated =
      explain::stated_for(analysis->test, session.model_name(), session.readings().changed());
  const engine::Result& result = analysis->decision.result;
  // What the condition comes to may be known before all states are.
  const std::string states = result.complete ? fmt::format("; {} states", result.states.size()) : "";
  const std::string found(explain::name_of(judgement.answer));
  if (stated == nullptr) return found + states + under;
  const std::optional<bool> met = explain::is_met(*stated, judgement, analysis->flags);
  if (met == true) return fmt::format("{}, as stated{}{}", found, states, under);
  if (met == false)
    return fmt::format("stated {}, found {}{}", explain::print(*stated),
                       explain::found_instead(*stated, judgement, analysis->flags), under);
  return fmt::format("{}{}; whether it is as stated is unknown{}", found, states, under);
}

}  // namespace

Kind kind_of(std::string_view name) {
  if (name.ends_with(".litmus")) return Kind::litmus;
  if (litmus::is_nvidia_name(name)) return Kind::nvidia;
  if (name.ends_with(".cat")) return Kind::cat;
  if (name.ends_with(".ptx")) return Kind::module;
  if (name.ends_with("launch.json") || name.ends_with("sequence.json")) return Kind::launch;
  if (name.ends_with(".cu")) return Kind::cuda;
  return Kind::other;
}

namespace {

bool has_instructions(Kind kind) {
  return kind == Kind::litmus || kind == Kind::nvidia || kind == Kind::module;
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(const SourcePtr& source) {
  std::vector<Diagnostic> out;
  try {
    read(source, out);
  } catch (const InputError& error) {
    out = error.diagnostics();
  } catch (const std::exception& error) {
    out = {{Severity::error, source, {}, error.what()}};
  }
  return out;
}

std::optional<OnConfirmed> hover_of(const SourcePtr& source, Place place) {
  const bool cat = kind_of(source->name) == Kind::cat;
  if (!cat && !has_instructions(kind_of(source->name))) return std::nullopt;
  const Word word = word_at(*source, place, cat ? kName : kMnemonic);
  if (word.text.empty()) return std::nullopt;
  const std::string text = cat ? model_text(source, word.text) : mnemonic_text(word.text);
  if (text.empty()) return std::nullopt;
  return OnConfirmed{text, word.range};
}

std::vector<Completed> completions_of(const SourcePtr& source, Place place) {
  const Kind kind = kind_of(source->name);
  if (kind != Kind::cat && !has_instructions(kind)) return {};
  Word word = word_at(*source, place, kind == Kind::cat ? kName : kMnemonic);
  word.range.end = place;
  if (kind == Kind::cat) return model_completions(source, word);
  std::vector<Completed> out;
  const std::size_t dot = word.before.rfind('.');
  if (dot != std::string::npos)  // what stands before the dot is ASCII, as all mnemonics are
    word.range.begin.character += static_cast<std::uint32_t>(dot + 1);
  for (const std::string& one : isa::continuations(word.before)) {
    const std::string whole = dot == std::string::npos ? one : word.before.substr(0, dot + 1) + one;
    out.push_back({one, std::string(isa::sections_of(whole)), word.range});
  }
  return out;
}

std::string verdict_line(const SourcePtr& source, const session::Settings& settings) {
  try {
    return verdict_of(source, settings);
  } catch (const InputError& error) {
    const std::vector<Diagnostic>& all = error.diagnostics();
    return all.empty() ? "an error"
                       : fmt::format("error in line {}: {}", all.front().position.line, all.front().message);
  } catch (const OutOfTime&) {
    return "Unknown: timeout";
  } catch (const std::bad_alloc&) {
    return "Unknown: memory";
  } catch (const std::exception& error) {
    return fmt::format("internal error: {}", error.what());
  }
}

}  // namespace ptxmc::lsp
