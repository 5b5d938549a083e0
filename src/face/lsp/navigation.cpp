// SPDX-License-Identifier: Apache-2.0
// Where names are defined, and which words messages suggest.
#include <algorithm>
#include <cctype>
#include <exception>

#include "axiomatic/event/base.h"
#include "face/lsp/answers.h"
#include "model/models.h"

namespace ptxmc::lsp {

namespace {

std::optional<Range> definition_in_model(const SourcePtr& source, const std::string& name) {
  try {
    const relation::MemoryModel model = model::load_text(source, event::base_signature());
    for (const relation::Definition& one : model.definitions)
      if (one.name == name && one.source && one.source->name == source->name && one.position.known())
        return range_of(*source, one.position);
    for (const relation::OrderDeclaration& one : model.orders)
      if (one.name == name && one.source && one.source->name == source->name && one.position.known())
        return range_of(*source, one.position);
  } catch (const std::exception&) {  // what is wrong with it is a diagnostic
  }
  return std::nullopt;
}

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Is that a definition of the name: `name:` at the beginning of a line, or `.entry name` and `.func ... name`?
bool defines(std::string_view line, std::size_t at, std::size_t length) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t after = line.find_first_not_of(' ', at + length);
  if (first == at) return after != std::string_view::npos && line[after] == ':';
  const std::string_view before = line.substr(0, at);
  return before.find(".entry") != std::string_view::npos || before.find(".func") != std::string_view::npos;
}

/// The one place of a text that defines a name; nothing: there is none, or there are several.
std::optional<Range> definition_in_code(const Source& source, const std::string& name) {
  std::optional<Range> out;
  const auto lines = static_cast<std::uint32_t>(std::count(source.text.begin(), source.text.end(), '\n') + 1);
  for (std::uint32_t number = 1; number <= lines; ++number) {
    const std::string_view line = source.line(number);
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
      const bool whole = (at == 0 || !is_name_part(line[at - 1])) &&
                         (at + name.size() == line.size() || !is_name_part(line[at + name.size()]));
      if (!whole || !defines(line, at, name.size())) continue;
      if (out) return std::nullopt;
      out = Range{{number - 1, units_in(line, at)}, {number - 1, units_in(line, at + name.size())}};
    }
  }
  return out;
}

}  // namespace

std::optional<Range> definition_of(const SourcePtr& source, Place place) {
  const Kind kind = kind_of(source->name);
  if (kind == Kind::cat) {
    const Word word = word_at(*source, place, "_-");
    return word.text.empty() ? std::nullopt : definition_in_model(source, word.text);
  }
  if (kind != Kind::module) return std::nullopt;
  const Word word = word_at(*source, place, "_$%");
  return word.text.empty() ? std::nullopt : definition_in_code(*source, word.text);
}

std::string suggested_word(const Diagnostic& diagnostic) {
  constexpr std::string_view kAsks = "did you mean `";
  const std::size_t at = diagnostic.message.find(kAsks);
  if (at == std::string::npos || !diagnostic.source || !diagnostic.position.known()) return "";
  const std::size_t begin = at + kAsks.size(), end = diagnostic.message.find('`', begin);
  if (end == std::string::npos) return "";
  const std::string word = diagnostic.message.substr(begin, end - begin);
  // The place is the word that is wrong, and nothing more: the message names it, too.
  const std::string_view line = diagnostic.source->line(diagnostic.position.line);
  const std::size_t column = diagnostic.position.column - 1;
  std::string wrong(column < line.size() ? line.substr(column, diagnostic.position.length) : "");
  const bool quoted = wrong.size() > 2 && wrong.front() == '"' && wrong.back() == '"';
  if (quoted) wrong = wrong.substr(1, wrong.size() - 2);
  const bool named = !wrong.empty() && diagnostic.message.find("`" + wrong + "`") < at;
  if (!named) return "";
  return quoted ? "\"" + word + "\"" : word;
}

}  // namespace ptxmc::lsp
