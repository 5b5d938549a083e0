// SPDX-License-Identifier: Apache-2.0
// The generator of random programs: state and steps; internal to generate*.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "generate.h"
#include "random.h"

namespace ptxmc::testing {

/// How often each kind of exchange of lanes occurs.
inline constexpr std::initializer_list<unsigned> kExchanges = {40, 15, 10, 10, 8, 17};

struct VariableSpec {
  std::string name;
  int bits = 32;  // 64 in the short form
  bool shared = false;
  int elements = 1;  // an array, in native form
  bool initialised = true;
  int initial = 0;
  std::string aliases;  // empty: a variable of its own
  std::string proxy;    // constant, texture, surface; empty: generic
};

struct RegisterSpec {
  std::string name;  // without %
  int bits = 32;
};

struct ThreadSpec {
  std::string placement;
  bool host = false;
  bool lane = false;  ///< it is a lane of warp 0 of CTA 0
  int registers = 0, predicates = 0, labels = 0, addresses = 0;
  std::vector<RegisterSpec> defined;
  std::vector<std::string> lines;
};

/// Concatenation that draws from left to right: the order of evaluation of operands of + and of arguments is
/// open, that of a braced list is fixed.
std::string join(std::initializer_list<std::string> parts);

/// Draws a notation (native or short form), variables, placements, then thread by thread instructions from a
/// weighted table.
class Generator {
 public:
  Generator(std::uint64_t seed, const Shape& shape) : seed_(seed), shape_(shape), random_(seed) {}
  std::string run();

 private:
  // The program's surroundings
  void draw_variables();
  void add_alias(const std::string& name, const std::string& proxy);
  bool has_shared() const;
  bool has_proxies() const;
  void draw_placement();

  // Pieces of instructions
  std::string reg(const std::string& name) const { return native_ ? "%" + name : name; }
  std::string new_register(ThreadSpec& t, int bits);
  /// ".gpu" ...: a scope that the thread may use.
  std::string scope(const ThreadSpec& t);
  const VariableSpec& draw_variable(bool generic_only = true);
  std::string space(const VariableSpec& v);
  /// An address operand; in native form now and then by a register, with a dependency that folds away.
  std::string address(ThreadSpec& t, const VariableSpec& v);
  /// A type suffix, of the native form only.
  std::string type(int bits, std::string_view classes = "bus");
  /// A constant, or a register of that width that was defined before (or one converted to it).
  std::string value(ThreadSpec& t, int bits);
  std::string load_semantics(const ThreadSpec& t, const VariableSpec& v);
  std::string store_semantics(const ThreadSpec& t, const VariableSpec& v);
  std::string atomic_semantics(const ThreadSpec& t, bool returns);

  // Instructions: each returns one line; helpers go to t.lines before it
  std::string load(ThreadSpec& t);
  std::string store(ThreadSpec& t);
  std::string atomic_operation(const VariableSpec& v, bool returns);
  std::string atomic(ThreadSpec& t);
  std::string reduction(ThreadSpec& t);
  std::string compare_and_swap(ThreadSpec& t);
  // Accesses that are not of one whole variable (generate_bytes.cpp); native
  // form
  /// A load, store or atomic of some bytes of a variable.
  std::string part_access(ThreadSpec& t);
  /// Elements of an array at once, or the halves of a word.
  std::string vector_access(ThreadSpec& t);
  /// Through a pointer that is read from memory, or a store of an address
  /// there.
  std::string pointer_access(ThreadSpec& t);
  std::string address_arithmetic(ThreadSpec& t);
  /// An element of an array, chosen by a value that was read.
  std::string indexed_access(ThreadSpec& t);
  std::string non_coherent_load(ThreadSpec& t);
  std::string bytes_access(ThreadSpec& t);
  /// A load or store of `bits` at an address operand.
  std::string load_or_store(ThreadSpec& t, const VariableSpec& v, const std::string& at, int bits);
  const VariableSpec* draw_global();

  std::string fence(ThreadSpec& t);
  std::string proxy_fence();
  /// Loads and stores through the constant, texture and surface proxies; short form.
  std::string proxy_access(ThreadSpec& t);
  std::string barrier(ThreadSpec& t);
  /// mbarrier and barrier.cluster (generate_sync.cpp).
  std::string synchronization(ThreadSpec& t);
  std::string mbarrier_wait(ThreadSpec& t);
  std::string object_operands(const std::string& more);
  /// Lanes of a warp exchange values, or meet.
  std::string exchange(ThreadSpec& t, std::size_t kind);
  // Asynchronous instructions (generate_async.cpp)
  void add_tiles();
  std::string async_copy(ThreadSpec& t);
  std::string async_wait(ThreadSpec& t);
  std::string tensor_operation(ThreadSpec& t);
  std::string matrix_product(ThreadSpec& t);
  std::string asynchronous(ThreadSpec& t);
  // Matrices and tensor memory (generate_tensor.cpp)
  void add_operand();
  std::string register_of(ThreadSpec& t);
  /// mma of registers; its results are values over terms, which later instructions and the condition see.
  std::string register_product(ThreadSpec& t);
  std::string value_register(ThreadSpec& t);
  std::string matrix_access(ThreadSpec& t);
  std::string tensor_allocation(ThreadSpec& t);
  std::string tensor_memory(ThreadSpec& t);
  std::string print_tensor_memory() const;
  // Kernels and API calls (generate_kernels.cpp)
  void draw_kernels();
  std::string stream();
  std::string event_call();
  void draw_calls(ThreadSpec& host);
  std::string edges(std::size_t kernel);
  std::string print_kernels();
  /// Arithmetic on a register that exists: true and false dependencies.
  std::string arithmetic(ThreadSpec& t);
  /// One instruction that touches memory or orders it.
  std::string plain(ThreadSpec& t);
  bool has_alias() const;

  // Control flow
  std::string new_label(ThreadSpec& t) { return fmt::format("L{}{}", threads_index_, t.labels++); }
  /// An instruction that changes no register that others rely on, for the body of a predicate or a branch.
  std::string guarded_body(ThreadSpec& t);
  void guarded(ThreadSpec& t);
  void merged_predicate(ThreadSpec& t, const RegisterSpec& tested, int constant);
  void selection(ThreadSpec& t);
  /// Re-reads a location until it holds a value.
  std::string voice(ThreadSpec& t);
  void vote(ThreadSpec& t);
  void spin(ThreadSpec& t);
  /// A loop with a side effect: an atomic that is tried again.
  void retry(ThreadSpec& t);
  void draw_thread(std::size_t index);

  // Condition
  std::vector<std::string> observables() const;
  std::string condition(const std::vector<std::string>& names, int depth);

  // Printing
  std::string print_init();
  std::string print_blocks() const;
  std::string print_columns() const;
  std::string print();

  std::uint64_t seed_;
  const Shape& shape_;
  Random random_;
  bool native_ = false, barriers_ = false, reductions_ = false, hosts_ = false, objects_ = false;
  bool bytes_ = false,
       pointer_ = false;                   // pointer_: variable `p` holds addresses
  bool async_ = false, matrices_ = false;  // the tiles g and t; the operand w
  bool exchanges_ = false;                 // some threads are lanes of one warp
  std::size_t meeting_ = 0;                // the kind of most exchanges
  unsigned lanes_ = 0;                     // the mask of them
  bool tensors_ = false;                   // the tensor map tm of g
  bool tensor_memory_ = false, kernels_ = false;
  enum class Launches { streams, graph, host } launches_ = Launches::streams;
  std::vector<std::vector<std::size_t>> kernel_threads_;  // numbers of threads, by kernel
  int budget_ = 0;
  int clusters_ = 0;  // 0: not drawn yet, 1: left out, 2: written
  std::size_t threads_index_ = 0;
  std::vector<VariableSpec> variables_;
  std::vector<ThreadSpec> threads_;
};

}  // namespace ptxmc::testing
