// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the tokens. Precedence, loosest first: `|`, `;`, `\`, `&`, `*` between sets, postfix
// (`*` `+` `?` `^-1`); `~` takes one operand without postfix operators. `if` stands where a whole expression
// does (in parentheses elsewhere), and its `else` reaches as far as it can: as in herd.
//
// `*` is a product when an operand follows, else the closure: as in herd, what follows decides. After an
// error the parser goes on at the next line that begins with a statement's word. Depth is limited, so no text
// overflows the stack.
#include "model/cat/parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "model/cat/cursor.h"
#include "model/cat/lexer.h"
#include "model/cat/sections.h"
#include "support/check.h"

namespace ptxmc::cat {

namespace {

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxFiles = 64;

struct BinaryLevel {
  std::string_view symbol;
  ExprKind kind;
};
constexpr std::array<BinaryLevel, 4> kLevels = {{{"|", ExprKind::unite},
                                                 {";", ExprKind::sequence},
                                                 {"\\", ExprKind::subtract},
                                                 {"&", ExprKind::intersect}}};

struct PostfixSymbol {
  std::string_view symbol;
  ExprKind kind;
};
constexpr std::array<PostfixSymbol, 7> kPostfixSymbols = {{{"+", ExprKind::plus},
                                                           {"^+", ExprKind::plus},
                                                           {"*", ExprKind::star},
                                                           {"^*", ExprKind::star},
                                                           {"?", ExprKind::optional},
                                                           {"^?", ExprKind::optional},
                                                           {"^-1", ExprKind::inverse}}};

// Words of herd's language that are not in ours; a hint is better than "unknown name".
constexpr std::array<std::string_view, 9> kHerdOnly = {
    "fun", "match", "procedure", "call", "enum", "with", "forall", "undefined_unless", "instructions"};
// Keywords that no statement begins with.
constexpr std::array<std::string_view, 8> kInnerWords = {"and", "as",   "else", "if",
                                                         "in",  "over", "rec",  "then"};

class Parser : private Cursor {
 public:
  Parser(const SourcePtr& source, const IncludeResolver& include, Diagnostics& diagnostics, Syntax& syntax,
         std::vector<std::string>& open_files, std::size_t& files)
      : Cursor(source),
        source_(source),
        include_(include),
        diagnostics_(diagnostics),
        syntax_(syntax),
        open_files_(open_files),
        files_(files) {}

  void run(bool main_file) {
    Tokens tokens = lex(source_, local_);
    tokens_ = std::move(tokens.tokens);
    comments_ = std::move(tokens.comments);
    title(main_file);
    while (peek().kind != TokenKind::end) {
      try {
        statement();
      } catch (const SyntaxError&) {
        recover();
      }
    }
    for (const Diagnostic& diagnostic : local_.all()) diagnostics_.add(diagnostic);
  }

 private:
  bool starts_statement() const {
    if (peek().kind == TokenKind::symbol && peek().text == "~") return starts_test(1);
    return starts_test(0) || starts_role() ||
           (peek().kind == TokenKind::keyword &&
            std::find(kInnerWords.begin(), kInnerWords.end(), peek().text) == kInnerWords.end());
  }
  bool starts_test(std::size_t ahead) const {
    const Token& token = peek(ahead);
    return token.kind == TokenKind::keyword &&
           (token.text == "acyclic" || token.text == "irreflexive" || token.text == "empty");
  }

  // `role` is a word of its own only where a statement begins and a name follows: elsewhere it may be a name.
  bool starts_role(std::size_t ahead = 0) const {
    const Token &word = peek(ahead), &next = peek(ahead + 1);
    return word.kind == TokenKind::identifier && word.text == "role" && word.first_on_line &&
           (next.kind == TokenKind::identifier || next.kind == TokenKind::keyword);
  }

  // The next line that begins a statement; at least one token further, so that parsing always ends.
  void recover() {
    if (at_ == statement_begin_) take();
    while (peek().kind != TokenKind::end && !(peek().first_on_line && starts_statement())) take();
  }

  // ---- statements ----
  void title(bool main_file) {
    const bool word =
        peek().kind == TokenKind::identifier && (peek(1).first_on_line || peek(1).kind == TokenKind::end);
    if (peek().kind != TokenKind::string && !word) return;
    const Token& token = take();
    if (!main_file) return;
    syntax_.title = token.text;
    syntax_.quoted = token.kind == TokenKind::string;
  }

  void statement() {
    statement_begin_ = at_;
    if (is_word("let")) return let();
    if (is_word("include")) return include();
    if (is_word("show") || is_word("unshow")) return show();
    if (is_word("order") || is_word("partial")) return order();
    if (starts_role()) return role();
    if (is_word("flag") || starts_statement()) return constraint();
    if (std::find(kHerdOnly.begin(), kHerdOnly.end(), peek().text) != kHerdOnly.end()) {
      fail_at(peek(), "`" + peek().text + "` of herd's language is not supported in model texts");
    }
    fail("a statement (let, acyclic, irreflexive, empty, flag, order, role, include, show)");
  }

  Statement& add(StatementKind kind, Position position) {
    Statement& statement = syntax_.statements.emplace_back();
    statement.kind = kind;
    statement.source = source_;
    statement.position = position;
    return statement;
  }

  // The section is known once the statement's last line is.
  void finish(std::size_t index) {
    const std::uint32_t last = tokens_[at_ == 0 ? 0 : at_ - 1].position.line;
    syntax_.statements[index].section = sections_of(comments_, tokens_[statement_begin_].position.line, last);
  }

  void let() {
    take();
    const bool recursive = accept_word("rec");
    const std::size_t index = syntax_.statements.size();
    add(recursive ? StatementKind::let_rec : StatementKind::let, tokens_[statement_begin_].position);
    do {
      binding(index);
    } while (accept_word("and"));
    if (is_word("in"))
      fail_at(peek(), "`let ... in` is not supported in model texts: give the value a name of its own");
    finish(index);
  }

  // The binding is entered before its body is parsed: a body with a syntax error still defines the name.
  void binding(std::size_t index) {
    if (peek().kind != TokenKind::identifier || peek().text == "_") fail("the name that is defined");
    const Token& name = take();
    const std::size_t number = syntax_.statements[index].bindings.size();
    syntax_.statements[index].bindings.push_back({name.text, name.position, false, {}, std::nullopt});
    if (accept_symbol("(")) {
      std::vector<std::string> parameters;
      do {
        if (peek().kind != TokenKind::identifier || peek().text == "_") fail("the name of a parameter");
        if (std::find(parameters.begin(), parameters.end(), peek().text) != parameters.end()) {
          fail_at(peek(), "parameter `" + peek().text + "` is named twice");
        }
        parameters.push_back(take().text);
      } while (accept_symbol(","));
      expect_symbol(")");
      syntax_.statements[index].bindings[number].is_function = true;
      syntax_.statements[index].bindings[number].parameters = std::move(parameters);
      if (syntax_.statements[index].kind == StatementKind::let_rec) {
        fail_at(name, "`" + name.text + "` is a function: `let rec` defines relations only");
      }
    }
    expect_symbol("=");
    const ExprId body = expression();
    syntax_.statements[index].bindings[number].body = body;
  }

  void order() {
    const bool partial = accept_word("partial");
    if (!accept_word("order")) fail("`order`");
    const std::size_t index = syntax_.statements.size();
    add(StatementKind::order, tokens_[statement_begin_].position).partial = partial;
    if (peek().kind != TokenKind::identifier || peek().text == "_") fail("the name of the order");
    const Token& name = take();
    syntax_.statements[index].bindings.push_back({name.text, name.position, false, {}, std::nullopt});
    if (!accept_word("over")) fail("`over`");
    const ExprId body = expression();
    syntax_.statements[index].bindings[0].body = body;
    finish(index);
  }

  void constraint() {
    const bool is_flag = accept_word("flag");
    const bool negated = accept_symbol("~");
    if (!starts_test(0)) fail("acyclic, irreflexive or empty");
    const std::string word = take().text;
    const ExprId body = expression();
    std::string name;
    if (accept_word("as")) {
      if (peek().kind != TokenKind::identifier && peek().kind != TokenKind::keyword &&
          peek().kind != TokenKind::string) {
        fail("a name");
      }
      name = take().text;
    } else if (is_flag) {
      fail("`as` and the name of the flag");
    }
    Statement& statement = add(StatementKind::constraint, tokens_[statement_begin_].position);
    statement.test = word == "acyclic"       ? relation::Test::acyclic
                     : word == "irreflexive" ? relation::Test::irreflexive
                                             : relation::Test::empty;
    statement.negated = negated;
    statement.is_flag = is_flag;
    statement.name = std::move(name);
    statement.expression = body;
    finish(syntax_.statements.size() - 1);
  }

  /// role ROLE = NAME, ROLE, ...
  void role() {
    take();
    std::vector<RoleName> roles;
    do {
      const Token& role = take_role_word("the name of a role");
      roles.push_back({role.text, role.text, role.position});
      if (accept_symbol("=")) roles.back().name = take_role_word("the name of a definition or flag").text;
    } while (accept_symbol(","));
    add(StatementKind::role, tokens_[statement_begin_].position).roles = std::move(roles);
  }

  const Token& take_role_word(const std::string& expected) {
    const bool word = peek().kind == TokenKind::identifier || peek().kind == TokenKind::keyword ||
                      peek().kind == TokenKind::string;
    if (!word) fail(expected);
    return take();
  }

  // Accepted for herd's sake: `show a, b as c`, `unshow a`. Nothing is drawn differently.
  void show() {
    take();
    do {
      expression();
      if (accept_word("as")) {
        if (peek().kind != TokenKind::identifier) fail("a name");
        take();
      }
    } while (accept_symbol(","));
  }

  void include() {
    take();
    if (peek().kind != TokenKind::string) fail("the name of a file in quotes");
    const Token& name = take();
    if (std::find(open_files_.begin(), open_files_.end(), name.text) != open_files_.end()) {
      fail_at(name, "`" + name.text + "` includes itself");
    }
    if (++files_ > kMaxFiles) fail_at(name, "more than " + std::to_string(kMaxFiles) + " files are included");
    const SourcePtr included = include_ ? include_(name.text) : nullptr;
    if (!included) fail_at(name, "found no file `" + name.text + "` to include");
    open_files_.push_back(name.text);
    Parser(included, include_, diagnostics_, syntax_, open_files_, files_).run(false);
    open_files_.pop_back();
  }

  // ---- expressions ----
  ExprId make(ExprKind kind, std::vector<ExprId> operands, std::size_t first_token, std::string name = {}) {
    const Token& begin = tokens_[first_token];
    const Token& last = tokens_[at_ - 1];
    Position position = begin.position;
    if (last.position.line == begin.position.line) {
      position.length = last.position.column + last.position.length - begin.position.column;
    }
    syntax_.exprs.push_back({kind, std::move(name), std::move(operands), position, begin.begin, last.end});
    return static_cast<ExprId>(syntax_.exprs.size() - 1);
  }

  struct Deeper {
    explicit Deeper(Parser& parser) : parser(parser) { parser.limit(++parser.depth_); }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  void limit(int depth) {
    if (depth > kMaxDepth) {
      fail_at(peek(), "the expression is nested more than " + std::to_string(kMaxDepth) + " deep");
    }
  }

  ExprId expression() {
    depth_ = 0;
    return binary(0);
  }

  /// if "CONDITION" then a else b. A chain `else if ... else if` counts towards the depth.
  ExprId conditional() {
    const std::size_t first = at_;
    take();
    if (peek().kind != TokenKind::string) fail("the condition in quotes, as in `if \"fence-sc=only-sc\"`");
    const std::string condition = take().text;
    if (!accept_word("then")) fail("`then`");
    const Deeper deeper(*this);
    const ExprId yes = binary(0);
    if (!accept_word("else")) fail("`else`");
    const ExprId no = binary(0);
    return make(ExprKind::conditional, {yes, no}, first, condition);
  }

  ExprId binary(std::size_t level) {
    if (level == 0 && is_word("if")) return conditional();
    if (level == kLevels.size()) return product();
    const std::size_t first = at_;
    std::vector<ExprId> operands{binary(level + 1)};
    while (accept_symbol(kLevels[level].symbol)) operands.push_back(binary(level + 1));
    if (operands.size() == 1) return operands[0];
    return make(kLevels[level].kind, std::move(operands), first);
  }

  bool starts_operand(std::size_t ahead) const {
    const Token& token = peek(ahead);
    if (starts_role(ahead)) return false;
    if (token.kind == TokenKind::identifier || token.kind == TokenKind::zero) return true;
    if (token.kind != TokenKind::symbol) return false;
    // `~empty r` on the next line is an axiom, not an operand
    if (token.text == "~") return !starts_test(ahead + 1);
    return token.text == "(" || token.text == "[";
  }

  ExprId product() {
    const std::size_t first = at_;
    ExprId left = prefix();
    int nested = 0;
    while (is_symbol("*") && starts_operand(1)) {
      limit(++nested + depth_);
      take();
      const ExprId right = prefix();
      left = make(ExprKind::product, {left, right}, first);
    }
    return left;
  }

  ExprId prefix() {
    if (!is_symbol("~")) return postfix();
    const std::size_t first = at_;
    take();
    const Deeper deeper(*this);
    const ExprId operand = is_symbol("~") ? prefix() : primary();
    const bool closes = postfix_kind().has_value();
    if (closes) {
      fail_at(peek(), "`~` and `" + peek().text + "` on one operand: parentheses must say which comes first");
    }
    return make(ExprKind::complement, {operand}, first);
  }

  std::optional<ExprKind> postfix_kind() const {
    if (peek().kind != TokenKind::symbol || (peek().text == "*" && starts_operand(1))) return std::nullopt;
    for (const PostfixSymbol& candidate : kPostfixSymbols) {
      if (candidate.symbol == peek().text) return candidate.kind;
    }
    return std::nullopt;
  }

  ExprId postfix() {
    const std::size_t first = at_;
    ExprId operand = primary();
    int nested = 0;
    while (const auto kind = postfix_kind()) {
      limit(++nested + depth_);
      take();
      operand = make(*kind, {operand}, first);
    }
    return operand;
  }

  ExprId primary() {
    const std::size_t first = at_;
    const Deeper deeper(*this);
    if (peek().kind == TokenKind::zero) {
      take();
      return make(ExprKind::zero, {}, first);
    }
    if (accept_symbol("(")) {
      const ExprId inner = binary(0);
      expect_symbol(")");
      return inner;
    }
    if (accept_symbol("[")) {
      const ExprId inner = binary(0);
      expect_symbol("]");
      return make(ExprKind::restrict, {inner}, first);
    }
    if (is_symbol("{") && peek(1).kind == TokenKind::symbol && peek(1).text == "}") {
      take();
      take();
      return make(ExprKind::zero, {}, first);
    }
    if (is_word("if")) fail_at(peek(), "an `if` that is an operand stands in parentheses");
    if (peek().kind != TokenKind::identifier) fail("a set or a relation");
    const Token& name = take();
    if (name.text == "_") return make(ExprKind::universe, {}, first);
    if (!is_symbol("(")) return make(ExprKind::name, {}, first, name.text);
    take();
    std::vector<ExprId> arguments;
    do {
      arguments.push_back(binary(0));
    } while (accept_symbol(","));
    expect_symbol(")");
    return make(ExprKind::call, std::move(arguments), first, name.text);
  }

  SourcePtr source_;
  const IncludeResolver& include_;
  Diagnostics& diagnostics_;
  Syntax& syntax_;
  std::vector<std::string>& open_files_;
  std::size_t& files_;
  std::vector<Comment> comments_;
  std::size_t statement_begin_ = 0;
  int depth_ = 0;
};

}  // namespace

Syntax parse(const SourcePtr& source, const IncludeResolver& include, Diagnostics& diagnostics) {
  Syntax syntax;
  syntax.source = source;
  std::vector<std::string> open_files{source->name};
  std::size_t files = 0;
  Parser(source, include, diagnostics, syntax, open_files, files).run(true);
  return syntax;
}

std::vector<Statement> parse_own(const SourcePtr& source, Syntax& syntax) {
  Diagnostics diagnostics(source);
  std::vector<std::string> open_files;
  std::size_t files = 0;
  const IncludeResolver none;
  const std::size_t before = syntax.statements.size();
  Parser(source, none, diagnostics, syntax, open_files, files).run(false);
  PTXMC_CHECK(!diagnostics.has_errors(), diagnostics.render_all());
  const auto first = syntax.statements.begin() + static_cast<std::ptrdiff_t>(before);
  std::vector<Statement> statements(std::make_move_iterator(first),
                                    std::make_move_iterator(syntax.statements.end()));
  syntax.statements.resize(before);
  return statements;
}

}  // namespace ptxmc::cat
