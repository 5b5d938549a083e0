// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/nvidia_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/litmus/condition_grammar.h"

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

class NvidiaConditionParser final : public ConditionGrammar {
 public:
  NvidiaConditionParser(const ParseState& state, const std::vector<NvidiaThread>& threads, Cursor& cursor)
      : ConditionGrammar(cursor), state_(state), threads_(threads) {}

 private:
  bool accept_or() override { return accept_sign("|", "\\/"); }
  bool accept_and() override { return accept_sign("&", "/\\"); }
  bool accept_not() override { return c_.accept("!") || c_.accept("~") || c_.accept_word("not"); }
  bool accept_sign(std::string_view twice, std::string_view herd);
  std::optional<ConditionTerm> term() override;
  std::optional<ConditionTerm> variable(const Token& name);
  std::optional<RegisterPath> path();
  std::optional<ConditionTerm> register_term(const RegisterPath& path);

  const ParseState& state_;
  const std::vector<NvidiaThread>& threads_;
};

bool NvidiaConditionParser::accept_sign(std::string_view twice, std::string_view herd) {
  if (!c_.is(twice) || !c_.peek(1).is(twice)) return c_.accept(herd);
  c_.take();
  c_.take();
  return true;
}

std::optional<ConditionTerm> NvidiaConditionParser::term() {
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

std::optional<ConditionTerm> NvidiaConditionParser::variable(const Token& name) {
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
std::optional<RegisterPath> NvidiaConditionParser::path() {
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

std::optional<ConditionTerm> NvidiaConditionParser::register_term(const RegisterPath& path) {
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

ConditionPtr parse_nvidia_condition(const ParseState& state, const std::vector<NvidiaThread>& threads,
                                    Cursor& cursor) {
  ConditionPtr out = NvidiaConditionParser(state, threads, cursor).implication();
  if (out && !cursor.at_end()) {
    cursor.expected("`&&`, `||` or the end of the condition");
    return nullptr;
  }
  return out;
}

}  // namespace ptxmc::litmus
