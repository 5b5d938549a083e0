// SPDX-License-Identifier: Apache-2.0
// Random single-thread programs with branches, loops, predicates and atomics: running the program graph one
// event after the other gives what a plain interpreter of the instructions gives.
#include <array>
#include <map>
#include <random>

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using Word = std::uint32_t;
constexpr int kVariables = 2;
constexpr int kRegisters = 3;
constexpr int kSteps = 400;  // of the interpreter; longer runs are not compared

/// One instruction, as text and as what it does.
struct Step {
  enum class Kind { ld, st, add, sub, xor_, mov, setp_lt, setp_eq, selp, atom_add, cas, bra, exit } kind;
  int a = 0, b = 0, c = 0;  // registers; a also a predicate for setp
  int variable = 0;
  Word constant = 0;
  int predicate = -1;  // 0, 1: @%p0, @%p1; 2, 3: negated
  int target = 0;      // bra
};

std::string text_of(const Step& s) {
  const auto r = [](int i) { return "%r" + std::to_string(i); };
  const std::string place = s.variable == 0 ? "[x]" : "[y]", k = std::to_string(s.constant);
  std::string guard;
  if (s.predicate >= 0)
    guard = std::string("@") + (s.predicate >= 2 ? "!" : "") + "%p" + std::to_string(s.predicate % 2) + " ";
  const auto body = [&]() -> std::string {
    switch (s.kind) {
      case Step::Kind::ld:
        return "ld.relaxed.gpu.global.u32 " + r(s.a) + ", " + place;
      case Step::Kind::st:
        return "st.relaxed.gpu.global.u32 " + place + ", " + r(s.a);
      case Step::Kind::add:
        return "add.u32 " + r(s.a) + ", " + r(s.b) + ", " + k;
      case Step::Kind::sub:
        return "sub.u32 " + r(s.a) + ", " + r(s.b) + ", " + r(s.c);
      case Step::Kind::xor_:
        return "xor.b32 " + r(s.a) + ", " + r(s.b) + ", " + r(s.c);
      case Step::Kind::mov:
        return "mov.u32 " + r(s.a) + ", " + k;
      case Step::Kind::setp_lt:
        return "setp.lt.u32 %p" + std::to_string(s.a % 2) + ", " + r(s.b) + ", " + r(s.c);
      case Step::Kind::setp_eq:
        return "setp.eq.u32 %p" + std::to_string(s.a % 2) + ", " + r(s.b) + ", " + k;
      case Step::Kind::selp:
        return "selp.u32 " + r(s.a) + ", " + r(s.b) + ", " + k + ", %p" + std::to_string(s.c % 2);
      case Step::Kind::atom_add:
        return "atom.relaxed.gpu.global.add.u32 " + r(s.a) + ", " + place + ", " + r(s.b);
      case Step::Kind::cas:
        return "atom.relaxed.gpu.global.cas.b32 " + r(s.a) + ", " + place + ", " + k + ", " + r(s.b);
      case Step::Kind::bra:
        return "bra L" + std::to_string(s.target);
      case Step::Kind::exit:
        return "exit";
    }
    return "";
  };
  return guard + body() + ";";
}

struct Machine {
  std::array<Word, kRegisters> r{};
  std::array<bool, 2> p{};
  std::array<Word, kVariables> memory{1, 2};

  /// False when the program ran too long.
  bool run(const std::vector<Step>& program) {
    std::size_t at = 0;
    for (int steps = 0; at < program.size(); ++steps) {
      if (steps == kSteps) return false;
      const Step& s = program[at];
      const bool skip = s.predicate >= 0 && p[s.predicate % 2] == (s.predicate >= 2);
      ++at;
      if (skip) continue;
      if (s.kind == Step::Kind::exit) return true;
      if (s.kind == Step::Kind::bra) {
        at = static_cast<std::size_t>(s.target);
      } else {
        step(s);
      }
    }
    return true;
  }

  void step(const Step& s) {
    Word& cell = memory[s.variable];
    const Word old = cell;
    switch (s.kind) {
      case Step::Kind::ld:
        r[s.a] = cell;
        break;
      case Step::Kind::st:
        cell = r[s.a];
        break;
      case Step::Kind::add:
        r[s.a] = r[s.b] + s.constant;
        break;
      case Step::Kind::sub:
        r[s.a] = r[s.b] - r[s.c];
        break;
      case Step::Kind::xor_:
        r[s.a] = r[s.b] ^ r[s.c];
        break;
      case Step::Kind::mov:
        r[s.a] = s.constant;
        break;
      case Step::Kind::setp_lt:
        p[s.a % 2] = r[s.b] < r[s.c];
        break;
      case Step::Kind::setp_eq:
        p[s.a % 2] = r[s.b] == s.constant;
        break;
      case Step::Kind::selp:
        r[s.a] = p[s.c % 2] ? r[s.b] : s.constant;
        break;
      case Step::Kind::atom_add:
        cell = old + r[s.b];
        r[s.a] = old;
        break;
      case Step::Kind::cas:
        if (old == s.constant) cell = r[s.b];
        r[s.a] = old;
        break;
      case Step::Kind::bra:
      case Step::Kind::exit:
        break;
    }
  }
};

std::vector<Step> random_program(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int length = 3 + pick(10);
  std::vector<Step> program;
  for (int i = 0; i < length; ++i) {
    Step s;
    s.kind = static_cast<Step::Kind>(pick(13));
    if (s.kind == Step::Kind::exit && pick(3) != 0) s.kind = Step::Kind::ld;
    s.a = pick(kRegisters), s.b = pick(kRegisters), s.c = pick(kRegisters);
    s.variable = pick(kVariables);
    s.constant = static_cast<Word>(pick(3));
    s.target = pick(length + 1);
    if (pick(2) == 0) s.predicate = pick(4);
    program.push_back(s);
  }
  return program;
}

std::string litmus_of(const std::vector<Step>& program) {
  std::string code;
  for (std::size_t i = 0; i < program.size(); ++i)
    code += "L" + std::to_string(i) + ": " + text_of(program[i]) + "\n";
  code += "L" + std::to_string(program.size()) + ": exit;\n";
  for (const char* name : {"%r0", "%r1", "%r2"})  // never run: all of them are registers of the thread
    code += std::string("mov.b32 ") + name + ", " + name + ";\n";
  return one_thread(".global .u32 x = 1; .global .u32 y = 2;", code,
                    "locations [P0:%r0; P0:%r1; P0:%r2; x; y;] forall (true)");
}

/// Runs the events of a one-thread graph in order; nothing when an assumption fails (the bound cut this run).
std::optional<std::vector<event::Value>> run_graph(const event::ProgramGraph& graph) {
  std::map<event::CellId, event::Value> memory;
  std::map<event::EventId, event::Value> values;
  const auto lookup = [&](const event::Node& n) {
    return std::optional<event::Value>(n.op == event::Op::final_value ? memory.at(n.atom)
                                                                      : values.at(n.atom));
  };
  const auto value = [&](event::Expr e) { return *graph.exprs.evaluate(e, lookup); };
  for (event::EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    values[e] = 0;  // of reads that do not happen: nobody may care
    if (value(event.guard) == 0) continue;
    if (event.is_read()) values[e] = memory.at(event.cell);
    if (event.is_write()) memory[event.cell] = value(event.value);
  }
  for (const event::Expr assumption : graph.assumptions) {
    if (value(assumption) == 0) return std::nullopt;
  }
  std::vector<event::Value> result;
  for (const auto& o : graph.observables) result.push_back(value(o.value));
  return result;
}

/// Each decision says what its condition is on this run: guards by decisions are guards by values.
void check_path(const event::ProgramGraph& graph) {
  std::map<event::CellId, event::Value> memory;
  std::map<event::EventId, event::Value> values;
  const auto lookup = [&](const event::Node& n) { return std::optional<event::Value>(values.at(n.atom)); };
  for (event::EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    values[e] = 0;
    if (*graph.exprs.evaluate(event.guard, lookup) == 0) continue;
    if (event.is_read()) values[e] = memory.at(event.cell);
    if (event.is_write()) memory[event.cell] = *graph.exprs.evaluate(event.value, lookup);
  }
  event::Assignment path;
  for (const event::Decision& d : graph.decisions) {
    const auto matters = event::evaluate_guard(graph, d.guard, path);
    REQUIRE(matters.has_value());
    const bool yes = *graph.exprs.evaluate(d.condition, lookup) != 0;
    path.push_back(!*matters ? event::Truth::unset : yes ? event::Truth::yes : event::Truth::no);
  }
  for (const event::Event& event : graph.events) {
    const auto guard = event::evaluate_guard(graph, event.guard, path);
    REQUIRE(guard.has_value());
    REQUIRE(*guard == (*graph.exprs.evaluate(event.guard, lookup) != 0));
  }
}

TEST_CASE("program graphs do what an interpreter does") {
  std::mt19937 random(2024);
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto program = random_program(random);
    const std::string text = litmus_of(program);
    Machine machine;
    const bool ends = machine.run(program);
    event::ProgramGraph graph;
    try {
      Options options;
      options.unroll = 3;
      graph = lowered(text, options);
    } catch (const InputError& error) {
      REQUIRE(error.diagnostics().front().message.find("after unrolling") != std::string::npos);
      continue;
    }
    INFO(text);
    const auto result = run_graph(graph);
    if (!result) {
      REQUIRE(!(ends && graph.assumptions.empty()));
      continue;
    }
    REQUIRE(ends);
    const std::vector<event::Value> expected{machine.r[0], machine.r[1], machine.r[2], machine.memory[0],
                                             machine.memory[1]};
    REQUIRE(*result == expected);
    check_path(graph);
    ++compared;
  }
  CHECK(compared > 1500);
}

}  // namespace
}  // namespace ptxmc::lower
