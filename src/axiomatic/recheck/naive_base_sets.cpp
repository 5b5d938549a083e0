// SPDX-License-Identifier: Apache-2.0
// The base sets, each as the question whether one event belongs to it.
#include <algorithm>
#include <map>

#include "axiomatic/recheck/naive_base.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::MbarrierOp;
using event::TensorOp;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

bool read(const Event& e) {
  return e.kind == EventKind::read;
}
bool stored(const Event& e) {
  return e.kind == EventKind::write;
}
bool initial(const Event& e) {
  return e.kind == EventKind::initial_write;
}
bool access(const Event& e) {
  return read(e) || stored(e) || initial(e);
}
bool says(const Event& e, Semantics a, Semantics b) {
  return e.labels.semantics == a || e.labels.semantics == b;
}

// 8.4: what is strong and neither acquires nor releases here is relaxed. An atomic carries its semantics on
// both halves; its read cannot release, its write cannot acquire.
enum class Strength { none, weak, relaxed, acquire, release };

Strength strength(const Event& e) {
  const bool relaxed = e.labels.semantics == Semantics::relaxed;
  switch (e.kind) {
    case EventKind::arrival:
      return relaxed ? Strength::relaxed : Strength::release;
    case EventKind::wait:
      return relaxed ? Strength::relaxed : Strength::acquire;
    case EventKind::signal:
      return Strength::release;
    case EventKind::issue:
      return e.labels.semantics == Semantics::release ? Strength::release : Strength::none;
    case EventKind::read:
      if (e.labels.semantics == Semantics::weak) return Strength::weak;
      return says(e, Semantics::acquire, Semantics::acq_rel) ? Strength::acquire : Strength::relaxed;
    case EventKind::write:
      if (e.labels.semantics == Semantics::weak) return Strength::weak;
      return says(e, Semantics::release, Semantics::acq_rel) ? Strength::release : Strength::relaxed;
    default:
      return Strength::none;
  }
}

bool memory_fence(const Event& e, Semantics semantics) {
  return e.kind == EventKind::fence && !e.labels.init_only && e.labels.semantics == semantics;
}

bool proxy_fence(const Event& e, Semantics semantics) {
  return e.kind == EventKind::proxy_fence && e.labels.semantics == semantics;
}

bool alias_fence(const Event& e, Semantics semantics) {
  return proxy_fence(e, semantics) && e.labels.proxy == Proxy::alias;
}

bool mbarrier(const Event& e) {
  const bool kind = e.kind == EventKind::arrival || e.kind == EventKind::wait ||
                    e.kind == EventKind::mbarrier || e.kind == EventKind::signal;
  return kind && e.mbarrier;
}

bool through(const Event& e, Proxy proxy) {
  return (read(e) || stored(e)) && e.labels.proxy == proxy;
}

bool issues(const Event& e, std::initializer_list<TensorOp> which) {
  return e.kind == EventKind::issue && std::find(which.begin(), which.end(), e.tensor.op) != which.end();
}

template <bool (*kQuestion)(const Event&)>
bool ask(const BaseView& v, EventId e) {
  return kQuestion(v.at(e));
}
template <Strength kStrength>
bool of_strength(const BaseView& v, EventId e) {
  return strength(v.at(e)) == kStrength;
}
template <Semantics kSemantics>
bool fence_of(const BaseView& v, EventId e) {
  return memory_fence(v.at(e), kSemantics);
}
template <Proxy kProxy>
bool of_proxy(const BaseView& v, EventId e) {
  return through(v.at(e), kProxy);
}
/// 9.7.12.4: has .sync_restrict.
bool restricted(const Event& e) {
  return e.labels.space == isa::Space::shared_cta || e.labels.space == isa::Space::shared_cluster;
}
template <Scope kScope>
bool of_scope(const BaseView& v, EventId e) {
  return v.at(e).labels.scope == kScope;
}
template <TensorOp kOp>
bool of_tensor(const BaseView& v, EventId e) {
  return v.at(e).tensor.op == kOp;
}
template <EventKind kKind>
bool of_kind(const BaseView& v, EventId e) {
  return v.at(e).kind == kKind;
}

const std::map<std::string_view, NaiveMember>& set_rows() {  // NOLINT(readability-function-size): a table
  using V = const BaseView&;
  static const std::map<std::string_view, NaiveMember> rows = {
      {"R", ask<read>},
      {"W", [](V v, EventId e) { return stored(v.at(e)) || initial(v.at(e)); }},
      {"M", ask<access>},
      {"IW", [](V v, EventId e) { return initial(v.at(e)) && v.threadless(e); }},
      {"RMW", [](V v, EventId e) { return v.at(e).labels.atomic; }},
      {"RED", [](V v, EventId e) { return read(v.at(e)) && v.at(e).labels.no_return; }},
      {"RLX", of_strength<Strength::relaxed>},
      {"ACQ", of_strength<Strength::acquire>},
      {"REL", of_strength<Strength::release>},
      {"WEAK", of_strength<Strength::weak>},
      {"F", [](V v, EventId e) { return v.at(e).kind == EventKind::fence && !v.at(e).labels.init_only; }},
      {"FSC", fence_of<Semantics::sc>},
      {"SC", fence_of<Semantics::sc>},
      {"FACQREL", fence_of<Semantics::acq_rel>},
      {"FREL", [](V v, EventId e) { return fence_of<Semantics::release>(v, e) && !restricted(v.at(e)); }},
      {"FACQ", [](V v, EventId e) { return fence_of<Semantics::acquire>(v, e) && !restricted(v.at(e)); }},
      {"RREL", [](V v, EventId e) { return fence_of<Semantics::release>(v, e) && restricted(v.at(e)); }},
      {"RACQ", [](V v, EventId e) { return fence_of<Semantics::acquire>(v, e) && restricted(v.at(e)); }},
      {"LDEP", [](V v, EventId e) { return v.at(e).labels.launches; }},
      {"ACQ_REL", [](V v, EventId e) { return v.at(e).labels.semantics == Semantics::acq_rel; }},
      {"B",
       [](V v, EventId e) { return v.at(e).kind == EventKind::arrival || v.at(e).kind == EventKind::wait; }},
      {"ARR", of_kind<EventKind::arrival>},
      {"WAIT", of_kind<EventKind::wait>},
      {"FRINIT", [](V v, EventId e) { return v.at(e).kind == EventKind::fence && v.at(e).labels.init_only; }},
      {"MBO", ask<mbarrier>},
      {"MBINIT",
       [](V v, EventId e) { return mbarrier(v.at(e)) && v.at(e).mbarrier->op == MbarrierOp::init; }},
      {"MBINVAL",
       [](V v, EventId e) { return mbarrier(v.at(e)) && v.at(e).mbarrier->op == MbarrierOp::inval; }},
      {"PF",
       [](V v, EventId e) {
         return v.at(e).kind == EventKind::api || proxy_fence(v.at(e), Semantics::weak);
       }},
      {"API", of_kind<EventKind::api>},
      {"ALIAS",
       [](V v, EventId e) {
         return v.at(e).kind == EventKind::api || alias_fence(v.at(e), Semantics::weak);
       }},
      {"ALREL", [](V v, EventId e) { return alias_fence(v.at(e), Semantics::release); }},
      {"ALACQ", [](V v, EventId e) { return alias_fence(v.at(e), Semantics::acquire); }},
      {"PFREL",
       [](V v, EventId e) {
         return proxy_fence(v.at(e), Semantics::release) && !v.at(e).labels.reads_only &&
                v.at(e).labels.proxy != Proxy::alias;
       }},
      {"PFREAD", [](V v, EventId e) { return v.at(e).labels.reads_only; }},
      {"PFACQ",
       [](V v, EventId e) {
         return proxy_fence(v.at(e), Semantics::acquire) && v.at(e).labels.proxy != Proxy::alias;
       }},
      {"ISS", of_kind<EventKind::issue>},
      {"WGI", [](V v, EventId e) { return v.at(e).kind == EventKind::issue && v.at(e).labels.wgmma; }},
      {"WGF", [](V v, EventId e) { return v.at(e).kind == EventKind::group && v.at(e).labels.wgmma; }},
      {"A", [](V v, EventId e) { return v.at(e).issue != event::kNoEvent && !v.at(e).labels.allocates; }},
      {"TC",
       [](V v, EventId e) {
         return issues(v.at(e), {TensorOp::mma, TensorOp::cp, TensorOp::cp_4x256b, TensorOp::shift,
                                 TensorOp::ld, TensorOp::st});
       }},
      {"TSY",
       [](V v, EventId e) {
         return issues(v.at(e), {TensorOp::alloc, TensorOp::dealloc});
       }},
      {"TALLOC", [](V v, EventId e) { return issues(v.at(e), {TensorOp::alloc}); }},
      {"TFREE", [](V v, EventId e) { return stored(v.at(e)) && v.at(e).labels.frees; }},
      {"BEF", of_tensor<TensorOp::before>},
      {"AFT", of_tensor<TensorOp::after>},
      {"GEN",
       [](V v, EventId e) {
         return !(read(v.at(e)) || stored(v.at(e))) || v.at(e).labels.proxy == Proxy::generic;
       }},
      {"ASY", of_proxy<Proxy::async>},
      {"TMEM", of_proxy<Proxy::tensor>},
      {"CON", of_proxy<Proxy::constant>},
      {"TEX", of_proxy<Proxy::texture>},
      {"SUR", of_proxy<Proxy::surface>},
      {"CTA", of_scope<Scope::cta>},
      {"CLUSTER", of_scope<Scope::cluster>},
      {"GPU", of_scope<Scope::gpu>},
      {"SYS", of_scope<Scope::sys>},
  };
  return rows;
}

}  // namespace

NaiveMember naive_set(std::string_view name) {
  const auto found = set_rows().find(name);
  return found == set_rows().end() ? nullptr : found->second;
}

}  // namespace ptxmc::check
