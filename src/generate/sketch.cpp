// SPDX-License-Identifier: Apache-2.0
#include "generate/sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace ptxmc::generate {

namespace {

/// Prints the code of one thread.
class Writer {
 public:
  explicit Writer(const Thread& thread) : thread_(thread) {}

  std::vector<std::string> lines() {
    registers_.resize(thread_.operations.size(), -1);
    // Results first, so that the condition speaks of %r0, %r1, ... in the order of the reads.
    for (std::size_t i = 0; i < thread_.operations.size(); ++i)
      if (reads(thread_.operations[i].kind)) registers_[i] = next_++;
    for (std::size_t i = 0; i < thread_.operations.size(); ++i) write(i);
    return std::move(lines_);
  }

 private:
  int expected(int source) const {
    return thread_.operations[static_cast<std::size_t>(source)].read.value_or(0);
  }
  std::string source_register(const Operation& operation) const {
    return fmt::format("%r{}", registers_[static_cast<std::size_t>(operation.source)]);
  }

  std::string variable(const Operation& operation) const {
    return location_name(operation.location) + (operation.alias ? "_alias" : "");
  }

  /// The register's value without what it is in the outcome: a dependency that constants do not fold away (D13).
  std::string address(const Operation& operation) {
    if (operation.dependency != Dependency::address) return fmt::format("[{}]", variable(operation));
    const int index = next_++, base = wide_++, offset = wide_++;
    add(fmt::format("sub.u32 %r{}, {}, {}", index, source_register(operation), expected(operation.source)));
    add(fmt::format("and.b32 %r{}, %r{}, 1", index, index));
    add(fmt::format("mul.wide.u32 %rd{}, %r{}, 4", offset, index));
    add(fmt::format("mov.u64 %rd{}, {}", base, variable(operation)));
    add(fmt::format("add.u64 %rd{}, %rd{}, %rd{}", base, base, offset));
    return fmt::format("[%rd{}]", base);
  }

  std::string written(const Operation& operation) {
    if (operation.dependency != Dependency::data) return fmt::format("{}", operation.value);
    const int difference = operation.value - expected(operation.source);
    if (difference == 0) return source_register(operation);
    const int sum = next_++;
    add(fmt::format("{}.u32 %r{}, {}, {}", difference > 0 ? "add" : "sub", sum, source_register(operation),
                    std::abs(difference)));
    return fmt::format("%r{}", sum);
  }

  std::string guard(const Operation& operation) {
    if (operation.dependency != Dependency::control) return "";
    const int predicate = predicates_++;
    add(fmt::format("setp.eq.u32 %p{}, {}, {}", predicate, source_register(operation),
                    expected(operation.source)));
    return fmt::format("@%p{} ", predicate);
  }

  void write(std::size_t i) {
    const Operation& o = thread_.operations[i];
    const std::string order = print(o.order);
    switch (o.kind) {
      case Kind::load: {
        const std::string from = address(o), when = guard(o);
        return add(fmt::format("{}ld.{}.global.u32 %r{}, {}", when, order, registers_[i], from));
      }
      case Kind::store: {
        const std::string to = address(o), value = written(o), when = guard(o);
        return add(fmt::format("{}st.{}.global.u32 {}, {}", when, order, to, value));
      }
      case Kind::exchange: {
        const std::string at = address(o), value = written(o), when = guard(o);
        return add(
            fmt::format("{}atom.{}.global.exch.b32 %r{}, {}, {}", when, order, registers_[i], at, value));
      }
      case Kind::reduction: {
        const std::string at = address(o), value = written(o), when = guard(o);
        return add(fmt::format("{}atom.{}.global.exch.b32 _, {}, {}", when, order, at, value));
      }
      case Kind::fence:
      case Kind::fence_sc:
      case Kind::fence_acq_rel:
        return add("fence." + order);
      case Kind::proxy:
        return add(o.word);
      case Kind::barrier:
        return add_barrier(o);
    }
  }

  void add_barrier(const Operation& o) {
    if (o.word == "bar.sync") return add(fmt::format("bar.sync {}, 64", o.value));
    if (o.word == "barrier.cluster") {
      add("barrier.cluster.arrive");
      return add("barrier.cluster.wait");
    }
    if (o.word == "mbarrier.arrive") return add(fmt::format("mbarrier.arrive.shared.b64 _, [m{}]", o.value));
    add(fmt::format("W{}:", o.value));
    const int predicate = predicates_++;
    add(fmt::format("mbarrier.try_wait.parity.shared.b64 %p{}, [m{}], 0", predicate, o.value));
    add(fmt::format("@!%p{} bra W{}", predicate, o.value));
  }

  void add(std::string line) { lines_.push_back(std::move(line)); }

  const Thread& thread_;
  std::vector<int> registers_;  // by operation: of its result
  int next_ = 0, wide_ = 0, predicates_ = 0;
  std::vector<std::string> lines_;
};

struct Uses {
  bool array = false, alias = false;
};

std::string declarations(const Sketch& sketch) {
  std::vector<Uses> uses(static_cast<std::size_t>(sketch.locations));
  std::set<int> objects;
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (o.kind == Kind::barrier && o.word == "mbarrier.arrive") objects.insert(o.value);
      if (!accesses(o.kind)) continue;
      Uses& use = uses[static_cast<std::size_t>(o.location)];
      use.array |= o.dependency == Dependency::address;
      use.alias |= o.alias;
    }
  }
  std::string text;
  for (int i = 0; i < sketch.locations; ++i) {
    const Uses& use = uses[static_cast<std::size_t>(i)];
    const std::string name = location_name(i);
    text += fmt::format("  .global .u32 {}{};\n", name, use.array ? "[2] = {0, 0}" : " = 0");
    if (use.alias) text += fmt::format("  {}_alias aliases {};\n", name, name);
  }
  for (const int object : objects) text += fmt::format("  .shared .b64 m{} = 1;\n", object);
  return text;
}

/// Several GPUs, or clusters, are named where there are any.
std::string heading(const Sketch& sketch, std::size_t number) {
  const Thread& thread = sketch.threads[number];
  std::string place;
  const bool gpus =
      std::any_of(sketch.threads.begin(), sketch.threads.end(), [](const Thread& t) { return t.gpu != 0; });
  if (gpus) place += fmt::format("gpu {}, ", thread.gpu);
  if (thread.cluster >= 0) place += fmt::format("cluster {}, ", thread.cluster);
  return fmt::format("P{} @ {}cta {}", number, place, thread.cta);
}

std::string columns(const std::vector<std::vector<std::string>>& cells) {
  std::size_t rows = 0;
  for (const auto& column : cells) rows = std::max(rows, column.size());
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::size_t width = 0;
      for (const std::string& cell : cells[c]) width = std::max(width, cell.size());
      text += fmt::format("{} {:<{}} ", c == 0 ? "" : "|", row < cells[c].size() ? cells[c][row] : "", width);
    }
    text += ";\n";
  }
  return text;
}

std::string condition(const Sketch& sketch) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    int result = 0;
    for (const Operation& o : sketch.threads[t].operations) {
      if (!reads(o.kind)) continue;
      if (o.read) parts.push_back(fmt::format("P{}:%r{} == {}", t, result, *o.read));
      ++result;
    }
  }
  const auto indexed = [&](int location) {
    for (const Thread& thread : sketch.threads)
      for (const Operation& o : thread.operations)
        if (accesses(o.kind) && o.location == location && o.dependency == Dependency::address) return true;
    return false;
  };
  for (std::size_t i = 0; i < sketch.finals.size(); ++i) {
    const int location = static_cast<int>(i);
    if (sketch.finals[i])
      parts.push_back(fmt::format("{}{} == {}", location_name(location), indexed(location) ? "[0]" : "",
                                  *sketch.finals[i]));
  }
  return fmt::format("exists ({})\n", fmt::join(parts, " /\\ "));
}

}  // namespace

std::string print(const Order& order) {
  std::string text(isa::name_of(order.semantics));
  if (order.scope != isa::Scope::none) text += fmt::format(".{}", isa::name_of(order.scope));
  return text;
}

std::string location_name(int location) {
  constexpr std::string_view kNames = "xyzwabcdefgh";
  const auto index = static_cast<std::size_t>(location);
  return index < kNames.size() ? std::string(1, kNames[index]) : fmt::format("v{}", location);
}

std::string print(const Sketch& sketch, std::string_view verdict) {
  std::string text = fmt::format("PTX {}\n", sketch.name);
  if (!sketch.doc.empty()) text += fmt::format("\"{}\"\n", sketch.doc);
  if (!verdict.empty()) text += fmt::format("{}\n", verdict);
  text += "{\n" + declarations(sketch) + "}\n";

  std::vector<std::vector<std::string>> code;
  bool labels = false;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    code.push_back({heading(sketch, t)});
    for (std::string& line : Writer(sketch.threads[t]).lines()) {
      labels |= line.back() == ':';
      code.back().push_back(std::move(line));
    }
  }
  if (!labels) return text + columns(code) + condition(sketch);
  for (const std::vector<std::string>& lines : code) {
    text += lines.front() + " {\n";
    for (std::size_t i = 1; i < lines.size(); ++i)
      text += lines[i].back() == ':' ? lines[i] + "\n" : "  " + lines[i] + ";\n";
    text += "}\n";
  }
  return text + condition(sketch);
}

}  // namespace ptxmc::generate
