// SPDX-License-Identifier: Apache-2.0
// Random programs: variables, placements, conditions and the text; generate_code.cpp draws the instructions.
#include "generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

std::string Generator::run() {
  native_ = random_.chance(50);
  tensor_memory_ = native_ && shape_.tensor_memory && random_.chance(10);
  kernels_ = native_ && !tensor_memory_ && shape_.kernels && random_.chance(14);
  if (tensor_memory_ || (native_ && !kernels_ && shape_.barriers && random_.chance(30))) barriers_ = true;
  if (!native_ && shape_.barriers && random_.chance(20)) barriers_ = true;
  reductions_ = native_ && barriers_ && !tensor_memory_ && random_.chance(12);
  objects_ = tensor_memory_ || (native_ && barriers_ && !reductions_ && random_.chance(50));
  async_ = objects_ && !tensor_memory_ && shape_.async && random_.chance(60);
  exchanges_ = native_ && shape_.exchanges && !objects_ && !reductions_ && !kernels_ && random_.chance(20);
  if (exchanges_) meeting_ = random_.weighted(kExchanges);
  budget_ = shape_.max_accesses;
  bytes_ = native_ && !tensor_memory_ && shape_.bytes && random_.chance(40);
  if (async_) {
    bytes_ = false;
    add_tiles();
  } else {
    draw_variables();
  }
  pointer_ = bytes_ && draw_global() && random_.chance(30);
  const bool crowd = shape_.most_threads > shape_.max_threads && random_.chance(7);
  const int threads = crowd ? random_.between(shape_.max_threads + 1, shape_.most_threads)
                            : random_.between(2, shape_.max_threads);
  hosts_ = !barriers_ && !exchanges_ && !kernels_ && !has_shared() && !has_proxies() &&
           random_.chance(8);  // host threads have none of these
  for (int t = 0; t < threads; ++t) draw_placement();
  if (kernels_) draw_kernels();
  for (std::size_t t = 0; t < threads_.size(); ++t) draw_thread(t);
  return print();
}

void Generator::draw_variables() {
  const int count = random_.between(1, shape_.max_variables);
  const bool mixed = native_ && random_.chance(25);
  const int bits = native_ ? random_.pick({32, 32, 64}) : 64;
  for (int i = 0; i < count; ++i) {
    VariableSpec v;
    v.name = std::string(1, static_cast<char>('x' + i));
    v.bits = mixed ? random_.pick({32, 64}) : bits;
    v.initial = random_.chance(80) ? 0 : random_.between(1, 2);
    if (native_ && random_.chance(12)) {
      v.shared = true;
      v.initialised = random_.chance(50);
      v.initial = 0;
    }
    if (native_ && !v.shared && random_.chance(bytes_ ? 40 : 8)) v.elements = 2;
    variables_.push_back(v);
  }
  if (shape_.aliases && random_.chance(20)) add_alias("a", "");
  if (shape_.proxies && !native_) {
    if (random_.chance(60)) add_alias("s", "surface");
    if (random_.chance(60)) add_alias("t", "texture");
    if (random_.chance(40)) add_alias("c", "constant");
  }
}

void Generator::add_alias(const std::string& name, const std::string& proxy) {
  const VariableSpec target = random_.pick(variables_);
  if (target.shared || target.elements > 1 || !target.proxy.empty()) return;
  VariableSpec v;
  v.name = name;
  v.bits = target.bits;
  v.aliases = target.name;
  v.proxy = proxy;
  variables_.push_back(v);
}

bool Generator::has_shared() const {
  return std::any_of(variables_.begin(), variables_.end(), [](const VariableSpec& v) { return v.shared; });
}

bool Generator::has_proxies() const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [](const VariableSpec& v) { return !v.proxy.empty(); });
}

void Generator::draw_placement() {
  ThreadSpec t;
  if (hosts_ && random_.chance(40)) {
    t.host = true;
    t.placement = "host";
  } else if (exchanges_ && random_.chance(75)) {
    t.lane = true;
    lanes_ |= 1U << threads_.size();
    t.placement = fmt::format("gpu 0, cta 0, warp 0, lane {}", threads_.size());
  } else if (barriers_ && random_.chance(75)) {
    t.placement = "gpu 0, cta 0";
  } else {
    const int gpu = random_.chance(85) ? 0 : 1;
    const int cta = random_.between(0, 2);
    t.placement = fmt::format("gpu {}, cta {}", gpu, cta);
    if (clusters_ == 0) clusters_ = random_.chance(30) ? 2 : 1;
    if (clusters_ == 2) t.placement = fmt::format("gpu {}, cluster {}, cta {}", gpu, cta / 2, cta);
  }
  threads_.push_back(t);
}

std::vector<std::string> Generator::observables() const {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    for (const RegisterSpec& r : threads_[t].defined) names.push_back(fmt::format("P{}:{}", t, reg(r.name)));
  }
  for (const VariableSpec& v : variables_) {
    if (v.elements > 2) {
      if (!v.shared) names.push_back(v.name + "[0]");
    } else if (v.aliases.empty() && !v.shared)
      names.push_back(v.elements == 2 ? v.name + "[1]" : v.name);
  }
  return names;
}

std::string Generator::condition(const std::vector<std::string>& names, int depth) {
  if (depth > 0 && random_.chance(55)) {
    const std::string left = condition(names, depth - 1), right = condition(names, depth - 1);
    switch (random_.weighted({60, 20, 10, 10})) {
      case 0:
        return fmt::format("({} /\\ {})", left, right);
      case 1:
        return fmt::format("({} \\/ {})", left, right);
      case 2:
        return fmt::format("({} => {})", left, right);
      default:
        return fmt::format("~({})", left);
    }
  }
  if (names.empty()) return "true";
  const std::string left = random_.pick(names);
  const char* op = random_.pick<const char*>({"==", "==", "==", "!=", "<", ">="});
  if (random_.chance(10)) return fmt::format("{} {} {}", left, op, random_.pick(names));
  return fmt::format("{} {} {}", left, op, random_.between(0, 3));
}

std::string Generator::print_init() {
  std::string text = "{\n";
  for (const VariableSpec& v : variables_) {
    if (!v.aliases.empty()) {
      text += v.proxy.empty() ? fmt::format("  {} aliases {};\n", v.name, v.aliases)
                              : fmt::format("  {} @ {} aliases {};\n", v.name, v.proxy, v.aliases);
    } else if (native_) {
      const char cls = random_.pick({'u', 's', 'b'});
      const std::string value = v.elements > 2   ? fmt::format("[{}] = {{{}}}", v.elements, v.initial)
                                : v.elements > 1 ? fmt::format("[{}] = {{0, {}}}", v.elements, v.initial)
                                : v.initialised  ? fmt::format(" = {}", v.initial)
                                                 : "";
      text += fmt::format("  .{} .{}{} {}{};\n", v.shared ? "shared" : "global", cls, v.bits, v.name, value);
    } else {
      text += fmt::format("  {} = {};\n", v.name, v.initial);
    }
  }
  for (int m = 0; objects_ && m < 2; ++m)
    text += fmt::format("  .shared .b64 m{} = {};\n", m, random_.between(1, 2));
  if (tensor_memory_) text += print_tensor_memory();
  if (tensors_) text += "  .global .tensormap tm = tensor(g, .u32, dims={4}, box={4});\n";
  if (pointer_) text += fmt::format("  .global .u64 p = &{};\n", draw_global()->name);
  return text + "}\n";
}

std::string Generator::print_blocks() const {
  std::string text;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    text += fmt::format(" P{} @ {} {{\n", t, threads_[t].placement);
    for (const std::string& line : threads_[t].lines) {
      text += "  " + line + (line.ends_with(':') ? "\n" : ";\n");
    }
    text += " }\n";
  }
  return text;
}

std::string Generator::print_columns() const {
  std::vector<std::vector<std::string>> columns;
  std::size_t rows = 0;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    columns.push_back({fmt::format("P{}@{}", t, threads_[t].placement)});
    columns.back().insert(columns.back().end(), threads_[t].lines.begin(), threads_[t].lines.end());
    rows = std::max(rows, columns.back().size());
  }
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < columns.size(); ++t) {
      std::size_t width = 0;
      for (const std::string& cell : columns[t]) width = std::max(width, cell.size());
      text +=
          fmt::format("{} {:{}} ", t == 0 ? "" : "|", row < columns[t].size() ? columns[t][row] : "", width);
    }
    text += ";\n";
  }
  return text;
}

std::string Generator::print() {
  std::string text = fmt::format("PTX random-{}\n\"Drawn at random, seed {}\"\n", seed_, seed_);
  text += print_init();
  if (kernels_) text += print_kernels();
  text += native_ && random_.chance(50) ? print_blocks() : print_columns();
  if (tensor_memory_) text += "regions: oa:shared, ob:shared\n";
  const std::vector<std::string> names = observables();
  if (!names.empty() && random_.chance(85)) {
    std::vector<std::string> shown = names;
    while (shown.size() > 5)
      shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(random_.below(shown.size())));
    text += "locations [";
    for (const std::string& name : shown) text += name + "; ";
    text += "]\n";
  }
  if (random_.chance(5)) text += "filter (" + condition(names, 0) + ")\n";
  text += random_.pick<const char*>({"exists", "exists", "exists", "~exists", "forall"});
  return text + " (" + condition(names, 2) + ")\n";
}

Shape tiny_shape() {
  Shape shape;
  shape.max_threads = shape.most_threads = 3;
  shape.max_instructions = 2;
  shape.max_accesses = 5;
  shape.max_variables = 2;
  shape.matrices = false;
  return shape;
}

std::string generate_test(std::uint64_t seed, const Shape& shape) {
  return Generator(seed, shape).run();
}

}  // namespace ptxmc::testing
