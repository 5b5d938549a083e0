// SPDX-License-Identifier: Apache-2.0
// Each operation against its definition on mathematical integers, for every pair of operands of small widths,
// and at the ends of the large ones.
#include "ptx/integer/arithmetic.h"

#include <doctest/doctest.h>

#include <vector>

namespace ptxmc::integer {
namespace {

/// Operands: all of a small width, else those around the ends.
std::vector<Pattern> operands(Width width) {
  std::vector<Pattern> out;
  if (width <= 5) {
    for (Pattern p = 0; p <= mask(width); ++p) out.push_back(p);
    return out;
  }
  const Pattern sign = Pattern{1} << (width - 1);
  for (Pattern p = 0; p < 3; ++p) {
    out.insert(out.end(), {p, sign + p, sign - 1 - p, mask(width) - p, Pattern{width} + p - 1});
  }
  return out;
}

/// A mathematical integer as a pattern: the one of 0 .. 2^width - 1 that is congruent to it.
Pattern residue(Wide value, Width width) {
  const Wide modulus = Wide{1} << width;
  return static_cast<Pattern>((value % modulus + modulus) % modulus);
}

Wide floor_shift(Wide value, Pattern amount) {
  Wide out = value;
  for (Pattern i = 0; i < std::min<Pattern>(amount, 64); ++i) out = out >= 0 ? out / 2 : -((1 - out) / 2);
  return out;
}

void check_pair(Width width, Pattern a, Pattern b) {
  CAPTURE(static_cast<int>(width));
  CAPTURE(a);
  CAPTURE(b);
  const Wide half = Wide{1} << (width - 1);
  const Wide ua = a, ub = b, sa = ua >= half ? ua - 2 * half : ua, sb = ub >= half ? ub - 2 * half : ub;
  CHECK(as_signed(a, width) == sa);
  CHECK(add(width, a, b) == residue(ua + ub, width));
  CHECK(sub(width, a, b) == residue(ua - ub, width));
  CHECK(neg(width, a) == residue(-ua, width));
  CHECK(abs(width, a) == residue(sa < 0 ? -sa : sa, width));
  CHECK(min_s(width, a, b) == residue(sa < sb ? sa : sb, width));
  CHECK(max_s(width, a, b) == residue(sa < sb ? sb : sa, width));
  CHECK(div_u(width, a, b) == (b == 0 ? residue(-1, width) : residue(ua / ub, width)));
  CHECK(rem_u(a, b) == (b == 0 ? a : residue(ua % ub, width)));
  CHECK(div_s(width, a, b) == (b == 0 ? residue(-1, width) : residue(sa / sb, width)));
  CHECK(rem_s(width, a, b) == (b == 0 ? a : residue(sa % sb, width)));
  CHECK(shr_u(width, a, b) == residue(floor_shift(ua, b), width));
  CHECK(shr_s(width, a, b) == residue(floor_shift(sa, b), width));
  CHECK(shl(width, a, b) ==
        (b >= width ? 0 : residue(static_cast<Wide>(UnsignedWide{a} << b & mask(width)), width)));
  if (width > 62) return;  // the products would not fit
  CHECK(mul(width, a, b) == residue(ua * ub, width));
  CHECK(mulhi_u(width, a, b) == residue(floor_shift(ua * ub, width), width));
  CHECK(mulhi_s(width, a, b) == residue(floor_shift(sa * sb, width), width));
}

TEST_CASE("every operation is its definition, wrapped") {
  for (const Width width : {1, 2, 3, 4, 5, 8, 16, 32, 62, 64}) {
    for (const Pattern a : operands(width)) {
      for (const Pattern b : operands(width)) check_pair(width, a, b);
    }
  }
}

TEST_CASE("products of 64 bits") {
  const Pattern most = ~Pattern{0};
  CHECK(mul(64, most, most) == 1);
  CHECK(mulhi_u(64, most, most) == most - 1);
  CHECK(mulhi_s(64, most, most) == 0);
  CHECK(mulhi_s(64, Pattern{1} << 63, 2) == most);
}

TEST_CASE("extension") {
  CHECK(sign_extend(32, 8, 0x80) == 0xffffff80);
  CHECK(sign_extend(64, 8, 0x7f) == 0x7f);
  CHECK(sign_extend(64, 64, ~Pattern{0}) == ~Pattern{0});
}

}  // namespace
}  // namespace ptxmc::integer
