// SPDX-License-Identifier: Apache-2.0
// The initial value of a tensor map: `tensor(A+64, .f16, dims={64, 8}, strides={128}, box={16, 4}, steps={1,
// 2}, swizzle=32, interleave=16, fill=nan)`. Lists begin with the innermost dimension, of which there is no
// stride; dims and box are in elements, strides and offsets in bytes. In place of a box, a map in im2col mode has
// `mode=.im2col, lower={-1}, upper={-1}, channels=8, pixels=16` (corners from W on; im2col::w and im2col::w::128, too). What the numbers may be is judged when
// the test is lowered; here the lists must fit each other.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "input/litmus/raw.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxDimensions = 5;  // 5.5.1
constexpr std::int64_t kMaxNumber64 = std::int64_t{1} << 40;
constexpr std::int64_t kMaxCorner = 1 << 15;

class MapParser {
 public:
  explicit MapParser(Cursor& cursor) : c_(cursor) {}

  std::optional<TensorMap> run() {
    const Position position = c_.peek().position;
    if (!c_.is_word("tensor") || !c_.peek(1).is("(")) {
      c_.expected("`tensor(...)`");
      return std::nullopt;
    }
    c_.take();
    c_.take();
    if (!base() || !c_.expect(",", "and the type of its elements") || !element()) return std::nullopt;
    while (c_.accept(",")) {
      if (!setting()) return std::nullopt;
    }
    if (!c_.expect(")", "at the end of the tensor map") || !fits(position)) return std::nullopt;
    return map_;
  }

 private:
  bool base() {
    const Token name = c_.peek();
    if (!is_variable_name(name)) {
      c_.expected("a variable, the tensor");
      return false;
    }
    map_.base = std::string(c_.take().text);
    if (!c_.is("+") && !c_.is("-")) return true;
    const std::optional<std::int64_t> offset = c_.integer("an offset in bytes");
    if (offset) map_.offset = *offset;
    return offset.has_value();
  }

  bool element() {
    const Token word = c_.peek();
    std::string name = word.kind == TokenKind::word ? std::string(word.text) : "";
    const Token next = c_.peek(1);
    const bool flushes = next.kind == TokenKind::word && next.text == "ftz";
    if (flushes) name += ".ftz";
    for (int i = 0; i <= static_cast<int>(isa::TensorElement::tf32_ftz); ++i) {
      if (name_of(static_cast<isa::TensorElement>(i)) != name) continue;
      map_.element = static_cast<isa::TensorElement>(i);
      c_.take();
      if (flushes) c_.take();
      return true;
    }
    c_.expected("a type of tensor elements such as .u32 or .f16");
    return false;
  }

  bool setting() {
    const Token key = c_.peek();
    constexpr std::string_view kKeys =
        "dims, strides, box, steps, swizzle, atom, interleave, fill, mode, lower, upper, channels or pixels";
    if (key.kind != TokenKind::identifier) {
      c_.expected(kKeys);
      return false;
    }
    c_.take();
    if (!seen_.insert(std::string(key.text)).second) {
      c_.error(key.position, fmt::format("`{}` is given twice", key.text));
      return false;
    }
    if (!c_.expect("=", "and a value")) return false;
    if (key.text == "dims") return list(map_.dims);
    if (key.text == "strides") return list(map_.strides);
    if (key.text == "box") return list(map_.box);
    if (key.text == "steps") return list(map_.steps);
    if (key.text == "swizzle") return number(map_.swizzle, {0, 32, 64, 128});
    if (key.text == "atom") return number(map_.atom, {16, 32, 64});
    if (key.text == "interleave") return number(map_.interleave, {0, 16, 32});
    if (key.text == "fill") return fill();
    if (key.text == "mode") return mode();
    if (key.text == "lower") return list(pixels_.lower, -kMaxCorner, kMaxCorner - 1);
    if (key.text == "upper") return list(pixels_.upper, -kMaxCorner, kMaxCorner - 1);
    if (key.text == "channels") return count(pixels_.channels);
    if (key.text == "pixels") return count(pixels_.pixels);
    c_.error(key.position, fmt::format("expected {}, found `{}`", kKeys, key.text));
    return false;
  }

  bool fill() {
    map_.fill_nan = c_.is_word("nan");
    if (c_.accept_word("nan") || c_.accept_word("zero")) return true;
    c_.expected("`zero` or `nan`");
    return false;
  }

  bool mode() {
    for (const isa::LoadMode mode :
         {isa::LoadMode::im2col_w_128, isa::LoadMode::im2col_w, isa::LoadMode::im2col, isa::LoadMode::tile}) {
      if (c_.peek().kind != TokenKind::word || c_.peek().text != isa::name_of(mode)) continue;
      c_.take();
      if (mode != isa::LoadMode::tile) pixels_.mode = mode;
      columns_ = mode != isa::LoadMode::tile;
      return true;
    }
    c_.expected("`.tile`, `.im2col`, `.im2col::w` or `.im2col::w::128`");
    return false;
  }

  bool count(std::int64_t& out) {
    const std::optional<std::int64_t> found = c_.integer();
    if (found) out = *found;
    return found.has_value();
  }

  bool number(std::int64_t& out, std::initializer_list<std::int64_t> values) {
    const Position position = c_.peek().position;
    const std::optional<std::int64_t> found = c_.integer("a number of bytes");
    if (!found) return false;
    out = *found;
    if (std::find(values.begin(), values.end(), out) != values.end()) return true;
    c_.error(position, fmt::format("{} bytes, expected one of {}", out, fmt::join(values, ", ")));
    return false;
  }

  bool list(std::vector<std::int64_t>& out, std::int64_t least = 1, std::int64_t most = kMaxNumber64) {
    if (!c_.expect("{", "and the values of the dimensions")) return false;
    while (!c_.is("}")) {
      const Position position = c_.peek().position;
      const std::optional<std::int64_t> value = c_.integer();
      if (!value) return false;
      if (*value < least || *value > most || out.size() == kMaxDimensions) {
        c_.error(position, out.size() == kMaxDimensions
                               ? fmt::format("more than {} dimensions", kMaxDimensions)
                               : fmt::format("`{}`, expected {} to {}", *value, least, most));
        return false;
      }
      out.push_back(*value);
      if (!c_.accept(",") && !c_.is("}")) {
        c_.expected("`,` or `}`");
        return false;
      }
    }
    c_.take();
    return true;
  }

  /// As many numbers as dimensions; one stride less.
  bool fits(Position position) {
    const std::size_t rank = map_.dims.size();
    const auto check = [&](std::string_view name, std::size_t given, std::size_t wanted) {
      if (given == wanted) return true;
      c_.error(position, fmt::format("a tensor of {} dimension{} has {} {}{}, found {}", rank,
                                     rank == 1 ? "" : "s", wanted, name, wanted == 1 ? "" : "s", given));
      return false;
    };
    if (rank == 0) {
      c_.error(position, "a tensor map has dims={...} and box={...}, or mode=.im2col and what belongs to it");
      return false;
    }
    if (columns_) map_.pixels = pixels_;
    for (const std::string_view key : {"lower", "upper", "channels", "pixels"}) {
      if (columns_ || !seen_.contains(std::string(key))) continue;
      c_.error(position, fmt::format("`{}` is of maps in im2col mode: add mode=.im2col", key));
      return false;
    }
    if (columns_ && rank < 3) {
      c_.error(position, fmt::format("a tensor of {} dimensions in im2col mode, expected 3 to 5", rank));
      return false;
    }
    const std::size_t corners = isa::is_wide(pixels_.mode) ? 1 : rank - 2;
    return (columns_ ? check("box size", map_.box.size(), 0) &&
                           check("lower corner", pixels_.lower.size(), corners) &&
                           check("upper corner", pixels_.upper.size(), corners)
                     : check("box size", map_.box.size(), rank)) &&
           (map_.steps.empty() || check("step", map_.steps.size(), rank)) &&
           (map_.strides.empty() || check("stride", map_.strides.size(), rank - 1));
  }

  Cursor& c_;
  TensorMap map_;
  footprint::PixelBox pixels_{isa::LoadMode::im2col, {}, {}, 0, 1};
  bool columns_ = false;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<TensorMap> parse_tensor_map(Cursor& cursor) {
  return MapParser(cursor).run();
}

}  // namespace ptxmc::litmus
