// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ptx/isa/table.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

/// The words of a mnemonic behind its name.
std::vector<std::string_view> modifiers_of(std::string_view mnemonic) {
  std::vector<std::string_view> out;
  for (std::size_t at = mnemonic.find('.'); at != std::string_view::npos;) {
    const std::size_t end = mnemonic.find('.', at + 1);
    out.push_back(mnemonic.substr(at + 1, end == std::string_view::npos ? end : end - at - 1));
    at = end;
  }
  return out;
}

bool has_word(const Form& form, std::string_view word) {
  return contains_word(form.selector, word) ||
         std::any_of(form.choices.begin(), form.choices.end(),
                     [&](const Choice& choice) { return contains_word(choice.words, word); });
}

/// Forms of the instruction that take all of the words.
std::vector<const Form*> matching(std::string_view mnemonic, const std::vector<std::string_view>& words) {
  const std::string_view base = mnemonic.substr(0, mnemonic.find('.'));
  std::vector<const Form*> out;
  for (const Form& form : forms()) {
    const bool fits =
        form.base == base &&
        std::all_of(words.begin(), words.end(), [&](std::string_view word) { return has_word(form, word); });
    if (fits) out.push_back(&form);
  }
  return out;
}

FormText text_of(const Form& form) {
  FormText out{display_name(form), {}, {}};
  for (const Place& place : form.operands) {
    const std::string what(noun(place.kind));
    out.operands.push_back(place.optional || place.when != nullptr ? fmt::format("({})", what) : what);
  }
  for (const Choice& choice : form.choices)
    out.choices.push_back({std::string(noun(choice.group)), dotted_list(choice.words), choice.required});
  return out;
}

}  // namespace

std::vector<FormText> forms_of(std::string_view mnemonic) {
  std::vector<FormText> out;
  for (const Form* form : matching(mnemonic, modifiers_of(mnemonic))) out.push_back(text_of(*form));
  return out;
}

std::vector<std::string> continuations(std::string_view mnemonic) {
  const std::size_t dot = mnemonic.rfind('.');
  const std::string_view begun = dot == std::string_view::npos ? mnemonic : mnemonic.substr(dot + 1);
  std::set<std::string> out;
  const auto add = [&](std::string_view word) {
    if (word.starts_with(begun)) out.emplace(word);
  };
  if (dot == std::string_view::npos) {
    for (const Form& form : forms()) add(form.base);
  } else {
    const std::string_view before = mnemonic.substr(0, dot);
    const std::vector<std::string_view> words = modifiers_of(before);
    const auto used = [&](std::string_view list) {
      return std::count_if(words.begin(), words.end(),
                           [&](std::string_view word) { return contains_word(list, word); });
    };
    for (const Form* form : matching(before, words)) {
      for (const std::string_view word : split_words(form->selector)) {
        if (std::find(words.begin(), words.end(), word) == words.end()) add(word);
      }
      for (const Choice& choice : form->choices) {
        if (used(choice.words) >= choice.most) continue;
        for (const std::string_view word : split_words(choice.words)) add(word);
      }
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace ptxmc::isa
