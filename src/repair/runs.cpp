// SPDX-License-Identifier: Apache-2.0
#include "repair/runs.h"

#include <map>

namespace ptxmc::repair {

namespace {

std::vector<Where> places_of(const litmus::Test& test) {
  std::vector<Where> out;
  int fresh = -1;
  for (const program::Thread& thread : test.threads) {
    const program::Placement& p = thread.placement;
    Where where{p.gpu, 0, p.cta.value_or(fresh), p.warp.value_or(fresh), p.host};
    where.cluster = p.cluster.value_or(-1000000 - where.cta);
    --fresh;
    out.push_back(where);
  }
  return out;
}

}  // namespace

Runs::Runs(const litmus::Test& test, const Layout& layout)
    : test(test), layout(layout), places(places_of(test)) {
  for (std::size_t code = 0; code < layout.codes().size(); ++code) {
    points.push_back(points_of(layout, code));
    threads.emplace_back();
    const program::Body* body = test.threads[layout.codes()[code].thread].body.get();
    for (std::size_t t = 0; t < test.threads.size(); ++t) {
      if (test.threads[t].body.get() == body) threads.back().push_back(t);
    }
  }
}

bool in_loop(const Layout& layout, std::size_t code, std::size_t i) {
  std::map<std::string, std::size_t> labels;
  for (std::size_t k = 0; k <= i; ++k) {
    for (const std::string& label : layout.instruction(code, k).labels) labels.emplace(label, k);
  }
  for (std::size_t k = i; k < layout.size(code); ++k) {
    for (const program::Operand& operand : layout.instruction(code, k).operands) {
      const auto* label = std::get_if<program::LabelName>(&operand.value);
      if (label != nullptr && labels.contains(label->name)) return true;
    }
  }
  return false;
}

}  // namespace ptxmc::repair
