// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/commits.h"

namespace ptxmc::trace {

/// One commit arrives once in each CTA that it names.
Commits::Issuer& Commits::next(const Arrival& arrival) {
  const auto [found, fresh] = issuers_.try_emplace(arrival.thread);
  Issuer& issuer = found->second;
  if (fresh) issuer.agent = objects_.add_agent();
  const std::uint64_t cta = lifetime_.place_of(arrival.object);
  if (issuer.site != arrival.site || issuer.ctas.contains(cta)) {
    issuer.site = arrival.site;
    issuer.ctas.clear();
  }
  if (issuer.ctas.empty()) ++issuer.time;
  issuer.ctas.insert(cta);
  return issuer;
}

void Commits::arrive(const Arrival& arrival) {
  const Issuer& issuer = next(arrival);
  objects_.tell({arrival.object, arrival.phase}, {issuer.agent, 0, issuer.time});
  Kind kind{arrival.site, Effect::update, isa::Proxy::tensor, arrival.strength, Objects::kBytes};
  kind.agent = Agent::object;
  kind.object = issuer.agent;
  kind.operation = true;
  const Lanes lane = lane_of(arrival.thread);
  lifetime_.visit(kind, {kinds_.find(kind), lane.warp, lane.mask, issuer.time, 0},
                  {arrival.object, Objects::kBytes}, true);
}

}  // namespace ptxmc::trace
