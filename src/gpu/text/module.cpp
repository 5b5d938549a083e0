// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "gpu/text/tensor_memory.h"
#include "ptx/isa/table.h"
#include "ptx/isa/warp.h"

namespace ptxmc::gpu {

using isa::Space;
using program::Variable;

namespace {

using isa::kWarp;
constexpr std::uint32_t kUnrolled = 16;  // elements that are initialised by a store each

std::string initial_text(const Facts& facts, const Variable& variable, const program::InitialValue& value,
                         const std::string& prefix) {
  if (value.address_of.empty()) return literal(value.integer, facts.type(variable.name).bits);
  if (facts.home(value.address_of) != Home::symbol || facts.space(value.address_of) != Space::global)
    facts.refuse(variable.position, fmt::format("the address of `{}` as the initial value of `{}`",
                                                value.address_of, variable.name));
  return fmt::format("generic({}{})", prefix, value.address_of);
}

/// Zeros in elements `from` up to `to` of an array in shared memory. `label`: what is unique in the entry.
std::vector<std::string> zeros(const std::string& name, const std::string& label, int bits,
                               std::uint32_t from, std::uint32_t to) {
  std::vector<std::string> out;
  const std::uint32_t bytes = static_cast<std::uint32_t>(bits) / 8;
  if (to - from <= kUnrolled) {
    for (std::uint32_t i = from; i < to; ++i)
      out.push_back(fmt::format("st.shared.b{} [{}+{}], 0;", bits, name, i * bytes));
    return out;
  }
  out.push_back(fmt::format("mov.u32 %ptxmc_w, {}+{};", name, from * bytes));
  out.push_back(fmt::format("ptxmc_clear_{}:", label));
  out.push_back(fmt::format("st.shared.b{} [%ptxmc_w], 0;", bits));
  out.push_back(fmt::format("add.u32 %ptxmc_w, %ptxmc_w, {};", bytes));
  out.push_back(fmt::format("mov.u32 %ptxmc_lane, {}+{};", name, to * bytes));
  out.push_back("setp.lt.u32 %ptxmc_more, %ptxmc_w, %ptxmc_lane;");
  out.push_back(fmt::format("@%ptxmc_more bra ptxmc_clear_{};", label));
  return out;
}

/// Writes one entry.
class Entry {
 public:
  Entry(const Facts& facts, const Grid& grid, const std::string& prefix, std::string name)
      : facts_(facts), grid_(grid), prefix_(prefix), name_(std::move(name)) {}

  Module run() {
    for (const Seat& seat : grid_.seats) threads_.push_back(write(seat));
    if (grid_.cluster > 1) module_.target = both(module_.target, {78, 90, false});
    head();
    prologue();
    dispatch();
    for (std::size_t i = 0; i < grid_.seats.size(); ++i) thread(grid_.seats[i], threads_[i]);
    line("ptxmc_done:");
    for (const std::string& text : tensor_epilogue(facts_, prefix_)) line("  " + text);
    line("  ret;");
    line("}");
    return std::move(module_);
  }

 private:
  const program::Thread& source(const Seat& seat) const { return facts_.test().threads[seat.thread]; }
  void line(const std::string& text) { module_.text += text + "\n"; }

  ThreadText write(const Seat& seat) {
    Spelling spelling;
    spelling.end = fmt::format("ptxmc_end_P{}", source(seat).number);
    for (const Variable& variable : facts_.test().variables) {
      const bool address = facts_.home(variable.name) == Home::address;
      spelling.variables[variable.name] = (address ? "%ptxmc_at_" : prefix_) + variable.name;
      if (facts_.home(variable.name) == Home::columns)
        spelling.variables[variable.name] = tensor_register(variable.name);
    }
    const std::optional<int> cta = source(seat).placement.cta;
    if (cta && static_cast<unsigned>(*cta) != seat.cta) spelling.specials["ctaid.x"] = std::to_string(*cta);
    if (!tensor_registers(facts_).empty()) spelling.barrier_threads = barrier_threads(seat.cta);
    ThreadText text = write_thread(facts_, source(seat), seat.lanes, spelling);
    module_.target = both(module_.target, text.target);
    return text;
  }

  /// The threads of a CTA barrier that names no count, where warps without a thread stay until tensor memory
  /// is freed; 0: all threads of the CTA, as it says.
  unsigned barrier_threads(unsigned cta) const {
    unsigned sum = 0;
    for (const Seat& seat : grid_.seats) {
      if (seat.cta != cta) continue;
      if (seat.count % kWarp != 0) return 0;
      sum += seat.count;
    }
    return sum;
  }

  void head() {
    std::string parameters = "\n    .param .u64 ptxmc_results";
    for (const Variable& variable : facts_.test().variables) {
      if (facts_.home(variable.name) == Home::address)
        parameters += fmt::format(",\n    .param .u64 ptxmc_address_{}", variable.name);
      if (facts_.home(variable.name) == Home::param)
        parameters +=
            fmt::format(",\n    .param .{} {}{}{}", isa::name_of(facts_.type(variable.name)), prefix_,
                        variable.name, variable.is_array ? fmt::format("[{}]", variable.elements) : "");
    }
    line(fmt::format("// grid of {} x {} threads", grid_.ctas, grid_.cta_threads));
    line(fmt::format(".visible .entry {}({})", name_, parameters));
    line(fmt::format("    .reqntid {}, 1, 1", grid_.cta_threads));
    if (grid_.cluster > 1)
      line(fmt::format("    .explicitcluster\n    .reqnctapercluster {}, 1, 1", grid_.cluster));
    line("{");
    line("  .reg .b32 %ptxmc_w, %ptxmc_lane, %ptxmc_cta, %ptxmc_seat, %ptxmc_warp;");
    line("  .reg .b64 %ptxmc_d, %ptxmc_out;");
    line("  .reg .pred %ptxmc_here, %ptxmc_leader, %ptxmc_more;");
    for (const std::string& text : tensor_registers(facts_)) line("  " + text);
    for (const Variable& variable : facts_.test().variables) {
      if (facts_.home(variable.name) == Home::address)
        line(fmt::format("  .reg .b64 %ptxmc_at_{};", variable.name));
      if (variable.space == Space::local) line("  " + declaration(facts_, variable, prefix_));
    }
  }

  void prologue() {
    line("  ld.param.u64 %ptxmc_out, [ptxmc_results];");
    line("  cvta.to.global.u64 %ptxmc_out, %ptxmc_out;");
    for (const Variable& variable : facts_.test().variables) {
      if (facts_.home(variable.name) != Home::address) continue;
      line(fmt::format("  ld.param.u64 %ptxmc_at_{0}, [ptxmc_address_{0}];", variable.name));
      line(fmt::format("  cvta.to.global.u64 %ptxmc_at_{0}, %ptxmc_at_{0};", variable.name));
    }
    for (const Variable& variable : facts_.test().variables) {
      if (variable.space != Space::local) continue;
      const int bits = facts_.type(variable.name).bits;
      const std::size_t given = variable.initial.size();
      for (std::size_t i = 0; i < (given == 0 ? 0 : variable.elements); ++i)  // 5.4.4: the rest is zero
        line(fmt::format("  st.local.b{} [{}{}+{}], {};", bits, prefix_, variable.name,
                         i * static_cast<std::size_t>(bits) / 8,
                         i < given ? literal(variable.initial[i].integer, bits) : "0"));
    }
    line("  mov.u32 %ptxmc_cta, %ctaid.x;");
    line("  mov.u32 %ptxmc_seat, %tid.x;");
    shared();
    for (const std::string& text : tensor_prologue(facts_, prefix_)) line("  " + text);
    line("  shr.u32 %ptxmc_warp, %ptxmc_seat, 5;");
    line("  and.b32 %ptxmc_lane, %ptxmc_seat, 31;");
  }

  void shared() {
    const std::vector<std::string> stores = initialise_shared(facts_, prefix_);
    if (stores.empty()) return;
    line("  setp.ne.u32 %ptxmc_here, %ptxmc_seat, 0;");
    line("  @%ptxmc_here bra ptxmc_ready;");
    for (const std::string& store : stores) line("  " + store);
    // Asynchronous copies must find what was stored.
    if (module_.target.sm >= 90 && module_.target.version >= 80) line("  fence.proxy.async;");
    line("ptxmc_ready:");
    if (grid_.cluster > 1) {
      line("  barrier.cluster.arrive;");
      line("  barrier.cluster.wait;");
    } else {
      line("  barrier.sync 0;");
    }
  }

  /// A thread to its CTA and lane; all others are done.
  void dispatch() {
    for (std::size_t i = 0; i < grid_.seats.size(); ++i) {
      const Seat& seat = grid_.seats[i];
      line(fmt::format("  setp.eq.u32 %ptxmc_here, %ptxmc_cta, {};", seat.cta));
      if (seat.count == 1) {
        line(fmt::format("  setp.eq.and.u32 %ptxmc_here, %ptxmc_seat, {}, %ptxmc_here;", seat.first));
      } else {
        const unsigned first = seat.first / kWarp, last = first + seat.count / kWarp - 1;
        line(fmt::format("  setp.ge.and.u32 %ptxmc_here, %ptxmc_warp, {}, %ptxmc_here;", first));
        line(fmt::format("  setp.le.and.u32 %ptxmc_here, %ptxmc_warp, {}, %ptxmc_here;", last));
      }
      line(fmt::format("  @%ptxmc_here bra ptxmc_P{};", source(seat).number));
    }
    line("  bra ptxmc_done;");
  }

  void thread(const Seat& seat, const ThreadText& text) {
    const int number = source(seat).number;
    line(fmt::format("\n// P{}: CTA {}, {}", number, seat.cta,
                     seat.count == 1
                         ? fmt::format("thread {}", seat.first)
                         : fmt::format("threads {} to {}", seat.first, seat.first + seat.count - 1)));
    line(fmt::format("ptxmc_P{}:", number));
    line("  {");
    for (const std::string& declared : text.declarations) line("  " + declared);
    if (seat.count > 1) line(fmt::format("  setp.eq.u32 %ptxmc_leader, %ptxmc_seat, {};", seat.first));
    for (const std::string& body : text.body) line(body);
    if (text.uses_end) line(fmt::format("ptxmc_end_P{}:", number));
    for (const RegisterType& reg : text.registers) store(seat, reg);
    line("  bra ptxmc_done;");
    line("  }");
  }

  /// Each register has 8 bytes of the results, those of 128 bits 16.
  void store(const Seat& seat, const RegisterType& reg) {
    const std::string guard = seat.count > 1 ? "@%ptxmc_leader " : "";
    if (reg.type.cls == isa::TypeClass::predicate) {
      line(fmt::format("  selp.b32 %ptxmc_w, 1, 0, %{};", reg.name));
      line(fmt::format("  {}st.global.b32 [%ptxmc_out+{}], %ptxmc_w;", guard, offset_));
    } else {
      line(fmt::format("  {}st.global.b{} [%ptxmc_out+{}], %{};", guard, reg.type.bits, offset_, reg.name));
    }
    offset_ += reg.type.bits == 128 ? 16 : 8;
  }

  const Facts& facts_;
  const Grid& grid_;
  const std::string& prefix_;
  std::string name_;
  std::vector<ThreadText> threads_;
  Module module_;
  unsigned offset_ = 0;
};

std::string entry_name(const program::Program& test, const Grid& grid, std::size_t grids,
                       const std::string& prefix) {
  std::string name = prefix + identifier(test.name);
  if (grid.kernel) name += "_" + identifier(test.kernels.kernels[*grid.kernel].name);
  const bool several = grids > 1 && !(grid.kernel && grid.gpu == 0);
  return several ? fmt::format("{}_gpu{}", name, grid.gpu) : name;
}

std::string comments(const program::Program& test, const std::vector<std::string>& remarks) {
  std::string out = fmt::format("// {}\n", test.name);
  for (const std::string& remark : remarks) {
    std::string flat = remark;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    out += fmt::format("// {}\n", flat);
  }
  for (const program::Thread& thread : test.threads) {
    if (thread.placement.host) out += fmt::format("// P{} is a host thread\n", thread.number);
  }
  return out;
}

}  // namespace

std::string identifier(const std::string& name) {
  std::string out = name;
  for (char& c : out) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) ? "t" + out : out;
}

std::string literal(std::int64_t value, int bits) {
  auto pattern = static_cast<std::uint64_t>(value);
  if (bits < 64) pattern &= (std::uint64_t{1} << bits) - 1;
  return std::to_string(pattern);
}

std::string declaration(const Facts& facts, const Variable& variable, const std::string& prefix) {
  isa::Type type = facts.type(variable.name);
  if (type.is_floating()) type = {isa::TypeClass::bits, type.bits};  // its initial value is written as bits
  const Space space = facts.space(variable.name);
  const Variable& root = facts.root(variable.name);
  std::string out = fmt::format(".{} .align {} .{} {}{}", isa::name_of(space), facts.alignment(variable.name),
                                isa::name_of(type), prefix, variable.name);
  if (root.is_array) out += fmt::format("[{}]", root.elements);
  if ((space == Space::global || space == Space::const_) && !root.initial.empty()) {
    std::string values;
    for (const program::InitialValue& value : root.initial)
      values += (values.empty() ? "" : ", ") + initial_text(facts, root, value, prefix);
    out += root.is_array ? fmt::format(" = {{{}}}", values) : " = " + values;
  }
  return out + ";";
}

std::vector<std::string> initialise_shared(const Facts& facts, const std::string& prefix) {
  std::vector<std::string> out;
  for (const Variable& variable : facts.test().variables) {
    if (!is_shared(facts.space(variable.name)) || !variable.aliases.empty()) continue;
    const int bits = facts.type(variable.name).bits;
    const std::string name = prefix + variable.name;
    const bool object = facts.is_mbarrier(variable.name);
    const std::uint32_t bytes = static_cast<std::uint32_t>(bits) / 8;
    for (std::uint32_t i = 0; i < variable.initial.size(); ++i) {
      const program::InitialValue& value = variable.initial[i];
      if (!value.address_of.empty())
        facts.refuse(variable.position,
                     fmt::format("an address as the initial value of `{}`", variable.name));
      if (object && value.integer == 0) continue;
      const std::string place = fmt::format("[{}+{}]", name, i * bytes);
      out.push_back(object ? fmt::format("mbarrier.init.shared.b64 {}, {};", place, value.integer)
                           : fmt::format("st.shared.b{} {}, {};", bits, place, literal(value.integer, bits)));
    }
    const auto given = static_cast<std::uint32_t>(variable.initial.size());
    const bool unknown = variable.ptx_form && variable.initial.empty();  // else zero, 5.4.4
    const std::uint32_t rest = unknown || object ? 0 : variable.elements - given;
    for (std::string& store : zeros(name, variable.name, bits, given, given + rest))
      out.push_back(std::move(store));
  }
  return out;
}

std::string module_head(const isa::Target& target) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n\n", isa::version_name(target),
                     isa::sm_name(target));
}

std::string print(const Module& module) {
  return module_head(module.target) + module.text;
}

Module write_module(const program::Program& test, const std::string& prefix,
                    const std::vector<std::string>& remarks) {
  const Facts facts(test);
  Module out;
  out.text = comments(test, remarks);
  for (const bool pointers : {false, true}) {  // what an initial value names is declared before it
    for (const Variable& variable : test.variables) {
      const bool pointer = std::any_of(variable.initial.begin(), variable.initial.end(),
                                       [](const program::InitialValue& v) { return !v.address_of.empty(); });
      if (pointer == pointers && facts.home(variable.name) == Home::symbol &&
          facts.space(variable.name) != Space::local)
        out.text += declaration(facts, variable, prefix) + "\n";
    }
  }
  for (const std::string& text : tensor_declarations(facts, prefix)) out.text += text + "\n";
  for (const Variable& variable : test.variables) {
    if (facts.is_mbarrier(variable.name)) out.target = both(out.target, {70, 80, false});
  }
  const std::vector<Grid> grids = plan_grids(facts);
  for (const Grid& grid : grids) {
    const Module entry = Entry(facts, grid, prefix, entry_name(test, grid, grids.size(), prefix)).run();
    out.target = both(out.target, entry.target);
    out.text += "\n" + entry.text;
  }
  return out;
}

}  // namespace ptxmc::gpu
