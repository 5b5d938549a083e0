// SPDX-License-Identifier: Apache-2.0
#include "face/cli/inputs.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <istream>
#include <sstream>

#include "support/diagnostic.h"
#include "support/printable.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// Names relative to the workplace; "NAME!" for an error.
std::string names(const Workplace& place, const std::vector<std::string>& arguments) {
  std::string out;
  for (const cli::Input& input : cli::expand_inputs(arguments)) {
    std::string name = input.name;
    if (name.starts_with(place.at(""))) name.erase(0, place.at("").size());
    out += (out.empty() ? "" : " ") + name + (input.error.empty() ? "" : "!");
  }
  return out;
}

}  // namespace

namespace {

/// Says nothing for longer than a test may wait.
class SilentInput : public std::streambuf {
  int_type underflow() override {
    ::sleep(30);
    return traits_type::eof();
  }
};

}  // namespace

TEST_CASE("standard input that says nothing is waited for as long as the limit allows") {
  SilentInput silent;
  std::istream in(&silent);
  std::ostringstream out, err;
  cli::Streams streams{in, out, err, false};
  CHECK(cli::run({"races", "--timeout", "0.2", "--format", "json", "-"}, streams) == cli::Status::unknown);
  CHECK(err.str().find("<stdin>: unknown: timeout") != std::string::npos);
  CHECK(out.str().find("\"answer\":\"Unknown\"") != std::string::npos);
}

TEST_CASE("a line that is too long is named by its number") {
  const Ran ran = run_line({"check", "-"}, "PTX T\n{ }\n" + std::string(70'000, ' ') + "\n");
  CHECK(ran.status == 2);
  CHECK(ran.err.find("<stdin>:3:1: error: a line of a litmus file has at most") != std::string::npos);
}

TEST_CASE("folders are searched and sorted") {
  const Workplace place;
  for (const char* name : {"t/b.litmus", "t/a.litmus", "t/n.test", "t/sub/c.litmus", "t/notes.txt"})
    place.file(name, "");
  CHECK(names(place, {place.at("t")}) == "t/a.litmus t/b.litmus t/n.test t/sub/c.litmus");
  CHECK(names(place, {place.at("t/notes.txt"), place.at("t/b.litmus")}) == "t/notes.txt t/b.litmus");
  std::filesystem::create_directories(place.at("empty"));
  CHECK(names(place, {place.at("empty")}) == "empty!");
}

TEST_CASE("lists name files, folders and lists, relative to themselves") {
  const Workplace place;
  place.file("t/a.litmus", "");
  place.file("t/sub/c.litmus", "");
  const std::string list = place.file("t/names", "# comment\n\n  a.litmus \nsub\n@more\n");
  place.file("t/more", "sub/c.litmus\r\nmissing.litmus\n");
  CHECK(names(place, {"@" + list}) == "t/a.litmus t/sub/c.litmus t/sub/c.litmus t/missing.litmus!");
  place.file("t/@all", "a.litmus\n");
  CHECK(names(place, {place.at("t/@all")}) == "t/a.litmus");
  place.file("t/loop", "@loop\na.litmus\n");
  CHECK(names(place, {"@" + place.at("t/loop")}) == "t/loop! t/a.litmus");
  CHECK(cli::expand_inputs({"@" + place.at("nonesuch")}).front().error.find("cannot read this list") !=
        std::string::npos);
}

TEST_CASE("a list that names no test, or cannot be read, is an error") {
  const Workplace place;
  CHECK(names(place, {"@" + place.file("none", "# nothing\n\n")}) == "none!");
  CHECK(names(place, {"@" + place.file("nested", "@none\n")}) == "none!");
  CHECK(names(place, {"@" + place.file("empty", "")}) == "empty!");
  std::filesystem::create_directories(place.at("folder"));
  CHECK(names(place, {"@" + place.at("folder")}) == "folder!");
  CHECK(cli::expand_inputs({"@/dev/zero"}).front().error.find("cannot read this list") != std::string::npos);
  CHECK(run_line({"@" + place.at("empty")}).status == 2);
}

TEST_CASE("an input is bounded") {
  std::istringstream none;
  CHECK_THROWS_WITH_AS(cli::read_input({"/dev/zero", ""}, none), doctest::Contains("more than 4194304 bytes"),
                       InputError);
  std::istringstream endless(std::string(100, 'x'));
  CHECK_THROWS_AS(cli::read_input({"-", ""}, endless, 99), InputError);
  std::istringstream enough(std::string(100, 'x'));
  CHECK(cli::read_input({"-", ""}, enough, 100)->text.size() == 100);
}

TEST_CASE("standard input once, missing files with their name") {
  const Workplace place;
  CHECK(names(place, {"-", "-"}) == "- -!");
  std::istringstream in("text");
  const SourcePtr source = cli::read_input({"-", ""}, in);
  CHECK(source->name == "<stdin>");
  CHECK(source->text == "text");
  const auto missing = cli::expand_inputs({place.at("x.litmus")});
  REQUIRE(missing.size() == 1);
  CHECK_THROWS_AS(cli::read_input(missing[0], in), InputError);
}

TEST_CASE("binaries are named, with what to do, and never printed") {
  const Workplace place;
  const auto error = [&](const std::string& name, const std::string& bytes) {
    try {
      std::istringstream nothing;
      cli::read_input({place.file(name, bytes), ""}, nothing);
    } catch (const InputError& wrong) {
      const std::string text = wrong.what();
      CHECK(find_control(text) == std::string::npos);
      return text;
    }
    return std::string("none");
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const auto elf = [](Elf64_Half type, Elf64_Half machine, bool interpreter) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_type = type;
    header.e_machine = machine;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr row = {};
    row.p_type = interpreter ? PT_INTERP : PT_LOAD;
    std::string out(sizeof header + sizeof row, '\0');
    std::memcpy(out.data(), &header, sizeof header);
    std::memcpy(out.data() + sizeof header, &row, sizeof row);
    return out;
  };
  constexpr Elf64_Half kCuda = 190;
  CHECK(has(error("k.cubin", elf(ET_EXEC, kCuda, false)), "is a cubin: it holds machine code and no PTX"));
  CHECK(has(error("app", elf(ET_DYN, EM_X86_64, true)), "is a program; run it: ptxmc record --verify -- "));
  CHECK(has(error("old", elf(ET_EXEC, EM_X86_64, false)), "is a program"));
  CHECK(has(error("libk.so", elf(ET_DYN, EM_X86_64, false)), "is a shared library"));
  CHECK(has(error("libk.so", elf(ET_DYN, EM_X86_64, false)), "libk.so > libk.ptx"));
  CHECK(has(error("k.o", elf(ET_REL, EM_AARCH64, false)),
            "is an object file; extract its PTX: cuobjdump -ptx "));
  CHECK(has(error("cut", ELFMAG), "is a part of an ELF file"));
  CHECK(has(error("k.fatbin", "\x50\xed\x55\xba\x01"), "is a fat binary"));
  CHECK(has(error("k.a", "!<arch>\nk.o/"), "is a static library"));
  CHECK(has(error("k.bc", "BC\xc0\xde"), "is LLVM bitcode"));
  CHECK(has(error("k.bin", std::string("P\0T\0", 4)), "is a binary file; expected a text"));
  CHECK(error("k.ptx", std::string(10000, ' ')) == "none");
}
