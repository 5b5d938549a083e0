// SPDX-License-Identifier: Apache-2.0
// Conditions: `exists (P1:r0 == 1 /\ [x] != 2)`, and the sections around them: locations, filter, final ...
// with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "input/litmus/condition_grammar.h"
#include "input/litmus/header.h"
#include "input/litmus/raw.h"
#include "ptx/isa/table.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxListedElements = 1024;  // of an array in `locations`
constexpr std::size_t kMaxLocations = 65536;

class ConditionParser final : public ConditionGrammar {
 public:
  ConditionParser(ParseState& state, Cursor& cursor) : ConditionGrammar(cursor), state_(state) {}

  /// A register or a variable; `whole_array`: an array needs no element.
  std::optional<StateName> state_name(bool whole_array);

 private:
  bool accept_or() override { return c_.accept("\\/"); }
  bool accept_and() override { return c_.accept("/\\"); }
  bool accept_not() override { return c_.accept("~") || c_.accept_word("not"); }
  bool is_foreign() override;
  std::optional<ConditionTerm> term() override;
  std::optional<StateName> register_name(int thread, Position position);
  std::optional<StateName> variable_name(bool whole_array);

  ParseState& state_;
};

/// Connectives of C, and words: they are said to be none.
bool ConditionParser::is_foreign() {
  const Token token = c_.peek();
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kForeign = {
      {{"&", "/\\"}, {"and", "/\\"}, {"|", "\\/"}, {"or", "\\/"}}};
  const auto found = std::find_if(kForeign.begin(), kForeign.end(), [&](const auto& row) {
    return token.is(row.first) || token.is_word(row.first);
  });
  if (found == kForeign.end()) return false;
  const Token next = c_.peek(1);
  const bool doubled = next.is(token.text) && !next.space_before;  // the lexer has no `&&`
  Position position = token.position;
  if (doubled) position.length = 2 * position.length;
  c_.error(position, fmt::format("`{}{}` joins no conditions; write `{}`", token.text,
                                 doubled ? token.text : std::string_view(), found->second));
  return true;
}

std::optional<ConditionTerm> ConditionParser::term() {
  if (c_.at_integer() && !c_.peek(1).is(":")) {
    const std::optional<std::int64_t> integer = c_.integer();
    if (!integer) return std::nullopt;
    return InitialValue{*integer, {}};
  }
  if (c_.accept("&")) {
    const Token name = c_.peek();
    if (!is_variable_name(name)) {
      c_.expected("a variable");
      return std::nullopt;
    }
    c_.take();
    state_.use_variable(name.text, name.position);
    return InitialValue{0, std::string(name.text)};
  }
  std::optional<StateName> name = state_name(false);
  if (!name) return std::nullopt;
  return *std::move(name);
}

std::optional<StateName> ConditionParser::state_name(bool whole_array) {
  const Token first = c_.peek();
  const bool colon = c_.peek(1).is(":");
  if (first.kind == TokenKind::integer && colon) {
    const std::optional<int> thread = c_.number("a thread number", kMaxNumber);
    if (!thread) return std::nullopt;
    return register_name(*thread, first.position);
  }
  if (first.kind == TokenKind::identifier && colon) {
    const std::optional<int> thread = thread_number(first.text);
    if (!thread) {
      c_.expected("a thread `P0`, `P1` ... before `:`");
      return std::nullopt;
    }
    c_.take();
    return register_name(*thread, first.position);
  }
  if (!c_.accept("[")) return variable_name(whole_array);
  std::optional<StateName> inner = variable_name(whole_array);
  if (!inner || !c_.expect("]")) return std::nullopt;
  return inner;
}

// The cursor stands on the colon.
std::optional<StateName> ConditionParser::register_name(int thread, Position position) {
  c_.take();
  const Token name = c_.peek();
  if (name.kind != TokenKind::reg && name.kind != TokenKind::identifier) {
    c_.expected("a register");
    return std::nullopt;
  }
  c_.take();
  state_.check_thread(thread, position);
  StateName out;
  out.thread = thread;
  out.name = std::string(name.text);
  out.position = position;
  if (name.position.line == position.line) {
    out.position.length = name.position.column + name.position.length - position.column;
  }
  return out;
}

std::optional<StateName> ConditionParser::variable_name(bool whole_array) {
  const Token name = c_.peek();
  if (!is_variable_name(name)) {
    c_.expected(is_bare_register(name.text) || name.kind == TokenKind::reg
                    ? "a variable, an integer or a thread's register such as P0:r0"
                    : "a variable, a register or an integer");
    return std::nullopt;
  }
  c_.take();
  StateName out;
  out.name = std::string(name.text);
  out.position = name.position;
  state_.use_variable(out.name, name.position);
  const Variable* variable = state_.find_variable(out.name);
  if (variable != nullptr && !variable->locations.empty()) {
    c_.error(name.position, fmt::format("`{}` is a multimem address (8.2.3); values are in its locations: {}",
                                        out.name, fmt::join(variable->locations, ", ")));
    return std::nullopt;
  }
  const std::uint32_t elements = variable != nullptr ? variable->elements : 1;
  const bool is_array = variable != nullptr && variable->is_array;
  if (c_.accept("[")) {
    const Position position = c_.peek().position;
    const std::optional<int> element = c_.number("an element's number", kMaxNumber);
    if (!element || !c_.expect("]")) return std::nullopt;
    if (!is_array || static_cast<std::uint32_t>(*element) >= elements) {
      c_.error(position,
               is_array ? fmt::format("`{}` has {} elements, there is no {}", out.name, elements, *element)
                        : fmt::format("`{}` is no array", out.name));
      return std::nullopt;
    }
    out.element = static_cast<std::uint32_t>(*element);
  } else if (is_array && !whole_array) {
    c_.error(name.position, fmt::format("`{0}` is an array; name an element, such as `{0}[0]`", out.name));
    return std::nullopt;
  }
  return out;
}

class Final {
 public:
  Final(ParseState& state, Cursor& cursor) : state_(state), c_(cursor) {}

  void run() {
    while (!c_.at_end()) {
      if (c_.accept(";")) continue;
      if (!section()) skip();
    }
  }

 private:
  bool section();
  bool locations();
  bool add_location(const StateName& name);
  bool quantified(Quantifier quantifier, Position position);
  bool final_with(Position position);
  bool expectation();
  std::optional<Quantifier> quantifier();
  // To the next section, at least one token on.
  void skip() {
    const std::size_t start = c_.index();
    while (!c_.at_end() && (c_.index() == start || !at_section(c_))) c_.take();
  }

  ParseState& state_;
  Cursor& c_;
};

std::optional<Quantifier> Final::quantifier() {
  if (c_.accept_word("exists")) return Quantifier::exists;
  if (c_.accept_word("forall")) return Quantifier::forall;
  if ((c_.is("~") || c_.is_word("not")) && c_.peek(1).is_word("exists")) {
    c_.take();
    c_.take();
    return Quantifier::not_exists;
  }
  return std::nullopt;
}

bool Final::section() {
  const Token first = c_.peek();
  if (c_.accept_word("locations")) return locations();
  if (c_.accept_word("final")) return final_with(first.position);
  if (c_.accept_word("filter")) {
    ConditionPtr filter = ConditionParser(state_, c_).implication();
    if (!filter) return false;
    if (state_.test.property.filter) c_.error(first.position, "`filter` occurs twice");
    state_.test.property.filter = std::move(filter);
    return true;
  }
  if (const std::optional<Quantifier> q = quantifier()) return quantified(*q, first.position);
  c_.expected(state_.test.property.condition ? "the end of the file"
                                             : "exists, ~exists, forall, filter or locations");
  return false;
}

bool Final::quantified(Quantifier quantifier, Position position) {
  ConditionPtr condition = ConditionParser(state_, c_).implication();
  if (!condition) return false;
  if (state_.test.property.condition) {
    c_.error(position, "a test has one condition, this is another");
    return true;
  }
  state_.test.property.quantifier = quantifier;
  state_.test.property.condition = std::move(condition);
  return true;
}

// `final P with exists`, or a list of expectations by model: `final P with sc: ~exists; default: exists;`
bool Final::final_with(Position position) {
  if (!quantified(Quantifier::exists, position)) return false;
  c_.accept(";");
  if (!c_.accept_word("with")) {
    c_.expected("`with`");
    return false;
  }
  if (const std::optional<Quantifier> direct = quantifier()) {
    state_.test.property.quantifier = *direct;
    return true;
  }
  do {
    if (!expectation()) return false;
    if (!c_.accept(";")) break;
  } while (c_.peek().kind == TokenKind::identifier && c_.peek(1).is(":") && !at_section(c_));
  return true;
}

// `model: exists` states a verdict; `default` speaks of every model without an entry of its own
bool Final::expectation() {
  const Token model = c_.peek();
  if (model.kind != TokenKind::identifier) {
    c_.expected("a model's name, or exists, ~exists, forall");
    return false;
  }
  c_.take();
  if (!c_.expect(":")) return false;
  const std::optional<Quantifier> q = quantifier();
  if (!q) {
    c_.expected("exists, ~exists or forall");
    return false;
  }
  Verdict verdict;
  if (model.text != "default") verdict.model = std::string(model.text);
  verdict.position = model.position;
  verdict.proposition = *q == Quantifier::exists   ? Stated::allowed
                        : *q == Quantifier::forall ? Stated::required
                                                   : Stated::forbidden;
  add_verdict(state_.test, std::move(verdict), state_.errors);
  return true;
}

bool Final::locations() {
  if (!c_.expect("[", "and the locations")) return false;
  while (!c_.is("]")) {
    if (c_.accept(";") || c_.accept(",")) continue;
    std::optional<StateName> name = ConditionParser(state_, c_).state_name(true);
    if (!name || !add_location(*name)) {
      c_.skip_to(";", "]");
      if (c_.at_end()) return true;  // reported
      continue;
    }
    if (!c_.is(";") && !c_.is(",") && !c_.is("]")) {
      c_.expected("`;` or `]`");
      return false;
    }
  }
  c_.take();
  return true;
}

// An array without an element stands for all of its elements.
bool Final::add_location(const StateName& name) {
  if (state_.test.property.locations.size() > kMaxLocations) {
    c_.error(name.position, fmt::format("more than {} locations", kMaxLocations));
    throw TooManyErrors();
  }
  const Variable* variable = name.thread ? nullptr : state_.find_variable(name.name);
  if (variable == nullptr || !variable->is_array || name.element) {
    state_.test.property.locations.push_back(name);
    return true;
  }
  if (variable->elements > kMaxListedElements) {
    c_.error(name.position,
             fmt::format("`{}` has {} elements, name those to be listed", name.name, variable->elements));
    return false;
  }
  for (std::uint32_t i = 0; i < variable->elements; ++i) {
    StateName element = name;
    element.element = i;
    state_.test.property.locations.push_back(std::move(element));
  }
  return true;
}

}  // namespace

ConditionPtr parse_condition(ParseState& state, Cursor& cursor) {
  return ConditionParser(state, cursor).implication();
}

void parse_final(ParseState& state, Cursor& cursor) {
  Final(state, cursor).run();
}

}  // namespace ptxmc::litmus
