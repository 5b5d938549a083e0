// SPDX-License-Identifier: Apache-2.0
#include "input/launch/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "input/launch/any_value.h"
#include "input/launch/devices.h"
#include "input/launch/entry.h"
#include "input/launch/flatten.h"
#include "input/launch/memory.h"
#include "input/launch/parameters.h"
#include "input/launch/peers.h"
#include "input/launch/specials.h"
#include "ptx/resolve/body.h"
#include "ptx/text/module.h"
#include "ptx/text/source_lines.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

namespace {

constexpr const char* kWorkspace = "grid_workspace";  // of cooperative launches
constexpr std::uint32_t kWorkspaceWords = 64;

/// Shared memory of the system's own software, such as the barriers of cooperative groups (10.29): a part for each of the
/// registers with its offsets.
constexpr std::array<const char*, 2> kReserved = {"reserved_shared_0", "reserved_shared_1"};
constexpr std::uint32_t kReservedWords = 128;
constexpr std::string_view kReservedOffset = "reserved_smem_offset_";

/// Which part the register speaks of; nothing: another register.
std::optional<std::size_t> reserved_part(std::string_view name) {
  if (!name.starts_with(kReservedOffset)) return std::nullopt;
  name.remove_prefix(kReservedOffset.size());
  if (name == "begin" || name == "0") return 0;
  if (name == "1") return 1;
  return std::nullopt;
}

/// What %envreg1 and %envreg2 of a cooperative launch hold: the upper and the lower half of the workspace's address.
constexpr std::string_view kWorkspaceHigh = "envreg1", kWorkspaceLow = "envreg2";

constexpr std::string_view kVolatile = "warpid", kReservedSize = "reserved_smem_offset_cap";

class Maker {
 public:
  Maker(const ptx::Module& module, const Plan& plan, const Choice& choice, Beside* beside)
      : module_(module),
        plan_(plan),
        launches_(plan.launches),
        choice_(choice),
        beside_(beside),
        of_plan_(plan.source),
        of_module_(module.source),
        memory_(module, plan, choice.elements, of_plan_, of_module_) {}

  program::Program run() {
    out_.source = module_.source;
    out_.origins = ptx::source_lines(module_);
    out_.native = true;
    for (const Peer& peer : plan_.peers) {
      if (beside_ == nullptr)
        of_plan_.error(
            peer.position,
            "a peer, which writes from outside of the launch, is not supported by the exact engines: its "
            "values are unknown; verify takes it");
    }
    std::vector<const ptx::Function*> entries;
    for (Launch& launch : launches_) {
      entries.push_back(&find_entry(module_, launch.entry, plan_.source, launch.position));
      ptx::check_read(module_, *entries.back());
      cluster_of_entry(launch, *entries.back());
      count_clusters(launch, *entries.back());
      check_sizes(launch, *entries.back());
    }
    for (const Launch& launch : launches_) {
      if (beside_ == nullptr) break;
      ++beside_->launches;
      beside_->threads = added(beside_->threads, launch);
      if (launch.grid.count() <= beside_->ctas) continue;
      beside_->ctas = launch.grid.count();
      beside_->grid = launch.grid;
      beside_->block = launch.block;
      beside_->cluster = launch.cluster;
    }
    memory_.check_names();
    memory_.add_buffers();
    refuse();
    for (std::size_t i = 0; i < entries.size(); ++i) kernels_.push_back(kernel(launches_[i], *entries[i]));
    refuse();
    out_.variables = memory_.take();
    if (beside_ != nullptr) {
      say_sizes();
      beside_->module_values = memory_.module_values();
    }
    for (std::size_t i = 0; i < entries.size(); ++i) add_threads(i, *entries[i]);
    if (beside_ != nullptr && !plan_.peers.empty()) {
      add_peers(plan_, out_, of_plan_);
      beside_->peers = true;
      refuse();
    }
    out_.name = name_of(entries);
    return std::move(out_);
  }

 private:
  void refuse() const {
    Diagnostics all(plan_.source);
    for (const Diagnostic& diagnostic : of_plan_.all()) all.add(diagnostic);
    for (const Diagnostic& diagnostic : of_module_.all()) all.add(diagnostic);
    if (all.has_errors()) throw InputError(all);
  }

  /// Which part of the launch makes each variable as large as it is.
  void say_sizes() {
    for (const Buffer& buffer : plan_.memory)
      beside_->sizes[name_of_buffer(buffer.name)] = fmt::format("\"bytes\" of `{}`: ", buffer.name);
    for (const program::Variable& variable : out_.variables) {
      if (memory_.dynamic_shared().contains(variable.name))
        beside_->sizes[variable.name] = stated("shared") + " ";
    }
    if (plan_.source != nullptr || plan_.launches.empty()) return;
    const std::vector<Argument>& arguments = plan_.launches.front().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto say = [&](const Pointer& pointer, const std::string& where) {
        if (pointer.offset == 0)
          beside_->sizes.insert_or_assign(name_of_buffer(pointer.buffer), where + ": buffer:");
      };
      if (const auto* pointer = std::get_if<Pointer>(&arguments[i].value))
        say(*pointer, fmt::format("argument {}", i));
      const auto* blob = std::get_if<Blob>(&arguments[i].value);
      if (blob == nullptr) continue;
      for (const auto& [offset, field] : blob->fields) {
        if (const auto* pointer = std::get_if<Pointer>(&field))
          say(*pointer, fmt::format("offset {} of argument {}", offset, i));
      }
    }
  }

  /// "k", or "k+many" of several kernels, in the order of their first launches.
  static std::string name_of(const std::vector<const ptx::Function*>& entries) {
    constexpr std::size_t kMost = 3;
    std::set<std::string> known;
    std::vector<std::string> names;
    for (const ptx::Function* entry : entries) {
      const auto [name, fresh] = known.insert(short_function_name(entry->name.name));
      if (fresh && names.size() < kMost) names.push_back(*name);
    }
    const std::size_t left = known.size() - names.size();
    return fmt::format("{}{}", fmt::join(names, "+"), left == 0 ? "" : fmt::format("+{}-more", left));
  }

  /// How the launch says it.
  std::string stated(std::string_view what) const {
    return plan_.source == nullptr ? fmt::format("--{}", what) : fmt::format("\"{}\":", what);
  }

  /// What the kernel says, where the launch says nothing (11.7.1).
  static void cluster_of_entry(Launch& launch, const ptx::Function& entry) {
    std::vector<std::uint32_t> said = tuning_of(entry, "reqnctapercluster");
    if (said.empty() || launch.has_cluster) return;
    said.resize(3, 1);
    launch.cluster = {said[0], said[1], said[2]};
    launch.has_cluster = true;
  }

  /// With .blocksareclusters (PTX ISA 9.0) the grid of a launch is in clusters; from here on it is in blocks.
  void count_clusters(Launch& launch, const ptx::Function& entry) {
    if (!has_tuning(entry, "blocksareclusters")) return;
    for (const std::string_view needed : {"reqntid", "reqnctapercluster"}) {
      if (has_tuning(entry, needed)) continue;
      of_module_.error(entry.name.position, fmt::format("`{}` has .blocksareclusters, which needs .{} too",
                                                        demangled(entry.name.name), needed));
    }
    const auto multiply = [&](std::uint32_t& side, std::uint32_t by) {
      if (side > std::numeric_limits<std::int32_t>::max() / by)
        return of_plan_.error(launch.position, fmt::format("a grid of {} clusters of {} blocks", side, by));
      side *= by;
    };
    multiply(launch.grid.x, launch.cluster.x);
    multiply(launch.grid.y, launch.cluster.y);
    multiply(launch.grid.z, launch.cluster.z);
  }

  void check_sizes(const Launch& launch, const ptx::Function& entry) {
    const auto wrong = [&](const std::string& message) { of_plan_.error(launch.position, message); };
    const auto agrees = [&](std::string_view directive, const Extents& given, std::string_view what) {
      std::vector<std::uint32_t> wanted = tuning_of(entry, directive);
      if (wanted.empty()) return;
      wanted.resize(3, 1);
      if (Extents{wanted[0], wanted[1], wanted[2]} != given)
        wrong(fmt::format("`{}` has .{} {}, {}, {}, and the launch {}s of {}, {}, {}: {} {},{},{}",
                          demangled(entry.name.name), directive, wanted[0], wanted[1], wanted[2], what,
                          given.x, given.y, given.z, stated(what), wanted[0], wanted[1], wanted[2]));
    };
    if (const auto why = beyond_devices(launch, launch.shared + static_shared(entry), module_.targets))
      return wrong(*why);
    agrees("reqntid", launch.block, "block");
    agrees("reqnctapercluster", launch.cluster, "cluster");
    const std::vector<std::uint32_t> most = tuning_of(entry, "maxntid");
    std::uint64_t threads = 1;
    for (const std::uint32_t side : most) threads *= side;
    if (launch.block.count() > (most.empty() ? kMaxBlock : threads))
      wrong(fmt::format("a block of {} threads; `{}` takes up to {}{}", launch.block.count(),
                        demangled(entry.name.name), most.empty() ? kMaxBlock : threads,
                        most.empty() ? "" : " (.maxntid)"));
    const Extents &grid = launch.grid, &cluster = launch.cluster;
    if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
      wrong(fmt::format("the grid of {}, {}, {} is no whole number of clusters of {}, {}, {}", grid.x, grid.y,
                        grid.z, cluster.x, cluster.y, cluster.z));
    const auto chosen = chosen_of(launch);
    for (const std::uint64_t cta : chosen.value_or(std::vector<std::uint64_t>{})) {
      if (cta >= grid.count()) wrong(fmt::format("no CTA {}: the grid has {}", cta, grid.count()));
    }
    const std::uint64_t ctas = chosen ? chosen->size() * cluster.count() : grid.count();  // at most
    if (ctas <= choice_.threads) threads_ += ctas * launch.block.count();
    if (ctas > choice_.threads || threads_ > choice_.threads)
      wrong(
          choice_.threads == kMaxThreads
              ? fmt::format("more than {} threads: the exact engines take no such launch, choose a small one",
                            kMaxThreads)
              : fmt::format("more than {} threads at once: choose CTAs", choice_.threads));
  }

  /// With those of a launch more, as far as one can count.
  static std::uint64_t added(std::uint64_t threads, const Launch& launch) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::uint64_t ctas = launch.grid.count(), block = launch.block.count();
    if (ctas != 0 && block > kMost / ctas) return kMost;
    return threads > kMost - ctas * block ? kMost : threads + ctas * block;
  }

  /// The CTAs of a launch that the program has; nothing: all.
  std::optional<std::vector<std::uint64_t>> chosen_of(const Launch& launch) const {
    if (launch.grid.count() <= choice_.whole / launch.block.count()) return std::nullopt;
    return choice_.ctas;
  }

  struct Kernel {
    Flat flat;
    std::vector<Seat> seats;
  };

  Kernel kernel(const Launch& launch, const ptx::Function& entry) {
    Kernel out;
    const Grid grid(launch);
    const auto chosen = chosen_of(launch);
    std::vector<std::uint64_t> ctas = grid.whole_clusters(chosen.value_or(std::vector<std::uint64_t>{}));
    for (std::uint64_t cta = 0; !chosen && cta < launch.grid.count(); ++cta) ctas.push_back(cta);
    out.seats = grid.seats(ctas);
    if (beside_ != nullptr && launch.grid.count() == beside_->ctas) beside_->ran = std::move(ctas);
    if (beside_ != nullptr && !launch.cooperative && launch.grid.count() > launch.cluster.count())
      beside_->resident = false;
    const Parameters parameters(plan_, launch, module_, entry, of_plan_);
    refuse();
    const auto predefined = [&](const std::string& name) {
      if (name == kWorkspaceHigh && !launch.cooperative && beside_ != nullptr)
        beside_->cooperation = plan_.source == nullptr ? "`--cooperative`" : "`\"cooperative\": true`";
      if (chosen && moved_by(launch, name)) return Predefined{std::nullopt, true};
      return settle(grid, launch, out.seats, name);
    };
    ptx::Errors errors(module_.source);
    try {
      out.flat = flatten(module_, entry, parameters, predefined, errors);
    } catch (const ptx::TooManyErrors&) {
      // recorded
    }
    for (const Diagnostic& diagnostic : errors.diagnostics().all()) of_module_.add(diagnostic);
    if (launch.cooperative) add_workspace();
    const auto& asked = out.flat.by_thread;
    for (const auto& [name, special] : asked) {
      const auto moved = chosen && beside_ != nullptr ? moved_by(launch, special) : std::nullopt;
      if (moved) beside_->of_grid.emplace(name, *moved);
    }
    if (std::any_of(asked.begin(), asked.end(), [](const auto& one) { return reserved_part(one.second); }))
      add_reserved();
    for (program::Variable& map : parameters.maps_in_memory()) memory_.add(std::move(map));
    refuse();
    memory_.add_kernel(out.flat, launch);
    for (const std::string& name : out.flat.parameters) {
      std::string why;
      if (auto object = parameters.object(name, why, beside_ != nullptr ? &beside_->inner_maps : nullptr)) {
        memory_.add(std::move(*object));
      } else {
        of_module_.error(entry.position,
                         fmt::format("the address of parameter `{}` is taken, but {}", name, why));
      }
    }
    return out;
  }

  static std::uint64_t static_shared(const ptx::Function& entry) {
    std::uint64_t bytes = 0;
    for (const ptx::Statement& statement : entry.body->statements) {
      const auto* variables = std::get_if<ptx::Variables>(&statement.node);
      if (variables == nullptr) continue;
      for (const ptx::Variable& variable : variables->variables)
        bytes += variable.space.starts_with("shared") ? bytes_of(variable) : 0;
    }
    return bytes;
  }

  /// "ctaid.x" and "clusterid.x", in a grid of several clusters along that axis.
  static std::optional<OfGrid> moved_by(const Launch& launch, const std::string& name) {
    constexpr std::array kAxes = {'x', 'y', 'z'};
    const std::array sides = {launch.grid.x, launch.grid.y, launch.grid.z},
                     cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
    for (unsigned axis = 0; axis < kAxes.size(); ++axis) {
      if (sides.at(axis) == cluster.at(axis)) continue;
      if (name == fmt::format("ctaid.{}", kAxes.at(axis))) return OfGrid{axis, cluster.at(axis)};
      if (name == fmt::format("clusterid.{}", kAxes.at(axis))) return OfGrid{axis, 1};
    }
    return std::nullopt;
  }

  static Predefined settle(const Grid& grid, const Launch& launch, const std::vector<Seat>& seats,
                           const std::string& name) {
    if (launch.cooperative && name == kWorkspaceHigh) return {0, false};
    if (launch.cooperative && name == kWorkspaceLow) return {std::nullopt, true};
    if (reserved_part(name) || name == kVolatile) return {std::nullopt, true};
    if (name == kReservedSize) return {kReserved.size() * kReservedWords * 4, false};
    const auto first = grid.special(name, seats.front());
    if (!first) return {};
    const bool same = std::all_of(seats.begin(), seats.end(),
                                  [&](const Seat& seat) { return grid.special(name, seat) == first; });
    return same ? Predefined{first, false} : Predefined{std::nullopt, true};
  }

  void add_reserved() {
    for (const char* name : kReserved) {
      program::Variable out;
      out.name = name;
      out.space = isa::Space::shared;
      out.type = isa::Type{isa::TypeClass::bits, 32};
      out.elements = kReservedWords;
      out.is_array = out.ptx_form = true;
      out.align = 256;
      out.reserved = true;
      memory_.add(std::move(out));
    }
  }

  void add_workspace() {
    program::Variable out;
    out.name = kWorkspace;
    out.type = isa::Type{isa::TypeClass::bits, 32};
    out.elements = kWorkspaceWords;
    out.is_array = out.ptx_form = true;
    out.align = 256;
    memory_.add(std::move(out));
  }

  void add_threads(std::size_t index, const ptx::Function& entry) {
    const Launch& launch = launches_[index];
    Kernel& kernel = kernels_[index];
    const Grid grid(launch);
    auto body = without_unread_any(
        resolve::resolve_body(out_, std::move(kernel.flat.body), demangled(entry.name.name)));
    if (const std::vector<std::uint32_t> most = tuning_of(entry, "maxnreg"); !most.empty()) {
      auto limited = std::make_shared<program::Body>(*body);
      limited->registers_of_thread = most.front();
      body = std::move(limited);
    }
    program::Kernel task;
    task.name = fmt::format("K{}", index);
    task.position = entry.position;
    task.function = short_function_name(entry.name.name);
    const auto sides = [](const Extents& of) { return std::array{of.x, of.y, of.z}; };
    task.grid = sides(launch.grid);
    task.block = sides(launch.block);
    if (index > 0)
      (launch.programmatic ? task.programmatic : task.after).push_back(fmt::format("K{}", index - 1));
    for (const Seat& seat : kernel.seats) {
      program::Thread thread;
      thread.number = static_cast<int>(out_.threads.size());
      thread.placement.cta = static_cast<int>(seat.cta);
      if (launch.has_cluster) thread.placement.cluster = static_cast<int>(grid.cluster_of(seat.cta));
      thread.placement.warp = static_cast<int>(seat.warp());
      thread.placement.lane = static_cast<int>(seat.lane());
      thread.body = body;
      thread.position = entry.position;
      for (const auto& [name, special] : kernel.flat.by_thread) {
        program::InitialValue value;
        if (special == kWorkspaceLow) {
          value.address_of = kWorkspace;
        } else if (const auto part = reserved_part(special)) {
          value.address_of = kReserved.at(*part);
        } else {
          value.integer = static_cast<std::int64_t>(*grid.special(special, seat));
        }
        out_.register_inits.push_back(
            {thread.number, name, std::move(value), entry.position, special == kVolatile});
      }
      task.threads.push_back(thread.number);
      out_.threads.push_back(std::move(thread));
    }
    if (launches_.size() == 1) return;
    out_.kernels.stated = true;
    out_.kernels.kernels.push_back(std::move(task));
  }

  const ptx::Module& module_;
  const Plan& plan_;
  std::vector<Launch> launches_;
  const Choice& choice_;
  Beside* beside_;
  Diagnostics of_plan_, of_module_;
  Memory memory_;
  program::Program out_;
  std::vector<Kernel> kernels_;
  std::uint64_t threads_ = 0;
};

}  // namespace

program::Program make_program(const ptx::Module& module, const Plan& plan, const Choice& choice,
                              Beside* beside) {
  try {
    return Maker(module, plan, choice, beside).run();
  } catch (const ptx::UnreadFunction&) {
    throw;  // it says what the lines were compiled from
  } catch (const InputError& error) {
    Diagnostics all(module.source);
    for (const Diagnostic& diagnostic : error.diagnostics()) all.add(diagnostic);
    throw InputError(ptx::with_origins(all, module, ptx::Statements::read));
  }
}

}  // namespace ptxmc::launch
