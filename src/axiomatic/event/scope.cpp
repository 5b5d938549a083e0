// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/scope.h"

namespace ptxmc::event {

using isa::Scope;

bool includes(Scope scope, const ThreadInfo& from, const ThreadInfo& to) {
  switch (scope) {
    case Scope::none:
      return false;
    case Scope::cta:
      return from.cta == to.cta;
    case Scope::cluster:
      return from.cluster == to.cluster;
    case Scope::gpu:
      return !from.host && !to.host && from.gpu == to.gpu;
    case Scope::sys:
      return true;
  }
  return false;
}

Scope common_scope(const ThreadInfo& a, const ThreadInfo& b) {
  Scope scope = Scope::cta;
  while (!includes(scope, a, b) || !includes(scope, b, a)) scope = wider(scope);
  return scope;
}

}  // namespace ptxmc::event
