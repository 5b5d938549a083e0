// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "ptx/text/body.h"
#include "ptx/text/function.h"
#include "ptx/text/source_lines.h"
#include "ptx/text/unread.h"
#include "support/check.h"

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{32} << 20;
constexpr int kMaxTuning = 1 << 30;

/// The newest version that is known.
constexpr std::uint32_t kMajor = 9, kMinor = 4;

constexpr std::string_view kDirectives =
    "extern visible weak common global const shared entry func file alias loc section pragma";
/// Those of functions.
constexpr std::string_view kInside[] = {"reg",
                                        "local",
                                        "param",
                                        "branchtargets",
                                        "calltargets",
                                        "callprototype",
                                        "maxnreg",
                                        "maxntid",
                                        "reqntid",
                                        "minnctapersm",
                                        "maxnctapersm",
                                        "noreturn",
                                        "abi_preserve",
                                        "abi_preserve_control",
                                        "reqnctapercluster",
                                        "explicitcluster",
                                        "maxclusterrank",
                                        "blocksareclusters",
                                        "minperctamemory"};
/// What a text that begins so is, if it is one of those that are taken for PTX.
std::string_view other_language(const Token& first) {
  if (first.is_word("PTX")) return " (the name of a litmus test ends in .litmus)";
  if (first.is("{")) return " (the name of a file of launches ends in .json)";
  for (const std::string_view word :
       {"__global__", "extern", "template", "__device__", "namespace", "using"}) {
    if (first.is_word(word)) return " (CUDA is compiled first: nvcc -ptx)";
  }
  return "";
}

/// Files of other formats, by how they begin.
struct Format {
  std::string_view begin;
  std::string_view message;
};
constexpr std::string_view kBinary =
    "this is a binary object, no text; `cuobjdump -ptx FILE` prints the PTX in it";
constexpr std::string_view kWide = "this is UTF-16; PTX is ASCII (4.1)";
constexpr std::array<Format, 6> kFormats = {
    {{"\x7f"
      "ELF",
      kBinary},
     {"\x50\xed\x55\xba", kBinary},  // fatbinary
     {"\xff\xfe", kWide},
     {"\xfe\xff", kWide},
     {"\xef\xbb\xbf", "a byte order mark, which PTX does not have; it is ASCII (4.1)"},
     {"!<arch>", kBinary}}};

/// Whether a word may stand in `.target` (11.1.2).
bool is_target(std::string_view word) {
  for (const std::string_view mode : {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"}) {
    if (word == mode) return true;
  }
  if (!word.starts_with("sm_") && !word.starts_with("compute_")) return false;
  word.remove_prefix(word.find('_') + 1);
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view suffix = word.substr(digits);
  return digits >= 2 && digits <= 3 && (suffix.empty() || suffix == "a" || suffix == "f");
}

class ModuleReader {
 public:
  ModuleReader(SourcePtr source, Cursor& cursor) : c_(cursor) { module_.source = std::move(source); }

  void run() {
    head();
    while (!c_.at_end()) item();
  }
  /// What has been read.
  Module take() { return std::move(module_); }

 private:
  void head();
  bool version();
  bool target();
  bool address_size();
  void item();
  bool directive();
  bool file();
  bool alias();
  bool linked(Linkage linkage);
  bool variables(Linkage linkage);
  bool function(Linkage linkage, bool entry);
  bool semicolon() { return c_.expect(";", "at the end of the directive"); }
  void define(const std::string& name, Position position, std::string_view noun);
  void skip_item();

  Cursor& c_;
  Module module_;
  std::unordered_map<std::string, Position> defined_;  // variables and functions, and where
};

// .version 9.0 .target sm_90a .address_size 64
void ModuleReader::head() {
  if (!c_.accept_dotted("version")) {
    c_.expected(fmt::format("`.version`, with which a module begins (11.1.1){}", other_language(c_.peek())));
    if (c_.peek().kind != TokenKind::word) c_.move_to(c_.end_index());  // it is no module at all
  } else if (!version()) {
    skip_item();
  }
  if (!c_.accept_dotted("target")) {
    if (!c_.errors().any()) c_.expected("`.target` after the version (11.1.2)");
  } else if (!target()) {
    skip_item();
  }
  if (c_.accept_dotted("address_size") && !address_size()) skip_item();
}

bool ModuleReader::version() {
  const Token number = c_.peek();
  const std::size_t dot = number.text.find('.');
  const std::optional<std::uint64_t> major = parse_digits(number.text.substr(0, dot));
  const std::string_view rest = dot == std::string_view::npos ? "" : number.text.substr(dot + 1);
  const bool digits =
      !rest.empty() && std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number.kind != TokenKind::floating || !digits || !major || *major > 1000 || rest.size() > 3) {
    c_.expected("a version such as 9.0");
    return false;
  }
  c_.take();
  module_.major = static_cast<std::uint32_t>(*major);
  for (const char c : rest) module_.minor = module_.minor * 10 + static_cast<std::uint32_t>(c - '0');
  if (std::pair(module_.major, module_.minor) > std::pair(kMajor, kMinor))
    c_.errors().note(
        number.position,
        fmt::format("PTX {} is newer than {}.{}, the newest version that is known: what it adds is "
                    "an error of the kernel that uses it",
                    number.text, kMajor, kMinor));
  return true;
}

bool ModuleReader::target() {
  do {
    if (c_.peek().kind != TokenKind::identifier || !is_target(c_.peek().text)) {
      c_.expected("a target such as sm_90a");
      return false;
    }
    module_.targets.push_back(c_.take().text);
  } while (c_.accept(","));
  return true;
}

bool ModuleReader::address_size() {
  const Token number = c_.peek();
  const std::optional<int> bits = c_.number("32 or 64", 64);
  if (!bits) return false;
  if (*bits != 32 && *bits != 64) {
    c_.error(number.position, fmt::format("expected 32 or 64, found `{}`", number.text));
    return false;
  }
  module_.address_size = static_cast<std::uint32_t>(*bits);
  return true;
}

// Behind a `;` or a block, or before a line that begins with a directive: at least one token on.
void ModuleReader::skip_item() {
  int depth = 0;
  for (bool first = true; !c_.at_end(); first = false) {
    const Token& token = c_.peek();
    if (depth == 0 && !first && token.line_start && token.kind == TokenKind::word) return;
    c_.take();
    depth += token.is("{") ? 1 : 0;
    depth -= token.is("}") ? 1 : 0;
    if (depth <= 0 && (token.is(";") || token.is("}"))) return;
  }
}

void ModuleReader::item() {
  if (c_.accept(";")) return;
  if (c_.peek().kind == TokenKind::word) {
    if (!directive()) skip_item();
    return;
  }
  const bool dwarf = c_.is("@") && c_.peek(1).is("@");
  if (dwarf) {
    c_.error(c_.peek().position, "`@@DWARF` is not supported; `.section` has replaced it (11.5.1)");
  } else {
    c_.expected("a directive of a module such as .global or .entry");
  }
  const std::uint32_t line = c_.peek().position.line;
  skip_item();
  while (dwarf && !c_.at_end() && c_.is("@") && c_.peek().position.line > line) skip_item();
}

bool ModuleReader::directive() {
  const Token word = c_.peek();
  if (const std::optional<Linkage> linkage = parse_linkage(word.text)) {
    c_.take();
    return linked(*linkage);
  }
  if (is_space(word.text) || word.text == "entry" || word.text == "func") return linked(Linkage::none);
  c_.take();
  if (word.text == "file") return file();
  if (word.text == "alias") return alias();
  if (word.text == "loc") {
    Location out;
    if (!read_location(c_, out)) return false;
    module_.items.emplace_back(out);
    return true;
  }
  if (word.text == "section") {
    Section out;
    if (!read_section(c_, *module_.source, out)) return false;
    module_.items.emplace_back(out);
    return true;
  }
  if (word.text == "pragma") {
    Pragma out;
    if (!read_pragma(c_, out)) return false;
    module_.items.emplace_back(std::move(out));
    return semicolon();
  }
  if (skip_directive(c_, word)) {
    while (!c_.at_end() && !c_.peek().line_start) c_.take();
    return true;
  }
  const bool head = word.text == "version" || word.text == "target" || word.text == "address_size";
  const std::string meant = did_you_mean(word.text, kDirectives);
  const bool inside = std::find(std::begin(kInside), std::end(kInside), word.text) != std::end(kInside);
  if (!head && !inside && meant.empty()) {
    c_.errors().note(word.position,
                     fmt::format("the unknown directive `.{}` is skipped: what it declares is an "
                                 "error of the kernel that uses it",
                                 word.text));
    skip_item();
    return true;
  }
  c_.error(word.position,
           head ? fmt::format("`.{}` stands once, at the beginning of a module (11.1)", word.text)
                : fmt::format("`.{}` is no directive of a module{}", word.text, meant));
  return false;
}

// 1 "kernel.cu", 1339013327, 64118
bool ModuleReader::file() {
  File out;
  const std::optional<int> index = c_.number("the number of a file", kMaxTuning);
  if (!index) return false;
  out.index = static_cast<std::uint32_t>(*index);
  if (c_.peek().kind != TokenKind::string) {
    c_.expected("the name of a file in quotes");
    return false;
  }
  out.name = c_.take().text;
  if (c_.accept(",")) {
    const std::optional<std::uint64_t> time = c_.size("a time", ~std::uint64_t{0});
    if (!time || !c_.expect(",", "and the size of the file")) return false;
    const std::optional<std::uint64_t> size = c_.size("a size", ~std::uint64_t{0});
    if (!size) return false;
    out.time = *time;
    out.size = *size;
  }
  module_.items.emplace_back(out);
  return true;
}

bool ModuleReader::alias() {
  Alias out;
  if (!read_name(c_, out.name, "the name of a function") ||
      !c_.expect(",", "and the function that it stands for") ||
      !read_name(c_, out.function, "the name of a function"))
    return false;
  module_.items.emplace_back(std::move(out));
  return semicolon();
}

bool ModuleReader::linked(Linkage linkage) {
  const Token& word = c_.peek();
  if (c_.accept_dotted("entry")) return function(linkage, true);
  if (c_.accept_dotted("func")) return function(linkage, false);
  if (word.kind == TokenKind::word && is_space(word.text)) return variables(linkage);
  c_.errors().error(c_.here().position,
                    fmt::format("expected a variable, .entry or .func, found {}{}", describe(c_.here()),
                                word.kind == TokenKind::word ? did_you_mean(word.text, kDirectives) : ""));
  return false;
}

/// Variables and functions have one name space (5.2, 11.6).
void ModuleReader::define(const std::string& name, Position position, std::string_view noun) {
  const auto [first, fresh] = defined_.emplace(name, position);
  if (fresh) return;
  c_.error(position, fmt::format("{} `{}` is defined twice", noun, name),
           {{first->second, "the first is here"}});
}

bool ModuleReader::variables(Linkage linkage) {
  std::vector<Variable> out;
  const bool good = DeclarationReader(c_, nullptr).variables(out, linkage);
  if (!good) return false;
  for (Variable& variable : out) {
    const Position position = variable.declarator.name.position;
    if (linkage == Linkage::external && variable.initial)
      c_.error(position,
               fmt::format("`{}` is .extern: the module that defines it has its value", variable.name()));
    if (linkage != Linkage::external) define(variable.name(), position, "variable");
    module_.items.emplace_back(std::move(variable));
  }
  return semicolon();
}

// ---- Functions --------------------------------------------------------------------------------------------

bool ModuleReader::function(Linkage linkage, bool entry) {
  Function out;
  out.linkage = linkage;
  out.entry = entry;
  out.position = c_.tokens()[c_.index() - 1].position;
  if (!FunctionReader(c_, module_.source).read(out)) return false;
  if (out.body) define(out.name.name, out.name.position, "function");
  module_.items.emplace_back(std::move(out));
  return true;
}

[[noreturn]] void refuse_module(const Diagnostics& errors, const Module& module) {
  throw InputError(with_origins(sorted(errors), module, Statements::unread));
}

/// However far that comes.
void read(const SourcePtr& source, Cursor& cursor, Module& out) {
  ModuleReader reader(source, cursor);
  try {
    reader.run();
  } catch (const TooManyErrors&) {
    out = reader.take();
    throw;
  }
  out = reader.take();
}

/// Reports what is no text of PTX at all.
void check_format(const Source& source, Errors& errors) {
  if (source.text.size() > kMaxBytes) {
    errors.error({}, fmt::format("a module has at most {} bytes", kMaxBytes));
    throw TooManyErrors();
  }
  for (const Format& format : kFormats) {
    if (!source.text.starts_with(format.begin)) continue;
    errors.error({1, 1, static_cast<std::uint32_t>(format.begin.size())}, std::string(format.message));
    throw TooManyErrors();
  }
}

}  // namespace

Module parse_module(const SourcePtr& source) {
  PTXMC_CHECK(source != nullptr, "parse_module needs a source");
  Errors errors(source), of_lexer(source);
  Module module;
  module.source = source;
  try {
    check_format(*source, errors);
    const std::vector<Token> tokens = lex(*source, {}, of_lexer, Comments::ptx);
    Cursor cursor(tokens, 0, tokens.size() - 1, errors);
    read(source, cursor, module);
    for (const Diagnostic& error : outside_of_functions(of_lexer, module)) errors.add(error);
    if (!errors.any() && !of_lexer.any()) check_characters(*source, errors);
    if (!errors.any()) check_names(module, errors);
  } catch (const TooManyErrors&) {
    if (!errors.any()) refuse_module(of_lexer.diagnostics(), module);
  }
  if (errors.any()) {
    Diagnostics all = errors.diagnostics();
    for (const Diagnostic& error : errors_of_functions(module)) all.add(error);
    refuse_module(all, module);
  }
  module.notes = errors.notes();
  return module;
}

}  // namespace ptxmc::ptx
