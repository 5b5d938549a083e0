// SPDX-License-Identifier: Apache-2.0
#include "session/subject.h"

#include <utility>

namespace ptxmc::session {

Subject subject_of(litmus::Test launched, launch::Beside& beside) {
  Subject subject;
  subject.test = std::move(launched);
  subject.inner_maps = std::move(beside.inner_maps);
  subject.of_ctas = beside.ctas;
  subject.sizes = std::move(beside.sizes);
  subject.peers = beside.peers;
  if (beside.ran.size() < beside.ctas) subject.ctas = beside.ran;
  return subject;
}

}  // namespace ptxmc::session
