// SPDX-License-Identifier: Apache-2.0
// Strong reads that race with nothing and yet may take a value that is out of date: the thread has observed
// what was released after the newest write, and has not acquired it; or a loop or an atomic has told of the
// write, and nothing was released; or it is an element of the vector by which a loop reads what it waits for,
// and these are read in no order (8.2.4).
#include <algorithm>

#include "dynamic/shadow/memory.h"

namespace ptxmc::trace {

void Memory::add_stale(const ShadowAccess& write, const ShadowAccess& read, Range range, const Cause& cause) {
  const Kind &first = kinds_[write.kind], &second = kinds_[read.kind];
  const Thread thread = first_of(read);
  Finding finding;
  finding.rule = RuleId::stale_read;
  finding.first = {first.site, lane_that_is(Pair::strong, write, second, thread), first.effect, first.proxy,
                   false};
  finding.second = {second.site, thread, second.effect, second.proxy, false};
  finding.bytes = range;
  finding.cause = cause;
  findings_.add(finding);
}

void Memory::look_for_stale(Range range, const ShadowAccess& mark) {
  const Kind& kind = kinds_[mark.kind];
  const Thread thread = first_of(mark);
  look_at(range.begin);
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address begin, unsigned bytes) {
    const ShadowAccess& write = cell.write;
    if (write.mask == 0 || order_.relate(write, kind, thread) != Pair::strong) return;
    if (release_sequences_.has_seen(thread, begin, order_.epoch(write))) return;
    std::optional<Cause> cause = release_sequences_.unacquired(thread, order_.epoch(write));
    if (!cause && knowledge_.expects(thread, range.begin, order_.epoch(write))) cause.emplace();
    if (cause) add_stale(write, mark, {begin, bytes}, *cause);
  });
}

void Memory::look_for_stale_beside(Range range, const ShadowAccess& mark, std::span<const Address> awaited) {
  look_at(range.begin);
  const Kind& kind = kinds_[mark.kind];
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address begin, unsigned bytes) {
    const ShadowAccess& write = cell.write;
    if (write.mask == 0 || order_.relate(write, kind, first_of(mark)) != Pair::strong) return;
    const Epoch epoch = order_.epoch(write);
    const auto tells = [&](Address at) { return knowledge_.tells(at, epoch); };
    if (std::any_of(awaited.begin(), awaited.end(), tells))
      add_stale(write, mark, {begin, bytes},
                Cause{Missing::one_access, isa::Proxy::generic, std::nullopt, std::nullopt});
  });
}

}  // namespace ptxmc::trace
