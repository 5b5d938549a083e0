// SPDX-License-Identifier: Apache-2.0
#include "litmus/nvidia_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "litmus/condition_signs.h"

namespace ptxmc::litmus {

namespace {

/// A register as written: `d0.b1.t0.r1` has three parts before its name.
struct RegisterPath {
  std::vector<std::string_view> place;
  std::string_view name;
  bool percent = false;
  Position position;
};

bool is_place(std::string_view part) {
  return part.size() > 1 && (part[0] == 'd' || part[0] == 'b' || part[0] == 't') &&
         std::all_of(part.begin() + 1, part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool runs_at(const NvidiaThread& thread, const std::vector<std::string_view>& place) {
  return std::all_of(place.begin(), place.end(), [&](std::string_view part) {
    const int number = part[0] == 'd' ? thread.device : part[0] == 'b' ? thread.block : thread.thread;
    return ptx::parse_digits(part.substr(1)) == static_cast<std::uint64_t>(number);
  });
}

class ConditionParser {
 public:
  ConditionParser(const ParseState& state, const std::vector<NvidiaThread>& threads, Cursor& cursor)
      : state_(state), threads_(threads), c_(cursor) {}

  ConditionPtr implication(int depth);

 private:
  template <typename List>
  ConditionPtr list(char twice, std::string_view herd, int depth, ConditionPtr (ConditionParser::*part)(int));
  ConditionPtr disjunction(int depth) {
    return list<Disjunction>('|', "\\/", depth, &ConditionParser::conjunction);
  }
  ConditionPtr conjunction(int depth) {
    return list<Conjunction>('&', "/\\", depth, &ConditionParser::negation);
  }
  bool accept_sign(char twice, std::string_view herd);
  ConditionPtr negation(int depth);
  ConditionPtr comparison();
  std::optional<ConditionTerm> term();
  std::optional<ConditionTerm> variable(const Token& name);
  std::optional<RegisterPath> path();
  std::optional<ConditionTerm> register_term(const RegisterPath& path);

  const ParseState& state_;
  const std::vector<NvidiaThread>& threads_;
  Cursor& c_;
};

ConditionPtr ConditionParser::implication(int depth) {
  ConditionPtr left = disjunction(depth);
  if (!left || !c_.is("=>")) return left;
  const Position sign = c_.take().position;
  if (depth > kMaxConditionDepth) {
    c_.error(sign, "condition nested too deeply");
    return nullptr;
  }
  ConditionPtr right = implication(depth + 1);
  return right ? make(Implication{std::move(left), std::move(right)}, sign) : nullptr;
}

bool ConditionParser::accept_sign(char twice, std::string_view herd) {
  const std::string_view one(&twice, 1);
  if (c_.is(one) && c_.peek(1).is(one)) {
    c_.take();
    c_.take();
    return true;
  }
  return c_.accept(herd);
}

template <typename List>
ConditionPtr ConditionParser::list(char twice, std::string_view herd, int depth,
                                   ConditionPtr (ConditionParser::*part)(int)) {
  const Position position = c_.peek().position;
  List out;
  do {
    ConditionPtr next = (this->*part)(depth);
    if (!next) return nullptr;
    out.parts.push_back(std::move(next));
  } while (accept_sign(twice, herd));
  if (out.parts.size() == 1) return out.parts.front();
  return make(std::move(out), position);
}

ConditionPtr ConditionParser::negation(int depth) {
  const Position position = c_.peek().position;
  if (depth > kMaxConditionDepth) {
    c_.error(position, "condition nested too deeply");
    return nullptr;
  }
  if (c_.accept("!") || c_.accept("~") || c_.accept_word("not")) {
    ConditionPtr part = negation(depth + 1);
    return part ? make(Negation{std::move(part)}, position) : nullptr;
  }
  if (c_.accept("(")) {
    ConditionPtr inner = implication(depth + 1);
    return inner && c_.expect(")") ? inner : nullptr;
  }
  if (c_.accept_word("true")) return make(Conjunction{}, position);
  if (c_.accept_word("false")) return make(Disjunction{}, position);
  return comparison();
}

ConditionPtr ConditionParser::comparison() {
  const Position position = c_.peek().position;
  std::optional<ConditionTerm> left = term();
  if (!left) return nullptr;
  const std::optional<isa::Compare> op = accept_compare(c_);
  if (!op) {
    c_.expected("a comparison: ==, !=, <, <=, > or >=");
    return nullptr;
  }
  std::optional<ConditionTerm> right = term();
  if (!right) return nullptr;
  return make(Comparison{*op, std::move(*left), std::move(*right)}, position);
}

std::optional<ConditionTerm> ConditionParser::term() {
  if (c_.at_integer()) {
    const std::optional<std::int64_t> integer = c_.integer();
    if (!integer) return std::nullopt;
    return InitialValue{*integer, {}};
  }
  if (c_.accept("[")) {
    const Token name = c_.take();
    std::optional<ConditionTerm> out = variable(name);
    return out && c_.expect("]") ? out : std::nullopt;
  }
  const bool address = c_.accept("&");
  const Token name = c_.peek();
  if (address || (name.kind == TokenKind::identifier && c_.peek(1).kind != TokenKind::word &&
                  !c_.peek(1).is(":") && state_.variable_index.count(name.text) != 0)) {
    c_.take();
    std::optional<ConditionTerm> out = variable(name);
    if (out && address) return InitialValue{0, std::string(name.text)};
    return out;
  }
  const std::optional<RegisterPath> reg = path();
  return reg ? register_term(*reg) : std::nullopt;
}

std::optional<ConditionTerm> ConditionParser::variable(const Token& name) {
  if (name.kind != TokenKind::identifier || state_.variable_index.count(name.text) == 0) {
    c_.error(name.position, fmt::format("expected a variable, found {}", describe(name)));
    return std::nullopt;
  }
  StateName out;
  out.name = std::string(name.text);
  out.position = name.position;
  return out;
}

// r0, %r0, t0.r0, d0.b1.t0.r0, d0.b1.t0:r0
std::optional<RegisterPath> ConditionParser::path() {
  RegisterPath out;
  out.position = c_.peek().position;
  Token part = c_.peek();
  bool more = false;
  do {
    if (part.kind != TokenKind::identifier && part.kind != TokenKind::reg && part.kind != TokenKind::word) {
      c_.expected(out.place.empty() ? "a variable, a register or an integer" : "a register");
      return std::nullopt;
    }
    c_.take();
    const bool joined = c_.peek().kind == TokenKind::word && !c_.peek().space_before;
    more = joined || c_.is(":") || (c_.is(".") && c_.peek(1).kind == TokenKind::reg);
    if (more && !is_place(part.text)) {
      c_.error(
          part.position,
          fmt::format("expected a part of a thread's place such as d0, b1 or t2, found {}", describe(part)));
      return std::nullopt;
    }
    if (more) out.place.push_back(part.text);
    if (more && !joined) c_.take();  // the colon or the point
    if (more) part = c_.peek();
  } while (more);
  out.name = part.text;
  out.percent = part.kind == TokenKind::reg;
  if (part.position.line == out.position.line)
    out.position.length = part.position.column + part.position.length - out.position.column;
  return out;
}

std::optional<ConditionTerm> ConditionParser::register_term(const RegisterPath& path) {
  const std::string name(path.name);
  std::vector<std::size_t> having;
  bool somewhere = false;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!runs_at(threads_[i], path.place)) continue;
    somewhere = true;
    if (threads_[i].registers.count(name) != 0) having.push_back(i);
  }
  if (having.size() == 1) {
    StateName out;
    out.thread = state_.threads[having.front()].thread.number;
    out.name = name;
    out.position = path.position;
    return out;
  }
  if (having.size() > 1) {
    c_.error(path.position,
             fmt::format("several threads have a register `{0}`; name one, as in `d0.b0.t0.{0}`", name));
  } else if (path.place.empty()) {
    c_.error(path.position, fmt::format("`{}` is neither a variable nor a register of a thread", name));
  } else {
    c_.error(path.position, somewhere ? fmt::format("this thread has no register `{}`", name)
                                      : std::string("there is no such thread"));
  }
  return std::nullopt;
}

}  // namespace

// From the statements as written, so that a mistake in one does not make its register unknown too.
void find_registers(const ParseState& state, std::vector<NvidiaThread>& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const RawThread& thread = state.threads[i];
    threads[i].registers = thread.declared;
    for (const RawStatement& statement : thread.statements) {
      for (const RawOperand& operand : statement.operands) {
        for (const RawName* name : {&operand.name, &operand.second}) {
          if (name->percent || is_bare_register(name->name)) threads[i].registers.insert(name->name);
        }
      }
    }
  }
}

std::optional<isa::Compare> accept_compare(Cursor& cursor) {
  for (const CompareSign& row : kCompareSigns) {
    if (cursor.accept(row.sign)) return row.op;
  }
  return std::nullopt;
}

ConditionPtr parse_nvidia_condition(const ParseState& state, const std::vector<NvidiaThread>& threads,
                                    Cursor& cursor) {
  ConditionPtr out = ConditionParser(state, threads, cursor).implication(0);
  if (out && !cursor.at_end()) {
    cursor.expected("`&&`, `||` or the end of the condition");
    return nullptr;
  }
  return out;
}

}  // namespace ptxmc::litmus
