// SPDX-License-Identifier: Apache-2.0
// One mnemonic on its way from words to modifiers: resolve.cpp chooses the row and sorts the words into its
// groups; resolve_rules.cpp, copies.cpp, matrices.cpp and tcgen05.cpp check what spans groups, a function an instruction
// family.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/table.h"

namespace ptxmc::isa {

using Words = std::span<const std::string_view>;

class Resolver {
 public:
  Resolver(std::string_view base, Words words, Notation notation)
      : base_(base), words_(words), notation_(notation) {
    chosen_.fill(kNone);
  }

  /// Call once.
  Resolution run();

  // What the rows of opcode.cpp name (resolve_rules.cpp and the files of rows).
  void memory_rules();
  void atomic_rules();
  void setp_rules();
  void mul_rules();
  void convert_rules();
  void proxy_fence_rules();
  void barrier_rules();
  void mbarrier_rules();
  void async_store_rules();
  void bulk_copy_rules();
  void bulk_reduction_rules();
  void scope_is_missing();
  void async_reduction_rules();
  void map_rules();
  void load_mode_rules();
  void multimem_rules();
  void vote_rules();
  void redux_rules();
  void matrix_move_rules();
  void transposition_rules();
  void product_rules();
  void saturation_rules();
  void two_type_rules();
  void choice_rules();
  void set_rules();
  void pack_rules();
  void fragment_rules();
  bool take_layouts();
  void prefetch_rules();
  void policy_rules();
  void tensor_move_rules();
  void tensor_copy_rules();
  void tensor_product_rules();

 private:
  void resolve_words();
  void error(std::size_t word, std::string message) { out_.errors.push_back({word, std::move(message)}); }
  /// The word chosen of a group: its 1-based number, or kNone.
  std::size_t chosen(Group group) const { return chosen_[static_cast<std::size_t>(group)]; }
  bool has(Group group) const { return chosen(group) != kNone; }
  std::string_view word(Group group) const {
    return has(group) ? words_[chosen(group) - 1] : std::string_view();
  }
  void contradiction(Group a, Group b);

  const Form* choose_form();
  std::string missing_words() const;
  void sort_words();
  void sort_word(std::size_t index);
  void check_order();
  void unknown_word(std::size_t index);
  std::string expected_words() const;
  std::string meant(std::string_view word) const;
  void check_required();
  void apply_words();
  void apply_variants();
  void apply_comparison();
  bool has_source_type();
  void vector_rules();
  void non_coherent_rules();
  void read_only_rules();
  void mmio_rules();
  void cache_rules();
  void reduction_rules(bool wide);
  void rounding_rules();
  void floating_atomic_rules();
  void narrow_rules();
  void apply_tensor_words();
  std::size_t most_types() const;
  std::vector<std::size_t>* further(Group group);
  void finish();

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::string_view base_;
  Words words_;
  Notation notation_;
  const Form* form_ = nullptr;
  std::string name_;  // of the form
  std::array<std::size_t, kGroups> chosen_{};
  std::vector<std::size_t> more_types_;       // behind the first: cvt, mma, wgmma
  std::vector<std::size_t> more_layouts_;     // behind the first: wmma.mma
  std::vector<std::size_t> more_priorities_;  // createpolicy: no effect
  Modifiers m_;
  Resolution out_;
};

}  // namespace ptxmc::isa
