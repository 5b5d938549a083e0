// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/warpgroups.h"

#include <algorithm>

namespace ptxmc::trace {

void Warpgroups::start() {
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_cta;
  for (std::uint32_t warp = 0; warp < threads_.warps(); ++warp) {
    const std::uint32_t first =
        first_of_cta.try_emplace(threads_.place_of_warp(warp).cta, warp).first->second;
    first_.push_back(warp - (warp - first) % waits_for_);
    whole_first_.push_back(warp - (warp - first) % kWarps);
  }
  sets_.assign(threads_.warps(), {});
  committed_.assign(threads_.warps(), 0);
  told_.assign(threads_.warps(), 0);
}

Warpgroups::Group& Warpgroups::group(std::uint32_t warp) {
  const auto [known, fresh] = groups_.try_emplace(first_[warp]);
  if (fresh) known->second.agent = objects_.add_agent();
  return known->second;
}

Warpgroups::Issue Warpgroups::issue(Thread thread) {
  const std::uint32_t warp = thread / kLanes;
  // Without any fence the behaviour is undefined (R245), which is said of the instruction.
  if (!threads_.has_starter(warp)) threads_.start_here({warp, ~std::uint32_t{0}});
  return {group(warp).agent, committed_[warp] + 1, threads_.starter(warp)};
}

void Warpgroups::commit(Lanes lanes) {
  Group& group = this->group(lanes.warp);
  objects_.advance(group.agent, ++committed_[lanes.warp]);
  std::vector<Snapshot> snapshots;
  threads_.add_snapshots(lanes, snapshots);
  group.issued.resize(std::max<std::size_t>(group.issued.size(), committed_[lanes.warp]));
  ClockRef& issued = group.issued[committed_[lanes.warp] - 1];
  issued = join(issued, executed(join(snapshots)));
  threads_.tick(lanes.warp);
}

// An operation is complete after its issue by each of the warps (R251).
void Warpgroups::wait(Lanes lanes, std::uint32_t pending) {
  const Time groups = committed_[lanes.warp];
  if (groups <= pending) return;
  Group& group = this->group(lanes.warp);
  ClockEdit edit(nullptr);
  edit.plane(OrderKind::base).raise_object(group.agent, groups - pending);
  threads_.learn(lanes, edit.take());
  for (Time& told = told_[lanes.warp]; told < groups - pending; ++told)
    threads_.learn(lanes, group.issued[told]);
}

bool Warpgroups::knows_of(Lanes lanes, const RegisterSets& other, std::size_t number) const {
  if (other.count <= number) return false;
  const Epoch& epoch = other.last.at(number % 2).epoch;
  bool known = false;  // it is executed when all lanes of the warp are there
  for_threads(lanes, [&](Thread thread) {
    known = known || threads_.knows(thread, OrderKind::base, epoch) ||
            threads_.knows(thread, OrderKind::execution, epoch);
  });
  return known;
}

void Warpgroups::set_registers(Site site, Lanes lanes) {
  RegisterSets& own = sets_[lanes.warp];
  for (std::uint32_t warp = whole_first_[lanes.warp];
       own.count != 0 && warp < sets_.size() && whole_first_[warp] == whole_first_[lanes.warp]; ++warp) {
    const RegisterSets& other = sets_[warp];
    if (warp == lanes.warp || knows_of(lanes, other, own.count - 1)) continue;
    const bool executed = other.count >= own.count;
    const RegisterSets::Set& before = (executed ? other : own).last.at((own.count - 1) % 2);
    Finding finding;
    finding.rule = RuleId::setmaxnreg_unsynchronized;
    finding.first = {before.site, before.epoch.warp * kLanes};
    finding.second = {site, lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))};
    findings_.add(finding);
    break;
  }
  own.last.at(own.count++ % 2) = {site,
                                  {Agent::thread, lanes.warp, lanes.mask, 0, threads_.stamp(lanes.warp)}};
  threads_.tick(lanes.warp);
}

}  // namespace ptxmc::trace
