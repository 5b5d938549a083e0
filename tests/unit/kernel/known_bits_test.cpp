// SPDX-License-Identifier: Apache-2.0
// Which bits of a result are the same whatever those of its sources that are not known.
#include "dynamic/exec/known_bits.h"

#include <algorithm>
#include <random>

#include "ran.h"

namespace ptxmc::exec {
namespace {

constexpr unsigned kLane = 3;

/// One instruction, on registers of any value of which some bits are known.
class Tried {
 public:
  explicit Tried(const std::string& instruction)
      : program_(launch::launched(
            "",
            ".reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>;\n" + instruction + "\nret;",
            {})),
        code_(decode(program_, program_.threads.front().body, 0)),
        step_(code_.steps.front()),
        rows_(code_.slots) {
    for (const Constant& constant : code_.constants) rows_[constant.slot].fill(constant.number);
  }

  /// With sources of any values of which such bits are known: is what is said of the results so?
  void check(std::mt19937_64& random) {
    std::vector<Slot> slots(step_.sources.begin(), step_.sources.begin() + step_.source_count);
    if (step_.has(isa::Role::predicate)) slots.push_back(step_.slot(isa::Role::predicate));
    KnownSources known;
    known.predicate.fill(kAllBits);
    std::map<Slot, std::uint64_t> masks;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const bool constant = is_constant(slots[i]);
      const std::uint64_t all =
          width_of(slots[i]) < 64 ? (std::uint64_t{1} << width_of(slots[i])) - 1 : kAllBits;
      const auto [mask, fresh] = masks.try_emplace(slots[i], constant ? kAllBits : some(random) | ~all);
      if (fresh && !constant) rows_[slots[i]].fill(random() & all);
      (i < step_.source_count ? known.of[i] : known.predicate).fill(mask->second);
    }
    const std::vector<Row> before = rows_;
    const std::vector<Row> results = known_results(rows_, step_, LaneMask{1} << kLane, known);
    CHECK(rows_ == before);
    const std::vector<Slot> written = written_by(step_);
    REQUIRE(results.size() == written.size());
    std::vector<std::uint64_t> first;
    for (unsigned trial = 0; trial < 40; ++trial) {
      rows_ = before;
      for (const auto& [slot, mask] : masks) rows_[slot][kLane] ^= random() & ~mask;
      step_.compute(rows_.data(), step_, LaneMask{1} << kLane);
      for (std::size_t i = 0; i < written.size(); ++i) {
        if (trial == 0) first.push_back(rows_[written[i]][kLane]);
        CHECK(((rows_[written[i]][kLane] ^ first[i]) & results[i][kLane]) == 0);
        some_known_ = some_known_ || results[i][kLane] != 0;
      }
    }
    rows_ = before;
  }
  /// It was not always that nothing is known.
  bool some_known() const { return some_known_; }

 private:
  /// None, all, or a run of bits from an end on, as of values in one word; or any.
  static std::uint64_t some(std::mt19937_64& random) {
    switch (random() % 5) {
      case 0:
        return 0;
      case 1:
        return kAllBits;
      case 2:
        return kAllBits << (random() % 64);
      case 3:
        return kAllBits >> (random() % 64);
      default:
        return random();
    }
  }
  bool is_constant(Slot slot) const {
    return std::any_of(code_.constants.begin(), code_.constants.end(),
                       [&](const Constant& constant) { return constant.slot == slot; });
  }
  unsigned width_of(Slot slot) const { return slot < code_.widths.size() ? code_.widths[slot] : 64; }

  program::Program program_;
  Code code_;
  const Step& step_;
  std::vector<Row> rows_;
  bool some_known_ = false;
};

TEST_CASE("what is known of results, is the same whatever is not known of sources") {
  std::mt19937_64 random(1);
  for (const std::string instruction : {"and.b32 %r1, %r2, %r3;",
                                        "or.b64 %d1, %d2, %d3;",
                                        "xor.b32 %r1, %r2, %r3;",
                                        "xor.b32 %r1, %r2, %r2;",
                                        "not.b32 %r1, %r2;",
                                        "lop3.b32 %r1, %r2, %r3, %r4, 0xe8;",
                                        "shl.b64 %d1, %d2, 32;",
                                        "shl.b64 %d1, %d2, %r1;",
                                        "shr.u64 %d1, %d2, 32;",
                                        "shr.s32 %r1, %r2, 9;",
                                        "prmt.b32 %r1, %r2, %r3, 0x5410;",
                                        "prmt.b32 %r1, %r2, %r3, 0x98ba;",
                                        "bfe.u32 %r1, %r2, 8, 8;",
                                        "bfe.s64 %d1, %d2, 24, 16;",
                                        "bfi.b32 %r1, %r2, %r3, 8, 8;",
                                        "shf.l.wrap.b32 %r1, %r2, %r2, 7;",
                                        "brev.b32 %r1, %r2;",
                                        "cvt.u64.u32 %d1, %r2;",
                                        "cvt.s64.s32 %d1, %r2;",
                                        "cvt.u32.u64 %r1, %d2;",
                                        "cvt.s32.s8 %r1, %r2;",
                                        "cvt.u16.u32 %h1, %r2;",
                                        "mov.b64 %d1, {%r1, %r2};",
                                        "mov.b64 {%r1, %r2}, %d1;",
                                        "mov.b32 {%h1, %h2}, %r1;",
                                        "mov.u64 %d1, %d2;",
                                        "selp.b32 %r1, %r2, %r3, %p1;",
                                        "and.pred %p1, %p2, %p3;",
                                        "or.pred %p1, %p2, !%p3;",
                                        "setp.eq.s32 %p1, %r1, %r2;",
                                        "setp.ne.u64 %p1, %d1, 4294967296;",
                                        "setp.lt.u64 %p1, %d1, %d2;",
                                        "setp.gt.s32 %p1|%p2, %r1, 0;",
                                        "setp.le.s64 %p1, %d1, %d2;",
                                        "setp.ge.u32 %p1, %r1, %r2;",
                                        "setp.ne.or.s32 %p1, %r1, %r2, %p2;",
                                        "setp.eq.and.u32 %p1|%p2, %r1, 7, !%p3;"}) {
    CAPTURE(instruction);
    Tried tried(instruction);
    for (unsigned i = 0; i < 200; ++i) tried.check(random);
    CHECK(tried.some_known());
  }
}

TEST_CASE("of what rests on all bits of its sources, all is known or nothing") {
  std::mt19937_64 random(2);
  for (const std::string instruction :
       {"add.u32 %r1, %r2, %r3;", "mul.lo.u32 %r1, %r2, %r3;", "popc.b32 %r1, %r2;", "min.s32 %r1, %r2, %r3;",
        "mul.wide.u32 %d1, %r2, 4;", "bfind.u32 %r1, %r2;"}) {
    CAPTURE(instruction);
    Tried tried(instruction);
    for (unsigned i = 0; i < 200; ++i) tried.check(random);
  }
}

bool decides_bits(const std::string& body) {
  const std::string kernel =
      ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>; ld.param.u64 %d1, [p]; ld.global.u32 %r2, "
      "[%d1];\n" +
      body + "\n@%p1 st.global.u32 [%d1+8], %r1;\nret;";
  launch::Words words;
  words.grid = "1";
  words.block = "32";
  words.arguments = {"buffer:4K:opaque"};
  const program::Program program = launch::launched(".param .u64 p", kernel, words);
  Options options;
  options.known_bits = true;
  const Outcome outcome = Run(program, nullptr).run(options);
  return std::any_of(outcome.decisions.begin(), outcome.decisions.end(),
                     [](const Decision& decision) { return decision.what == Decided::control; });
}

TEST_CASE("a flag beside open data in one word rests on nothing, in registers and in memory") {
  const std::string pack = "cvt.u64.u32 %d2, %r2; or.b64 %d2, %d2, 4294967296;\n";
  const std::string stored = pack + "st.global.u64 [%d1+16], %d2; ld.global.u64 %d3, [%d1+16];\n";
  CHECK_FALSE(decides_bits(stored + "shr.u64 %d4, %d3, 32; cvt.u32.u64 %r1, %d4; setp.eq.u32 %p1, %r1, 1;"));
  CHECK_FALSE(decides_bits(stored + "mov.b64 {%r3, %r1}, %d3; setp.eq.u32 %p1, %r1, 1;"));
  CHECK_FALSE(decides_bits(stored + "setp.lt.u64 %p1, %d3, 8589934592; "));
  CHECK_FALSE(decides_bits(stored + "ld.global.u32 %r1, [%d1+20]; setp.eq.u32 %p1, %r1, 1;"));
  CHECK(decides_bits(stored + "mov.b64 {%r1, %r3}, %d3; setp.eq.u32 %p1, %r1, 1;"));
  CHECK(decides_bits(stored + "ld.global.u16 %r1, [%d1+18]; setp.eq.u32 %p1, %r1, 1;"));
  CHECK(decides_bits(stored + "setp.lt.u64 %p1, %d3, 4294967297; "));
}

TEST_CASE("a predicate of two, of which the known one decides, rests on nothing") {
  const std::string both = "setp.eq.u32 %p2, %r2, 7; mov.u32 %r3, 5; setp.ne.u32 %p3, %r3, 0;\n";
  CHECK_FALSE(decides_bits(both + "or.pred %p1, %p2, %p3;"));
  CHECK_FALSE(decides_bits(both + "not.pred %p3, %p3; and.pred %p1, %p3, %p2;"));
  CHECK(decides_bits(both + "and.pred %p1, %p2, %p3;"));
  CHECK(decides_bits(both + "xor.pred %p1, %p2, %p3;"));
}

TEST_CASE("what data decides whether it is written, rests on data") {
  const std::string one = "mov.u64 %d2, 4294967296; cvt.u64.u32 %d3, %r2; setp.eq.u32 %p2, %r2, 0;\n";
  const std::string test = "shr.u64 %d4, %d2, 32; cvt.u32.u64 %r1, %d4; setp.eq.u32 %p1, %r1, 1;";
  CHECK(decides_bits(one + "@%p2 mov.u64 %d2, 0;\n" + test));
  CHECK(decides_bits(one + "@!%p2 mov.u64 %d2, 0;\n" + test));
  CHECK_FALSE(decides_bits(one + "or.b64 %d2, %d2, %d3;\n" + test));
}

}  // namespace
}  // namespace ptxmc::exec
