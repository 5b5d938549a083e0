// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/verify/kernels.h"
#include "finding/rules.h"
#include "ptx/isa/scopes.h"
#include "repair/kernel/code_points.h"
#include "repair/kernel/nesting.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;
using trace::Missing;

/// What the cause of a finding asks for, beside what the extracted test is repaired by.
enum class Where : std::uint8_t {
  behind_first,
  before_second,
  above_second,  ///< before one of the instructions that stand above it
  behind_acquire,
  before_release,
  meeting,  ///< at a point between the two
};
struct Asked {
  Missing missing;
  Where where;
  const char* instruction;
};
constexpr Asked kAsked[] = {
    {Missing::synchronization, Where::meeting, "bar.warp.sync 0xffffffff"},
    {Missing::synchronization, Where::meeting, "bar.sync 0"},
    {Missing::synchronization, Where::behind_first, "fence.acq_rel.gpu"},
    {Missing::synchronization, Where::before_second, "fence.acq_rel.gpu"},
    {Missing::warp_sync, Where::meeting, "bar.warp.sync 0xffffffff"},
    {Missing::wait, Where::before_second, "cp.async.wait_all"},
    {Missing::wait, Where::before_second, "cp.async.bulk.wait_group 0"},
    {Missing::wait, Where::before_second, "cp.async.bulk.wait_group.read 0"},
    {Missing::wait, Where::meeting, "bar.sync 0"},
    {Missing::init_fence, Where::behind_first, "fence.mbarrier_init.release.cluster"},
    {Missing::init_fence, Where::behind_first, "fence.proxy.async"},
    {Missing::tensor_fence, Where::before_second, "tcgen05.fence::after_thread_sync"},
    {Missing::tensor_fence, Where::above_second, "tcgen05.fence::after_thread_sync"},
    {Missing::tensor_fence, Where::behind_first, "tcgen05.fence::before_thread_sync"},
    {Missing::wgmma_fence, Where::before_second, "wgmma.fence.sync.aligned"},
    {Missing::wgmma_fence, Where::above_second, "wgmma.fence.sync.aligned"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.cta"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.gpu"},
    {Missing::acquire, Where::behind_acquire, "fence.acq_rel.sys"},
    {Missing::release, Where::before_release, "fence.acq_rel.gpu"},
    {Missing::release, Where::before_release, "fence.acq_rel.sys"},
    {Missing::sequential_fence, Where::behind_acquire, "fence.sc.gpu"},
    {Missing::scope, Where::behind_acquire, "fence.acq_rel.gpu"},
    {Missing::scope, Where::before_release, "fence.acq_rel.gpu"},
};

/// Fences of a proxy, at both accesses and between them (9.7.12.4).
struct ProxyFence {
  isa::Proxy proxy;
  const char* instruction;
};
constexpr ProxyFence kProxyFences[] = {
    {isa::Proxy::async, "fence.proxy.async"},       {isa::Proxy::alias, "fence.proxy.alias"},
    {isa::Proxy::constant, "fence.proxy.constant"}, {isa::Proxy::texture, "fence.proxy.texture"},
    {isa::Proxy::surface, "fence.proxy.surface"},
};
constexpr const char* kMapRelease = "fence.proxy.tensormap::generic.release.gpu";
constexpr const char* kMapAcquire = "fence.proxy.tensormap::generic.acquire.gpu";

class Advice {
 public:
  Advice(const Asking& asking, const ModuleChanges& changes)
      : asking_(asking), finding_(*asking.finding), changes_(changes) {}

  std::vector<Way> run() {
    by_cause();
    proxy_fences();
    map_fences();
    wait_for_kernels();
    publish_inits();
    respelt_ends();
    return std::move(out_);
  }

 private:
  const Instruction& at(trace::Site site) const { return asking_.verified.run->instruction(site); }
  const std::vector<Instruction>& code_of(trace::Thread thread) const {
    return asking_.verified.run->thread(thread).body->code;
  }
  void add(Way way) { out_.push_back(std::move(way)); }
  void add(std::vector<Way> ways) {
    for (Way& way : ways) add(std::move(way));
  }
  std::vector<Way> above(const trace::Place& place, const std::string& instruction) const;
  void by_cause();
  void proxy_fences();
  void map_fences();
  void wait_for_kernels();
  void publish_inits();
  void respelt_ends();

  const Asking& asking_;
  const trace::Finding& finding_;
  const ModuleChanges& changes_;
  std::vector<Way> out_;
};

std::vector<Way> Advice::above(const trace::Place& place, const std::string& instruction) const {
  const std::vector<Instruction>& code = code_of(place.thread);
  std::vector<Way> out;
  for (const std::size_t i : points_above(code, at(place.site).position))
    out.push_back({changes_.before(code[i], instruction)});
  return out;
}

void Advice::by_cause() {
  const Instruction &first = at(finding_.first.site), &second = at(finding_.second.site);
  for (const Asked& asked : kAsked) {
    if (asked.missing != finding_.cause.missing) continue;
    switch (asked.where) {
      case Where::behind_first:
        add(Way{changes_.behind(first, asked.instruction)});
        break;
      case Where::before_second:
        add(Way{changes_.before(second, asked.instruction)});
        break;
      case Where::above_second:
        add(above(finding_.second, asked.instruction));
        break;
      case Where::behind_acquire:
        if (finding_.cause.acquire) add(Way{changes_.behind(at(*finding_.cause.acquire), asked.instruction)});
        break;
      case Where::before_release:
        if (finding_.cause.release) add(Way{changes_.before(at(*finding_.cause.release), asked.instruction)});
        break;
      case Where::meeting:
        add(meetings(asking_, changes_, asked.instruction));
        break;
    }
  }
}

void Advice::proxy_fences() {
  if (finding_.cause.missing != Missing::proxy_fence) return;
  for (const ProxyFence& fence : kProxyFences) {
    if (fence.proxy != finding_.cause.proxy) continue;
    add(Way{changes_.behind(at(finding_.first.site), fence.instruction)});
    add(Way{changes_.before(at(finding_.second.site), fence.instruction)});
    add(meetings(asking_, changes_, fence.instruction));
  }
}

// A map that was changed is released by generic accesses, and acquired before the copy that reads it (9.7.12.4).
void Advice::map_fences() {
  if (finding_.cause.missing != Missing::proxy_fence || finding_.cause.proxy != isa::Proxy::tensormap) return;
  const Instruction &first = at(finding_.first.site), &second = at(finding_.second.site);
  const std::size_t comma = second.text.find(',', second.text.find('[')), open = second.text.find('[', comma);
  if (open == std::string::npos) return;
  const std::string map = second.text.substr(open, second.text.find_first_of(",]", open) - open) + "]";
  const Option release = changes_.behind(first, kMapRelease);
  const Option acquire = changes_.before(second, fmt::format("{} {}, 128", kMapAcquire, map));
  add(Way{acquire});
  add(Way{release});
  add(Way{release, acquire});
}

// A kernel that starts before the one that it depends on is over waits for that (9.7.12.13).
void Advice::wait_for_kernels() {
  if (!explain::between_kernels(asking_.verified, finding_)) return;
  constexpr const char* kWait = "griddepcontrol.wait";
  const Option waits = changes_.before(at(finding_.second.site), kWait);
  add(Way{waits});
  Way chain{waits};  // where kernels stand between the two, they wait, too
  for (const program::Kernel& kernel : asking_.verified.program->kernels.kernels) {
    const auto runs = [&](const trace::Place& place) {
      return std::find(kernel.threads.begin(), kernel.threads.end(), place.thread) != kernel.threads.end();
    };
    if (kernel.programmatic.empty() || kernel.threads.empty() || runs(finding_.first) ||
        runs(finding_.second))
      continue;
    const std::vector<Instruction>& code = code_of(kernel.threads.front());
    const auto entry =
        std::find_if(code.begin(), code.end(), [](const Instruction& i) { return i.position.known(); });
    if (entry != code.end()) chain.push_back(changes_.before(*entry, kWait));
  }
  if (chain.size() > 1) add(chain);
  add(above(finding_.second, kWait));
}

// What threads did to several mbarrier objects is published by one fence after the last of them.
void Advice::publish_inits() {
  const finding::RuleId rule = finding_.rule;
  if (rule != finding::RuleId::mbarrier_uninitialised && rule != finding::RuleId::mbarrier_init_unfenced)
    return;
  add(meetings(asking_, changes_, "fence.mbarrier_init.release.cluster"));
}

// A release and an acquire that do not meet: at wider scopes, and as what they are not yet.
void Advice::respelt_ends() {
  using isa::Scope;
  using isa::Semantics;
  const trace::Cause& cause = finding_.cause;
  if (cause.missing != Missing::scope && cause.missing != Missing::acquire &&
      cause.missing != Missing::release && cause.missing != Missing::mutual_scope)
    return;
  const trace::Site left = cause.release.value_or(finding_.first.site);
  const trace::Site right = cause.acquire.value_or(finding_.second.site);
  for (const Scope scope : isa::kEveryScope) {
    std::vector<std::vector<Option>> ends(2);
    for (const Semantics s : {Semantics::relaxed, Semantics::release, Semantics::acq_rel, Semantics::sc}) {
      if (auto made = changes_.respelt_as(at(left), s, scope)) ends[0].push_back(std::move(*made));
    }
    for (const Semantics s : {Semantics::relaxed, Semantics::acquire, Semantics::acq_rel, Semantics::sc}) {
      if (auto made = changes_.respelt_as(at(right), s, scope)) ends[1].push_back(std::move(*made));
    }
    for (const auto& end : ends) {
      for (const Option& made : end) add(Way{made});
    }
    for (const Option& a : ends[0]) {
      for (const Option& b : ends[1]) add(Way{a, b});
    }
  }
}

}  // namespace

std::vector<Way> meetings(const Asking& asking, const ModuleChanges& changes,
                          const std::string& instruction) {
  const trace::Finding& finding = *asking.finding;
  const std::vector<Instruction>& code = asking.verified.run->thread(finding.first.thread).body->code;
  const auto position = [&](const trace::Place& place) {
    return asking.verified.run->instruction(place.site).position;
  };
  const Nesting nesting(code);
  std::vector<Way> out;
  for (const std::size_t i : points_between(code, position(finding.first), position(finding.second))) {
    out.push_back({changes.before(code[i], instruction)});
    out.back().front().nesting = nesting(i);
  }
  return out;
}

std::vector<Way> advised(const Asking& asking, const ModuleChanges& changes) {
  return Advice(asking, changes).run();
}

}  // namespace ptxmc::repair
