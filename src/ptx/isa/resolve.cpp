// SPDX-License-Identifier: Apache-2.0
// Dotted mnemonic -> opcode and modifiers.
//
// Three steps: choose the row (the one whose selector words all occur, most of them); sort each other word
// into a group of that row, at most one a group; apply defaults and the few rules that span groups (a weak
// access has no scope, ...). Words have no order, but those of an instruction's name come first, and where data comes
// from stands behind where it goes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "ptx/isa/newer.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/resolver.h"
#include "ptx/isa/words.h"
#include "support/check.h"
#include "support/nearest.h"

namespace ptxmc::isa {

namespace {

/// The rows of names that begin as this one, in the order of the table: few of hundreds.
const std::vector<const Form*>& forms_near(std::string_view base) {
  constexpr std::size_t kLetters = 32;
  const auto letter = [](std::string_view name) {
    return name.empty() ? 0 : static_cast<unsigned char>(name.front()) % kLetters;
  };
  static const auto by_letter = [&] {
    std::array<std::vector<const Form*>, kLetters> out;
    for (const Form& form : forms()) out[letter(form.base)].push_back(&form);
    return out;
  }();
  return by_letter[letter(base)];
}

}  // namespace

Resolution Resolver::run() {
  resolve_words();
  if (out_.errors.empty()) return std::move(out_);
  if (auto newer = newer_form(base_, words_)) out_.errors = {std::move(*newer)};
  return std::move(out_);
}

void Resolver::resolve_words() {
  form_ = choose_form();
  if (form_ == nullptr) return;
  m_ = form_->defaults;
  name_ = display_name(*form_);
  sort_words();
  if (out_.errors.empty()) check_order();
  check_required();
  if (out_.errors.empty()) apply_words();
  const Rules rules = traits(form_->opcode).rules;
  if (out_.errors.empty() && rules != nullptr) (this->*rules)();
  if (out_.errors.empty()) finish();
}

void Resolver::contradiction(Group a, Group b) {
  const std::size_t later = std::max(chosen(a), chosen(b));
  error(later, fmt::format("`.{}` contradicts `.{}` in `{}`", words_[later - 1],
                           words_[std::min(chosen(a), chosen(b)) - 1], name_));
}

const Form* Resolver::choose_form() {
  const Form* best = nullptr;
  std::size_t best_words = 0;
  std::vector<std::string_view> selectors;  // of one word
  for (const Form* const form : forms_near(base_)) {
    if (form->base != base_ || (form->notation == Notation::short_form && notation_ != Notation::short_form))
      continue;
    const std::vector<std::string_view> selector = split_words(form->selector);
    const bool matches = std::all_of(selector.begin(), selector.end(), [&](std::string_view word) {
      return std::find(words_.begin(), words_.end(), word) != words_.end();
    });
    if (matches && (best == nullptr || selector.size() > best_words)) {
      best = form;
      best_words = selector.size();
    }
    if (selector.size() == 1) selectors.push_back(form->selector);
  }
  if (contains_word("bar barrier", base_) && (best == nullptr || !best->defaults.warp)) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool cluster = words_[i] == "cluster";
      if ((words_[i] != "warp" && !cluster) ||
          (cluster && best != nullptr && best->selector.starts_with("cluster"))) {
        continue;
      }
      error(i + 1, cluster ? "`.cluster` is part of `barrier.cluster.arrive` and `barrier.cluster.wait` only"
                           : "`.warp` is part of `bar.warp.sync` only");
      return nullptr;
    }
  }
  if (best != nullptr) return best;
  const auto& near = forms_near(base_);
  const bool known = std::any_of(near.begin(), near.end(), [&](const Form* f) { return f->base == base_; });
  if (!selectors.empty()) {
    error(0, fmt::format("`{}` needs one of .{}", base_, fmt::join(selectors, ", .")));
  } else if (const std::string missing = missing_words(); !missing.empty()) {
    error(0, fmt::format("`{}` with these modifiers needs {} too", base_, missing));
  } else if (known) {
    error(0, fmt::format("no form of `{}` with these modifiers is supported", base_));
  } else if (std::string said = not_modelled(base_, ""); !said.empty()) {
    error(0, std::move(said));
  } else {
    std::vector<std::string> known;
    for (const Form& form : forms()) {
      if (form.notation == Notation::any && (known.empty() || known.back() != form.base))
        known.emplace_back(form.base);
    }
    const auto meant = nearest(std::string(base_), known);
    error(0, fmt::format("unknown instruction `{}`{}", base_,
                         meant ? fmt::format("; did you mean `{}`?", *meant) : std::string()));
  }
  return nullptr;
}

// What the forms that come nearest have in addition; empty when none is near.
std::string Resolver::missing_words() const {
  std::size_t most = 0, fewest = kNone;  // words in common, words missing
  std::string out;
  for (const Form& form : forms()) {
    if (form.base != base_) continue;
    const std::vector<std::string_view> selector = split_words(form.selector);
    std::string missing;
    std::size_t common = 0;
    for (const std::string_view word : selector) {
      const bool given = std::find(words_.begin(), words_.end(), word) != words_.end();
      common += given ? 1 : 0;
      if (!given) missing += fmt::format(".{}", word);
    }
    const std::size_t lacks = selector.size() - common;
    if (common < most || (common == most && lacks > fewest)) continue;
    if (common > most || lacks < fewest) out.clear();
    most = common;
    fewest = lacks;
    out += fmt::format("{}`{}`", out.empty() ? "" : " or ", missing);
  }
  return most > 0 || out.find(" or ") == std::string::npos ? out : "";
}

namespace {

// What selectors consist of that belongs to the name of an instruction.
constexpr std::string_view kNameWords =
    "async bulk tensor reduce proxy cluster warp init inval expect_tx complete_tx arrive arrive_drop "
    "test_wait try_wait "
    "parity pending_count check_layout replace cp_fenceproxy prefetch mbarrier wait commit_group wait_group wait_all "
    "mma_async load "
    "store red query_cancel try_cancel alloc dealloc exclusive relinquish_alloc_permit ld st cp shift mma commit to";

/// Where data goes, and where it comes from; the type of a result, and that of its sources.
bool is_ordered(std::string_view word) {
  return word == "global" || word.starts_with("shared") || parse_type(word);
}

}  // namespace

void Resolver::check_order() {
  const std::vector<std::string_view> selector = split_words(form_->selector);
  std::size_t at = contains_word("bar barrier", base_) && !words_.empty() && words_[0] == "cta" ? 1 : 0;
  for (const std::string_view word : selector) {
    if (!contains_word(kNameWords, word)) break;
    if (at < words_.size() && words_[at] == word) {
      ++at;
      continue;
    }
    const auto place = std::find(words_.begin(), words_.end(), word) - words_.begin();
    return error(static_cast<std::size_t>(place) + 1,
                 fmt::format("`.{}` is part of the name `{}`, which comes first", word, name_));
  }
  std::size_t last = 0;
  for (const std::string_view word : selector) {
    if (!is_ordered(word)) continue;
    const auto place =
        static_cast<std::size_t>(std::find(words_.begin(), words_.end(), word) - words_.begin()) + 1;
    if (place < last)
      return error(place, fmt::format("`.{}` stands after `.{}` in `{}`", words_[last - 1], word, name_));
    last = std::max(last, place);
  }
}

void Resolver::sort_words() {
  std::vector<std::string_view> selector = split_words(form_->selector);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto found = std::find(selector.begin(), selector.end(), words_[i]);
    if (found != selector.end()) {
      selector.erase(found);
    } else {
      sort_word(i);
    }
  }
}

/// The words of a group after the first; null: it has one.
std::vector<std::size_t>* Resolver::further(Group group) {
  switch (group) {
    case Group::type:
      return &more_types_;
    case Group::layout:
      return &more_layouts_;
    case Group::selection:
      return &more_priorities_;
    default:
      return nullptr;
  }
}

void Resolver::sort_word(std::size_t index) {
  for (const Choice& choice : form_->choices) {
    if (!contains_word(choice.words, words_[index])) continue;
    std::size_t& slot = chosen_[static_cast<std::size_t>(choice.group)];
    if (slot == kNone) {
      slot = index + 1;
    } else if (auto* more = further(choice.group); more != nullptr && more->size() + 1 < choice.most) {
      more->push_back(index + 1);
    } else if (words_[slot - 1] == words_[index]) {
      error(index + 1, fmt::format("`.{}` is given twice", words_[index]));
    } else {
      error(index + 1,
            fmt::format("`.{}` contradicts `.{}` in `{}`", words_[index], words_[slot - 1], name_));
    }
    return;
  }
  unknown_word(index);
}

void Resolver::unknown_word(std::size_t index) {
  const std::string_view word = words_[index];
  if (std::string said = not_modelled(base_, word); !said.empty()) {
    if (out_.errors.empty()) error(index + 1, std::move(said));  // once an instruction
    return;
  }
  if (contains_word(form_->unsupported, word)) {
    error(index + 1, fmt::format("`.{}` of `{}` is not supported yet", word, name_));
    return;
  }
  // A word that other instructions know: say what this one takes instead.
  for (const Form& other : forms()) {
    for (const Choice& known : other.choices) {
      if (!contains_word(known.words, word)) continue;
      for (const Choice& choice : form_->choices) {
        if (choice.group != known.group) continue;
        error(index + 1, fmt::format("`{}` takes no `.{}`; expected {}: one of {}", name_, word,
                                     noun(choice.group), dotted_list(choice.words)));
        return;
      }
    }
  }
  error(index + 1, form_->choices.empty()
                       ? fmt::format("unknown modifier `.{}`: `{}` takes none", word, name_)
                       : fmt::format("unknown modifier `.{}` of `{}`; {}expected {}", word, name_,
                                     meant(word), expected_words()));
}

namespace {

/// The one word that has the same letters, or one more.
std::optional<std::string> alike(std::string_view word, const std::vector<std::string>& known) {
  const std::multiset<char> letters(word.begin(), word.end());
  std::set<std::string> found;
  for (const std::string& other : known) {
    const std::multiset<char> more(other.begin(), other.end());
    const bool near = more.size() <= letters.size() + 1 &&
                      std::includes(more.begin(), more.end(), letters.begin(), letters.end());
    if (near) found.insert(other);
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

}  // namespace

/// "did you mean `.global`? ", where a word that fits is near.
std::string Resolver::meant(std::string_view word) const {
  std::vector<std::string> known;
  for (const Choice& choice : form_->choices) {
    for (std::size_t begin = 0; begin < choice.words.size();) {
      const std::size_t end = std::min(choice.words.find(' ', begin), choice.words.size());
      if (end != begin) known.emplace_back(choice.words.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  constexpr std::size_t kShort = 4;  // of shorter words too many are near
  const std::optional<std::string> near =
      word.size() < kShort ? alike(word, known) : nearest(std::string(word), known);
  return near ? fmt::format("did you mean `.{}`? ", *near) : "";
}

// The words themselves where they are few, else their groups.
std::string Resolver::expected_words() const {
  std::string words;
  std::string nouns;
  for (const Choice& choice : form_->choices) {
    words += fmt::format("{}{}", words.empty() ? "" : " ", dotted_list(choice.words));
    nouns += fmt::format("{}{}", nouns.empty() ? "" : ", ", noun(choice.group));
  }
  constexpr std::size_t kFew = 60;  // characters
  return words.size() <= kFew ? words : nouns;
}

void Resolver::check_required() {
  if (!out_.errors.empty()) return;
  for (const Choice& choice : form_->choices) {
    if (choice.required && !has(choice.group)) {
      error(0, fmt::format("`{}` needs {}: one of {}", name_, noun(choice.group), dotted_list(choice.words)));
    }
  }
}

std::size_t Resolver::most_types() const {
  for (const Choice& choice : form_->choices) {
    if (choice.group == Group::type) return choice.most;
  }
  return 1;
}

namespace {

/// The enumerator whose name is `word`.
template <typename Enum>
Enum by_name(std::string_view word, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  PTXMC_CHECK(false, fmt::format("the instruction table has an unknown word {}", word));
  return last;
}

/// 9.7.5.2: the unsigned spellings
Compare compare_by_name(std::string_view word) {
  if (word == "lo") return Compare::lt;
  if (word == "ls") return Compare::le;
  if (word == "hi") return Compare::gt;
  if (word == "hs") return Compare::ge;
  return by_name(word, Compare::ge);
}

Variant variant_by_name(std::string_view word) {
  return by_name(word, Variant::sum_f16);
}

/// In the order of the text of a vector or packed access: elements that memory operations access one by one.
std::optional<Packed> packed_by_name(std::string_view word) {
  if (word.empty()) return std::nullopt;
  for (int i = 1; i <= static_cast<int>(Packed::e5m2x4); ++i) {
    if (word == name_of(static_cast<Packed>(i))) return static_cast<Packed>(i);
  }
  return std::nullopt;
}

}  // namespace

void Resolver::apply_words() {
  if (has(Group::semantics)) m_.semantics = by_name(word(Group::semantics), Semantics::mmio);
  if (has(Group::scope)) m_.scope = by_name(word(Group::scope), Scope::sys);
  if (has(Group::level))
    m_.scope = word(Group::level) == "gl" ? Scope::gpu : by_name(word(Group::level), Scope::sys);
  if (has(Group::space))  // param::entry, param::func: which parameter it is says its name
    m_.space = by_name(word(Group::space).starts_with("param") ? "param" : word(Group::space), Space::param);
  if (has(Group::type)) m_.type = parse_type(word(Group::type));
  if (const auto packed = packed_by_name(word(Group::type)); packed) {
    const bool in_memory = traits(form_->opcode).family == Family::memory;
    if (in_memory || *packed == Packed::u16x2 || *packed == Packed::s16x2) {
      m_.packed = *packed;
      m_.type = Type{TypeClass::bits, m_.type->bits};
    }
  }
  if (has(Group::vector)) m_.vector = static_cast<std::uint8_t>(word(Group::vector)[1] - '0');
  m_.non_coherent = has(Group::non_coherent);
  m_.read_only = has(Group::read_only);
  m_.small_counts = word(Group::mbarrier_layout) == "layout::v1";
  if (has(Group::atomic)) m_.atomic = by_name(word(Group::atomic), AtomicOp::max);
  apply_comparison();
  apply_variants();
  if (has(Group::proxy)) m_.proxy = by_name(word(Group::proxy), Proxy::tensormap);
  if (has(Group::aligned)) m_.aligned = true;
  if (has(Group::group_read)) m_.reads_only = true;
  if (has(Group::multicast)) m_.multicast = true;
  if (word(Group::multicast) == "multicast::cluster::32b") m_.wide_mask = true;
  if (has(Group::mode)) m_.warp_mode = by_name(word(Group::mode), WarpMode::ballot);
  if (has(Group::no_increment)) m_.no_increment = true;
  if (has(Group::dimensions)) m_.dimensions = static_cast<std::uint8_t>(word(Group::dimensions)[0] - '0');
  if (has(Group::load_mode)) m_.load_mode = by_name(word(Group::load_mode), LoadMode::im2col_no_offsets);
  if (has(Group::byte_mask)) m_.byte_mask = true;
  if (has(Group::ignore_oob)) m_.ignore_oob = true;
  if (has(Group::map_field)) m_.map_field = by_name(word(Group::map_field), MapField::fill_mode);
  apply_tensor_words();
  const std::string_view combine = word(Group::combine);
  if (!combine.empty())
    m_.combine = combine == "and" ? BoolOp::and_ : combine == "or" ? BoolOp::or_ : BoolOp::xor_;
  const std::string_view half = word(Group::half);
  if (!half.empty()) m_.half = half == "lo" ? MulHalf::lo : half == "hi" ? MulHalf::hi : MulHalf::wide;
  const std::string_view red = word(Group::barrier_red);
  if (!red.empty()) {
    m_.barrier_red = red == "popc" ? BarrierRed::popc : red == "and" ? BarrierRed::and_ : BarrierRed::or_;
  }
}

void Resolver::apply_variants() {
  for (std::size_t group = static_cast<std::size_t>(Group::rounding);
       group <= static_cast<std::size_t>(Group::selection); ++group) {
    if (has(static_cast<Group>(group))) m_.variants.add(variant_by_name(word(static_cast<Group>(group))));
  }
}

/// Those of floating numbers that are true of what is no number, too, end in `u` (9.7.5.2).
void Resolver::apply_comparison() {
  std::string_view relation = word(Group::compare);
  if (relation.empty()) return;
  if (relation == "num" || relation == "nan") {
    m_.variants.add(relation == "num" ? Variant::numbers : Variant::no_numbers);
    return;
  }
  if (relation.size() == 3) {
    m_.variants.add(Variant::unordered);
    relation.remove_suffix(1);
  }
  m_.compare = compare_by_name(relation);
}

void Resolver::finish() {
  Resolved resolved;
  resolved.form = form_;
  resolved.modifiers = m_;
  resolved.operands = places_of(*form_, m_);
  resolved.spelling = {base_ == "membar", has(Group::scope) || has(Group::level)};
  resolved.cache_policy = has(Group::cache_policy);
  out_.resolved = std::move(resolved);
}

std::vector<Place> places_of(const Form& form, const Modifiers& modifiers) {
  std::vector<Place> out;
  for (const Place& place : form.operands) {
    if (place.when != nullptr && !place.when(modifiers)) continue;
    out.push_back(place);
    if (modifiers.vector == 1) continue;
    if (place.kind == Kind::destination || place.kind == Kind::destination_or_sink)
      out.back().kind = Kind::destination_vector;
    if (place.kind == Kind::source) out.back().kind = Kind::source_vector;
  }
  return out;
}

Resolution resolve(std::string_view base, Words words, Notation notation) {
  return Resolver(base, words, notation).run();
}

Resolution resolve(std::string_view dotted, Notation notation) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = dotted.find('.', begin);
    words.push_back(dotted.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return resolve(words.front(), Words(words).subspan(1), notation);
}

}  // namespace ptxmc::isa
