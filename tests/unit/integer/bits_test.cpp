// SPDX-License-Identifier: Apache-2.0
// Each operation on bits against the manual's definition, bit by bit, on operands around the ends and a few in between.
#include "ptx/integer/bits.h"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

namespace ptxmc::integer {
namespace {

Numbers numbers;
Bits<Numbers> bits{numbers};

Number of(Pattern pattern, Width width = 32) {
  return Numbers::constant(pattern, width);
}

std::vector<Pattern> patterns(Width width) {
  std::vector<Pattern> out = {0,          1, 2, 3, 0x5a, 0x80, 0xff, 0x100, 0x12345678, 0x0f0f00f0deadbeef,
                              ~Pattern{0}};
  for (const Pattern top : {Pattern{1} << (width - 1), Pattern{3} << (width - 2)}) {
    out.push_back(top);
    out.push_back(top - 1);
    out.push_back(top | 1);
  }
  for (Pattern& p : out) p = wrap(p, width);
  return out;
}

const std::vector<Pattern> kAmounts = {0,  1,  2,  7,  8,  15,  16,  30,  31,  32,
                                       33, 40, 63, 64, 65, 100, 255, 256, 300, ~0U};

bool bit(Pattern x, std::int64_t at) {
  return (x >> at & 1) != 0;
}

TEST_CASE("popc, clz, bfind, brev") {
  for (const Width w : {Width{32}, Width{64}}) {
    for (const Pattern x : patterns(w)) {
      CAPTURE(x);
      CHECK(bits.popc(of(x, w)) == of(static_cast<Pattern>(std::popcount(x))));
      const auto zeros = static_cast<Pattern>(std::countl_zero(x) - (64 - w));
      CHECK(bits.clz(of(x, w)) == of(zeros));
      Pattern reversed = 0;
      for (Width i = 0; i < w; ++i) reversed |= Pattern{bit(x, i)} << (w - 1 - i);
      CHECK(bits.brev(of(x, w)) == of(reversed, w));
      for (const bool is_signed : {false, true}) {
        const Pattern searched = is_signed && bit(x, w - 1) ? wrap(~x, w) : x;
        Pattern found = 0xffffffff;
        for (int i = w - 1; i >= 0 && found == 0xffffffff; --i) {
          if (bit(searched, i)) found = static_cast<Pattern>(i);
        }
        CHECK(bits.bfind(of(x, w), is_signed, false) == of(found));
        const Pattern shift = found == 0xffffffff ? found : static_cast<Pattern>(w - 1) - found;
        CHECK(bits.bfind(of(x, w), is_signed, true) == of(shift));
      }
    }
  }
}

/// 9.7.1.17, its text.
Pattern nth_set(Pattern mask, std::int64_t base, std::int32_t offset) {
  if (offset == 0) return bit(mask, base) ? static_cast<Pattern>(base) : 0xffffffff;
  std::int64_t count = (offset < 0 ? -std::int64_t{offset} : offset) - 1;
  for (std::int64_t at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if (bit(mask, at) && count-- == 0) return static_cast<Pattern>(at);
  }
  return 0xffffffff;
}

TEST_CASE("fns") {
  for (const Pattern mask : patterns(32)) {
    for (std::int64_t base = 0; base < 32; base += 3) {
      for (const std::int32_t offset : {0, 1, 2, 5, 32, 33, -1, -2, -4, -33}) {
        CAPTURE(mask);
        CAPTURE(base);
        CAPTURE(offset);
        const Number got =
            bits.fns(of(mask), of(static_cast<Pattern>(base)), of(static_cast<Pattern>(offset)));
        CHECK(got == of(nth_set(mask, base, offset)));
      }
    }
  }
}

TEST_CASE("bfe, bfi") {
  for (const Width w : {Width{32}, Width{64}}) {
    const int msb = w - 1;
    for (const Pattern x : patterns(w)) {
      for (const Pattern b : kAmounts) {
        for (const Pattern c : kAmounts) {
          const auto pos = static_cast<int>(b & 0xff), len = static_cast<int>(c & 0xff);
          CAPTURE(x);
          CAPTURE(pos);
          CAPTURE(len);
          for (const bool is_signed : {false, true}) {
            const bool sign = is_signed && len != 0 && bit(x, std::min(pos + len - 1, msb));
            Pattern field = 0;
            for (int i = 0; i <= msb; ++i)
              field |= Pattern{i < len && pos + i <= msb ? bit(x, pos + i) : sign} << i;
            CHECK(bits.bfe(of(x, w), of(b), of(c), is_signed) == of(field, w));
          }
          const Pattern into = wrap(0xa5a5a5a55a5a5a5a, w);
          Pattern inserted = into;
          for (int i = 0; i < len && pos + i <= msb; ++i) {
            inserted &= ~(Pattern{1} << (pos + i));
            inserted |= Pattern{i <= msb && bit(x, i)} << (pos + i);
          }
          CHECK(bits.bfi(of(x, w), of(into, w), of(b), of(c)) == of(inserted, w));
        }
      }
    }
  }
}

/// 9.7.1.22, its text.
Pattern mask_of(Pattern a, Pattern b, bool clamp) {
  const Pattern a1 = a & 31, b1 = b & 31, sum = a1 + b1, ones = 0xffffffff;
  Pattern mask0 = wrap(ones << a1, 32), mask1 = sum < 32 ? wrap(ones << sum, 32) : 0;
  bool overflow = sum >= 32;
  if (clamp && a >= 32) {
    overflow = true;
    mask0 = 0;
  }
  if (clamp && b >= 32) overflow = true;
  if (overflow) {
    mask1 = 0;
  } else if (b1 == 0) {
    mask1 = ones;
  }
  return mask0 & ~mask1 & 0xffffffff;
}

/// 9.7.1.21, its text.
Pattern extended(Pattern a, Pattern b, bool clamp, bool is_signed) {
  const auto b1 = static_cast<std::uint32_t>(b & 31);
  const bool too_large = b >= 32 && clamp;
  const Pattern mask = too_large ? 0 : wrap(Pattern{0xffffffff} << b1, 32);
  const bool sign = b1 != 0 && !too_large && is_signed && bit(a, static_cast<int>(b1 - 1));
  return (a & ~mask & 0xffffffff) | (sign ? mask : 0);
}

TEST_CASE("szext, bmsk") {
  for (const bool clamp : {false, true}) {
    const Excess excess = clamp ? Excess::clamp : Excess::wrap;
    for (const Pattern b : kAmounts) {
      for (const Pattern a : patterns(32)) {
        CAPTURE(a);
        CAPTURE(b);
        for (const bool is_signed : {false, true})
          CHECK(bits.szext(of(a), of(b), excess, is_signed) == of(extended(a, b, clamp, is_signed)));
      }
      for (const Pattern a : kAmounts) {
        CAPTURE(a);
        CAPTURE(b);
        CHECK(bits.bmsk(of(a), of(b), excess) == of(mask_of(wrap(a, 32), wrap(b, 32), clamp)));
      }
    }
  }
}

std::int64_t piece(Pattern x, int index, int width, bool is_signed) {
  const Pattern raw = x >> (index * width) & ((Pattern{1} << width) - 1);
  return is_signed ? as_signed(raw, static_cast<Width>(width)) : static_cast<std::int64_t>(raw);
}

TEST_CASE("products and sums") {
  for (const Pattern x : patterns(32)) {
    for (const Pattern y : patterns(32)) {
      CAPTURE(x);
      CAPTURE(y);
      for (const bool s : {false, true}) {
        const Wide product = Wide{piece(x, 0, 24, s)} * piece(y, 0, 24, s);
        CHECK(bits.mul24(of(x), of(y), false, s) == of(static_cast<Pattern>(product)));
        CHECK(bits.mul24(of(x), of(y), true, s) == of(static_cast<Pattern>(product >> 16)));
        const std::int64_t a = piece(x, 0, 32, s), b = piece(y, 0, 32, s);
        CHECK(bits.sad(of(x), of(y), of(7), s) == of(static_cast<Pattern>((a < b ? b - a : a - b) + 7)));
        for (const bool t : {false, true}) {
          std::int64_t four = 9, low = 9, high = 9;
          for (int i = 0; i < 4; ++i) four += piece(x, i, 8, s) * piece(y, i, 8, t);
          for (int i = 0; i < 2; ++i) low += piece(x, i, 16, s) * piece(y, i, 8, t);
          for (int i = 0; i < 2; ++i) high += piece(x, i, 16, s) * piece(y, i + 2, 8, t);
          CHECK(bits.dp4a(of(x), of(y), of(9), s, t) == of(static_cast<Pattern>(four)));
          CHECK(bits.dp2a(of(x), of(y), of(9), s, t, false) == of(static_cast<Pattern>(low)));
          CHECK(bits.dp2a(of(x), of(y), of(9), s, t, true) == of(static_cast<Pattern>(high)));
        }
      }
    }
  }
}

TEST_CASE("saturation") {
  for (const Pattern x : patterns(64)) {
    for (const bool from : {false, true}) {
      const Wide exact = from ? Wide{as_signed(x, 64)} : Wide{x};
      for (const Width w : {Width{8}, Width{16}, Width{32}, Width{64}}) {
        for (const bool to : {false, true}) {
          const Wide most = (Wide{1} << (to ? w - 1 : w)) - 1, fewest = to ? -most - 1 : Wide{0};
          const Wide kept = std::clamp(exact, fewest, most);
          CAPTURE(x);
          CAPTURE(static_cast<int>(w));
          CHECK(bits.saturate(of(x, 64), from, w, to) == of(static_cast<Pattern>(kept), w));
        }
      }
    }
  }
}

TEST_CASE("carries") {
  for (const Width w : {Width{32}, Width{64}}) {
    for (const Pattern x : patterns(w)) {
      for (const Pattern y : patterns(w)) {
        for (const Pattern in : {Pattern{0}, Pattern{1}}) {
          CAPTURE(x);
          CAPTURE(y);
          const UnsignedWide sum = UnsignedWide{x} + y + in;
          const auto added = bits.add_carry(of(x, w), of(y, w), of(in, 1));
          CHECK(added.value == of(static_cast<Pattern>(sum), w));
          CHECK(added.carry == of(static_cast<Pattern>(sum >> w), 1));
          const Wide difference = Wide{x} - y - static_cast<Wide>(in);
          const auto left = bits.sub_borrow(of(x, w), of(y, w), of(in, 1));
          CHECK(left.value == of(static_cast<Pattern>(difference), w));
          CHECK(left.carry == of(difference < 0 ? 1 : 0, 1));
        }
      }
    }
  }
}

TEST_CASE("cnot, shf") {
  CHECK(bits.cnot(of(0)) == of(1));
  CHECK(bits.cnot(of(7, 64)) == of(0, 64));
  for (const Pattern low : patterns(32)) {
    const Pattern high = 0x9e3779b9;
    for (const Pattern c : kAmounts) {
      for (const bool clamp : {false, true}) {
        const Pattern n = clamp ? std::min<Pattern>(wrap(c, 32), 32) : c & 31;
        const UnsignedWide both = UnsignedWide{high} << 32 | low;
        const Excess excess = clamp ? Excess::clamp : Excess::wrap;
        CAPTURE(low);
        CAPTURE(n);
        CHECK(bits.shf(of(low), of(high), of(c), true, excess) == of(static_cast<Pattern>(both << n >> 32)));
        CHECK(bits.shf(of(low), of(high), of(c), false, excess) == of(static_cast<Pattern>(both >> n)));
      }
    }
  }
}

TEST_CASE("prmt: the manual's tables") {
  const Number x = of(0x83828180), y = of(0x87868584);  // byte i is 0x80 + i
  const auto bytes = [](int b3, int b2, int b1, int b0) {
    return of(Pattern{0x80808080U} + static_cast<unsigned>((b3 << 24) + (b2 << 16) + (b1 << 8) + b0));
  };
  struct Row {
    Permutation mode;
    Number results[4];
  };
  const Row rows[] = {
      {Permutation::f4e, {bytes(3, 2, 1, 0), bytes(4, 3, 2, 1), bytes(5, 4, 3, 2), bytes(6, 5, 4, 3)}},
      {Permutation::b4e, {bytes(5, 6, 7, 0), bytes(6, 7, 0, 1), bytes(7, 0, 1, 2), bytes(0, 1, 2, 3)}},
      {Permutation::rc8, {bytes(0, 0, 0, 0), bytes(1, 1, 1, 1), bytes(2, 2, 2, 2), bytes(3, 3, 3, 3)}},
      {Permutation::ecl, {bytes(3, 2, 1, 0), bytes(3, 2, 1, 1), bytes(3, 2, 2, 2), bytes(3, 3, 3, 3)}},
      {Permutation::ecr, {bytes(0, 0, 0, 0), bytes(1, 1, 1, 0), bytes(2, 2, 1, 0), bytes(3, 2, 1, 0)}},
      {Permutation::rc16, {bytes(1, 0, 1, 0), bytes(3, 2, 3, 2), bytes(1, 0, 1, 0), bytes(3, 2, 3, 2)}},
  };
  for (const Row& row : rows) {
    for (Pattern control = 0; control < 4; ++control) {
      CAPTURE(static_cast<int>(row.mode));
      CAPTURE(control);
      CHECK(bits.prmt(x, y, of(control), row.mode) == row.results[control]);
      CHECK(bits.prmt(x, y, of(control + 4), row.mode) == row.results[control]);
    }
  }
  CHECK(bits.prmt(x, y, of(0x7610), Permutation::generic) == bytes(7, 6, 1, 0));
  CHECK(bits.prmt(x, y, of(0xf531), Permutation::generic) == of(0xff858381));  // the sign of byte 7
  CHECK(bits.prmt(of(0x7f), y, of(0x8888), Permutation::generic) == of(0));
}

}  // namespace
}  // namespace ptxmc::integer
