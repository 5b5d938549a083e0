// SPDX-License-Identifier: Apache-2.0
// Every expression becomes a bit-vector, truth values of one bit; an unknown function is one of Z3's. Each truth
// value that is asked about gets a literal that implies it, so that one solver answers all questions and
// remembers what it learnt. Unbounded integers are 64 bits here: where an operation may leave them, the answer
// is "unknown".
#include "axiomatic/engine/terms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "axiomatic/engine/z3.h"
#include "support/check.h"

namespace ptxmc::engine {

namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::Value;
using event::Width;

unsigned bits_of(Width width) {
  return width == event::kUnbounded ? 64 : width;
}

/// On unbounded integers it may leave 64 bits.
bool may_overflow(Op op) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div_s:
    case Op::neg:
    case Op::abs:
    case Op::shl:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct TermSolver::Z3 {
  using Function = std::tuple<Value, Width, Width, Width>;

  explicit Z3(event::Symbols& known) : symbols(known) {
    config = z3().mk_config();
    context = z3().mk_context(config);
    PTXMC_CHECK(context != nullptr, "Z3 gives no context");
    z3().set_error_handler(context, nullptr);
    solver = z3().mk_solver_for_logic(context, z3().mk_string_symbol(context, "QF_UFBV"));
    PTXMC_CHECK(solver != nullptr, "Z3 has no QF_UFBV solver");
    z3().solver_inc_ref(context, solver);
  }
  ~Z3() {
    if (model != nullptr) z3().model_dec_ref(context, model);
    z3().solver_dec_ref(context, solver);
    z3().del_context(context);
    z3().del_config(config);
  }
  Z3(const Z3&) = delete;
  Z3& operator=(const Z3&) = delete;

  Z3_sort sort(Width width) const { return z3().mk_bv_sort(context, bits_of(width)); }
  Z3_ast number(Value value, Width width) const {
    return z3().mk_unsigned_int64(context, static_cast<std::uint64_t>(event::wrap(value, width)),
                                  sort(width));
  }
  Z3_ast bit(Z3_ast truth) const { return z3().mk_ite(context, truth, number(1, 1), number(0, 1)); }
  Z3_ast truth(Z3_ast bit) const { return z3().mk_eq(context, bit, number(1, 1)); }
  Z3_ast translate(Expr root);
  Z3_ast build(const Node& node);
  Z3_ast binary(Op op, Width width, Z3_ast a, Z3_ast b) const;
  Z3_ast high_half(Op op, unsigned bits, Z3_ast a, Z3_ast b) const;
  Z3_ast constant(std::uint32_t id) const;
  void require_places();
  Z3_func_decl function(const Function& name);
  Z3_ast literal(Expr e);
  void set_timeout(std::optional<double> seconds) const;
  std::optional<Value> value(Z3_ast e) const;

  event::Symbols& symbols;
  Z3_config config = nullptr;
  Z3_context context = nullptr;
  Z3_solver solver = nullptr;
  Z3_model model = nullptr;
  std::map<Expr, Z3_ast> translated;
  std::map<Expr, Z3_ast> literals;
  std::map<Function, Z3_func_decl> functions;
  bool placed = false;
  std::set<Expr> inexact;
};

// Operands come before their users, so the order of the pool is one to translate in.
Z3_ast TermSolver::Z3::translate(Expr root) {
  const event::ExprPool& pool = symbols.pool();
  std::vector<Expr> open{root};
  while (!open.empty()) {
    const Expr e = open.back();
    if (translated.contains(e)) {
      open.pop_back();
      continue;
    }
    const Node& node = pool[e];
    const Expr operands[] = {node.a, node.b, node.c};
    bool ready = true;
    for (int k = 0; k < event::arity(node.op); ++k) {
      if (translated.contains(operands[k])) continue;
      open.push_back(operands[k]);
      ready = false;
    }
    if (!ready) continue;
    bool exact = !may_overflow(node.op) || node.width != event::kUnbounded;
    for (int k = 0; k < event::arity(node.op); ++k) exact = exact && !inexact.contains(operands[k]);
    if (!exact) inexact.insert(e);
    translated[e] = build(node);
    open.pop_back();
  }
  return translated.at(root);
}

Z3_ast TermSolver::Z3::build(const Node& node) {
  const event::ExprPool& pool = symbols.pool();
  const auto of = [&](Expr e) { return translated.at(e); };
  const Width width_a = pool[node.a].width;
  switch (node.op) {
    case Op::constant:
      return number(node.constant, node.width);
    case Op::term:
      if (pool.terms()[node.atom].is_place) require_places();
      return constant(node.atom);
    case Op::opaque: {
      Z3_ast operands[] = {of(node.a), of(node.b)};
      return z3().mk_app(context, function({node.constant, node.width, width_a, pool[node.b].width}), 2,
                         operands);
    }
    case Op::ite:
      return z3().mk_ite(context, truth(of(node.a)), of(node.b), of(node.c));
    case Op::neg:
      return z3().mk_bvneg(context, of(node.a));
    case Op::not_:
      return z3().mk_bvnot(context, of(node.a));
    case Op::abs: {
      const Z3_ast negative = z3().mk_bvslt(context, of(node.a), number(0, node.width));
      return z3().mk_ite(context, negative, z3().mk_bvneg(context, of(node.a)), of(node.a));
    }
    case Op::sign_extend:
      return z3().mk_sign_ext(context, bits_of(node.width) - bits_of(width_a), of(node.a));
    case Op::zero_extend:
      return z3().mk_zero_ext(context, bits_of(node.width) - bits_of(width_a), of(node.a));
    case Op::truncate:
      return z3().mk_extract(context, bits_of(node.width) - 1, 0, of(node.a));
    default:
      PTXMC_CHECK(event::arity(node.op) == 2, "a symbolic value of something that is no term");
      return binary(node.op, width_a, of(node.a), of(node.b));
  }
}

Z3_ast TermSolver::Z3::high_half(Op op, unsigned bits, Z3_ast a, Z3_ast b) const {
  const auto wide = [&](Z3_ast e) {
    return op == Op::mulhi_s ? z3().mk_sign_ext(context, bits, e) : z3().mk_zero_ext(context, bits, e);
  };
  return z3().mk_extract(context, 2 * bits - 1, bits, z3().mk_bvmul(context, wide(a), wide(b)));
}

Z3_ast TermSolver::Z3::binary(Op op, Width width, Z3_ast a, Z3_ast b) const {
  switch (op) {
    case Op::add:
      return z3().mk_bvadd(context, a, b);
    case Op::sub:
      return z3().mk_bvsub(context, a, b);
    case Op::mul:
      return z3().mk_bvmul(context, a, b);
    case Op::mulhi_s:
    case Op::mulhi_u:
      return high_half(op, bits_of(width), a, b);
    case Op::div_s:
      return z3().mk_bvsdiv(context, a, b);
    case Op::div_u:
      return z3().mk_bvudiv(context, a, b);
    case Op::rem_s:
      return z3().mk_bvsrem(context, a, b);
    case Op::rem_u:
      return z3().mk_bvurem(context, a, b);
    case Op::min_s:
      return z3().mk_ite(context, z3().mk_bvslt(context, a, b), a, b);
    case Op::min_u:
      return z3().mk_ite(context, z3().mk_bvult(context, a, b), a, b);
    case Op::max_s:
      return z3().mk_ite(context, z3().mk_bvslt(context, a, b), b, a);
    case Op::max_u:
      return z3().mk_ite(context, z3().mk_bvult(context, a, b), b, a);
    case Op::and_:
      return z3().mk_bvand(context, a, b);
    case Op::or_:
      return z3().mk_bvor(context, a, b);
    case Op::xor_:
      return z3().mk_bvxor(context, a, b);
    case Op::shl:
      return z3().mk_bvshl(context, a, b);
    case Op::shr_s:
      return z3().mk_bvashr(context, a, b);
    case Op::shr_u:
      return z3().mk_bvlshr(context, a, b);
    case Op::eq:
      return bit(z3().mk_eq(context, a, b));
    case Op::ne:
      return bit(z3().mk_not(context, z3().mk_eq(context, a, b)));
    case Op::lt_s:
      return bit(z3().mk_bvslt(context, a, b));
    case Op::lt_u:
      return bit(z3().mk_bvult(context, a, b));
    case Op::le_s:
      return bit(z3().mk_bvsle(context, a, b));
    case Op::le_u:
      return bit(z3().mk_bvule(context, a, b));
    default:
      break;
  }
  PTXMC_CHECK(false, "no bit-vector operation");
  return nullptr;
}

Z3_ast TermSolver::Z3::constant(std::uint32_t id) const {
  return z3().mk_const(context, z3().mk_int_symbol(context, static_cast<int>(id)),
                       sort(symbols.pool().terms()[id].width));
}

// The places of variables: each aligned, all of it in the address space, and apart from others of its window.
void TermSolver::Z3::require_places() {
  if (std::exchange(placed, true)) return;
  const auto& terms = symbols.pool().terms();
  constexpr unsigned kBits = 65;  // no sum wraps
  const auto begin = [&](std::uint32_t id) {
    return z3().mk_zero_ext(context, kBits - bits_of(terms[id].width), constant(id));
  };
  const auto end = [&](std::uint32_t id) {
    const Z3_ast size = z3().mk_unsigned_int64(context, static_cast<std::uint64_t>(terms[id].size),
                                               z3().mk_bv_sort(context, kBits));
    return z3().mk_bvadd(context, begin(id), size);
  };
  for (std::uint32_t id = 0; id < terms.size(); ++id) {
    const event::Term& term = terms[id];
    if (!term.is_place) continue;
    const Z3_ast low = z3().mk_bvurem(context, constant(id), number(term.alignment, term.width));
    z3().solver_assert(context, solver, z3().mk_eq(context, low, number(0, term.width)));
    const Z3_ast limit = number(term.limit == 0 ? -1 : term.limit, term.width);
    const Z3_ast last = z3().mk_zero_ext(context, kBits - bits_of(term.width), limit);
    z3().solver_assert(context, solver, z3().mk_bvule(context, end(id), last));
    z3().solver_assert(context, solver, z3().mk_bvule(context, number(term.least, term.width), constant(id)));
    for (std::uint32_t other = 0; other < id; ++other) {
      if (!event::apart(terms[other], term)) continue;
      Z3_ast sides[] = {z3().mk_bvule(context, end(id), begin(other)),
                        z3().mk_bvule(context, end(other), begin(id))};
      z3().solver_assert(context, solver, z3().mk_or(context, 2, sides));
    }
  }
}

Z3_func_decl TermSolver::Z3::function(const Function& name) {
  const auto [place, fresh] = functions.try_emplace(name, nullptr);
  if (fresh) {
    const auto& [which, width, width_a, width_b] = name;
    Z3_sort domain[] = {sort(width_a), sort(width_b)};
    place->second = z3().mk_fresh_func_decl(context, "f", 2, domain, sort(width));
  }
  return place->second;
}

Z3_ast TermSolver::Z3::literal(Expr e) {
  const auto [place, fresh] = literals.try_emplace(e, nullptr);
  if (fresh) {
    place->second = z3().mk_fresh_const(context, "holds", z3().mk_bool_sort(context));
    z3().solver_assert(context, solver, z3().mk_implies(context, place->second, truth(translate(e))));
  }
  return place->second;
}

void TermSolver::Z3::set_timeout(std::optional<double> seconds) const {
  const Z3_params params = z3().mk_params(context);
  z3().params_inc_ref(context, params);
  unsigned milliseconds = ~0U;
  if (seconds) milliseconds = static_cast<unsigned>(std::clamp(std::ceil(*seconds * 1000), 1.0, 4e9));
  z3().params_set_uint(context, params, z3().mk_string_symbol(context, "timeout"), milliseconds);
  z3().solver_set_params(context, solver, params);
  z3().params_dec_ref(context, params);
}

std::optional<Value> TermSolver::Z3::value(Z3_ast e) const {
  Z3_ast result = nullptr;
  std::uint64_t number = 0;
  if (!z3().model_eval(context, model, e, true, &result)) return std::nullopt;
  if (!z3().get_numeral_uint64(context, result, &number)) return std::nullopt;
  return static_cast<Value>(number);
}

TermSolver::TermSolver(event::Symbols& symbols) : symbols_(symbols) {}
TermSolver::~TermSolver() = default;

TermSolver::Answer TermSolver::satisfiable(const std::vector<Expr>& truths, std::optional<double> seconds) {
  core_.clear();
  if (!z3_) z3_ = std::make_unique<Z3>(symbols_);  // most programs with terms never ask
  std::vector<Z3_ast> literals;
  for (const Expr e : truths) {
    literals.push_back(z3_->literal(e));
    if (z3_->inexact.contains(e)) return Answer::unknown;
  }
  z3_->set_timeout(seconds);
  const Z3_lbool answer = z3().solver_check_assumptions(
      z3_->context, z3_->solver, static_cast<unsigned>(literals.size()), literals.data());
  if (answer == Z3_L_UNDEF) return Answer::unknown;
  if (answer == Z3_L_FALSE) {
    const Z3_ast_vector core = z3().solver_get_unsat_core(z3_->context, z3_->solver);
    for (unsigned i = 0; i < z3().ast_vector_size(z3_->context, core); ++i) {
      const auto at = std::find(literals.begin(), literals.end(), z3().ast_vector_get(z3_->context, core, i));
      if (at != literals.end()) core_.push_back(static_cast<std::size_t>(at - literals.begin()));
    }
    return Answer::no;
  }
  if (z3_->model != nullptr) z3().model_dec_ref(z3_->context, z3_->model);
  z3_->model = z3().solver_get_model(z3_->context, z3_->solver);
  z3().model_inc_ref(z3_->context, z3_->model);
  return Answer::yes;
}

event::Valuation TermSolver::valuation() {
  event::Valuation out;
  const event::ExprPool& pool = symbols_.pool();
  for (const event::Term& term : pool.terms()) out.terms.push_back(event::wrap(term.sample, term.width));
  for (std::uint32_t id = 0; z3_->placed && id < out.terms.size(); ++id) {
    if (pool.terms()[id].is_place) out.terms[id] = z3_->value(z3_->constant(id)).value_or(0);
  }
  for (const auto& [e, translated] : z3_->translated) {
    const Node& node = pool[e];
    if (node.op != Op::term && node.op != Op::opaque) continue;
    const Value value = z3_->value(translated).value_or(0);
    if (node.op == Op::term) {
      out.terms[node.atom] = value;
      continue;
    }
    const auto operand = [&](Expr x) { return z3_->value(z3_->translated.at(x)).value_or(0); };
    out.functions[{node.constant, node.width, pool[node.a].width, pool[node.b].width, operand(node.a),
                   operand(node.b)}] = value;
  }
  return out;
}

std::optional<Value> TermSolver::forced(Expr e, const std::vector<Expr>& truths,
                                        std::optional<double> seconds, bool& undecided) {
  event::ExprPool& pool = symbols_.pool();
  const auto ask = [&](const std::vector<Expr>& all) {
    const Answer answer = satisfiable(all, seconds);
    undecided = undecided || answer == Answer::unknown;
    return answer;
  };
  if (ask(truths) != Answer::yes) return std::nullopt;
  const auto value = z3_->value(z3_->translate(e));
  if (!value) return std::nullopt;
  std::vector<Expr> others = truths;
  others.push_back(pool.make(Op::ne, 1, e, pool.constant(*value, pool[e].width)));
  return ask(others) == Answer::no ? value : std::nullopt;
}

}  // namespace ptxmc::engine
