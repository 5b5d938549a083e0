// SPDX-License-Identifier: Apache-2.0
// The functions of Z3's C API that ptxmc calls. The library is opened at the first of them: most runs ask no
// solver, and to load Z3 takes longer than to check a small test.
#pragma once

#include <z3.h>

#include <memory>
#include <stop_token>

namespace ptxmc::engine {

// clang-format off
#define PTXMC_Z3_FUNCTIONS(X)                                                                                \
  X(ast_vector_get) X(ast_vector_size) X(del_config) X(del_context) X(get_app_decl) X(get_bool_value)        \
  X(get_error_code) X(get_error_msg) X(get_numeral_uint64) X(interrupt) X(mk_app) X(mk_bool_sort) X(mk_bv_sort) X(mk_bvadd) X(mk_bvand)    \
  X(mk_bvashr) X(mk_bvlshr) X(mk_bvmul) X(mk_bvneg) X(mk_bvnot) X(mk_bvor) X(mk_bvsdiv) X(mk_bvshl)          \
  X(mk_bvsle) X(mk_bvslt) X(mk_bvsrem) X(mk_bvsub) X(mk_bvudiv) X(mk_bvule) X(mk_bvult) X(mk_bvurem)         \
  X(mk_bvxor) X(mk_config) X(mk_const) X(mk_context) X(mk_eq) X(mk_extract) X(mk_false) X(mk_fresh_const)    \
  X(mk_fresh_func_decl) X(mk_implies) X(mk_int_symbol) X(mk_ite) X(mk_not) X(mk_or) X(mk_params)             \
  X(mk_sign_ext) X(mk_solver_for_logic) X(mk_string_symbol) X(mk_unsigned_int64) X(mk_zero_ext)              \
  X(model_dec_ref) X(model_eval) X(model_get_const_interp) X(model_inc_ref) X(params_dec_ref)                \
  X(params_inc_ref) X(params_set_bool) X(params_set_uint) X(set_error_handler) X(solver_assert)              \
  X(solver_check) X(solver_check_assumptions) X(solver_dec_ref) X(solver_get_model)                          \
  X(solver_get_reason_unknown) X(solver_get_unsat_core) X(solver_inc_ref) X(solver_set_params) X(to_app)
// clang-format on

/// z3().mk_or is Z3_mk_or, and so on.
struct Z3Functions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name is declared
#define PTXMC_Z3_FUNCTION(name) decltype(&::Z3_##name) name = nullptr;
  PTXMC_Z3_FUNCTIONS(PTXMC_Z3_FUNCTION)
#undef PTXMC_Z3_FUNCTION
};

/// Throws InputError where the system has no such library. It is never unloaded.
const Z3Functions& z3();

/// While it lives, a request to stop ends the check that runs in the context; the check's answer is then unknown. Costs a
/// thread where there may be such a request, else nothing.
class StopsCheck {
 public:
  StopsCheck(Z3_context context, const std::stop_token& stop);
  /// The check is over.
  ~StopsCheck();
  StopsCheck(const StopsCheck&) = delete;
  StopsCheck& operator=(const StopsCheck&) = delete;

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace ptxmc::engine
