// SPDX-License-Identifier: Apache-2.0
// Dotted mnemonic -> opcode and modifiers.
//
// Three steps: choose the row (the one whose selector words all occur, most of them); sort each other word
// into a group of that row, at most one a group; apply defaults and the few rules that span groups (a weak
// access has no scope, ...).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/matrix.h"
#include "isa/table.h"
#include "isa/words.h"
#include "support/check.h"

namespace ptxmc::isa {

namespace {

using Words = std::span<const std::string_view>;
constexpr std::size_t kNone = ~std::size_t{0};

class Resolver {
 public:
  Resolver(std::string_view base, Words words, Notation notation)
      : base_(base), words_(words), notation_(notation) {
    chosen_.fill(kNone);
  }

  Resolution run() {
    form_ = choose_form();
    if (form_ == nullptr) return std::move(out_);
    m_ = form_->defaults;
    name_ = display_name(*form_);
    sort_words();
    check_required();
    if (out_.errors.empty()) apply_words();
    if (out_.errors.empty()) apply_rules();
    if (out_.errors.empty()) finish();
    return std::move(out_);
  }

 private:
  void error(std::size_t word, std::string message) { out_.errors.push_back({word, std::move(message)}); }
  /// The word chosen of a group: its 1-based number, or kNone.
  std::size_t chosen(Group group) const { return chosen_[static_cast<std::size_t>(group)]; }
  bool has(Group group) const { return chosen(group) != kNone; }
  std::string_view word(Group group) const {
    return has(group) ? words_[chosen(group) - 1] : std::string_view();
  }
  void contradiction(Group a, Group b) {
    const std::size_t later = std::max(chosen(a), chosen(b));
    error(later, fmt::format("`.{}` contradicts `.{}` in `{}`", words_[later - 1],
                             words_[std::min(chosen(a), chosen(b)) - 1], name_));
  }

  const Form* choose_form();
  void sort_words();
  void sort_word(std::size_t index);
  void unknown_word(std::size_t index);
  std::string expected_words() const;
  void check_required();
  void apply_words();
  void apply_rules();
  void memory_rules();
  void vector_rules();
  void non_coherent_rules();
  void mmio_rules();
  void atomic_rules();
  void setp_rules();
  void mul_rules();
  void proxy_fence_rules();
  void async_rules();
  void mbarrier_rules();
  void warp_rules();
  void matrix_rules();
  std::size_t most_types() const;
  void finish();

  std::string_view base_;
  Words words_;
  Notation notation_;
  const Form* form_ = nullptr;
  std::string name_;  // of the form
  std::array<std::size_t, kGroups> chosen_{};
  std::vector<std::size_t> more_types_;  // behind the first: cvt, mma, wgmma
  Modifiers m_;
  Resolution out_;
};

const Form* Resolver::choose_form() {
  const Form* best = nullptr;
  std::size_t best_words = 0;
  std::string selectors;
  for (const Form& form : forms()) {
    if (form.base != base_ || (form.notation == Notation::short_form && notation_ != Notation::short_form))
      continue;
    const std::vector<std::string_view> selector = split_words(form.selector);
    const bool matches = std::all_of(selector.begin(), selector.end(), [&](std::string_view word) {
      return std::find(words_.begin(), words_.end(), word) != words_.end();
    });
    if (matches && (best == nullptr || selector.size() > best_words)) {
      best = &form;
      best_words = selector.size();
    }
    if (selector.size() == 1) selectors += fmt::format("{}.{}", selectors.empty() ? "" : ", ", form.selector);
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
  const bool known =
      std::any_of(forms().begin(), forms().end(), [&](const Form& f) { return f.base == base_; });
  if (!selectors.empty()) {
    error(0, fmt::format("`{}` needs one of {}", base_, selectors));
  } else if (known) {
    error(0, fmt::format("no form of `{}` with these modifiers is supported", base_));
  } else if (is_unsupported_instruction(base_)) {
    error(0, fmt::format("instruction `{}` is not supported yet", base_));
  } else {
    error(0, fmt::format("unknown instruction `{}`", base_));
  }
  return nullptr;
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

void Resolver::sort_word(std::size_t index) {
  for (const Choice& choice : form_->choices) {
    if (!contains_word(choice.words, words_[index])) continue;
    std::size_t& slot = chosen_[static_cast<std::size_t>(choice.group)];
    if (slot == kNone) {
      slot = index + 1;
    } else if (choice.group == Group::type && more_types_.size() + 1 < most_types()) {
      more_types_.push_back(index + 1);
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
  error(index + 1,
        form_->choices.empty()
            ? fmt::format("unknown modifier `.{}`: `{}` takes none", word, name_)
            : fmt::format("unknown modifier `.{}` of `{}`; expected {}", word, name_, expected_words()));
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
  if (form_->opcode == Opcode::cvt && has(Group::type) && more_types_.empty()) {
    error(0, "`cvt` needs two types: that of the destination, then that of the source");
  }
}

/// The enumerator whose name is `word`.
template <typename Enum>
Enum by_name(std::string_view word, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
  }
  PTXMC_CHECK(false, fmt::format("the instruction table has an unknown word {}", word));
  return last;
}

Compare compare_by_name(std::string_view word) {
  // 9.5.3: the unsigned spellings
  if (word == "lo") return Compare::lt;
  if (word == "ls") return Compare::le;
  if (word == "hi") return Compare::gt;
  if (word == "hs") return Compare::ge;
  return by_name(word, Compare::ge);
}

void Resolver::apply_words() {
  if (has(Group::semantics)) m_.semantics = by_name(word(Group::semantics), Semantics::mmio);
  if (has(Group::scope)) m_.scope = by_name(word(Group::scope), Scope::sys);
  if (has(Group::level))
    m_.scope = word(Group::level) == "gl" ? Scope::gpu : by_name(word(Group::level), Scope::sys);
  if (has(Group::space)) m_.space = by_name(word(Group::space), Space::param);
  if (has(Group::type)) m_.type = parse_type(word(Group::type));
  for (const Packed packed : {Packed::f16x2, Packed::bf16x2, Packed::u16x2, Packed::s16x2}) {
    if (word(Group::type) != name_of(packed)) continue;
    m_.packed = packed;
    m_.type = Type{TypeClass::bits, 32};
  }
  if (has(Group::vector)) m_.vector = static_cast<std::uint8_t>(word(Group::vector)[1] - '0');
  m_.non_coherent = has(Group::non_coherent);
  if (form_->opcode == Opcode::cvt) m_.source_type = parse_type(words_[more_types_.front() - 1]);
  if (has(Group::atomic)) m_.atomic = by_name(word(Group::atomic), AtomicOp::max);
  if (has(Group::compare)) m_.compare = compare_by_name(word(Group::compare));
  if (has(Group::proxy)) m_.proxy = by_name(word(Group::proxy), Proxy::tensormap);
  if (has(Group::aligned)) m_.aligned = true;
  if (has(Group::group_read)) m_.reads_only = true;
  if (has(Group::multicast)) m_.multicast = true;
  if (has(Group::mode)) m_.warp_mode = by_name(word(Group::mode), WarpMode::ballot);
  if (has(Group::no_increment)) m_.no_increment = true;
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

void Resolver::apply_rules() {
  switch (form_->opcode) {
    case Opcode::ld:
    case Opcode::st:
      memory_rules();
      break;
    case Opcode::atom:
    case Opcode::red:
      atomic_rules();
      break;
    case Opcode::setp:
      setp_rules();
      break;
    case Opcode::mul:
    case Opcode::mad:
      mul_rules();
      break;
    case Opcode::fence_proxy:
      proxy_fence_rules();
      break;
    case Opcode::st_async:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::red_async:
      async_rules();
      break;
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
      mbarrier_rules();
      break;
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
      parse_shape(word(Group::shape), m_.matrix);
      m_.matrix.count = static_cast<std::uint8_t>(word(Group::matrices)[1] - '0');
      m_.matrix.transposed = has(Group::transposition);
      break;
    case Opcode::mma:
    case Opcode::wgmma_mma:
      matrix_rules();
      break;
    case Opcode::vote:
    case Opcode::redux:
      warp_rules();
      break;
    case Opcode::bar_red:
      if ((m_.barrier_red == BarrierRed::popc) == (m_.type->cls == TypeClass::predicate)) {
        contradiction(Group::barrier_red, Group::type);
      }
      break;
    default:
      break;
  }
}

// A vector has a type, and at most 16 bytes (with .v8.b32 or .v4.b64: 32)
void Resolver::vector_rules() {
  if (!has(Group::vector)) return;
  if (!m_.type) {
    error(chosen(Group::vector), fmt::format("`.v{}` needs a type", m_.vector));
  } else if (m_.type->bits * m_.vector > (m_.vector >= 4 && m_.type->bits >= 32 ? 256 : 128)) {
    contradiction(Group::vector, Group::type);
  } else if (m_.vector == 8 && m_.type->bits > 32) {
    contradiction(Group::vector, Group::type);
  }
  if (m_.type && m_.type->bits == 128) contradiction(Group::vector, Group::type);
}

// 9.7.8.8: ld.global.nc is weak, and reads global memory by another way
void Resolver::non_coherent_rules() {
  if (!m_.non_coherent) return;
  if (has(Group::semantics) && m_.semantics != Semantics::weak)
    contradiction(Group::non_coherent, Group::semantics);
  if (m_.space != Space::global) error(chosen(Group::non_coherent), "`.nc` needs the state space `.global`");
}

// ld and st: 9.7.8.8, 9.7.8.11
void Resolver::memory_rules() {
  vector_rules();
  non_coherent_rules();
  if (has(Group::mmio)) return mmio_rules();
  if (m_.semantics == Semantics::weak || m_.semantics == Semantics::volatile_) {
    if (has(Group::scope) && has(Group::semantics)) {
      contradiction(Group::semantics, Group::scope);
    } else if (has(Group::scope)) {
      error(chosen(Group::scope),
            fmt::format("scope `.{}` without a memory order: a weak `{}` has none; expected {}",
                        word(Group::scope), base_,
                        form_->opcode == Opcode::ld ? ".relaxed or .acquire" : ".relaxed or .release"));
    }
    if (m_.semantics == Semantics::volatile_) m_.scope = Scope::sys;
  } else if (!has(Group::scope)) {
    error(chosen(Group::semantics), fmt::format("`.{}` of `{}` needs a scope: one of {}",
                                                word(Group::semantics), base_, ".cta .cluster .gpu .sys"));
  }
  if (m_.semantics != Semantics::weak) {
    if (m_.space == Space::const_ || m_.space == Space::local || m_.space == Space::param)
      contradiction(Group::semantics, Group::space);
    if (has(Group::cache_operator)) contradiction(Group::semantics, Group::cache_operator);
  }
  if (m_.semantics == Semantics::volatile_) {
    if (has(Group::eviction)) contradiction(Group::semantics, Group::eviction);
    if (has(Group::cache_policy)) contradiction(Group::semantics, Group::cache_policy);
  }
  if (has(Group::cache_operator) && has(Group::eviction))
    contradiction(Group::cache_operator, Group::eviction);
}

// .mmio comes with .relaxed.sys, on global memory (9.7.8.8)
void Resolver::mmio_rules() {
  if (!has(Group::semantics)) {
    error(chosen(Group::mmio), "`.mmio` needs `.relaxed`");
  } else if (m_.semantics != Semantics::relaxed) {
    contradiction(Group::mmio, Group::semantics);
  }
  if (!has(Group::scope)) {
    error(chosen(Group::mmio), "`.mmio` needs the scope `.sys`");
  } else if (m_.scope != Scope::sys) {
    contradiction(Group::mmio, Group::scope);
  }
  if (has(Group::space) && m_.space != Space::global) contradiction(Group::mmio, Group::space);
  for (const Group group :
       {Group::vector, Group::cache_operator, Group::eviction, Group::prefetch, Group::cache_policy}) {
    if (has(group)) contradiction(Group::mmio, group);
  }
  m_.semantics = Semantics::mmio;
}

// 9.7.12.5: .inc and .dec are .u32; .min and .max need a sign; .b16 is for .cas
void Resolver::atomic_rules() {
  if (!m_.type) return;
  const bool bits = m_.type->cls == TypeClass::bits;
  const bool u32 = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
  const AtomicOp op = m_.atomic;
  if ((op == AtomicOp::inc || op == AtomicOp::dec) && !u32) contradiction(Group::atomic, Group::type);
  if ((op == AtomicOp::min || op == AtomicOp::max) && bits) contradiction(Group::atomic, Group::type);
  if (m_.type->bits == 16 && op != AtomicOp::cas) contradiction(Group::atomic, Group::type);
  const bool swaps = op == AtomicOp::cas || op == AtomicOp::exch;
  if (m_.type->bits == 128 && !swaps) contradiction(Group::atomic, Group::type);
}

// 9.7.4.2: bit types are compared for equality only, the unsigned spellings need an unsigned type
void Resolver::setp_rules() {
  const bool equality = m_.compare == Compare::eq || m_.compare == Compare::ne;
  const bool unsigned_word = contains_word("lo ls hi hs", word(Group::compare));
  if (!m_.type) {
    if (unsigned_word) {
      error(chosen(Group::compare), fmt::format("`.{}` needs an unsigned type", word(Group::compare)));
    }
    return;
  }
  if (m_.type->cls == TypeClass::bits && !equality) contradiction(Group::compare, Group::type);
  if (m_.type->cls == TypeClass::signed_ && unsigned_word) contradiction(Group::compare, Group::type);
}

// 9.7.1.3, 9.7.1.4: which half of the product; the untyped short form keeps all of it that fits
void Resolver::mul_rules() {
  if (has(Group::type) && !has(Group::half)) {
    error(0, fmt::format("`{}` with a type needs one of .lo .hi .wide", base_));
  } else if (has(Group::half) && m_.half != MulHalf::lo && !has(Group::type)) {
    error(chosen(Group::half), fmt::format("`.{}` needs a type", word(Group::half)));
  } else if (m_.half == MulHalf::wide && m_.type->bits == 64) {
    contradiction(Group::half, Group::type);
  }
}

// 9.7.12.15: .release and the like stand with a scope; a wait's scope with .acquire or .relaxed (as ptxas has
// it)
void Resolver::mbarrier_rules() {
  const bool wait = form_->opcode == Opcode::mbarrier_test_wait || form_->opcode == Opcode::mbarrier_try_wait;
  if (has(Group::semantics) && !has(Group::scope)) {
    error(chosen(Group::semantics),
          fmt::format("`.{}` of `{}` needs a scope: .cta or .cluster", word(Group::semantics), name_));
  } else if (wait && has(Group::scope) && !has(Group::semantics)) {
    error(chosen(Group::scope),
          fmt::format("`.{}` of `{}` needs a memory order: .acquire or .relaxed", word(Group::scope), name_));
  }
}

std::size_t Resolver::most_types() const {
  switch (form_->opcode) {
    case Opcode::cvt:
      return 2;
    case Opcode::wgmma_mma:
      return 3;
    case Opcode::mma:
      return 4;
    default:
      return 1;
  }
}

// 9.7.13.4.14, 9.7.13.5.3, 9.7.14.5.2: types are those of D, A, B and, of mma, C
void Resolver::matrix_rules() {
  Matrix& matrix = m_.matrix;
  m_.type.reset();
  if (more_types_.size() + 1 < most_types()) {
    error(0, fmt::format("`{}` needs {} types, found {}", name_, most_types(), more_types_.size() + 1));
    return;
  }
  parse_shape(word(Group::shape), matrix);
  matrix.d = *parse_element(word(Group::type));
  matrix.a = *parse_element(words_[more_types_[0] - 1]);
  matrix.b = *parse_element(words_[more_types_[1] - 1]);
  matrix.c = form_->opcode == Opcode::mma ? *parse_element(words_[more_types_[2] - 1]) : matrix.d;
  matrix.saturate = has(Group::saturation);
  matrix.parity = word(Group::combination) == "xor";
  if (!is_listed(form_->opcode, matrix)) {
    error(chosen(Group::shape),
          fmt::format("`.{}` of `{}` does not go with these types", word(Group::shape), name_));
    return;
  }
  const bool bits = matrix.a == Element::b1;
  if (bits != has(Group::combination) || bits != has(Group::no_effect)) {
    error(bits ? 0 : std::min(chosen(Group::combination), chosen(Group::no_effect)),
          bits ? fmt::format("`{}` of `.b1` needs an operation and `.popc`", name_)
               : fmt::format("only `.b1` matrices have `.and.popc` or `.xor.popc`"));
  }
  if (matrix.saturate && (matrix.d != Element::s32 || bits)) contradiction(Group::saturation, Group::type);
}

// 9.7.12.9: only .ballot gives a mask; 9.7.12.12: arithmetic is on numbers, logic on bits
void Resolver::warp_rules() {
  const bool bits = m_.type->cls == TypeClass::bits;
  if (form_->opcode == Opcode::vote) {
    if ((m_.warp_mode == WarpMode::ballot) != bits) contradiction(Group::mode, Group::type);
    return;
  }
  const bool logic = m_.atomic == AtomicOp::and_ || m_.atomic == AtomicOp::or_ || m_.atomic == AtomicOp::xor_;
  if (logic != bits) contradiction(Group::atomic, Group::type);
}

// 9.7.12.4: only .async may be limited to a state space
void Resolver::proxy_fence_rules() {
  if (has(Group::space) && m_.proxy != Proxy::async) contradiction(Group::proxy, Group::space);
  if (!has(Group::restriction)) return;
  // A release is of the thread block's own memory, an acquire of the cluster's.
  m_.space =
      word(Group::restriction) == "sync_restrict::shared::cta" ? Space::shared_cta : Space::shared_cluster;
  if ((m_.semantics == Semantics::release) != (m_.space == Space::shared_cta)) {
    contradiction(Group::semantics, Group::restriction);
  }
}

// 9.7.8.24.7, 9.7.12.7: which operation takes which type; 9.7.8.12: .release has a scope
void Resolver::async_rules() {
  if (form_->opcode == Opcode::st_async) {
    if (m_.vector > 1 && m_.vector * m_.type->bits > 128) contradiction(Group::vector, Group::type);
    if (m_.semantics == Semantics::weak && has(Group::scope)) contradiction(Group::semantics, Group::scope);
    if (m_.semantics == Semantics::release && !has(Group::scope)) {
      error(chosen(Group::semantics),
            "`.release` of `st.async` needs a scope: one of .cta .cluster .gpu .sys");
    }
    return;
  }
  const bool bits = m_.type->cls == TypeClass::bits;
  const bool wide = form_->opcode == Opcode::cp_reduce_async_bulk && m_.space == Space::global;
  bool good = false;
  switch (m_.atomic) {
    case AtomicOp::add:
      good = !bits && (m_.type->bits == 32 || m_.type->cls == TypeClass::unsigned_);
      break;
    case AtomicOp::min:
    case AtomicOp::max:
      good = !bits && (m_.type->bits == 32 || wide);
      break;
    case AtomicOp::inc:
    case AtomicOp::dec:
      good = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
      break;
    default:
      good = bits && (m_.type->bits == 32 || wide);
      break;
  }
  if (!good) contradiction(Group::atomic, Group::type);
}

void Resolver::finish() {
  Resolved resolved;
  resolved.form = form_;
  resolved.modifiers = m_;
  resolved.operands = std::string(form_->operands);
  if (m_.atomic == AtomicOp::cas) resolved.operands += 's';
  if (m_.vector > 1) {
    std::replace(resolved.operands.begin(), resolved.operands.end(), 'd', 'V');
    std::replace(resolved.operands.begin(), resolved.operands.end(), 's', 'W');
  }
  if (m_.multicast) resolved.operands += 'v';
  if (form_->opcode == Opcode::wgmma_mma && bits_of(m_.matrix.a) >= 8 && m_.matrix.d != Element::s32) {
    const bool transposes = m_.matrix.a == Element::f16 || m_.matrix.a == Element::bf16;
    resolved.operands += transposes ? "nnn?n" : "nn";
  }
  if (m_.combine != BoolOp::none) resolved.operands += 'p';
  resolved.cache_policy = has(Group::cache_policy);
  out_.resolved = std::move(resolved);
}

}  // namespace

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
