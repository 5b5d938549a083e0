// SPDX-License-Identifier: Apache-2.0
#include "support/origins.h"

#include <doctest/doctest.h>

namespace ptxmc {

namespace {

Origin of(const std::vector<std::string>& frames) {
  Origin out;
  for (const std::string& frame : frames) out.frames.push_back(SourceFrame::parse(frame));
  return out;
}

}  // namespace

TEST_CASE("an origin names the innermost line, and its callers in the file of the outermost") {
  CHECK_EQ(Origin{}.text(), "");
  CHECK_EQ(of({"k.cu:9"}).text(), "k.cu:9");
  CHECK_EQ(of({"h.h:1", "k.cu:9"}).text(), "h.h:1 inlined at k.cu:9");
  CHECK_EQ(of({"a.h:1", "h.h:2", "k.cu:3", "b.h:4", "k.cu:9"}).text(), "a.h:1 inlined at k.cu:3, k.cu:9");
  CHECK_EQ(of({"k.cu:3", "k.cu:9"}).text(), "k.cu:3 inlined at k.cu:9");
}

TEST_CASE("a frame is written without folders, and read back") {
  CHECK_EQ(SourceFrame{"/home/me/src/sum.cu", 9, 5}.text(), "sum.cu:9");
  CHECK_EQ(SourceFrame{"C:\\work\\sum.cu", 9, 5}.text(), "sum.cu:9");
  CHECK(SourceFrame::parse("sum.cu:9") == SourceFrame{"sum.cu", 9, 0});
  CHECK_EQ(SourceFrame::parse("no line").line, 0);
  CHECK_EQ(of({"h.h:1", "b.h:4", "k.cu:9"}).callers(), "k.cu:9");
}

TEST_CASE("a line of the toolkit is told as the line that uses it") {
  const std::string header =
      "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp:110";
  CHECK(SourceFrame::parse(header).is_in_toolkit());
  CHECK_FALSE(SourceFrame{"/home/me/cutlass/include/cute/arch/copy.hpp", 1, 1}.is_in_toolkit());
  CHECK_EQ(of({header, "k.cu:9"}).text(), "k.cu:9");
  CHECK_EQ(of({header, "k.cu:9", "k.cu:20"}).text(), "k.cu:9 inlined at k.cu:20");
  CHECK_EQ(of({header, "k.cu:9"}).shown().line, 9);
  CHECK_EQ(of({header}).text(), "sm_30_intrinsics.hpp:110");
  CHECK_EQ(of({"sm_30_intrinsics.hpp:110", "k.cu:9"}).text(), "k.cu:9");
  CHECK_FALSE(SourceFrame{"my_intrinsics.hpp", 1, 1}.is_in_toolkit());
}

TEST_CASE("a function around an asm statement is told as the line that calls it") {
  const auto assembly = [](const std::vector<std::string>& frames) {
    Origin out = of(frames);
    out.assembly = true;
    return out;
  };
  CHECK_EQ(assembly({"tma.h:12", "k.cu:9"}).text(), "k.cu:9");
  CHECK_EQ(assembly({"tma.h:12", "k.cu:9"}).wrapped()->text(), "tma.h:12");
  CHECK_EQ(assembly({"k.cu:3", "k.cu:9", "k.cu:20"}).text(), "k.cu:9 inlined at k.cu:20");
  // Functions of libraries between the two, unless the kernel itself is of a library.
  CHECK_EQ(assembly({"arch.h:40", "pipeline.h:30", "k.cu:9"}).text(), "k.cu:9");
  CHECK_EQ(assembly({"arch.h:40", "pipeline.h:30", "kernel.h:9"}).text(),
           "pipeline.h:30 inlined at kernel.h:9");
  CHECK_EQ(assembly({"k.cu:9"}).text(), "k.cu:9");
  CHECK_EQ(assembly({"k.cu:9"}).wrapped(), nullptr);
  CHECK_EQ(of({"tma.h:12", "k.cu:9"}).wrapped(), nullptr);
}

TEST_CASE("lines know their frames; the first of a line speaks for it") {
  Origins origins;
  const Origins::File file = origins.file("k.cu"), header = origins.file("h.h");
  const Origins::Frame outer = origins.frame(file, 9, 5, std::nullopt);
  origins.add(4, outer);
  origins.add(6, origins.frame(header, 2, 0, outer));
  origins.add(6, outer);
  CHECK_EQ(origins.at({4, 1}).text(), "k.cu:9");
  CHECK(origins.at({6, 3}).frames == std::vector<SourceFrame>{{"h.h", 2, 0}, {"k.cu", 9, 5}});
  for (const std::uint32_t line : {0U, 3U, 5U, 7U}) CHECK_FALSE(origins.at({line, 1}).known());
  CHECK_EQ(origin_text(nullptr, {4, 1}), "");
  CHECK_EQ(line_text(nullptr, {4, 1}), "line 4");
}

}  // namespace ptxmc
