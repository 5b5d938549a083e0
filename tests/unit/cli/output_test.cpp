// SPDX-License-Identifier: Apache-2.0
// Where output goes, and what it may destroy.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;
namespace fs = std::filesystem;

namespace {

std::string read_back(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t files_in(const Workplace& place) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(place.at("")), fs::directory_iterator()));
}

int status_with_full_output(const std::vector<std::string>& arguments, std::string& err) {
  std::istringstream in;
  std::ofstream full("/dev/full");
  std::ostringstream errors;
  cli::Streams streams{in, full, errors, false};
  const int status = static_cast<int>(cli::run(arguments, streams));
  err = errors.str();
  return status;
}

}  // namespace

TEST_CASE("a long list of states reads as if they were printed one by one") {
  std::string columns, stores, loads, condition;  // store buffering of 11 threads: 2,048 states
  for (int t = 0; t < 11; ++t) {
    const std::string self = std::to_string(t), next = std::to_string((t + 1) % 11);
    const std::string end = t == 10 ? " ;\n" : " | ";
    columns += " P" + self + end;
    stores += " st.weak x" + self + ", 1" + end;
    loads += " ld.weak r0, x" + next + end;
    condition += (t == 0 ? "" : " /\\ ") + ("P" + self) + ":r0 == 0";
  }
  const Workplace place;
  const std::string test = place.file(
      "ring.litmus", "PTX Ring\n{ }\n" + columns + stores + loads + "exists (" + condition + ")\n");
  const auto without_time = [](std::string text) {
    for (const std::string mark : {"Time ", "\"seconds\"", "\"statistics\""}) {
      const std::size_t at = text.find(mark);
      if (at != std::string::npos) text.erase(at, text.find_first_of(mark[0] == 'T' ? "\n" : "}", at) - at);
    }
    return text;
  };
  for (const std::string format : {"text", "json"}) {
    const std::vector<std::string> line{"check", "--format", format, "--witnesses", "none", test};
    std::vector<std::string> one_by_one = line, within_limits = line;
    one_by_one.insert(one_by_one.end(), {"--recheck", "all"});
    within_limits.insert(within_limits.end(), {"--timeout", "100"});
    const Ran many = run_line(line);
    CHECK(many.status == 0);
    CHECK(many.out.size() > 100000);
    CHECK(without_time(many.out) == without_time(run_line(one_by_one).out));
    CHECK(without_time(many.out) == without_time(run_line(within_limits).out));
  }
}

TEST_CASE("standard output that cannot be written is an error, whatever the verb") {
  const Workplace place;
  const std::string test = place.file("a.litmus", mp("A", true));
  const std::string log = place.file("a.log", "Test A Allowed\nStates 1\n1:r0=0; 1:r1=0;\nOk\n");
  const std::vector<std::vector<std::string>> lines = {{test},
                                                       {"check", "--format", "json", test},
                                                       {"check", "--emit-ptx", test},
                                                       {"--help"},
                                                       {"check", "--property", "liveness", test},
                                                       {"races", test},
                                                       {"explain", test},
                                                       {"model", "list"},
                                                       {"--version"},
                                                       {"compare", "--log", log, test},
                                                       {"compare", "--merge", log},
                                                       {"run", "--emit-ptx", test}};
  for (const std::vector<std::string>& line : lines) {
    CAPTURE(line.front());
    std::string err;
    CHECK(status_with_full_output(line, err) == 2);
    CHECK(err.find("ptxmc: error: cannot write ") != std::string::npos);
  }
}

TEST_CASE("a format that an answer does not come in is refused by name") {
  const Workplace place;
  const std::string test = place.file("a.litmus", mp("A", true));
  const Ran ran = run_line({"explain", "--format", "junit", test});
  CHECK(ran.status == 2);
  CHECK(
      ran.err.starts_with("ptxmc: error: --format: expected dot, html, json, svg or text; found `junit`\n"));
}

TEST_CASE("an output that is also an input is refused, by whatever name") {
  const Workplace place;
  const std::string text = mp("A", true), test = place.file("a.litmus", text);
  fs::create_hard_link(test, place.at("hard"));
  fs::create_symlink(test, place.at("soft"));
  for (const std::string& output : {test, place.at("hard"), place.at("soft"), place.at("./a.litmus")}) {
    for (const std::string verb : {"check", "races", "explain"}) {
      const Ran ran = run_line({verb, "-o", output, test});
      CHECK(ran.status == 2);
      CHECK(ran.err == "ptxmc: error: '" + output + "': is also an input; nothing is written\n");
      CHECK(read_back(test) == text);
    }
    CHECK(run_line({"run", "--emit-ptx", "-o", output, test}).status == 2);
    CHECK(read_back(test) == text);
  }
  const std::string model = place.file("m.cat", "acyclic po as none\n");
  CHECK(run_line({"-m", model, "-o", model, test}).status == 2);
  CHECK(read_back(model) == "acyclic po as none\n");
  const std::string including = place.file("top.cat", "\"top\" include \"m.cat\"\n");
  CHECK(run_line({"check", "-m", including, "-o", model, test}).status == 2);
  CHECK(read_back(model) == "acyclic po as none\n");
}

TEST_CASE("an output is not what a module was compiled from, which the report quotes") {
  const Workplace place;
  const std::string text = "__global__ void k() {}\n";
  const std::string beside = place.file("k.cu", text), header = place.file("inc/deep/h.cuh", text);
  const std::string module =
      place.file("k.ptx",
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"
                 ".file 1 \"/elsewhere/k.cu\"\n.file 2 \"/elsewhere/deep/h.cuh\"\n");
  const auto refused = [&](const std::string& output, std::vector<std::string> more) {
    std::vector<std::string> line = {"verify", "--block", "32", "-o", output, module};
    line.insert(line.end(), more.begin(), more.end());
    const Ran ran = run_line(line);
    return ran.status == 2 && ran.err.find("is also an input; nothing is written") != std::string::npos;
  };
  CHECK(refused(beside, {}));
  CHECK(refused(header, {"--source", place.at("inc")}));
  CHECK(read_back(beside) == text);
  CHECK(read_back(header) == text);
  CHECK_FALSE(refused(place.at("report"), {}));
}

TEST_CASE("an output is nothing that a list or a file of launches leads to") {
  const Workplace place;
  const std::string test = place.file("a.litmus", mp("A", true)), list = place.file("list", "a.litmus\n");
  const std::string module = place.file("m.ptx", "not read"), data = place.file("d.bin", "0000");
  const std::string launch = place.file(
      "l.json",
      R"({"module": "m.ptx", "memory": {"b": {"bytes": 4, "data": "d.bin"}}, "arguments": [{"buffer": "b"}]})");
  const auto refused = [](const std::string& output, const std::string& input) {
    const Ran ran = run_line({"verify", "-o", output, input});
    return ran.status == 2 && ran.err.find("is also an input; nothing is written") != std::string::npos;
  };
  CHECK(refused(list, "@" + list));
  CHECK(refused(test, "@" + list));
  CHECK(refused(launch, launch));
  CHECK(refused(module, launch));
  CHECK(refused(data, launch));
  CHECK(run_line({"model", "diff", "sc", "ptx-9.4", test, "-o", test}).status == 2);
  CHECK(read_back(test) == mp("A", true));
  CHECK(read_back(module) == "not read");
  CHECK(read_back(data) == "0000");
}

TEST_CASE("a test's name keeps its file in the folder") {
  const Workplace place;
  for (const std::string option : {"--name", "--prefix"}) {
    const Ran ran = run_line(
        {"generate", "--cycle", "PodWW Rfe PodRR Fre", option, "../../x", "--folder", place.at("made")});
    CHECK(ran.status == 2);
    CHECK(ran.err.find("is no part of a test's name") != std::string::npos);
  }
  CHECK(files_in(place) == 0);
}

TEST_CASE("an output is there as a whole, or as it was") {
  const Workplace place;
  const std::string test = place.file("a.litmus", mp("A", true)),
                    other = place.file("b.litmus", mp("B", true));
  const std::string out = place.file("out", "before");
  CHECK(run_line({"-f", "svg", "-o", out, test, other}).status == 2);  // found only when one is drawn
  CHECK(read_back(out) == "before");
  CHECK(files_in(place) == 3);  // nothing beside it
  CHECK(run_line({"-o", out, test}).status == 0);
  CHECK(read_back(out).starts_with("Test A "));
  fs::create_symlink(out, place.at("link"));
  CHECK(run_line({"-o", place.at("link"), other}).status == 0);
  CHECK(fs::is_symlink(place.at("link")));
  CHECK(read_back(out).starts_with("Test B "));
  CHECK(files_in(place) == 4);
  CHECK(run_line({"-o", "/dev/null", test}).status == 0);
  CHECK(run_line({"-o", "/dev/full", test}).status == 2);
  const Ran nowhere = run_line({"-o", place.at("no/where"), test});
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err.find("cannot write this file") != std::string::npos);
}

TEST_CASE("what a terminal obeys never reaches it") {
  const Workplace place;
  const std::string escape =
      "\x1b[2J\xc2\x9b"
      "31m";
  const auto clean = [](const Ran& ran) {
    return (ran.out + ran.err).find_first_of("\x1b\x9b\x07") == std::string::npos;
  };
  const std::string name = place.file("n.litmus", mp("A" + escape, true));
  const std::string doc = place.file("d.litmus", mp("A", true, "\"" + escape + "\"\n"));
  const std::string code = place.file("c.litmus", mp("A", true, "", "exists (P1:r0 == " + escape + ")"));
  const std::string cat = place.file("m.cat", "acyclic po" + escape + "\n");
  const std::string log =
      place.file("l.log", "Test A" + escape + " Allowed\nHistogram (1 states)\n1:>" + escape + "\n");
  const std::string good = place.file("a.litmus", mp("A", true));
  const std::vector<std::vector<std::string>> lines = {{name},
                                                       {doc},
                                                       {code},
                                                       {"-m", cat, good},
                                                       {"races", doc},
                                                       {"explain", doc},
                                                       {"run", "--emit-ptx", doc},
                                                       {"model", "check", cat},
                                                       {"compare", "--merge", log},
                                                       {"compare", "--log", log, good}};
  for (const std::vector<std::string>& line : lines) {
    CAPTURE(line.front());
    const Ran ran = run_line(line);
    CHECK(ran.status == 2);
    CHECK(clean(ran));
  }
  CHECK(run_line({name}).err.find("n.litmus:1:6: error: control character 0x1b\n") != std::string::npos);
}

TEST_CASE("a diagnostic is short, and points at its place") {
  const Workplace place;
  const std::string blanks(30000, ' ');
  const std::string test = place.file(
      "a.litmus", "PTX A\n{ x=0; }\nP0 {\n" + blanks + "frobnicate" + blanks + ";\n}\nexists (x == 1)\n");
  const Ran ran = run_line({test});
  CHECK(ran.status == 2);
  CHECK(ran.err.find(":4:30001: error: unknown instruction `frobnicate`\n  ...") != std::string::npos);
  CHECK(ran.err.size() < 1000);
  const std::size_t word = ran.err.find("frobnicate", ran.err.find('\n')), line = ran.err.rfind('\n', word);
  const std::size_t marker = ran.err.find("^~~~~~~~~~"), below = ran.err.rfind('\n', marker);
  REQUIRE(marker != std::string::npos);
  CHECK(word - line == marker - below);
  const std::string word_file =
      place.file("w.litmus", "PTX A\n{ x=0; }\nP0 {\n" + std::string(60000, 'f') + ";\n}\n");
  CHECK(run_line({word_file}).err.size() < 4000);
}
