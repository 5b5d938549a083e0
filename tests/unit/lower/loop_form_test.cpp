// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/loop_form.h"

#include <map>
#include <random>

#include "axiomatic/lower/unit/body_analysis.h"
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using Code = std::vector<program::Instruction>;

program::Program program_of(const std::string& code) {
  return litmus::parse(std::make_shared<Source>(Source{
      "test.litmus",
      one_thread(".global .u32 x;", ".reg .pred %p, %q; .reg .u32 %r, %i;\n" + code, "exists (x == 1)")}));
}

Code written_anew(const std::string& code) {
  const program::Program program = program_of(code);
  return with_plain_loops(program.threads[0].code()).value_or(Code());
}

/// What libcu++ makes of a wait: the loop begins behind its first instruction, and comes back from three places.
const std::string kTwisted =
    "mov.u32 %i, 0;\nbra begin;\nmore: add.u32 %i, %i, 1;\nbegin: ld.relaxed.gpu.u32 %r, [x];\n"
    "setp.eq.u32 %p, %r, 0;\n@%p bra again;\nbra.uni done;\n"
    "again: setp.lt.s32 %q, %i, 16;\n@%q bra more;\nsetp.lt.s32 %q, %i, 99;\n@%q bra begin;\nnanosleep.u32 "
    "8;\nbra.uni begin;\n"
    "done: st.relaxed.gpu.u32 [x], 2;\n";

/// The instructions of a run, jumps left out. Whether one is taken is a function of the seed, of what was run before, and of
/// where the two ways lead, so that code says the same with its conditions turned round.
std::string run(const Code& code, unsigned seed) {
  std::map<std::string, std::size_t> labels;
  for (std::size_t i = 0; i < code.size(); ++i)
    for (const std::string& label : code[i].labels) labels.emplace(label, i);
  std::string out;
  std::size_t conditions = 0;
  for (std::size_t i = 0, steps = 0; i < code.size() && steps < 400; ++steps) {
    const program::Instruction& instruction = code[i];
    if (instruction.opcode == isa::Opcode::exit) break;
    if (instruction.opcode != isa::Opcode::bra) {
      out += instruction.text + ";";
      if (out.size() > 400) break;
      ++i;
      continue;
    }
    bool jumps = true;
    if (instruction.guard) {
      std::mt19937 random(seed * 7919U + static_cast<unsigned>(conditions++));
      jumps = (random() % 2 == 0) != instruction.guard->negated;
    }
    i = jumps ? labels.at(std::get<program::LabelName>(instruction.operand(isa::Role::label).value).name)
              : i + 1;
  }
  return out.substr(0, 400);
}

/// Jumps back close intervals, one each, which are entered at their beginnings.
bool are_plain(const Code& code) {
  std::map<std::string, std::size_t> labels;
  for (std::size_t i = 0; i < code.size(); ++i)
    for (const std::string& label : code[i].labels) labels.emplace(label, i);
  std::vector<std::pair<std::size_t, std::size_t>> jumps;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (const program::Operand* target = code[i].find(isa::Role::label))
      jumps.emplace_back(i, labels.at(std::get<program::LabelName>(target->value).name));
  }
  std::map<std::size_t, std::size_t> loops;  // by beginning
  for (const auto& [from, to] : jumps) {
    if (to <= from && !loops.emplace(to, from).second) return false;
  }
  return std::none_of(jumps.begin(), jumps.end(), [&](const auto& jump) {
    return std::any_of(loops.begin(), loops.end(), [&](const auto& loop) {
      const bool from_inside = jump.first >= loop.first && jump.first <= loop.second;
      return !from_inside && jump.second > loop.first && jump.second <= loop.second;
    });
  });
}

/// Blocks that store their number, and go on at random.
std::string random_code(std::mt19937& random) {
  const unsigned blocks = 3 + random() % 7;
  std::string out;
  for (unsigned b = 0; b < blocks; ++b) {
    out += "b" + std::to_string(b) + ": ";
    if (random() % 4 != 0) out += "st.relaxed.gpu.u32 [x], " + std::to_string(b) + ";\n";
    const auto to = [&] { return "bra b" + std::to_string(random() % blocks) + ";\n"; };
    if (random() % 5 != 0) out += "@" + std::string(random() % 2 == 0 ? "!" : "") + "%p " + to();
    if (random() % 3 == 0) out += to();
    if (random() % 9 == 0) out += "exit;\n";
  }
  return out + "st.relaxed.gpu.u32 [x], 99;\nexit;\n";
}

}  // namespace

TEST_CASE("a loop that compilers twist becomes an interval with one jump back and one way out") {
  const Code code = written_anew(kTwisted);
  REQUIRE_FALSE(code.empty());
  const program::Program program = *with_plain_loops(program_of(kTwisted));
  const Errors errors(program.source);
  BodyAnalyses bodies(program, errors);
  const std::vector<Loop>& loops = bodies.of(program.threads[0]).loops();
  REQUIRE(loops.size() == 1);
  CHECK(loops.front().spin.has_value());
  CHECK(code[loops.front().begin].text == "ld.relaxed.gpu.u32 %r, [x]");
}

TEST_CASE("code whose loops are plain stays as it is") {
  CHECK(written_anew("again: ld.relaxed.gpu.u32 %r, [x];\nsetp.eq.u32 %p, %r, 0;\n@%p bra again;\n").empty());
  CHECK(written_anew(
            "again: ld.relaxed.gpu.u32 %r, [x];\nsetp.eq.u32 %p, %r, 0;\n@!%p bra done;\nbra again;\ndone: "
            "st.relaxed.gpu.u32 [x], 1;\n")
            .empty());
  CHECK(written_anew("st.relaxed.gpu.u32 [x], 1;\n").empty());
}

TEST_CASE("a loop with two entries stays as it is") {
  CHECK(written_anew("@%p bra b;\na: st.relaxed.gpu.u32 [x], 1;\nb: st.relaxed.gpu.u32 [x], 2;\n@%q bra a;\n")
            .empty());
}

TEST_CASE("code that is written anew runs as before") {
  std::mt19937 random(1);
  std::size_t changed = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_code(random);
    const program::Program program = program_of(text);
    const auto code = with_plain_loops(program.threads[0].code());
    if (!code) continue;
    ++changed;
    for (unsigned seed = 0; seed < 8; ++seed) {
      CAPTURE(text);
      CHECK(run(program.threads[0].code(), seed) == run(*code, seed));
    }
    CHECK(are_plain(*code));
  }
  CHECK(changed > 50);
}

TEST_CASE("verdicts do not rest on how a loop is laid out") {
  const std::string waits =
      "PTX t\n{ .global .u32 x = 0; .global .u32 y = 0; }\nP0 @ cta 0 {\n st.relaxed.gpu.u32 [y], 1;\n "
      "st.release.gpu.u32 [x], 1;\n}\nP1 @ cta 1 {\n.reg .pred %p, %q; .reg .u32 %r, %i, %d;\n" +
      kTwisted + "ld.relaxed.gpu.u32 %d, [y];\n}\nexists (P1:%d == 0)\n";
  const event::ProgramGraph graph = lowered(waits);
  CHECK_FALSE(graph.cut);
  Options turns;
  turns.all_turns = true;
  CHECK(lowered(waits, turns).cut);
}

}  // namespace ptxmc::lower
