// SPDX-License-Identifier: Apache-2.0
// One program of a `.test` file: declarations and threads are read first, by the statement parser of litmus
// files; conditions when the code is resolved, since a bare register in them means the thread that has it.
#include "input/litmus/nvidia_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "input/litmus/condition_grammar.h"
#include "input/litmus/thread_code.h"

namespace ptxmc::litmus {

namespace {

struct PropertyWord {
  std::string_view word;
  PropertyKind kind;
  std::string_view prefix;  ///< of the name
};
constexpr std::array<PropertyWord, 4> kProperties = {{{"permit", PropertyKind::permit, ""},
                                                      {"check", PropertyKind::permit, "check_"},
                                                      {"assert", PropertyKind::assert_, ""},
                                                      {"require", PropertyKind::require, ""}}};

/// `.surfref` and the like: words that declare a name.
struct DeclarationWord {
  std::string_view word;
  isa::Space space;
  isa::Proxy proxy;
};
constexpr std::array<DeclarationWord, 5> kDeclarations = {{
    {"global", isa::Space::global, isa::Proxy::generic},
    {"shared", isa::Space::shared, isa::Proxy::generic},
    {"surfref", isa::Space::global, isa::Proxy::surface},
    {"texref", isa::Space::global, isa::Proxy::texture},
    {"constref", isa::Space::global, isa::Proxy::constant},
}};

template <typename Row, std::size_t N>
const Row* find_word(const std::array<Row, N>& rows, std::string_view word) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.word == word; });
  return found == rows.end() ? nullptr : &*found;
}

/// N of "d0" for the letter d.
std::optional<int> place_number(std::string_view text, char letter) {
  if (text.size() < 2 || text.size() > 6 || text[0] != letter) return std::nullopt;
  if (!std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  int number = 0;
  for (const char c : text.substr(1)) number = number * 10 + (c - '0');
  if (number > kMaxNumber) return std::nullopt;
  return number;
}

/// Spellings that this notation alone has.
void respell(ptx::Instruction& instruction) {
  if (instruction.base == "ldc") instruction.base = "cold";
  if (instruction.base == "fence" && instruction.words == std::vector<std::string_view>{"alias"}) {
    instruction.words.insert(instruction.words.begin(), "proxy");
    instruction.word_positions.insert(instruction.word_positions.begin(), instruction.word_positions.front());
  }
}

ptx::Body respelt(ptx::Body body) {
  for (ptx::Statement& statement : body.statements) {
    if (auto* instruction = std::get_if<ptx::Instruction>(&statement.node)) respell(*instruction);
  }
  return body;
}

/// One program: the text of a row, or of a file without a table.
class Program {
 public:
  Program(ParseState& state, Cursor& cursor) : state_(state), c_(cursor) {}

  NvidiaProgram run();

 private:
  void item();
  void declaration();
  bool declare(const DeclarationWord& row, const std::optional<isa::Type>& type);
  bool alias(const DeclarationWord& row, Variable& variable);
  void thread();
  bool thread_head(NvidiaThread& out);
  void expectation(std::size_t thread, const ptx::Instruction& read, Cursor cursor);
  void property();
  std::string property_name(const NvidiaProperty& property, std::string_view prefix);
  void skip_item();

  /// `ld.weak r0, [x] == 2`
  class ValueExtension : public CodeExtension {
   public:
    ValueExtension(Program& program, std::size_t thread) : program_(program), thread_(thread) {}
    std::size_t instruction_end(const Cursor& statement) const override;
    void read_tail(Cursor tail, const ptx::Instruction& read) const override {
      program_.expectation(thread_, read, tail);
    }

   private:
    Program& program_;
    std::size_t thread_;
  };

  ParseState& state_;
  Cursor& c_;
  std::vector<NvidiaThread> threads_;
  std::vector<Expectation> expectations_;
  std::vector<std::size_t> property_places_;  // tokens
  NvidiaProgram out_;
};

NvidiaProgram Program::run() {
  state_.blocks = true;
  while (!c_.at_end()) item();
  const std::size_t declared = state_.test.variables.size();
  resolve_code(state_);
  const std::vector<Variable>& variables = state_.test.variables;
  for (std::size_t i = declared; i < variables.size(); ++i) {
    state_.errors.error(
        variables[i].position,
        fmt::format("`{0}` is not declared; expected `.global {0};` above", variables[i].name));
  }
  find_registers(state_, threads_);
  for (const std::size_t place : property_places_) {
    c_.move_to(place);
    property();
  }
  for (const Expectation& e : expectations_) {
    ConditionPtr constraint = expected_value(state_, threads_[e.thread].registers, e);
    if (constraint) out_.constraints.push_back(std::move(constraint));
  }
  if (threads_.empty() && !state_.errors.any()) c_.expected("a thread such as `d0.b0.t0 {...}`");
  const bool judged = std::any_of(out_.properties.begin(), out_.properties.end(),
                                  [](const NvidiaProperty& p) { return p.kind != PropertyKind::require; });
  if (!judged && !state_.errors.any())
    c_.expected("a property: permit (...) as NAME; or assert (...) as NAME;");
  return std::move(out_);
}

void Program::item() {
  const Token first = c_.peek();
  if (first.kind == TokenKind::word) return declaration();
  if (first.kind == TokenKind::identifier && find_word(kProperties, first.text) != nullptr) {
    property_places_.push_back(c_.index());
    c_.skip_to(";");
    c_.accept(";");
    return;
  }
  if (first.kind == TokenKind::identifier && c_.peek(1).kind == TokenKind::word) return thread();
  if (c_.accept(";")) return;
  c_.expected("a declaration, a thread such as d0.b1.t0, permit, assert or require");
  skip_item();
}

// To the next declaration, property or thread: behind `;` or `}`, at least one token on.
void Program::skip_item() {
  int depth = 0;
  while (!c_.at_end()) {
    const Token token = c_.take();
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    if (depth <= 0 && (token.is(";") || token.is("}"))) return;
  }
}

// ---- Declarations -----------------------------------------------------------------------------------------

void Program::declaration() {
  const Token word = c_.take();
  const DeclarationWord* row = find_word(kDeclarations, word.text);
  if (row == nullptr) {
    c_.error(word.position, fmt::format("expected .global, .shared, .surfref, .texref or .constref, found {}",
                                        describe(word)));
    return skip_item();
  }
  std::optional<isa::Type> type;
  if (c_.peek().kind == TokenKind::word) {
    ptx::Type written;
    if (ptx::DeclarationReader(c_, nullptr, kLimits).type(written))
      type = take_type(state_.errors, written, false);
    if (!type) return skip_item();
  }
  do {
    if (!declare(*row, type)) return skip_item();
  } while (c_.accept(","));
  if (!c_.expect(";", "at the end of the declaration")) skip_item();
}

bool Program::declare(const DeclarationWord& row, const std::optional<isa::Type>& type) {
  const Token name = c_.peek();
  if (!is_variable_name(name)) {
    c_.expected("a variable");
    return false;
  }
  c_.take();
  Variable variable;
  variable.name = std::string(name.text);
  variable.position = name.position;
  variable.space = row.space;
  variable.type = type;
  variable.alias_proxy = row.proxy;
  if (!alias(row, variable)) return false;
  if (variable.aliases.empty() && c_.accept("=")) {
    const std::optional<std::int64_t> value = c_.integer();
    if (!value) return false;
    variable.initial.push_back({*value, {}});
  }
  if (const Variable* first = state_.find_variable(name.text)) {
    c_.error(name.position, fmt::format("variable `{}` is declared twice", name.text),
             {{first->position, "the first is here"}});
    return true;
  }
  state_.add_variable(std::move(variable));
  return true;
}

// `physically aliases x`: another virtual address; `virtually aliases x`: the same one through another proxy
bool Program::alias(const DeclarationWord& row, Variable& variable) {
  const bool generic = row.proxy == isa::Proxy::generic;
  if (generic && !c_.is_word("physically") && !c_.is_word("virtually")) return true;
  const std::string_view wanted = generic ? "physically" : "virtually";
  if (!c_.is_word(wanted)) {
    c_.expected(generic ? "`physically aliases` (through one virtual address a generic name has no other)"
                        : "`virtually aliases` and the generic name of the same virtual address");
    return false;
  }
  c_.take();
  if (!c_.accept_word("aliases")) {
    c_.expected("`aliases`");
    return false;
  }
  const Token target = c_.peek();
  if (!is_variable_name(target)) {
    c_.expected("a variable");
    return false;
  }
  c_.take();
  const Variable* declared = state_.find_variable(target.text);
  if (declared == nullptr) {
    c_.error(target.position,
             fmt::format("`{0}` is not declared; expected `.global {0};` above", target.text));
    return false;
  }
  if (declared->alias_proxy != isa::Proxy::generic) {
    c_.error(target.position, fmt::format("`{}` is a name of the {} proxy, expected a generic name",
                                          target.text, isa::name_of(declared->alias_proxy)));
    return false;
  }
  variable.aliases = std::string(target.text);
  variable.space = declared->space;
  return true;
}

// ---- Threads ----------------------------------------------------------------------------------------------

bool Program::thread_head(NvidiaThread& out) {
  constexpr std::array<char, 3> kLetters = {'d', 'b', 't'};
  constexpr std::array<std::string_view, 3> kParts = {"a device such as d0", "a thread block such as b0",
                                                      "a thread such as t0"};
  const std::array<int*, 3> numbers = {&out.device, &out.block, &out.thread};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const Token part = c_.peek();
    const bool kind = part.kind == (i == 0 ? TokenKind::identifier : TokenKind::word);
    const std::optional<int> number = kind ? place_number(part.text, kLetters[i]) : std::nullopt;
    if (!number) {
      c_.expected(kParts[i]);
      return false;
    }
    *numbers[i] = *number;
    c_.take();
  }
  return c_.expect("{", "and the code of the thread");
}

void Program::thread() {
  const Token first = c_.peek();
  NvidiaThread place;
  if (!thread_head(place)) return skip_item();
  for (const NvidiaThread& other : threads_) {
    if (std::tie(other.device, other.block, other.thread) ==
        std::tie(place.device, place.block, place.thread)) {
      c_.error(first.position,
               fmt::format("thread d{}.b{}.t{} occurs twice", place.device, place.block, place.thread));
    }
  }
  if (threads_.size() == kMaxThreads) {
    c_.error(first.position, fmt::format("more than {} threads", kMaxThreads));
    throw TooManyErrors();
  }
  const std::size_t index = threads_.size();
  RawThread thread;
  thread.thread.number = static_cast<int>(index);
  thread.thread.position = first.position;
  thread.thread.placement.gpu = place.device;
  thread.thread.placement.cta = place.block;
  thread.placed = true;
  state_.thread_index.emplace(thread.thread.number, index);
  state_.threads.push_back(std::move(thread));
  threads_.push_back(std::move(place));
  const ValueExtension extension(*this, index);
  ptx::BodyReader reader(
      state_.errors,
      fmt::format("d{}.b{}.t{}", threads_[index].device, threads_[index].block, threads_[index].thread),
      extension, kLimits);
  reader.block(c_);
  take_body(state_, state_.threads[index], respelt(reader.finish()));
}

// The value stands behind `==` or `!=`.
std::size_t Program::ValueExtension::instruction_end(const Cursor& statement) const {
  Cursor c = statement;
  while (!c.at_end() && !c.is("==") && !c.is("!=")) c.take();
  return c.index();
}

void Program::expectation(std::size_t thread, const ptx::Instruction& read, Cursor cursor) {
  Expectation out;
  out.thread = thread;
  out.position = cursor.peek().position;
  out.instruction = read.position;
  out.op = *accept_compare(cursor);
  const std::optional<std::int64_t> value = cursor.integer("the value that the read must return");
  if (!value) return;
  if (!cursor.at_end()) return cursor.expected("`;`");
  out.value = *value;
  expectations_.push_back(out);
}

// ---- Properties -------------------------------------------------------------------------------------------

void Program::property() {
  NvidiaProperty out;
  const Token word = c_.take();
  const PropertyWord& row = *find_word(kProperties, word.text);
  out.kind = row.kind;
  out.position = word.position;
  if (!c_.expect("(", "and the condition")) return;
  const std::size_t begin = c_.index();
  c_.skip_to(")", ";");
  Cursor inside(c_.tokens(), begin, c_.index(), state_.errors);
  out.condition = parse_nvidia_condition(state_, threads_, inside);
  if (!out.condition || !c_.expect(")", "at the end of the condition")) return;
  if (out.kind == PropertyKind::require && (c_.is(";") || c_.at_end())) {
    if (c_.expect(";")) out_.constraints.push_back(out.condition);
    return;
  }
  if (!c_.accept_word("as")) return c_.expected("`as` and the name of the property");
  out.name = property_name(out, row.prefix);
  if (out.name.empty()) return;
  if (out.kind == PropertyKind::require) out_.constraints.push_back(out.condition);
  out_.properties.push_back(std::move(out));
}

// Everything up to `;`: a word without blanks. "": reported.
std::string Program::property_name(const NvidiaProperty& property, std::string_view prefix) {
  const Token first = c_.peek();
  std::size_t end = first.offset;
  while (!c_.at_end() && !c_.is(";")) {
    const Token part = c_.take();
    if (part.offset != end) {
      c_.error(part.position, "the name of a property has no blanks in it");
      return "";
    }
    end = part.offset + part.length;
  }
  if (end == first.offset) {
    c_.expected("the name of the property");
    return "";
  }
  if (!c_.expect(";", "at the end of the property")) return "";
  std::string name = std::string(prefix) + state_.test.source->text.substr(first.offset, end - first.offset);
  for (const NvidiaProperty& other : out_.properties) {
    if (other.name != name) continue;
    c_.error(property.position, fmt::format("the name `{}` occurs twice", name));
    return "";
  }
  return name;
}

}  // namespace

NvidiaProgram parse_nvidia_program(ParseState& state, Cursor& cursor) {
  return Program(state, cursor).run();
}

}  // namespace ptxmc::litmus
