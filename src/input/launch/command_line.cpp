// SPDX-License-Identifier: Apache-2.0
#include "input/launch/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>

#include "input/launch/numbers.h"
#include "input/launch/plan_memory.h"
#include "input/launch/wrong_argument.h"
#include "support/diagnostic.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::launch {

namespace {

class WordsReader {
 public:
  explicit WordsReader(const Words& words) : words_(words) {}

  Plan run() {
    Launch launch;
    launch.entry = words_.entry;
    launch.grid = extents("--grid", words_.grid);
    launch.block = extents("--block", words_.block);
    launch.has_cluster = !words_.cluster.empty();
    launch.cluster = extents("--cluster", words_.cluster);
    if (!words_.shared.empty()) launch.shared = size("--shared", words_.shared);
    launch.cooperative = words_.cooperative;
    for (const std::string& word : words_.arguments) launch.arguments.push_back(argument(word));
    plan_.launches.push_back(std::move(launch));
    return std::move(plan_);
  }

 private:
  [[noreturn]] static void fail(std::string_view option, std::string_view word, std::string_view expected) {
    refuse(fmt::format("{} {}: expected {}", option, word, expected));
  }

  static std::optional<std::uint64_t> number(std::string_view text) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
      text.remove_prefix(2);
      base = 16;
    }
    std::uint64_t out = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return problem == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(out)
                                                                                       : std::nullopt;
  }

  /// 4096, 4K, 2M
  static std::uint64_t size(std::string_view option, std::string_view word) {
    std::string_view digits = word;
    std::uint64_t unit = 1;
    constexpr std::string_view kUnits = "KMG";
    if (!word.empty() && kUnits.find(word.back()) != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (kUnits.find(word.back()) + 1));
      digits.remove_suffix(1);
    }
    const auto out = number(digits);
    if (!out || *out > kMaxBytes / unit) {
      const std::string meant = out ? "" : meant_size(std::string(word));
      fail(option, word,
           fmt::format("a number of bytes such as 4096, 64K or 4M{}",
                       meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant)));
    }
    return *out * unit;
  }

  /// 4 or 4,2 or 4x2x1
  static Extents extents(std::string_view option, const std::string& word) {
    Extents out;
    if (word.empty()) return out;
    const std::array<std::uint32_t*, 3> sides = {&out.x, &out.y, &out.z};
    std::size_t begin = 0;
    for (std::size_t side = 0;; ++side) {
      const std::size_t end = std::min(word.find_first_of(",x", begin), word.size());
      const auto value = number(std::string_view(word).substr(begin, end - begin));
      if (side == sides.size() || !value || *value == 0 || *value > kMaxExtent)
        fail(option, word, "1 to 3 sizes such as 4 or 4,2,1");
      *sides[side] = static_cast<std::uint32_t>(*value);
      if (end == word.size()) return out;
      begin = end + 1;
    }
  }

  /// Says what is wrong with a word that is no argument, and what was probably meant.
  [[noreturn]] void fail_argument(const std::string& word) const {
    std::vector<std::string> buffers;
    for (const Buffer& buffer : plan_.memory) buffers.push_back(buffer.name);
    refuse(fmt::format("--arg {}: {}", word, wrong_argument(word, buffers)));
  }

  Argument argument(const std::string& word) {
    if (word.starts_with("blob:")) return {blob(word), {}};
    const std::size_t first = word.find_first_of(":=");  // a name is before the first colon
    const std::size_t equals = first < word.size() && word[first] == '=' ? first : std::string::npos;
    const std::string name = equals == std::string::npos ? own_name(word) : word.substr(0, equals);
    const std::string what = equals == std::string::npos ? word : word.substr(equals + 1);
    if (what.starts_with("buffer:")) return {buffer(word, name, what.substr(what.find(':') + 1)), {}};
    if (what.starts_with("multicast:")) return {multicast(word, name, what.substr(what.find(':') + 1)), {}};
    if (what.starts_with("tensor:")) return {tensor(word, name, what.substr(what.find(':') + 1)), {}};
    if (equals != std::string::npos) fail_argument(word);
    if (number_type(word.substr(0, first))) return {typed(word, word), {}};
    if (const auto value = scalar(word)) return {*value, {}};
    if (const auto at = pointer(word, word)) return {*at, {}};
    fail_argument(word);
  }

  /// MEMORY,MEMORY,..: a multimem address of buffers that were named before, and of new ones of SIZE[:zero|opaque].
  Pointer multicast(const std::string& word, const std::string& name, const std::string& rest) {
    Buffer out;
    out.name = name;
    for (std::size_t begin = 0, end = 0; begin <= rest.size(); begin = end + 1) {
      end = std::min(rest.find(',', begin), rest.size());
      const std::string memory = rest.substr(begin, end - begin);
      const bool known = std::any_of(plan_.memory.begin(), plan_.memory.end(),
                                     [&](const Buffer& one) { return one.name == memory; });
      if (!known && (memory.empty() || std::isdigit(static_cast<unsigned char>(memory.front())) == 0))
        fail("--arg", word,
             fmt::format("a buffer that an argument has named, or the SIZE of new memory, found `{}`",
                         memory));
      out.multicast.push_back(
          known ? memory : buffer(word, fmt::format("{}_{}", name, out.multicast.size()), memory).buffer);
    }
    plan_.memory.push_back(std::move(out));
    return {name, 0};
  }

  /// MEMORY:TYPE:DIMS:BOX[:strides=..][:steps=..][:swizzle=N][:atom=N][:interleave=N][:fill=nan]: a tensor in a buffer that was named
  /// before, or of SIZE bytes of new memory. Lists are of the innermost dimension first, such as 64x8.
  MapName tensor(const std::string& word, const std::string& name, const std::string& rest) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = rest.find(':', begin);
      parts.push_back(rest.substr(begin, end == std::string::npos ? end : end - begin));
    }
    constexpr std::size_t kNeeded = 4;
    if (parts.size() < kNeeded)
      fail("--arg", word, "tensor:MEMORY:TYPE:DIMS:BOX, such as tensor:4K:bf16:64x32:64x8:swizzle=128");
    Tensor out;
    out.name = fmt::format("tensor{}", plan_.tensors.size());
    if (const auto named = pointer(word, parts[0])) {
      out.base = *named;
    } else {
      out.base = buffer(word, name, parts[0]);
    }
    out.map.element = element(word, parts[1]);
    out.map.dims = numbers(word, parts[2]);
    out.map.box = numbers(word, parts[3]);
    for (std::size_t i = kNeeded; i < parts.size(); ++i) set(word, parts[i], out.map);
    const std::size_t rank = out.map.dims.size();
    const bool fits = out.map.box.size() == rank && (out.map.steps.empty() || out.map.steps.size() == rank) &&
                      (out.map.strides.empty() || out.map.strides.size() + 1 == rank);
    if (!fits) fail("--arg", word, "as many sizes of the box, and steps, as dimensions, and one stride less");
    plan_.tensors.push_back(out);
    return {out.name, {}};
  }

  static isa::TensorElement element(const std::string& word, const std::string& name) {
    for (int i = 0; i <= static_cast<int>(isa::TensorElement::tf32_ftz); ++i) {
      if (isa::name_of(static_cast<isa::TensorElement>(i)) == name) return static_cast<isa::TensorElement>(i);
    }
    fail("--arg", word, fmt::format("a type of tensor elements, found `{}`", name));
  }

  static std::vector<std::int64_t> numbers(const std::string& word, const std::string& text) {
    std::vector<std::int64_t> out;
    for (std::size_t begin = 0, end = 0; end != text.size(); begin = end + 1) {
      end = std::min(text.find_first_of("x,", begin), text.size());
      const auto value = number(std::string_view(text).substr(begin, end - begin));
      if (!value || *value == 0 || *value > kMaxBytes || out.size() == footprint::kMaxDimensions)
        fail("--arg", word, fmt::format("1 to 5 numbers from 1 such as 64x8, found `{}`", text));
      out.push_back(static_cast<std::int64_t>(*value));
    }
    return out;
  }

  static std::int64_t one_of(const std::string& word, const std::string& text, const std::string& value,
                             std::span<const std::int64_t> choices) {
    const auto given = number(value);
    const auto known = std::find_if(choices.begin(), choices.end(), [&](std::int64_t one) {
      return given && static_cast<std::uint64_t>(one) == *given;
    });
    if (known != choices.end()) return *known;
    fail("--arg", word, fmt::format("one of {} bytes, found `{}`", fmt::join(choices, ", "), text));
  }

  static void set(const std::string& word, const std::string& text, footprint::TiledMap& map) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string key = text.substr(0, equals), value = text.substr(std::min(equals + 1, text.size()));
    if (key == "strides") {
      map.strides = numbers(word, value);
    } else if (key == "steps") {
      map.steps = numbers(word, value);
    } else if (key == "swizzle") {
      map.swizzle = one_of(word, text, value, footprint::kSwizzles);
    } else if (key == "atom") {
      map.atom = one_of(word, text, value, footprint::kAtoms);
    } else if (key == "interleave") {
      map.interleave = one_of(word, text, value, footprint::kInterleaves);
    } else if (key == "fill" && (value == "nan" || value == "zero")) {
      map.fill_nan = value == "nan";
    } else {
      fail("--arg", word,
           fmt::format("strides=, steps=, swizzle=, atom=, interleave=, fill=zero or fill=nan, found `{}`",
                       text));
    }
  }

  /// "arg0", of the first argument.
  std::string own_name(const std::string& word) const {
    return fmt::format("arg{}", &word - words_.arguments.data());
  }

  /// An address in a buffer that has been named.
  std::optional<Pointer> pointer(const std::string& word, const std::string& what) const {
    const std::size_t plus = what.find('+');
    const std::string base = what.substr(0, plus);
    const bool known = std::any_of(plan_.memory.begin(), plan_.memory.end(),
                                   [&](const Buffer& b) { return b.name == base; });
    if (!known) return std::nullopt;
    const std::uint64_t offset = plus == std::string::npos ? 0 : size("--arg", what.substr(plus + 1));
    if (offset > kMaxBytes) fail("--arg", word, fmt::format("an offset of at most {} bytes", kMaxBytes));
    return Pointer{base, static_cast<std::int64_t>(offset)};
  }

  /// "blob:24,0=u32:7,8=buffer:4K"
  Blob blob(const std::string& word) {
    Blob out;
    std::size_t end = std::min(word.find(','), word.size());
    out.bytes = size("--arg", word.substr(word.find(':') + 1, end - word.find(':') - 1));
    while (end < word.size()) {
      const std::size_t begin = end + 1;
      end = std::min(word.find(',', begin), word.size());
      const std::string field = word.substr(begin, end - begin);
      const std::size_t equals = field.find('=');
      const auto offset = number(field.substr(0, equals));
      if (!offset || equals == std::string::npos)
        fail("--arg", word, "fields such as 8=u32:1 or 8=buffer:4K after the size of a blob");
      const std::string what = field.substr(equals + 1);
      if (what.starts_with("buffer:")) {
        out.fields.emplace_back(*offset, buffer(word, fmt::format("{}_{}", own_name(word), *offset),
                                                what.substr(what.find(':') + 1)));
      } else if (what.starts_with("tensor:")) {
        out.fields.emplace_back(*offset, tensor(word, fmt::format("{}_{}", own_name(word), *offset),
                                                what.substr(what.find(':') + 1)));
      } else if (const auto at = pointer(word, what)) {
        out.fields.emplace_back(*offset, *at);
      } else {
        out.fields.emplace_back(*offset, typed(word, what));
      }
    }
    return out;
  }

  /// "u32:7"
  static Number typed(const std::string& word, const std::string& what) {
    const std::size_t colon = what.find(':');
    const auto type = number_type(what.substr(0, colon));
    auto value = colon == std::string::npos ? std::nullopt : scalar(what.substr(colon + 1));
    if (!type || !value)
      fail("--arg", word, fmt::format("TYPE:NUMBER, TYPE one of {}, or an address in a field", kNumberTypes));
    value->type = type;
    return *value;
  }

  Pointer buffer(const std::string& word, const std::string& name, const std::string& rest) {
    Buffer out;
    const std::size_t colon = rest.find(':');
    const std::string fill = colon == std::string::npos ? "opaque" : rest.substr(colon + 1);
    if (fill != "opaque" && fill != "zero") {
      const auto near = nearest(fill, {"zero", "opaque"});
      fail("--arg", word,
           fmt::format("`zero` or `opaque` after the size{}; other contents take a launch.json",
                       near ? fmt::format(", did you mean `{}`", *near) : ""));
    }
    out.contents.kind = fill == "zero" ? Contents::Kind::zero : Contents::Kind::opaque;
    out.bytes = size("--arg", rest.substr(0, colon));
    if (out.bytes == 0) fail("--arg", word, "a buffer of at least one byte");
    out.name = name;
    plan_.memory.push_back(out);
    return {name, 0};
  }

  static std::optional<Number> scalar(const std::string& word) {
    const bool negative = word.starts_with('-');
    const std::string digits = negative ? word.substr(1) : word;
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
    if (const auto value = number(digits); value && (!negative || *value <= kHalf)) {
      return Number{std::nullopt,
                    static_cast<std::int64_t>(negative ? 0 - *value : *value),
                    {},
                    !negative && *value >= kHalf};
    }
    if (word.empty() || word.find_first_not_of("0123456789.eE+-") != std::string::npos) return std::nullopt;
    char* end = nullptr;
    const double real = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) return std::nullopt;
    return Number{std::nullopt, real};
  }

  const Words& words_;
  Plan plan_;
};

}  // namespace

Plan read_words(const Words& words) {
  return WordsReader(words).run();
}

}  // namespace ptxmc::launch
