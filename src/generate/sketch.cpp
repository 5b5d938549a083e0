// SPDX-License-Identifier: Apache-2.0
#include "generate/sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "generate/code.h"
#include "generate/products.h"

namespace ptxmc::generate {

namespace {

struct Uses {
  bool array = false, alias = false;
};

std::string variable(Space space, const std::string& name, int count, int value) {
  std::string text = fmt::format("  .{} .{} {}",
                                 space == Space::tensor   ? "tensor"
                                 : space == Space::shared ? "shared"
                                                          : "global",
                                 space == Space::tensor ? "b32" : "u32", name);
  if (space == Space::tensor) return text + fmt::format("[{}] = {{{}}};\n", count, value);
  if (count == 1) return text + fmt::format(" = {};\n", value);
  return text + fmt::format("[{}] = {{{}}};\n", count,
                            fmt::join(std::vector<int>(static_cast<std::size_t>(count), value), ", "));
}

/// A matrix in shared memory, all zero but for its first elements.
std::string operand(const std::string& name, int count, int value, int filled = 1) {
  return fmt::format("  .shared .align 128 .b32 {}[{}] = {{{}}};\n", name, count,
                     fmt::join(std::vector<int>(static_cast<std::size_t>(filled), value), ", "));
}

constexpr int kTensor = 32;                          // elements of what a warp accesses of a column
constexpr int kWgmmaA = 512, kMmaA = 1024, kB = 64;  // words of operands, of m64n8k16, and of M = 128, N = 8

/// Words of the operand that it reads.
int operand_words(AccessKind access_kind) {
  if (!of_matrix(access_kind)) return 0;
  return access_kind == AccessKind::wgmma || access_kind == AccessKind::mma_b ? kB : kMmaA;
}

/// Its other operand, all of whose places are zero but for the first.
std::string other_operand(AccessKind access_kind) {
  switch (access_kind) {
    case AccessKind::wgmma:
      return operand("a0", kWgmmaA, 1);
    case AccessKind::mma_b:
      return operand("a1", kMmaA, 1);
    case AccessKind::mma:
    case AccessKind::mma_a:
    case AccessKind::wgmma_a:
      return operand("b0", kB, 1);
    default:
      return "";
  }
}

/// On the other side of copies, in the other space; operands of products.
std::string buffers(const Sketch& sketch, const std::vector<Storage>& storage) {
  std::string text;
  std::set<std::string> known;
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      const std::string other = other_operand(o.access_kind);
      if (known.insert(other).second) text += other;
      if (o.object == 0 || !known.insert(buffer_name(o)).second) continue;
      if (opaque(o.access_kind)) {
        text += operand(buffer_name(o), kMmaA, o.value);
        continue;
      }
      if (multiplies(o.access_kind)) {
        text += variable(Space::tensor, product_name(o), kTensor, 0);
        continue;
      }
      const bool shared = storage[static_cast<std::size_t>(o.location)].space == Space::shared;
      text += variable(shared ? Space::global : Space::shared, buffer_name(o),
                       is_bulk(o.access_kind) ? kBulkElements : 1, o.value);
    }
  }
  return text;
}

std::string declarations(const Sketch& sketch, const std::vector<Storage>& storage) {
  std::vector<Uses> uses(static_cast<std::size_t>(sketch.locations));
  std::map<int, int> objects;  // mbarrier objects, and how many arrivals each expects
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (o.word.starts_with("mbarrier.wait")) objects[o.value];
      const bool tells = o.word.starts_with("mbarrier.arrive") || o.word == "mbarrier.expect_tx" ||
                         o.word == "cp.async.mbarrier.arrive" || o.word.starts_with("tcgen05.commit");
      if (tells) ++objects[o.value];
      if (o.access_kind == AccessKind::bulk) ++objects[o.object];
      if (o.access_kind == AccessKind::multicast) objects[o.object];
      if (!accesses(o.kind)) continue;
      Uses& use = uses[static_cast<std::size_t>(o.location)];
      use.array |= o.dependency == Dependency::address;
      use.alias |= o.alias;
    }
  }
  std::string text;
  for (int i = 0; i < sketch.locations; ++i) {
    const Uses& use = uses[static_cast<std::size_t>(i)];
    const Storage& there = storage[static_cast<std::size_t>(i)];
    const std::string name = location_name(i);
    const int count = there.space == Space::tensor ? kTensor : there.bulk ? kBulkElements : use.array ? 2 : 1;
    const auto at = static_cast<std::size_t>(i);
    const Initial initial = at < sketch.initial.size() ? sketch.initial[at] : Initial{};
    text += there.matrix != 0 ? operand(name, there.matrix, initial.value, initial.elements)
                              : variable(there.space, name, count, initial.value);
    if (use.alias) text += fmt::format("  {}_alias aliases {};\n", name, name);
  }
  text += buffers(sketch, storage);
  for (const auto& [object, arrivals] : objects)
    text += fmt::format("  .shared .b64 m{} = {};\n", object, std::max(arrivals, 1));
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

std::string condition(const Products& products, const std::vector<Storage>& storage) {
  const Sketch& sketch = products.sketch;
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    int result = 0;
    for (const Operation& o : sketch.threads[t].operations) {
      if (!reads(o.kind)) continue;
      const bool named = to_register(o);
      const int number = named ? result++ : 0;
      if (!o.read) continue;
      const std::string value = multiplies(o.access_kind) ? product_text(products, o, *o.read)
                                                          : value_text(products, o.location, *o.read);
      parts.push_back(
          named ? fmt::format("P{}:%r{} == {}", t, number, value)
                : fmt::format("{}{} == {}", buffer_name(o), is_bulk(o.access_kind) ? "[0]" : "", value));
    }
  }
  const auto indexed = [&](std::size_t location) {
    if (storage[location].bulk || storage[location].matrix != 0) return true;
    for (const Thread& thread : sketch.threads)
      for (const Operation& o : thread.operations)
        if (accesses(o.kind) && static_cast<std::size_t>(o.location) == location &&
            o.dependency == Dependency::address)
          return true;
    return false;
  };
  for (std::size_t i = 0; i < sketch.finals.size(); ++i)
    if (sketch.finals[i])
      parts.push_back(fmt::format("{}{} == {}", location_name(static_cast<int>(i)), indexed(i) ? "[0]" : "",
                                  value_text(products, static_cast<int>(i), *sketch.finals[i])));
  for (std::string& part : products_differ(products)) parts.push_back(std::move(part));
  return fmt::format("exists ({})\n", fmt::join(parts, " /\\ "));
}

}  // namespace

std::vector<Storage> storage_of(const Sketch& sketch) {
  std::vector<Storage> all(static_cast<std::size_t>(sketch.locations));
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (!accesses(o.kind)) continue;
      Storage& storage = all[static_cast<std::size_t>(o.location)];
      storage.bulk |= is_bulk(o.access_kind);
      // Bulk groups copy from shared memory, the others to it.
      const bool shared =
          copies(o.access_kind) && writes(o.kind) == (o.access_kind != AccessKind::bulk_group);
      if (shared) storage.space = Space::shared;
      if (in_tensor(o.access_kind)) storage.space = Space::tensor;
      if (of_matrix(o.access_kind)) storage.space = Space::shared;
      storage.matrix = std::max(storage.matrix, operand_words(o.access_kind));
    }
  }
  return all;
}

int last_number(const Sketch& sketch) {
  int last = 0;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      last = std::max({last, o.object, o.kind == Kind::barrier ? o.value : 0});
  return last;
}

bool receives(const Thread& thread, const Operation& copy) {
  return std::any_of(thread.operations.begin(), thread.operations.end(), [&](const Operation& o) {
    if (o.word == "mbarrier.wait") return o.value == copy.object;
    return accesses(o.kind) && o.location == copy.location && o.access_kind != AccessKind::multicast;
  });
}

void drop_lone_clusters(Sketch& sketch) {
  for (Thread& thread : sketch.threads) {
    const bool alone = std::none_of(sketch.threads.begin(), sketch.threads.end(), [&](const Thread& other) {
      return other.cluster == thread.cluster && other.cta != thread.cta;
    });
    if (!alone) continue;
    const int cta = thread.cta;
    for (Thread& mate : sketch.threads)
      if (mate.cta == cta) mate.cluster = -1;
  }
}

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
  const Products products = with_products(sketch);
  const Sketch& whole = products.sketch;
  const std::vector<Storage> storage = storage_of(whole);
  text += "{\n" + declarations(whole, storage) + "}\n";

  std::vector<std::vector<std::string>> code;
  bool blocks = false;  // labels, and braces of operands, are not for columns
  for (std::size_t t = 0; t < whole.threads.size(); ++t) {
    code.push_back({heading(whole, t)});
    for (std::string& line : code_of(whole, t, storage)) {
      blocks |= line.back() == ':' || line.find('{') != std::string::npos;
      code.back().push_back(std::move(line));
    }
  }
  if (!blocks) return text + columns(code) + condition(products, storage);
  for (const std::vector<std::string>& lines : code) {
    text += lines.front() + " {\n";
    for (std::size_t i = 1; i < lines.size(); ++i)
      text += lines[i].back() == ':' ? lines[i] + "\n" : "  " + lines[i] + ";\n";
    text += "}\n";
  }
  return text + condition(products, storage);
}

}  // namespace ptxmc::generate
