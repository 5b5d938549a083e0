// SPDX-License-Identifier: Apache-2.0
// What is PTX and has no place in the model, by design; isa/README.md says the same.
#include <fmt/format.h>

#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

struct Unmodelled {
  std::string_view names;  // of instructions
  std::string_view words;  // modifiers that are not modelled of them; empty: the instructions are not
  std::string_view why;
};

constexpr Unmodelled kUnmodelled[] = {
    {"tex tld4 txq suq suldb sustb", "",
     "textures and surfaces are read by coordinates, in formats that the host chooses; the model has bytes "
     "at addresses "
     "(tld, suld.b and sust.b of an address access them through these proxies)"},
    {"suld sust sured",
     "1d 2d 3d a1d a2d trap clamp zero p v2 v4 v8 b128 f16 f16x2 bf16 bf16x2 f32 f64 noftz",
     "surfaces have coordinates and formats that the host chooses; the model has bytes at addresses, which "
     "suld.b and "
     "sust.b access"},
    {"vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 "
     "vsub4 "
     "vavrg4 vabsdiff4 vmin4 vmax4 vset4",
     "",
     "video instructions compute on parts of registers and access no memory; add, sub, min, max and prmt say "
     "the same"},
    {"istypep", "", "which kind of object a handle names is the host's to know"},
    {"alloca stacksave stackrestore", "",
     "the stack of a thread is no memory that others see, and has no size here; declare .local variables"},
};

}  // namespace

std::string not_modelled(std::string_view base, std::string_view word) {
  for (const Unmodelled& row : kUnmodelled) {
    const bool said = word.empty() ? row.words.empty() : contains_word(row.words, word);
    if (!said || !contains_word(row.names, base)) continue;
    return word.empty() ? fmt::format("not modelled: `{}`: {}", base, row.why)
                        : fmt::format("not modelled: `.{}` of `{}`: {}", word, base, row.why);
  }
  return "";
}

}  // namespace ptxmc::isa
