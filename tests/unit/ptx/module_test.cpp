// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/module.h"

#include "helpers.h"
#include "ptx/text/print.h"

using namespace ptxmc;
using namespace ptxmc::ptx;

namespace {

Module parse(const std::string& text) {
  return parse_module(std::make_shared<const Source>(Source{"m.ptx", text}));
}

/// "LINE:COLUMN MESSAGE\n" for each error; "" when there is none, and the tree survives printing.
std::string said(const std::string& text) {
  try {
    const Module module = parse(text);
    check_read(module);
    const std::string printed = print(module);
    INFO(printed);
    CHECK(parse(printed) == module);
  } catch (const InputError& error) {
    std::string out;
    for (const Diagnostic& d : error.diagnostics()) {
      out +=
          std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " + d.message + "\n";
      for (const Note& note : d.notes)
        out += std::to_string(note.position.line) + ":" + std::to_string(note.position.column) + " " +
               note.message + "\n";
    }
    return out;
  }
  return "";
}

/// Behind the head, on line 2.
std::string module_said(const std::string& text) {
  return said(".version 9.0 .target sm_90a .address_size 64\n" + text);
}

const std::string kModule = R"(
// a comment
.version 8.4
.target sm_90a, debug
.address_size 64
.file 1 "kernel.cu"
.file 2 "a \"b\".h", 1339013327, 64118

.extern .func (.param .b32 func_retval0) vprintf
(
  .param .b64 vprintf_param_0, .param .b64 vprintf_param_1
) ;
.extern .shared .align 16 .b8 smem[];
.global .attribute(.managed, .unified(19, 95)) .align 8 .s32 managed;
.visible .global .align 4 .u32 count, table[2][3] = {{1, 2}, {}};
.const .f32 vals[] = {0.25, -1.5, 0f3F800000, 1.0 / 4.0};
.global .v4 .f32 quad = {1.0, 2.0, 3.0, 4.0};
.global .u64 pointers[3] = {count, generic(count) + 8, count + 4};
.global .u8 bytes[] = {0xff(count), 0xff00(generic(count) + 4), 0xFF(1000 + 546)};
.global .texref tex;

.func (.reg .b32 %result) twice (.reg .b32 %x) .noreturn
{
  add.s32 %result, %x, %x;
  ret;
}
.global .u64 functions[2] = {twice, twice};
.visible .func g(.param .u32 p);
.alias h, g;

.visible .entry _Z6kernelPfi(
  .param .u64 .ptr .global .align 16 _Z6kernelPfi_param_0,
  .param .align 8 .b8 blob[640],
  .param .u32 n
)
.maxntid 128, 1, 1
.minnctapersm 2
.pragma "nounroll";
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  .local .align 16 .b8 __local_depot0[32];
  .loc 1 12 3
  ld.param.u64 %rd1, [_Z6kernelPfi_param_0];
  ld.param.u32 %r1, [blob+32];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, WARP_SZ*2;
  @%p1 bra $L__BB0_2;
  { // callseq 0, 0
    .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param0);
    ld.param.b32 %r3, [retval0+0];
  } // callseq 0
  {
    .param .b32 param0;
    st.param.b32 [param0+0], 5;
  }
  ts: .branchtargets $L__BB0_1, $L__BB0_2;
  brx.idx %r2, ts;
$L__BB0_1:
  pr: .callprototype (.param .b32 _) _ (.param .b32 _) ;
  call (%r3), %rd1, (%r2), pr;
  { .reg .pred p; W: mbarrier.test_wait.parity.shared.b64 p,[%r1],%r2; @p bra D; bra W; D: }
  { .reg .pred p; W: unheard.of.instruction p,[%r1],%r2; @p bra D; bra W; D: }
$L__BB0_2:
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, 0}], [%r3];
  tex.2d.v4.f32.f32 {%r4, %r5, %r6, %r7}, [tex, {%r8, %r9}];
  ret;
}
.section .debug_str { info0: .b8 95 }
)";

}  // namespace

TEST_CASE("a module") {
  const Module m = parse(kModule);
  CHECK_EQ(m.major, 8);
  CHECK_EQ(m.minor, 4);
  CHECK(m.targets == std::vector<std::string_view>{"sm_90a", "debug"});
  CHECK_EQ(m.address_size, 64);
  const Function* kernel = find_function(m, "_Z6kernelPfi");
  REQUIRE(kernel != nullptr);
  CHECK(kernel->entry);
  CHECK(kernel->linkage == Linkage::visible);
  REQUIRE_EQ(kernel->parameters.size(), 3);
  CHECK(kernel->parameters[0].pointer);
  CHECK_EQ(kernel->parameters[0].pointer_space, "global");
  CHECK_EQ(kernel->parameters[0].pointer_align, 16);
  CHECK_EQ(kernel->parameters[1].align, 8);
  CHECK(kernel->parameters[1].dimensions == std::vector<std::uint64_t>{640});
  CHECK(kernel->tuning[0].numbers == std::vector<std::uint32_t>{128, 1, 1});
  CHECK_EQ(kernel->pragmas.size(), 1);
  REQUIRE(kernel->body.has_value());
  CHECK_EQ(kernel->body->scopes.size(), 5);
  CHECK_FALSE(find_function(m, "vprintf")->body.has_value());
  CHECK(find_function(m, "nobody") == nullptr);
  const Variable* table = find_variable(m, "table");
  REQUIRE(table != nullptr);
  REQUIRE(table->initial.has_value());
  CHECK_EQ(table->initial->data.size(), 2);
  CHECK_EQ(table->initial->data[1].index, 1);
  const Variable* pointers = find_variable(m, "pointers");
  CHECK_EQ(pointers->initial->data[1].number, 8);
  CHECK(pointers->initial->symbols[1].generic);
  const Variable* bytes = find_variable(m, "bytes");
  CHECK(bytes->dimensions == std::vector<std::uint64_t>{3});
  CHECK_EQ(bytes->initial->symbols[1].mask, 0xff00);
  CHECK_EQ(bytes->initial->data[2].number, 10);
  CHECK_EQ(said(kModule), "");
}

TEST_CASE("names of nested blocks are unique in a body") {
  const Module m = parse(kModule);
  std::vector<std::string> declared;
  for (const Statement& statement : find_function(m, "_Z6kernelPfi")->body->statements) {
    if (const auto* v = std::get_if<Variables>(&statement.node)) declared.push_back(v->variables[0].name());
    if (const auto* r = std::get_if<Registers>(&statement.node))
      declared.push_back(r->declarators[0].name.name);
    if (const auto* l = std::get_if<Label>(&statement.node)) declared.push_back(l->name.name);
  }
  std::sort(declared.begin(), declared.end());
  CHECK(std::adjacent_find(declared.begin(), declared.end()) == declared.end());
}

TEST_CASE("what a module refuses, with its place") {
  CHECK_EQ(said(".target sm_90"),
           "1:1 expected `.version`, with which a module begins (11.1.1), found `.target`\n");
  CHECK_EQ(said(".version 9 .target sm_90"), "1:10 expected a version such as 9.0, found `9`\n");
  CHECK_EQ(module_said(".version 9.0"), "2:1 `.version` stands once, at the beginning of a module (11.1)\n");
  CHECK_EQ(module_said(".globl .u32 x;\n.global .u33 y;\n.global .u32 z"),
           "2:1 `.globl` is no directive of a module; did you mean `.global`?\n3:9 expected a type such as "
           ".u32, found `.u33`\n"
           "4:15 expected `;` at the end of the directive, found end of file\n");
  CHECK_EQ(module_said(".maxntid 32;"), "2:1 `.maxntid` is no directive of a module\n");
  CHECK_EQ(module_said("#define X 1\n"), "2:1 lines of the preprocessor are not read; run it first (4.1)\n");
  CHECK_EQ(module_said("@@DWARF .byte 0x2b, 0x00\n@@DWARF .byte 0x00\n.global .u32 x;"),
           "2:1 `@@DWARF` is not supported; `.section` has replaced it (11.5.1)\n");
  CHECK_EQ(module_said("foo"),
           "2:1 expected a directive of a module such as .global or .entry, found `foo`\n");
  CHECK_EQ(module_said(".entry k { ret; } .entry k { ret; }"),
           "2:26 function `k` is defined twice\n2:8 the first is here\n");
  CHECK_EQ(module_said(".global .u32 x, x;"), "2:17 variable `x` is defined twice\n2:14 the first is here\n");
  CHECK_EQ(module_said(".entry k(.param .u32 p, .param .u32 p) { ret; }"),
           "2:37 variable `p` is declared twice\n2:22 the first is here\n");
  CHECK_EQ(module_said(".entry k .maxthreads 3 { ret; }"),
           "2:10 `.maxthreads` is no directive of a function\n");
  CHECK_EQ(module_said(".entry k { ret;\n.entry l { ret; }"),
           "3:1 expected `}` at the end of the code of `k`, found `.entry`\n");
  CHECK_EQ(
      module_said(".entry k { .reg .b32 %r<4>; mov.b32 %r4, %r1; @%q bra LABLE; LABEL: mov.b32 %r1, tid; }"),
      "2:37 undeclared name `%r4`: `%r<4>` declares `%r0` to `%r3`\n2:48 undeclared name `%q`\n"
      "2:55 unknown label `LABLE`; did you mean `LABEL`?\n2:82 undeclared name `tid`\n");
  CHECK_EQ(module_said(".global .u64 x = {y};"),
           "2:18 expected an integer or the address of a variable, found `{`\n");
  CHECK_EQ(module_said(".global .u64 x = y;"), "2:18 undeclared name `y`; did you mean `x`?\n");
  CHECK_EQ(module_said(".global .u32 x[2] = {1, 2, 3};"), "2:21 3 values for `x`, which has 2 elements\n");
  CHECK_EQ(module_said(".global .u32 x[2][2] = {1, 2};"),
           "2:25 expected `{` and the values of the array, found `1`\n");
  CHECK_EQ(module_said(".global .u8 x = 0xff0(y);"),
           "2:17 the mask `0xff0` is no byte of a 64-bit value such as 0xff00\n");
  CHECK_EQ(module_said(".global .u8 x[1099511627776][2];"),
           "2:30 expected an array size up to 1099511627776, found `2`\n");
  CHECK_EQ(module_said(".pragma nounroll;"), "2:9 expected a string in quotes, found `nounroll`\n");
  CHECK_EQ(module_said(".file 1 x"), "2:9 expected the name of a file in quotes, found `x`\n");
  CHECK_EQ(module_said(".section .debug_str { .b8 1"),
           "2:28 expected `}` at the end of the section, found end of file\n");
  CHECK_EQ(module_said("/* open"), "2:1 comment without its end `*/`\n");
  CHECK_EQ(module_said(".entry k { .pragma \"x\n; }"),
           "2:20 string without its end `\"`\n3:1 expected a string in quotes, found `;`\n");
  CHECK_EQ(module_said(".entry k .maxntdi 3 { ret; }"),
           "2:10 `.maxntdi` is no directive of a function; did you mean `.maxntid`?\n");
  CHECK_EQ(module_said(".entry k { .rge .b32 %r; ret; }"),
           "2:12 `.rge` is not supported here; expected an instruction or .reg; did you mean `.reg`?\n");
  CHECK_EQ(module_said(".entry k { .reg .b32 %r; mov.b32 %r .u32, 1; }"),
           "2:37 `.u32` is no component of a register; expected .x, .y, .z or .w\n");
  CHECK_EQ(module_said(".entry k() ; { ret; }"),
           "2:14 expected a directive of a module such as .global or .entry, found `{`\n");
}

TEST_CASE("an error costs its statement only") {
  CHECK_EQ(
      module_said(
          ".entry k {\n .reg .b32 %r<2>;\n mov.b32 %r0 1;\n mov.b32 %r1, 1 / 0;\n}\n.entry l { mov 1 2; }"),
      "4:14 expected `,` or `;`, found `1`\n5:17 division by zero in a constant expression\n"
      "7:18 expected `,` or `;`, found `2`\n");
}

TEST_CASE("what cannot be read of a function is an error of that function alone") {
  const Module module = parse(
      ".version 9.4 .target sm_100a .address_size 64\n.entry good() { ret; }\n.entry newer() { .reg .b64 %d; .reg .b32 %r;\n"
      "fabric.try_get.async.relaxed.sys.b128 [%r],[%r,%d],256,[%r]; mov.b32 %r, %nobody; }\n"
      ".entry sized() .minperctamemory 2048 { ret; }\n.entry other() { spcompress.sp::2:4.max.f32.b2 {%r}; \xe9 }\n");
  const auto errors = [&](std::string_view name) {
    std::string out;
    for (const Diagnostic& error : find_function(module, name)->unread.errors) out += error.message + "\n";
    return out;
  };
  CHECK_EQ(errors("good"), "");
  CHECK_EQ(errors("newer").find("`fabric.try_get` (PTX 9.3) is not modelled"), 0U);
  CHECK_EQ(errors("sized").find("`.minperctamemory` (PTX 9.4) is not modelled"), 0U);
  CHECK_NE(errors("other").find("unexpected"), std::string::npos);
  CHECK_NOTHROW(check_read(module, *find_function(module, "good")));
  CHECK_THROWS_AS(check_read(module, *find_function(module, "newer")), UnreadFunction);
  CHECK_THROWS_AS(check_read(module), UnreadFunction);
}

TEST_CASE("too many errors in a function leave the next one") {
  std::string text = ".version 9.0 .target sm_90a .address_size 64 .entry bad() {";
  for (int i = 0; i < 100; ++i) text += "mov 1 2; { }";
  const Module module = parse(text + "}\n.entry good() { ret; }");
  CHECK_FALSE(find_function(module, "bad")->unread.errors.empty());
  CHECK(find_function(module, "good")->unread.errors.empty());
}

TEST_CASE("directives and pragmas that have no effect are skipped, with one note each") {
  const auto notes = [](const std::string& text) {
    const Module module = parse(text);
    check_read(module);
    std::string out;
    for (const Diagnostic& note : module.notes) {
      CHECK(note.severity == Severity::note);
      out += note.message + "\n";
    }
    return out;
  };
  const std::string head = ".version 9.4 .target sm_100a .address_size 64\n";
  CHECK_EQ(
      notes(head + ".entry k() .language \"cuda c++\", 0x7 { ret; }\n.entry l() .language \"x\" { ret; }"),
      "`.language` (PTX 9.3) is skipped: it is information for other tools\n");
  CHECK_EQ(notes(head + ".file 1 \"a.cu\"\n.entry k() { .loc 1 3 1\n.loc_intermediate 2 23 6\nret; }"),
           "`.loc_intermediate` (PTX 9.4) is skipped: it is information for other tools\n");
  CHECK_EQ(
      notes(
          head +
          ".entry k() { .pragma \"nounroll\"; .pragma \"frequency 3\"; .pragma \"new\"; .pragma \"new\"; ret; }"),
      "the unknown pragma `new` is skipped\n");
  CHECK_EQ(notes(head + ".func f() { ret; }\n.entry k() { .reg .b64 %d; mov.b64 %d, f;\n"
                        "p: .callprototype _ () .abi_preserve 8; call %d, (), p; ret; }"),
           "");
  CHECK_EQ(
      notes(head + ".frobnicate 3;\n.visible .entry k() { ret; }\n.frobnicate { 4; }"),
      "the unknown directive `.frobnicate` is skipped: what it declares is an error of the kernel that uses it\n");
  CHECK_NE(notes(".version 9.5 .target sm_100a .entry k() { ret; }").find("PTX 9.5 is newer than 9.4"),
           std::string::npos);
}

TEST_CASE("files of other formats are named") {
  const auto said = [](const std::string& text) {
    try {
      check_read(parse_module(std::make_shared<const Source>(Source{"x.ptx", text})));
    } catch (const InputError& error) {
      CHECK_EQ(error.diagnostics().size(), 1U);
      return error.diagnostics().front().message;
    }
    return std::string();
  };
  using namespace std::string_literals;
  CHECK_EQ(said("\x7f"
                "ELF\2\1\1\0\0"s),
           "this is a binary object, no text; `cuobjdump -ptx FILE` prints the PTX in it");
  CHECK_EQ(said("\xff\xfe.\0v\0"s), "this is UTF-16; PTX is ASCII (4.1)");
  CHECK_EQ(said("\xef\xbb\xbf.version 8.4"), "a byte order mark, which PTX does not have; it is ASCII (4.1)");
  CHECK_EQ(said(".version 8.4 .target sm_90 .entry k { \xe9\xff }"), "unexpected `\\xe9\\xff`");
  CHECK_NE(said("PTX MP\n{ }\n").find("ends in .litmus"), std::string::npos);
  CHECK_NE(said("{}").find("ends in .json"), std::string::npos);
  CHECK_NE(said("extern \"C\" __global__ void k() {}").find("nvcc -ptx"), std::string::npos);
}

TEST_CASE("what is nested deeply, or long, is refused or read, whatever it is") {
  const auto repeated = [](const std::string& text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  };
  constexpr std::size_t kMany = 20000;
  CHECK(module_said(".entry k\n" + repeated("{\n", kMany) + repeated("}\n", kMany))
            .find("more than 128 blocks") != std::string::npos);
  CHECK(module_said(".global .u32 x = " + repeated("(", kMany) + "1" + repeated(")", kMany) + ";")
            .find("nested too deeply") != std::string::npos);
  CHECK(module_said(".global .u32 x = " + repeated("-", kMany) + "1;").find("nested too deeply") !=
        std::string::npos);
  CHECK(module_said(".entry k { mov.u32 " + repeated("{", kMany) + "; }").find("expected") !=
        std::string::npos);
  CHECK_EQ(module_said(".entry k { .reg .b32 %r; " + repeated("mov.b32 %r, 1; ", kMany) + "ret; }"), "");
  CHECK(module_said(".entry k { bra " + repeated("x", kMany) + "; }").find("unknown label") !=
        std::string::npos);
  CHECK(module_said(repeated(".globl;\n", kMany)).find("too many errors") != std::string::npos);
}

TEST_CASE("hostile sizes") {
  std::string deep = ".entry k {";
  for (int i = 0; i < 100000; ++i) deep += "{";
  CHECK_EQ(module_said(deep), "2:139 more than 128 blocks inside each other\n");
  std::string blocks = ".entry k { .reg .b32 %t<9>;";
  for (int i = 0; i < 20000; ++i) blocks += "{.reg .b32 %t,%t<2>;mov.b32 %t1,%t;L:bra L;}\n";
  CHECK_EQ(module_said(blocks + "}"), "");
  std::string dimensions = ".global .u8 x";
  for (int i = 0; i < 1000; ++i) dimensions += "[1]";
  CHECK_EQ(module_said(dimensions + ";"), "2:62 more than 16 dimensions\n");
  std::string signs = ".global .s32 x = ";
  CHECK_EQ(module_said(signs + std::string(100000, '-') + "1;"),
           "2:83 constant expression nested too deeply\n");
}
