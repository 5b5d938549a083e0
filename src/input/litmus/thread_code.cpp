// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/thread_code.h"

#include <fmt/format.h>

#include <utility>

namespace ptxmc::litmus {

namespace {

/// Names in code mean variables of the test.
class FileNames : public resolve::Names {
 public:
  explicit FileNames(ParseState& state) : state_(state) {}
  const Variable* variable(std::string_view name) const override { return state_.find_variable(name); }
  void use_variable(std::string_view name, Position position) override {
    state_.use_variable(name, position);
  }
  bool is_register(std::string_view name) const override { return is_bare_register(name); }

 private:
  ParseState& state_;
};

resolve::Context context_of(ParseState& state, const RawThread& thread, resolve::Names& names) {
  const isa::Notation notation = state.test.native ? isa::Notation::any : isa::Notation::short_form;
  return {state.errors, *state.test.source, names, name_of(thread), kComments, notation, state.test.native};
}

}  // namespace

bool CodeExtension::at_operand(const Cursor& cursor) const {
  return cursor.is("&") || (cursor.is_word("desc") && cursor.peek(1).is("("));
}

bool CodeExtension::read_operand(ptx::InstructionReader& reader, RawOperand& out) const {
  Cursor& c = reader.cursor();
  if (c.accept("&")) {
    out.kind = RawOperand::Kind::address_of;
    return reader.name(out.name);
  }
  c.take();
  c.take();
  out.kind = RawOperand::Kind::descriptor;
  if (!reader.name(out.name)) return false;
  if ((c.is("+") || c.is("-")) && !reader.offset(out)) return false;
  while (c.accept(",")) {
    const Token key = c.peek();
    if (!key.is_word("leading") && !key.is_word("stride") && !key.is_word("swizzle")) {
      c.expected("leading=N, stride=N or swizzle=N");
      return false;
    }
    c.take();
    if (!c.expect("=", "and a number of bytes")) return false;
    const std::optional<std::int64_t> bytes = c.integer("a number of bytes");
    if (!bytes) return false;
    for (const RawOperand& setting : out.elements) {
      if (setting.name.name != key.text) continue;
      c.error(key.position, fmt::format("`{}` is given twice", key.text));
      return false;
    }
    RawOperand& setting = out.elements.emplace_back();
    setting.name.name = key.text;
    setting.number = *bytes;
  }
  return c.expect(")", "at the end of the descriptor");
}

bool BlockExtension::ends_body(const Cursor& cursor) const {
  return at_section(cursor) || (at_thread_head(cursor) && !cursor.peek(1).is(":"));
}

std::string name_of(const RawThread& thread) {
  return fmt::format("P{}", thread.thread.number);
}

void take_body(ParseState& state, RawThread& thread, ptx::Body body) {
  std::erase_if(body.statements, [&](const ptx::Statement& statement) {
    if (std::holds_alternative<ptx::Registers>(statement.node)) state.ptx_declarations = true;
    if (const auto* declared = std::get_if<ptx::Variables>(&statement.node)) {
      for (const ptx::Variable& variable : declared->variables) declare_in_body(state, variable);
    }
    const auto* label = std::get_if<ptx::Label>(&statement.node);
    if (label == nullptr || !is_section_word(label->name.name)) return false;
    state.errors.error(label->name.position, fmt::format("`{}` cannot be a label", label->name.name));
    return true;
  });
  FileNames names(state);
  resolve::take_body(context_of(state, thread, names), thread, std::move(body));
}

void resolve_code(ParseState& state) {
  state.test.native = state.ptx_declarations || state.blocks;
  FileNames names(state);
  for (RawThread& thread : state.threads) resolve::resolve_code(context_of(state, thread, names), thread);
  resolve::resolve_code(context_of(state, state.kernel_calls, names), state.kernel_calls);
  state.test.kernels.calls = std::move(state.kernel_calls.code);
}

void finish_threads(ParseState& state) {
  for (RawThread& raw : state.threads) {
    const ThreadDraft& draft = raw.thread;
    std::shared_ptr<const Body> body;
    if (raw.same_body) {
      body = state.test.threads[*raw.same_body].body;
    } else {
      body = std::make_shared<const Body>(Body{std::move(raw.registers), std::move(raw.code)});
    }
    state.test.threads.push_back({draft.number, draft.placement, std::move(body), draft.position});
  }
}

}  // namespace ptxmc::litmus
