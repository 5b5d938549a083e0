// SPDX-License-Identifier: Apache-2.0
// Z3's QF_FD solver is its SAT core behind an incremental interface; for clause sets like ours it takes about
// 0.3 ms a small query and twice as fast as the default solver on 10,000 clauses. A context is not
// reference-counted here: every term lives until the context goes, which is right for a solver that only ever
// adds clauses.
#include "axiomatic/engine/smt/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string_view>

#include "axiomatic/engine/z3.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

struct Z3Solver::Z3 {
  Z3_config config = nullptr;
  Z3_context context = nullptr;
  Z3_solver solver = nullptr;
  Z3_sort boolean = nullptr;
  std::vector<Z3_ast> terms;        // per literal code; null: not made yet
  std::vector<std::uint32_t> used;  // nodes that have terms
  std::vector<Z3_ast> scratch;
  std::size_t clauses = 0;
  std::optional<unsigned> steps;

  bool out_of_memory() const {
    if (z3().get_error_code(context) == Z3_MEMOUT_FAIL) return true;
    return speaks_of_memory(z3().solver_get_reason_unknown(context, solver));
  }
  /// What runs out of memory within Z3 may come as an exception that says so.
  void check_clause() const {
    const Z3_error_code error = z3().get_error_code(context);
    if (error == Z3_OK) return;
    const std::string message = z3().get_error_msg(context, error);
    if (error == Z3_MEMOUT_FAIL || speaks_of_memory(message)) throw std::bad_alloc();
    PTXMC_CHECK(false, "Z3 refuses a clause: " + message);
  }
  static bool speaks_of_memory(std::string_view message) {
    return message.find("memory") != message.npos || message.find("memout") != message.npos;
  }

  Z3_ast term(Lit lit) {
    if (lit.code >= terms.size()) terms.resize(std::max<std::size_t>((lit.code | 1) + 1, 2 * terms.size()));
    const std::uint32_t positive = lit.code & ~1U;
    if (terms[positive] == nullptr) {
      const Z3_ast variable =
          z3().mk_const(context, z3().mk_int_symbol(context, static_cast<int>(lit.node())), boolean);
      const Z3_ast negated = variable == nullptr ? nullptr : z3().mk_not(context, variable);
      if (negated == nullptr) check_clause();
      terms[positive] = variable;
      terms[positive + 1] = negated;
      used.push_back(lit.node());
    }
    return terms[lit.code];
  }
  // Ctrl-C ends the program, as it does elsewhere: Z3 would end its search alone.
  void set_parameters(std::optional<double> seconds) {
    Z3_params params = z3().mk_params(context);
    z3().params_inc_ref(context, params);
    unsigned milliseconds = std::numeric_limits<unsigned>::max();
    if (seconds) milliseconds = static_cast<unsigned>(std::clamp(std::ceil(*seconds * 1000), 1.0, 4e9));
    z3().params_set_uint(context, params, z3().mk_string_symbol(context, "timeout"), milliseconds);
    z3().params_set_bool(context, params, z3().mk_string_symbol(context, "ctrl_c"), false);
    if (steps) z3().params_set_uint(context, params, z3().mk_string_symbol(context, "rlimit"), *steps);
    z3().solver_set_params(context, solver, params);
    z3().params_dec_ref(context, params);
  }
};

Z3Solver::Z3Solver(std::optional<unsigned> steps) : z3_(std::make_unique<Z3>()) {
  z3_->steps = steps;
  z3_->config = z3().mk_config();
  z3_->context = z3().mk_context(z3_->config);
  PTXMC_CHECK(z3_->context != nullptr, "Z3 gives no context");
  z3().set_error_handler(z3_->context, nullptr);
  z3_->boolean = z3().mk_bool_sort(z3_->context);
  z3_->solver = z3().mk_solver_for_logic(z3_->context, z3().mk_string_symbol(z3_->context, "QF_FD"));
  PTXMC_CHECK(z3_->solver != nullptr, "Z3 has no QF_FD solver");
  z3().solver_inc_ref(z3_->context, z3_->solver);
  z3_->set_parameters(std::nullopt);
}

Z3Solver::~Z3Solver() {
  z3().solver_dec_ref(z3_->context, z3_->solver);
  z3().del_context(z3_->context);
  z3().del_config(z3_->config);
}

void Z3Solver::add_clause(std::span<const Lit> lits) {
  auto& scratch = z3_->scratch;
  scratch.clear();
  for (const Lit lit : lits) scratch.push_back(z3_->term(lit));
  ++z3_->clauses;
  Z3_ast clause = nullptr;
  if (scratch.empty()) {
    clause = z3().mk_false(z3_->context);
  } else if (scratch.size() == 1) {
    clause = scratch.front();
  } else {
    clause = z3().mk_or(z3_->context, static_cast<unsigned>(scratch.size()), scratch.data());
  }
  if (clause == nullptr) z3_->check_clause();
  z3().solver_assert(z3_->context, z3_->solver, clause);
  z3_->check_clause();
}

Answer Z3Solver::check(std::optional<double> seconds, std::span<const Lit> assumptions,
                       const std::stop_token& stop) {
  if (seconds) z3_->set_parameters(seconds);
  auto& scratch = z3_->scratch;
  scratch.clear();
  for (const Lit lit : assumptions) scratch.push_back(z3_->term(lit));
  const StopsCheck until(z3_->context, stop);
  const Z3_lbool answer =
      scratch.empty() ? z3().solver_check(z3_->context, z3_->solver)
                      : z3().solver_check_assumptions(z3_->context, z3_->solver,
                                                      static_cast<unsigned>(scratch.size()), scratch.data());
  if (answer == Z3_L_TRUE) return Answer::satisfiable;
  if (answer == Z3_L_FALSE) return Answer::unsatisfiable;
  if (z3_->out_of_memory()) throw std::bad_alloc();
  return Answer::unknown;
}

std::vector<char> Z3Solver::model(std::size_t nodes) {
  std::vector<char> values(nodes, 0);
  Z3_model model = z3().solver_get_model(z3_->context, z3_->solver);
  PTXMC_CHECK(model != nullptr, "Z3 is satisfied but has no model");
  z3().model_inc_ref(z3_->context, model);
  for (const std::uint32_t node : z3_->used) {
    Z3_func_decl decl =
        z3().get_app_decl(z3_->context, z3().to_app(z3_->context, z3_->terms[std::size_t{2} * node]));
    Z3_ast value = z3().model_get_const_interp(z3_->context, model, decl);
    values[node] = value != nullptr && z3().get_bool_value(z3_->context, value) == Z3_L_TRUE ? 1 : 0;
  }
  z3().model_dec_ref(z3_->context, model);
  return values;
}

std::size_t Z3Solver::clauses() const {
  return z3_->clauses;
}
std::size_t Z3Solver::variables() const {
  return z3_->used.size();
}

}  // namespace ptxmc::engine::smt
