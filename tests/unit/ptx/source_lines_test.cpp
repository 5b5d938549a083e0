// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/source_lines.h"

#include <doctest/doctest.h>

#include "ptx/text/module.h"

namespace ptxmc::ptx {
namespace {

const std::string kHead = ".version 9.0\n.target sm_90a\n.address_size 64\n";

Module module_of(const std::string& items) {
  return parse_module(std::make_shared<const Source>(Source{"m.ptx", kHead + items}));
}

TEST_CASE("instructions know the lines that they were compiled from") {
  const Module module = module_of(
      ".file 1 \"/a/b/k.cu\"\n.file 2 \"h.h\"\n"
      ".entry k() {\n.reg .u32 %r;\nmov.u32 %r, 0;\n.loc 1 7 3\nmov.u32 %r, 1;\nmov.u32 %r, 2;\n"
      ".loc 2 9 1, function_name f, inlined_at 1 8 1\nmov.u32 %r, 3;\n.loc 3 1 1\nmov.u32 %r, 4;\n}\n"
      ".func f() {\nret;\n}\n");
  const OriginsPtr lines = source_lines(module);
  const std::pair<std::uint32_t, std::string> expected[] = {
      {8, ""}, {10, "k.cu:7"}, {11, "k.cu:7"}, {13, "h.h:9 inlined at k.cu:8"}, {15, ""}, {18, ""}};
  for (const auto& one : expected) {
    CAPTURE(one.first);
    CHECK_EQ(origin_at(lines, {one.first, 1}).text(), one.second);
  }
  CHECK_EQ(line_text(lines, {13, 1}), "line 13 (h.h:9 inlined at k.cu:8)");
  CHECK_EQ(line_text(lines, {18, 1}), "line 18");
  CHECK_EQ(source_lines(module_of(".entry k() {\nret;\n}\n")), nullptr);
}

TEST_CASE(
    "frames of inlined code are those that a debugger lists, each called by the last one before it that is "
    "there") {
  const Module module = module_of(
      ".file 1 \"k.cu\"\n.file 2 \"barrier.h\"\n.file 3 \"ptx.h\"\n"
      ".entry k() {\n.reg .u32 %r;\n.loc 1 7 3\n"
      ".loc 1 2 5, function_name f, inlined_at 1 7 3\n.loc 2 30 1, function_name f, inlined_at 1 2 5\n"
      ".loc 3 40 1, function_name f, inlined_at 2 30 1\nmov.u32 %r, 1;\n"
      ".loc 1 2 5, function_name f, inlined_at 1 9 3\n.loc 2 30 1, function_name f, inlined_at 1 2 5\n"
      ".loc 2 0 1, function_name f, inlined_at 1 2 5\nmov.u32 %r, 2;\n"
      ".loc 3 40 1, function_name f, inlined_at 2 30 1\nmov.u32 %r, 3;\n}\n"
      ".entry g() {\n.reg .u32 %r;\n.loc 3 41 1, function_name f, inlined_at 2 30 1\nmov.u32 %r, 1;\n}\n");
  const OriginsPtr lines = source_lines(module);
  CHECK(origin_at(lines, {13, 1}).frames ==
        std::vector<SourceFrame>{{"ptx.h", 40, 1}, {"barrier.h", 30, 1}, {"k.cu", 2, 5}, {"k.cu", 7, 3}});
  CHECK_EQ(origin_at(lines, {13, 1}).text(), "ptx.h:40 inlined at k.cu:2, k.cu:7");
  CHECK_EQ(origin_at(lines, {17, 1}).text(),
           "k.cu:2 inlined at k.cu:9");  // line 0 is nobody's: its caller stands for it
  CHECK_EQ(origin_at(lines, {19, 1}).text(), "ptx.h:40 inlined at k.cu:2, k.cu:9");
  CHECK_EQ(origin_at(lines, {24, 1}).text(), "ptx.h:41 inlined at barrier.h:30");  // of another function
}

TEST_CASE("lines of asm statements are between the comments of nvcc") {
  const Module module = module_of(
      ".file 1 \"k.cu\"\n.file 2 \"tma.h\"\n.entry k() {\n.reg .u32 %r;\n"
      ".loc 2 12 3, function_name f, inlined_at 1 9 1\n// begin inline asm\nmov.u32 %r, 1;\n// end inline asm\n"
      "mov.u32 %r, 2;\n}\n");
  const OriginsPtr lines = source_lines(module);
  CHECK_EQ(origin_at(lines, {10, 1}).text(), "k.cu:9");
  CHECK_EQ(origin_at(lines, {12, 1}).text(), "tma.h:12 inlined at k.cu:9");
}

TEST_CASE("statements that cannot be read, and names that nothing declares, have such lines, too") {
  const auto said = [](const std::string& wrong) {
    try {
      check_read(module_of(".entry k() {\n.reg .u32 %r;\n.loc 1 7 3\nmov.u32 %r, 1;\n.loc 1 8 3\n" + wrong +
                           "\n.loc 1 9 3\nret;\n}\n.file 1 \"/a/k.cu\"\n"));
    } catch (const InputError& error) {
      std::string out;
      for (const Diagnostic& diagnostic : error.diagnostics()) out += diagnostic.message + "\n";
      return out;
    }
    return std::string();
  };
  CHECK_EQ(said("mov.u32 %r +;"), "expected an offset in bytes, found `;` (k.cu:8)\n");
  CHECK_EQ(said("mov.u32 %r, %nobody;"), "undeclared name `%nobody` (k.cu:8)\n");
  CHECK_EQ(said("mov.u32 %r, 1;"), "");
}

}  // namespace
}  // namespace ptxmc::ptx
