// SPDX-License-Identifier: Apache-2.0
// Strong reads that race with nothing and yet may take a value that is out of date: the thread has observed what was
// released behind the newest write, and has not acquired it; or a loop has told of the write, and nothing was released.
#include "trace/memory.h"

namespace ptxmc::trace {

void Memory::look_for_stale(Range range, const Mark& mark) {
  const Kind& kind = kinds_[mark.kind];
  const Thread thread = first_of(mark);
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address begin, unsigned bytes) {
    const Mark& write = cell.write;
    if (write.mask == 0 || order_.relate(write, kind, thread) != Pair::strong) return;
    if (messages_.has_seen(thread, begin, order_.epoch(write))) return;
    std::optional<Cause> cause = messages_.unacquired(thread, order_.epoch(write));
    if (!cause && told_.expects(thread, range.begin, order_.epoch(write))) cause.emplace();
    if (!cause) return;
    const Kind& first = kinds_[write.kind];
    Finding finding;
    finding.rule = Rule::stale_read;
    finding.first = {first.site, lane_that_is(Pair::strong, write, kind, thread), first.effect, first.proxy,
                     false};
    finding.second = {kind.site, thread, kind.effect, kind.proxy, false};
    finding.bytes = {begin, bytes};
    finding.cause = *cause;
    findings_.add(finding);
  });
}

}  // namespace ptxmc::trace
