// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/execution_knowledge.h"

#include <functional>
#include <span>

namespace ptxmc::trace {

void ExecutionKnowledge::write(Thread thread, Address at) {
  if (written_.size() >= kMost && !written_.contains(at)) return;
  Written& written = written_[at];
  ++written.times;
  written.by = threads_.snapshot(thread);
}

void ExecutionKnowledge::read(Thread thread, Address at) {
  const auto written = written_.find(at);
  if (written == written_.end()) return;
  if (read_.size() < kMost || read_.contains({thread, at})) read_[{thread, at}] = written->second.times;
}

void ExecutionKnowledge::leave(Thread thread, Address at) {
  const auto written = written_.find(at);
  if (written == written_.end()) return;
  any_ = true;
  threads_.learn(thread, narrowed(join(std::span(&written->second.by, 1)), OrderKind::told));
}

bool ExecutionKnowledge::tells(Address at, const Epoch& epoch) const {
  const auto written = written_.find(at);
  return written != written_.end() && join(std::span(&written->second.by, 1))->covers(OrderKind::base, epoch);
}

bool ExecutionKnowledge::expects(Thread thread, Address at, const Epoch& epoch) const {
  if (!any_ || !threads_.knows(thread, OrderKind::told, epoch)) return false;
  const auto written = written_.find(at);
  const auto read = read_.find({thread, at});
  return written != written_.end() && (read == read_.end() || read->second != written->second.times);
}

}  // namespace ptxmc::trace
