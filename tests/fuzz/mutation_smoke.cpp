// SPDX-License-Identifier: Apache-2.0
// mutation_smoke SEEDS COUNT [engines|emit|verify]: a fuzzer for every compiler. Feeds COUNT mutants of the seed files to
// the parser of their notation (.test files are NVIDIA's, .ptx files modules, .json files launches, .launched files both, .log files what a GPU showed); whatever parses must
// survive printing. `engines`: it is lowered, and both engines answer and agree; `emit`: it is written as a PTX
// module; `verify`: kernels of modules are run. Deterministic: the same mutants in every run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "check_emit.h"
#include "check_engines.h"
#include "check_launched.h"
#include "check_litmus.h"
#include "check_log.h"
#include "check_nvidia.h"
#include "check_ptx.h"
#include "check_verify.h"

namespace {

namespace fs = std::filesystem;

// xorshift64*: the standard library's distributions differ between implementations.
class Random {
 public:
  std::size_t below(std::size_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 0x2545F4914F6CDD1Dull) >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

// Pieces of the grammar, to get deeper than random bytes do.
constexpr std::array<std::string_view, 76> kPieces = {" ",
                                                      "\n",
                                                      ";",
                                                      "|",
                                                      "%p|%q",
                                                      "_",
                                                      "@",
                                                      "@!%p ",
                                                      "{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      "(",
                                                      ")",
                                                      ",",
                                                      ":",
                                                      "=",
                                                      "==",
                                                      "=>",
                                                      "/\\",
                                                      "\\/",
                                                      "~",
                                                      "exists",
                                                      "forall",
                                                      "filter",
                                                      "final",
                                                      " with ",
                                                      "locations",
                                                      "scopes:",
                                                      "regions:",
                                                      "P0",
                                                      "P1:",
                                                      "%r0",
                                                      "r1",
                                                      "x",
                                                      "&x",
                                                      "LC00:",
                                                      "LC00",
                                                      ".u32",
                                                      ".reg .u32 %r<3>",
                                                      "// c",
                                                      "(* c *)",
                                                      "/* d */",
                                                      "\"d\"",
                                                      "Verdict=Racy\n",
                                                      "-1",
                                                      "0x10",
                                                      ".global .u32 g",
                                                      " aliases ",
                                                      "bar.cta.sync 1",
                                                      "fence.sc.gpu",
                                                      "a[1]",
                                                      "$1",
                                                      "\n$$\n",
                                                      "permit (",
                                                      "assert (",
                                                      "require (r0 == 1);",
                                                      " as p",
                                                      "d0.b1.t0 {",
                                                      " virtually aliases ",
                                                      ".surfref s",
                                                      " && ",
                                                      " == 1",
                                                      "{ .reg .b32 t;",
                                                      ".entry k(",
                                                      ".func f {",
                                                      "call (%r0), f, (",
                                                      ".param .b32 p",
                                                      ".shared .b8 s[4]",
                                                      ".branchtargets L",
                                                      ".loc 1 2 3\n",
                                                      " ? 1 : 2",
                                                      "(.u64)",
                                                      "generic(",
                                                      "0f3F800000",
                                                      "\xff"};

// Whole lines, and characters in numbers and names: mutants that often still parse.
void mutate_gently(std::string& text, Random& random) {
  const std::size_t at = random.below(text.size() + 1);
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
  switch (random.below(5)) {
    case 0:
      text.erase(begin, end - begin);
      break;
    case 1:
      text.insert(begin, text.substr(begin, end - begin));
      break;
    case 2:
      text.insert(random.below(text.size() + 1), text.substr(begin, end - begin));
      break;
    default: {
      const std::size_t digit = text.find_first_of("0123456789xyr", at);
      if (digit != std::string::npos) text[digit] = "0123456789xyr"[random.below(13)];
    }
  }
}

enum class Notation { litmus, nvidia, ptx, plan, launched, log, engines, emit, verify };

struct Seed {
  std::string text;
  Notation notation = Notation::litmus;
};

ptxmc::fuzz::Outcome check(const Seed& seed) {
  switch (seed.notation) {
    case Notation::nvidia:
      return ptxmc::fuzz::check_nvidia(seed.text);
    case Notation::ptx:
      return ptxmc::fuzz::check_ptx(seed.text);
    case Notation::plan:
      return ptxmc::fuzz::check_plan(seed.text);
    case Notation::launched:
      return ptxmc::fuzz::check_launched(seed.text);
    case Notation::log:
      return ptxmc::fuzz::check_log(seed.text);
    case Notation::engines:
      return ptxmc::fuzz::check_engines(seed.text);
    case Notation::emit:
      return ptxmc::fuzz::check_emit(seed.text);
    case Notation::verify:
      return ptxmc::fuzz::check_verify(seed.text);
    case Notation::litmus:
      break;
  }
  return ptxmc::fuzz::check_litmus(seed.text);
}

Notation notation_of(const fs::path& path) {
  return path.extension() == ".test"       ? Notation::nvidia
         : path.extension() == ".ptx"      ? Notation::ptx
         : path.extension() == ".json"     ? Notation::plan
         : path.extension() == ".launched" ? Notation::launched
         : path.extension() == ".log"      ? Notation::log
                                           : Notation::litmus;
}

std::string mutate(std::string text, const std::vector<Seed>& seeds, Random& random) {
  if (random.below(2) == 0 && !text.empty()) {
    for (std::size_t i = 1 + random.below(3); i != 0 && !text.empty(); --i) mutate_gently(text, random);
    return text;
  }
  const std::size_t rounds = 1 + random.below(3);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, 1 + random.below(12));
    switch (random.below(7)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 2:
        text.replace(at, length, kPieces[random.below(kPieces.size())]);
        break;
      case 3:
        text.insert(random.below(text.size() + 1), text.substr(at, length));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 5:
        text.resize(at);
        break;
      default: {  // splice: the end of another seed
        const std::string& other = seeds[random.below(seeds.size())].text;
        text = text.substr(0, at) + other.substr(random.below(other.size() + 1));
      }
    }
  }
  return text;
}

std::vector<Seed> load(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Seed> out;
  for (const fs::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    out.push_back({text.str(), notation_of(path)});
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 4 ? argv[3] : "";
  if ((argc != 3 && argc != 4) || (argc == 4 && mode != "engines" && mode != "emit" && mode != "verify")) {
    fmt::print(stderr, "usage: mutation_smoke SEEDS COUNT [engines|emit|verify]\n");
    return 2;
  }
  std::vector<Seed> seeds = load(argv[1]);
  for (Seed& seed : seeds) {
    if (mode == "engines") seed.notation = Notation::engines;
    if (mode == "emit") seed.notation = Notation::emit;
    if (mode == "verify") seed.notation = Notation::verify;
  }
  const std::size_t count = std::stoul(argv[2]);
  Random random;
  std::size_t parsed = 0;
  Seed mutant;
  try {
    for (const Seed& seed : seeds) {
      mutant = seed;
      if (check(seed) != ptxmc::fuzz::Outcome::parsed && mode.empty())
        throw std::runtime_error("seed refused");
    }
    for (std::size_t i = 0; i < count; ++i) {
      mutant = seeds.at(random.below(seeds.size()));
      mutant.text = mutate(std::move(mutant.text), seeds, random);
      parsed += check(mutant) == ptxmc::fuzz::Outcome::parsed ? 1 : 0;
    }
  } catch (const std::exception& error) {
    fmt::print("input:\n{}\n{}\n", mutant.text, error.what());
    return 1;
  }
  fmt::print("{} seeds, {} mutants, {} of them parse\n", seeds.size(), count, parsed);
  return parsed > count / 20 ? 0 : 1;  // mutants that are all refused would test half of it only
}
