// SPDX-License-Identifier: Apache-2.0
// Arrivals of tcgen05.commit at objects of other CTAs, which may have exited by then (5.1.7). Those of one commit, and of
// later ones of its thread, are taken to be over together, as all of them follow what the thread issued (R283).
#pragma once

#include <set>
#include <unordered_map>

#include "dynamic/order/objects.h"
#include "dynamic/shadow/shared_memory_lifetime.h"

namespace ptxmc::trace {

class Commits {
 public:
  Commits(Kinds& kinds, Objects& objects, SharedMemoryLifetime& lifetime)
      : kinds_(kinds), objects_(objects), lifetime_(lifetime) {}

  void arrive(const Arrival& arrival);

 private:
  struct Issuer {
    ObjectId agent = 0;  // its time is the number of commits
    Time time = 0;
    Site site = 0;                 // of the last one
    std::set<std::uint64_t> ctas;  // that it has arrived at (Kind::place)
  };
  Issuer& next(const Arrival& arrival);

  Kinds& kinds_;
  Objects& objects_;
  SharedMemoryLifetime& lifetime_;
  std::unordered_map<Thread, Issuer> issuers_;
};

}  // namespace ptxmc::trace
