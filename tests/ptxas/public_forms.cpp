// SPDX-License-Identifier: Apache-2.0
// public_forms TABLE: each instruction form that public kernels write, by its mnemonic, is taken here if the assembler takes a
// statement with it, and refused if it refuses the form.
//
// TABLE has rows of cells, separated by tabs, after a head that names them: `form` and `ptxas13.0`, which is the first target that the
// assembler takes it for, or "no: ..." with what it says against it. Other words are of statements that cannot be tried alone.
// A difference is a failure, unless a row below argues it.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/table.h"

using namespace ptxmc;

namespace {

constexpr int kSkipped = 77;

struct Argued {
  std::string_view form, reason;
};
constexpr std::string_view kBeginning = "the beginning of a mnemonic, which a macro completes";
constexpr std::string_view kNewer = "of PTX 9.2";
constexpr std::string_view kStatement = "the assembler refuses the statement, not the form";
constexpr std::string_view kShort = "a red that acquires is one of the short forms of published tests";
constexpr Argued kArgued[] = {
    {"set.gtu", kBeginning},
    {"cvt.rn", kBeginning},
    {"cvt.f", kBeginning},
    {"ldmatrix.sync.aligned.x2.m8n8.shared", kBeginning},
    {"ldmatrix.sync.aligned.x4.m8n8.shared.b", kBeginning},
    {"mma.sync.aligned.m16n8k16.row.col.f3", kBeginning},
    {"mov.b3", kBeginning},
    {"mul.f", kBeginning},
    {"mul.rn.f", kBeginning},
    {"red.glob", kBeginning},
    {"sub.rn", kBeginning},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob", kNewer},
    {"cvt.rn.bf16x2.e2m1x2", kNewer},
    {"cvt.rn.bf16x2.e4m3x2", kNewer},
    {"cvt.rn.bf16x2.e5m2x2", kNewer},
    {"mbarrier.arrive.expect_tx.b64", kStatement},
    {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
     kStatement},
    {"mov.u16", kStatement},
    {"red.acq_rel.gpu.global.or.b64", kShort},
    {"red.acquire.gpu.global.or.b32", kShort},
    {"red.acquire.gpu.global.or.b64", kShort},
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == '\t') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::size_t column(const std::vector<std::string>& head, std::string_view name) {
  const auto found = std::find(head.begin(), head.end(), name);
  if (found == head.end()) throw std::runtime_error(fmt::format("no column {}", name));
  return static_cast<std::size_t>(found - head.begin());
}

/// What is said against a mnemonic; empty: it is one.
std::string refusal(const std::string& form) {
  const isa::Resolution resolution = isa::resolve(form, isa::Notation::any);
  return resolution.errors.empty() ? "" : resolution.errors.front().message;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    fmt::print(stderr, "usage: public_forms TABLE\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    fmt::print("there is no {}\n", argv[1]);
    return kSkipped;
  }
  std::vector<std::string> head;
  std::size_t form = 0, assembler = 0, taken = 0, refused = 0, others = 0, failures = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (head.empty()) {
      head = cells;
      form = column(head, "form");
      assembler = column(head, "ptxas13.0");
      continue;
    }
    const std::string answer = cells.size() > assembler ? cells[assembler] : "";
    const bool is_form = answer.starts_with("sm_"), is_none = answer.starts_with("no");
    const bool argued = std::any_of(std::begin(kArgued), std::end(kArgued), [&](const Argued& row) {
      return row.form == cells[form] && !row.reason.empty();
    });
    if ((!is_form && !is_none) || argued) {
      ++others;
      continue;
    }
    const std::string against = refusal(cells[form]);
    ++(is_form ? taken : refused);
    if (is_form == against.empty()) continue;
    ++failures;
    fmt::print("DIFFERENCE: `{}`: the assembler {}; here: {}\n", cells[form], is_form ? "takes it" : answer,
               against.empty() ? "taken" : against);
  }
  fmt::print("{} forms that the assembler takes, {} that it refuses, {} others; {} failures\n", taken,
             refused, others, failures);
  return failures == 0 && taken != 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "public_forms: {}\n", error.what());
  return 2;
}
