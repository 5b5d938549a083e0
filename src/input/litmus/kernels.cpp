// SPDX-License-Identifier: Apache-2.0
// The section `kernels { ... }` between initial state and code: which threads are one grid, and in what order
// the grids run (8.9.4, API synchronization). A test without it is one grid, whose threads all run from the
// beginning.
//
//   kernels {
//     K0: P0 P1, stream S0;                 a kernel, and the stream that it was launched in
//     K1: P2, programmatic stream S0;       by programmatic dependent launch (griddepcontrol)
//     K2: P3;                               no launch here: waits for nothing, or a host thread launches it
//     K3: P4, after K0 K2;                  edges of a graph: starts when those are complete
//     K4: P5, programmatic after K0;        a programmatic edge
//     graph G: K3 K4;                       a graph, for cudaGraphLaunch
//     cudaEventRecord E, S0;                calls that the host made, in this order, before the program starts
//   }
//
// Calls, in the section or as instructions of a thread `@ host`:
//   cudaLaunchKernel[.programmatic] KERNEL, STREAM     cudaLaunchHostFunc STREAM, TASK (its threads are `@ host`)
//   cudaGraphLaunch GRAPH, STREAM                      cudaEventRecord EVENT, STREAM
//   cudaStreamWaitEvent STREAM, EVENT                  and, in host threads only:
//   cudaStreamSynchronize STREAM                       cudaEventSynchronize EVENT
//   cudaDeviceSynchronize [GPU]                        cudaStreamQuery %r, STREAM
//                                                      cudaEventQuery %r, EVENT
// A query gives 0 (cudaSuccess) or 600 (cudaErrorNotReady). The stream cudaStreamLegacy waits for all others,
// and they for it. Each device thread belongs to one kernel; numbers of CTAs and clusters are per kernel.
#include <fmt/format.h>

#include <algorithm>

#include "input/litmus/raw.h"
#include "input/litmus/thread_code.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxKernels = 1024;

class Section {
 public:
  Section(ParseState& state, Cursor& cursor) : state_(state), c_(cursor) {}

  void run() {
    const Token head = c_.take();
    c_.take();
    state_.test.kernels.stated = true;
    state_.kernel_calls.thread.position = head.position;
    while (!c_.at_end() && !c_.is("}")) {
      if (c_.accept(";")) continue;
      if (c_.peek().line_start && at_thread_head(c_)) break;  // the closing brace is missing
      const bool good = item();
      if (good && !c_.is(";") && !c_.is("}")) c_.expected("`;` or `}`");
      if (!good || !c_.is("}")) c_.skip_to(";", "}");
    }
    c_.expect("}", "at the end of the kernels");
  }

 private:
  bool item();
  bool kernel();
  bool clause(Kernel& kernel);
  bool graph();
  bool call();
  bool names(std::vector<std::string>& out, std::string_view what);
  void launch(const Kernel& kernel, const Token& stream, bool programmatic);

  ParseState& state_;
  Cursor& c_;
};

bool is_name(const Token& token) {
  return token.kind == TokenKind::identifier && token.text != "_";
}

bool Section::item() {
  if (is_name(c_.peek()) && c_.peek(1).is(":")) return kernel();
  if (c_.is_word("graph") && is_name(c_.peek(1)) && c_.peek(2).is(":")) return graph();
  if (c_.peek().kind == TokenKind::identifier) return call();
  c_.expected("a kernel `K: P0 P1`, a graph `graph G: K0 K1`, or an API call");
  return false;
}

// NAME: P0 P1, stream S, programmatic stream S, after K0 K1, programmatic after K0
bool Section::kernel() {
  Kernel kernel;
  const Token name = c_.take();
  c_.take();
  kernel.name = std::string(name.text);
  kernel.position = name.position;
  if (state_.test.kernels.kernels.size() == kMaxKernels) {
    c_.error(name.position, fmt::format("more than {} kernels", kMaxKernels));
    throw TooManyErrors();
  }
  do {
    const Token token = c_.peek();
    const std::optional<int> number =
        token.kind == TokenKind::identifier ? thread_number(token.text) : std::nullopt;
    if (!number) {
      c_.expected("a thread `P0`, `P1` ...");
      return false;
    }
    c_.take();
    kernel.threads.push_back(*number);
  } while (!c_.is(",") && !c_.is(";") && !c_.is("}") && !c_.at_end());
  const std::size_t at = state_.test.kernels.kernels.size();
  state_.test.kernels.kernels.push_back(kernel);
  while (c_.accept(",")) {
    if (!clause(state_.test.kernels.kernels[at])) return false;
  }
  return true;
}

bool Section::clause(Kernel& kernel) {
  const bool programmatic = c_.accept_word("programmatic");
  if (c_.accept_word("after")) return names(programmatic ? kernel.programmatic : kernel.after, "a kernel");
  if (!c_.accept_word("stream")) {
    c_.expected(programmatic ? "`stream` or `after`" : "`stream`, `after` or `programmatic`");
    return false;
  }
  if (!is_name(c_.peek())) {
    c_.expected("the name of a stream");
    return false;
  }
  launch(kernel, c_.take(), programmatic);
  return true;
}

/// `stream S` is the call that launches the kernel there.
void Section::launch(const Kernel& kernel, const Token& stream, bool programmatic) {
  const auto operand = [](std::string name, Position position) {
    RawOperand out;
    out.kind = RawOperand::Kind::name;
    out.name = {std::move(name), false, position};
    out.position = position;
    return out;
  };
  RawStatement call;
  call.base = "cudaLaunchKernel";
  call.base_position = call.position = kernel.position;
  call.end_position = stream.position;
  if (programmatic) {
    call.words.push_back("programmatic");
    call.word_positions.push_back(stream.position);
  }
  call.operands = {operand(kernel.name, kernel.position), operand(std::string(stream.text), stream.position)};
  call.text =
      fmt::format("cudaLaunchKernel{} {}, {}", programmatic ? ".programmatic" : "", kernel.name, stream.text);
  state_.kernel_calls.statements.push_back(std::move(call));
}

bool Section::graph() {
  KernelGraph graph;
  c_.take();
  const Token name = c_.take();
  c_.take();
  graph.name = std::string(name.text);
  graph.position = name.position;
  if (!names(graph.kernels, "a kernel")) return false;
  state_.test.kernels.graphs.push_back(std::move(graph));
  return true;
}

bool Section::names(std::vector<std::string>& out, std::string_view what) {
  if (!is_name(c_.peek())) {
    c_.expected(what);
    return false;
  }
  while (is_name(c_.peek())) out.emplace_back(c_.take().text);
  return true;
}

bool Section::call() {
  const std::size_t begin = c_.index();
  while (!c_.at_end() && !c_.is(";") && !c_.is("}")) c_.take();
  const int before = state_.errors.count();
  const CodeExtension extension;
  ptx::BodyReader reader(state_.errors, "the kernels", extension, kLimits);
  reader.range(Cursor(c_.tokens(), begin, c_.index(), state_.errors));
  take_body(state_, state_.kernel_calls, reader.finish());
  return state_.errors.count() == before;
}

// ---- Checks -----------------------------------------------------------------------------------------------

class Check {
 public:
  explicit Check(ParseState& state) : state_(state), kernels_(state.test.kernels) {}

  void run() {
    std::set<std::string> names;
    for (const Kernel& kernel : kernels_.kernels) {
      if (!names.insert(kernel.name).second)
        error(kernel.position, "kernel `{}` is stated twice", kernel.name);
      threads(kernel);
      for (const auto* list : {&kernel.after, &kernel.programmatic}) {
        for (const std::string& other : *list) known(other, kernel.position);
      }
    }
    for (const RawThread& thread : state_.threads) {
      if (!kernels_.stated || thread.thread.placement.host || thread.thread.number < 0 ||
          in_kernel_.count(thread.thread.number) != 0)
        continue;
      error(thread.thread.position, "thread `P{}` is in no kernel", thread.thread.number);
    }
    graphs();
    for (const Instruction& call : kernels_.calls) this->call(call, false);
    for (const RawThread& thread : state_.threads) {
      for (const Instruction& instruction : thread.code) call(instruction, true);
    }
  }

 private:
  template <typename... Args>
  void error(Position position, const char* format, const Args&... args) {
    state_.errors.error(position, fmt::format(fmt::runtime(format), args...));
  }

  void threads(const Kernel& kernel) {
    int hosts = 0, devices = 0;
    for (const int number : kernel.threads) {
      state_.check_thread(number, kernel.position);
      if (!in_kernel_.insert(number).second) error(kernel.position, "thread `P{}` is in two kernels", number);
      const RawThread* thread = state_.find_thread(number);
      if (thread != nullptr) ++(thread->thread.placement.host ? hosts : devices);
    }
    if (hosts != 0 && devices != 0) {
      error(kernel.position, "kernel `{}` has host threads and device threads", kernel.name);
    }
  }

  void graphs() {
    std::set<std::string> names, nodes;
    for (const KernelGraph& graph : kernels_.graphs) {
      if (!names.insert(graph.name).second) error(graph.position, "graph `{}` is stated twice", graph.name);
      for (const std::string& kernel : graph.kernels) {
        known(kernel, graph.position);
        if (!nodes.insert(kernel).second) error(graph.position, "kernel `{}` is a node twice", kernel);
      }
    }
  }

  void known(const std::string& kernel, Position position) {
    const bool found = std::any_of(kernels_.kernels.begin(), kernels_.kernels.end(),
                                   [&](const Kernel& k) { return k.name == kernel; });
    if (!found) error(position, "unknown kernel `{}`", kernel);
  }

  /// Kernels and graphs are declared; streams and events are whatever is named.
  void call(const Instruction& call, bool in_thread) {
    if (call.opcode != isa::Opcode::api_call) {
      if (!in_thread) error(call.position, "expected an API call, found `{}`", call.text);
      return;
    }
    if (!in_thread && (call.modifiers.api > isa::ApiCall::stream_wait_event || call.guard)) {
      error(call.position, "`{}` has no meaning before the program starts; it is a host thread's", call.text);
    }
    if (!kernels_.stated) {
      error(call.position, "an API call needs the section `kernels {{ ... }}`", "");
      return;
    }
    for (const Operand& operand : call.operands) {
      const auto* name = std::get_if<ObjectName>(&operand.value);
      if (name == nullptr) continue;
      if (operand.place.role == isa::Role::graph) {
        const bool found = std::any_of(kernels_.graphs.begin(), kernels_.graphs.end(),
                                       [&](const KernelGraph& g) { return g.name == name->name; });
        if (!found) error(operand.position, "unknown graph `{}`", name->name);
      }
      if (operand.place.role == isa::Role::kernel) known(name->name, operand.position);
    }
  }

  ParseState& state_;
  const Kernels& kernels_;
  std::set<int> in_kernel_;
};

}  // namespace

bool at_kernels(const Cursor& cursor) {
  return cursor.is_word("kernels") && cursor.peek(1).is("{");
}

void parse_kernels(ParseState& state, Cursor& cursor) {
  Section(state, cursor).run();
}

void check_kernels(ParseState& state) {
  if (state.threads_incomplete) return;
  Check(state).run();
}

}  // namespace ptxmc::litmus
