// SPDX-License-Identifier: Apache-2.0
// Fences, barriers and mbarrier objects (9.7.12.1 to 9.7.12.4, 9.7.12.15): forms with their operand places and modifiers.
#include "ptx/isa/places.h"
#include "ptx/isa/table.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

// ---- Groups -------------------------------------------------------------------------------------------------
constexpr Choice kFence[] = {{Group::semantics, "acq_rel sc acquire release"},
                             {Group::scope, kScopeWords, true}};
constexpr Choice kFenceProxy[] = {{Group::proxy, "alias async generic constant texture surface", true},
                                  {Group::space, "global shared::cta shared::cluster"}};
constexpr Choice kMembar[] = {{Group::level, "cta gl sys", true}};
constexpr Choice kMembarProxy[] = {{Group::proxy, "alias", true}};
constexpr Choice kBar[] = {{Group::no_effect, "cta"}};
constexpr Choice kBarrier[] = {{Group::no_effect, "cta"}, {Group::aligned, "aligned"}};
constexpr Choice kBarRed[] = {
    {Group::no_effect, "cta"}, {Group::barrier_red, "popc and or", true}, {Group::type, "u32 pred", true}};
constexpr Choice kBarrierRed[] = {{Group::no_effect, "cta"},
                                  {Group::aligned, "aligned"},
                                  {Group::barrier_red, "popc and or", true},
                                  {Group::type, "u32 pred", true}};
// 9.7.12.3
constexpr Choice kClusterArrive[] = {{Group::semantics, "release relaxed"}, {Group::aligned, "aligned"}};
constexpr Choice kClusterWait[] = {{Group::semantics, "acquire"}, {Group::aligned, "aligned"}};
constexpr Choice kFenceInit[] = {{Group::semantics, "release", true}, {Group::scope, "cluster", true}};
// 9.7.12.15; .relaxed of arrive and wait: newer manuals
constexpr std::string_view kMbarrierScopes = "cta cluster";
constexpr Choice kMbarrier[] = {{Group::space, "shared shared::cta"}, {Group::type, "b64", true}};
// PTX ISA 9.3: an object of layout v1 has fewer arrivals, and room for a report.
constexpr Choice kMbarrierInit[] = {{Group::mbarrier_layout, "layout::v0 layout::v1"},
                                    {Group::space, "shared shared::cta"},
                                    {Group::type, "b64", true}};
constexpr Choice kMbarrierTx[] = {{Group::semantics, "relaxed"},
                                  {Group::scope, kMbarrierScopes},
                                  {Group::space, "shared shared::cta shared::cluster"},
                                  {Group::type, "b64", true}};
constexpr Choice kMbarrierArrive[] = {{Group::semantics, "release relaxed"},
                                      {Group::scope, kMbarrierScopes},
                                      {Group::space, "shared shared::cta shared::cluster"},
                                      {Group::type, "b64", true}};
constexpr Choice kMbarrierNoComplete[] = {{Group::semantics, "release"},
                                          {Group::scope, "cta"},
                                          {Group::space, "shared shared::cta"},
                                          {Group::type, "b64", true}};
// PTX ISA 9.4: at the object in each CTA of a mask.
constexpr Choice kEachTx[] = {{Group::semantics, "relaxed"},
                              {Group::scope, kMbarrierScopes},
                              {Group::space, "shared::cluster", true},
                              {Group::type, "b64", true}};
constexpr Choice kEachArrive[] = {{Group::semantics, "release relaxed"},
                                  {Group::scope, kMbarrierScopes},
                                  {Group::space, "shared::cluster", true},
                                  {Group::type, "b64", true}};
// PTX ISA 9.3: the conditional phase is the primary one, where nothing reports; what reports is not modelled (newer.cpp).
constexpr Choice kMbarrierWait[] = {{Group::semantics, "acquire relaxed"},
                                    {Group::scope, kMbarrierScopes},
                                    {Group::space, "shared shared::cta"},
                                    {Group::type, "b64", true}};
constexpr Choice kMbarrierParityWait[] = {{Group::semantics, "acquire relaxed"},
                                          {Group::scope, kMbarrierScopes},
                                          {Group::space, "shared shared::cta"},
                                          {Group::type, "b64", true},
                                          {Group::no_effect, "phase_type::conditional"}};
constexpr Choice kMbarrierLayout[] = {{Group::mbarrier_layout, "layout::v0 layout::v1", true},
                                      {Group::space, "shared::cta"},
                                      {Group::type, "b64", true}};
constexpr Choice kMbarrierCount[] = {{Group::type, "b64", true}, {Group::no_effect, "layout::v0"}};
constexpr Choice kProxyPair[] = {
    {Group::semantics, "release acquire", true},
    {Group::restriction,
     "sync_restrict::shared::cta sync_restrict::shared::cluster sync_restrict::shared::cluster::read", true},
    {Group::scope, "cluster", true}};
constexpr Choice kAliasFence[] = {{Group::scope, "sys", true}};
constexpr Choice kTensormapFence[] = {{Group::scope, kScopeWords, true}};
constexpr Choice kTensormapPair[] = {{Group::semantics, "release acquire", true},
                                     {Group::scope, kScopeWords, true}};  // for what lacks one of them
constexpr Choice kRestricted[] = {{Group::scope, "cluster", true}};

// ---- Operand places -----------------------------------------------------------------------------------------
using namespace places;  // NOLINT: their names are what the lists below consist of

constexpr Place kMapFence[] = {at(), immediate(Role::bytes, Width::none)};
// Barriers
constexpr Place kSync[] = {number(Role::barrier), optional(number(Role::count))};
constexpr Place kArrive[] = {number(Role::barrier), number(Role::count)};
constexpr Place kBarrierReduction[] = {to(Width::count_or_truth), number(Role::barrier),
                                       optional(number(Role::count)), predicate()};
constexpr Place kWarpSync[] = {number(Role::member_mask)};
constexpr Place kInstance[] = {number(Role::instance), optional(number(Role::barrier)),
                               optional(number(Role::count))};
// mbarrier
constexpr Place kObject[] = {at(Role::mbarrier)};
constexpr Place kObjectCount[] = {at(Role::mbarrier), number(Role::count)};
constexpr Place kObjectBytes[] = {at(Role::mbarrier), number(Role::bytes)};
constexpr Place kArrival = to(Width::doubleword, Kind::destination_or_sink);
constexpr Place kArriveSome[] = {kArrival, at(Role::mbarrier), optional(number(Role::count))};
constexpr Place kArriveCount[] = {kArrival, at(Role::mbarrier), number(Role::count)};
constexpr Place kArriveBytes[] = {kArrival, at(Role::mbarrier), number(Role::bytes)};
constexpr Place kEachBytes[] = {at(Role::mbarrier), number(Role::bytes), number(Role::cta_mask)};
constexpr Place kArriveAtEach[] = {kArrival, at(Role::mbarrier), number(Role::count), number(Role::cta_mask)};
constexpr Place kArriveBytesAtEach[] = {kArrival, at(Role::mbarrier), number(Role::bytes),
                                        number(Role::cta_mask)};
constexpr Place kState = {Role::state, Kind::register_, Width::doubleword};
constexpr Place kTestState[] = {to(Width::predicate), at(Role::mbarrier), kState};
constexpr Place kTestParity[] = {to(Width::predicate), at(Role::mbarrier), number(Role::parity)};
constexpr Place kTryState[] = {to(Width::predicate), at(Role::mbarrier), kState,
                               optional(number(Role::timeout))};
constexpr Place kTryParity[] = {to(Width::predicate), at(Role::mbarrier), number(Role::parity),
                                optional(number(Role::timeout))};
constexpr Place kDone = to(Width::predicate, Kind::destination_or_pair);
constexpr Place kReport = optional({Role::report, Kind::destination, Width::byte});
constexpr Place kTestStateReport[] = {kDone, kReport, at(Role::mbarrier), kState};
constexpr Place kTestParityReport[] = {kDone, kReport, at(Role::mbarrier), number(Role::parity)};
constexpr Place kTryStateReport[] = {kDone, kReport, at(Role::mbarrier), kState,
                                     optional(number(Role::timeout))};
constexpr Place kTryParityReport[] = {kDone, kReport, at(Role::mbarrier), number(Role::parity),
                                      optional(number(Role::timeout))};
constexpr Place kLayout[] = {to(Width::predicate), at(Role::mbarrier)};
constexpr Place kPending[] = {to(Width::word), kState};

// ---- Defaults -----------------------------------------------------------------------------------------------
// barrier without .aligned; bar.* is barrier.*.aligned (9.7.12.1)
constexpr Modifiers fence(Semantics semantics) {
  Modifiers m;
  m.semantics = semantics;
  return m;
}

constexpr Modifiers instance_first() {
  Modifiers m;
  m.instance_first = true;
  return m;
}

constexpr Modifiers of_warp() {
  Modifiers m;
  m.warp = true;
  return m;
}

// 9.7.12.15: .cta when left out, at both ends (D35)
constexpr Modifiers mbarrier(Semantics semantics, bool expect_tx = false, bool no_complete = false) {
  Modifiers m;
  m.semantics = semantics;
  m.scope = Scope::cta;
  m.expect_tx = expect_tx;
  m.no_complete = no_complete;
  return m;
}

constexpr Modifiers at_each(Modifiers m) {
  m.multicast = m.wide_mask = true;
  return m;
}

constexpr Modifiers mbarrier_parity() {
  Modifiers m = mbarrier(Semantics::acquire);
  m.parity = true;
  return m;
}

constexpr Modifiers reporting(Modifiers m) {
  m.reports = true;
  return m;
}

// 9.7.12.3; whether it is .aligned has no effect on the model
constexpr Modifiers cluster(Semantics semantics) {
  Modifiers m;
  m.semantics = semantics;
  m.scope = Scope::cluster;
  m.aligned = false;
  return m;
}

constexpr Modifiers directed(Proxy proxy, Semantics semantics = Semantics::weak) {
  Modifiers m;
  m.proxy = proxy;
  m.semantics = semantics;
  return m;
}

/// A fence for what synchronizes through shared memory alone.
constexpr Modifiers restricted(Semantics semantics, Space space) {
  Modifiers m = fence(semantics);
  m.space = space;
  return m;
}

// ---- The rows -----------------------------------------------------------------------------------------------
constexpr Form kBarrierForms[] = {
    // Fences (9.7.12.4)
    {"fence", "", Opcode::fence, {}, kFence, "", fence(Semantics::acq_rel)},
    {"fence", "proxy", Opcode::fence_proxy, {}, kFenceProxy, "", {}},
    {"fence", "proxy async::generic", Opcode::fence_proxy, {}, kProxyPair, "", directed(Proxy::async)},
    {"fence",
     "proxy alias release",
     Opcode::fence_proxy,
     {},
     kAliasFence,
     "",
     directed(Proxy::alias, Semantics::release)},
    {"fence",
     "proxy alias acquire",
     Opcode::fence_proxy,
     {},
     kAliasFence,
     "",
     directed(Proxy::alias, Semantics::acquire)},
    {"fence",
     "proxy tensormap::generic",
     Opcode::fence_proxy,
     {},
     kTensormapPair,
     "",
     directed(Proxy::tensormap)},
    {"fence",
     "proxy tensormap::generic release",
     Opcode::fence_proxy,
     {},
     kTensormapFence,
     "",
     directed(Proxy::tensormap, Semantics::release)},
    {"fence", "proxy tensormap::generic acquire", Opcode::fence_proxy, kMapFence, kTensormapFence, "",
     directed(Proxy::tensormap, Semantics::acquire)},
    {"fence",
     "acquire sync_restrict::shared::cluster",
     Opcode::fence,
     {},
     kRestricted,
     "",
     restricted(Semantics::acquire, Space::shared_cluster)},
    {"fence",
     "release sync_restrict::shared::cta",
     Opcode::fence,
     {},
     kRestricted,
     "",
     restricted(Semantics::release, Space::shared_cta)},
    {"membar", "", Opcode::fence, {}, kMembar, "", fence(Semantics::sc)},
    {"membar", "proxy", Opcode::fence_proxy, {}, kMembarProxy, "", {}},
    // Barriers (9.7.12.1)
    {"bar", "sync", Opcode::bar_sync, kSync, kBar, "", {}},
    {"bar", "arrive", Opcode::bar_arrive, kArrive, kBar, "", {}},
    {"bar", "red", Opcode::bar_red, kBarrierReduction, kBarRed, "", {}},
    {"bar", "warp sync", Opcode::bar_sync, kWarpSync, {}, "", of_warp()},
    {"barrier", "sync", Opcode::bar_sync, kSync, kBarrier, "", unaligned()},
    {"barrier", "arrive", Opcode::bar_arrive, kArrive, kBarrier, "", unaligned()},
    {"barrier", "red", Opcode::bar_red, kBarrierReduction, kBarrierRed, "", unaligned()},
    {"bar", "cta sync", Opcode::bar_sync, kInstance, {}, "", instance_first(), Notation::short_form},
    {"bar", "cta arrive", Opcode::bar_arrive, kInstance, {}, "", instance_first(), Notation::short_form},
    // barrier.cluster (9.7.12.3) and mbarrier (9.7.12.15)
    {"barrier",
     "cluster arrive",
     Opcode::cluster_arrive,
     {},
     kClusterArrive,
     "",
     cluster(Semantics::release)},
    {"barrier", "cluster wait", Opcode::cluster_wait, {}, kClusterWait, "", cluster(Semantics::acquire)},
    {"fence", "mbarrier_init", Opcode::fence_mbarrier_init, {}, kFenceInit, "", {}},
    {"mbarrier", "init", Opcode::mbarrier_init, kObjectCount, kMbarrierInit, "", {}},
    {"mbarrier", "inval", Opcode::mbarrier_inval, kObject, kMbarrier, "", {}},
    {"mbarrier", "expect_tx", Opcode::mbarrier_expect_tx, kObjectBytes, kMbarrierTx, "",
     mbarrier(Semantics::relaxed)},
    {"mbarrier", "complete_tx", Opcode::mbarrier_complete_tx, kObjectBytes, kMbarrierTx, "",
     mbarrier(Semantics::relaxed)},
    {"mbarrier", "arrive", Opcode::mbarrier_arrive, kArriveSome, kMbarrierArrive, "",
     mbarrier(Semantics::release)},
    {"mbarrier", "arrive expect_tx", Opcode::mbarrier_arrive, kArriveBytes, kMbarrierArrive, "",
     mbarrier(Semantics::release, true)},
    {"mbarrier", "expect_tx multicast::cluster::32b", Opcode::mbarrier_expect_tx, kEachBytes, kEachTx, "",
     at_each(mbarrier(Semantics::relaxed))},
    {"mbarrier", "complete_tx multicast::cluster::32b", Opcode::mbarrier_complete_tx, kEachBytes, kEachTx, "",
     at_each(mbarrier(Semantics::relaxed))},
    {"mbarrier", "arrive multicast::cluster::32b", Opcode::mbarrier_arrive, kArriveAtEach, kEachArrive, "",
     at_each(mbarrier(Semantics::release))},
    {"mbarrier", "arrive expect_tx multicast::cluster::32b", Opcode::mbarrier_arrive, kArriveBytesAtEach,
     kEachArrive, "", at_each(mbarrier(Semantics::release, true))},
    {"mbarrier", "arrive_drop multicast::cluster::32b", Opcode::mbarrier_arrive_drop, kArriveAtEach,
     kEachArrive, "", at_each(mbarrier(Semantics::release))},
    {"mbarrier", "arrive_drop expect_tx multicast::cluster::32b", Opcode::mbarrier_arrive_drop,
     kArriveBytesAtEach, kEachArrive, "", at_each(mbarrier(Semantics::release, true))},
    {"mbarrier", "arrive noComplete", Opcode::mbarrier_arrive, kArriveCount, kMbarrierNoComplete, "",
     mbarrier(Semantics::release, false, true)},
    {"mbarrier", "arrive_drop", Opcode::mbarrier_arrive_drop, kArriveSome, kMbarrierArrive, "",
     mbarrier(Semantics::release)},
    {"mbarrier", "arrive_drop expect_tx", Opcode::mbarrier_arrive_drop, kArriveBytes, kMbarrierArrive, "",
     mbarrier(Semantics::release, true)},
    {"mbarrier", "arrive_drop noComplete", Opcode::mbarrier_arrive_drop, kArriveCount, kMbarrierNoComplete,
     "", mbarrier(Semantics::release, false, true)},
    {"mbarrier", "test_wait", Opcode::mbarrier_test_wait, kTestState, kMbarrierWait, "",
     mbarrier(Semantics::acquire)},
    {"mbarrier", "test_wait parity", Opcode::mbarrier_test_wait, kTestParity, kMbarrierParityWait, "",
     mbarrier_parity()},
    {"mbarrier", "try_wait", Opcode::mbarrier_try_wait, kTryState, kMbarrierWait, "",
     mbarrier(Semantics::acquire)},
    {"mbarrier", "try_wait parity", Opcode::mbarrier_try_wait, kTryParity, kMbarrierParityWait, "",
     mbarrier_parity()},
    {"mbarrier", "test_wait phase_type::primary", Opcode::mbarrier_test_wait, kTestStateReport, kMbarrierWait,
     "", reporting(mbarrier(Semantics::acquire))},
    {"mbarrier", "test_wait parity phase_type::primary", Opcode::mbarrier_test_wait, kTestParityReport,
     kMbarrierWait, "", reporting(mbarrier_parity())},
    {"mbarrier", "try_wait phase_type::primary", Opcode::mbarrier_try_wait, kTryStateReport, kMbarrierWait,
     "", reporting(mbarrier(Semantics::acquire))},
    {"mbarrier", "try_wait parity phase_type::primary", Opcode::mbarrier_try_wait, kTryParityReport,
     kMbarrierWait, "", reporting(mbarrier_parity())},
    {"mbarrier", "check_layout", Opcode::mbarrier_check_layout, kLayout, kMbarrierLayout, "", {}},
    {"mbarrier", "pending_count", Opcode::mbarrier_pending_count, kPending, kMbarrierCount, "", {}},
};
static_assert(are_sound(kBarrierForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> barrier_forms() {
  return kBarrierForms;
}

}  // namespace ptxmc::isa
