// SPDX-License-Identifier: Apache-2.0
// Synchronization objects in random programs: two mbarrier objects and the cluster barrier; exchanges of
// lanes. Waits meet arrivals often enough, since counts and phases are few; programs in which nobody ends are
// tests too.
#include "generator.h"

namespace ptxmc::testing {

std::string Generator::object_operands(const std::string& more) {
  return fmt::format("[m{}]{}", random_.between(0, 1), more);
}

/// A wait that succeeds, or a poll whose result is used.
std::string Generator::mbarrier_wait(ThreadSpec& t) {
  const std::string p = fmt::format("%p{}", t.predicates++);
  const std::string sem =
      random_.pick<const char*>({"", "", ".acquire.cta", ".acquire.cluster", ".relaxed.cta"});
  const std::string parity = fmt::format(", {}", random_.chance(75) ? 0 : 1);
  if (random_.chance(25)) {
    t.lines.push_back(
        fmt::format("mbarrier.test_wait.parity{}.shared.b64 {}, {}", sem, p, object_operands(parity)));
    return fmt::format("selp.b32 {}, 1, 0, {}", new_register(t, 32), p);
  }
  const std::string label = new_label(t);
  t.lines.push_back(label + ":");
  t.lines.push_back(
      fmt::format("mbarrier.try_wait.parity{}.shared.b64 {}, {}", sem, p, object_operands(parity)));
  return fmt::format("@!{} bra {}", p, label);
}

std::string Generator::synchronization(ThreadSpec& t) {
  const std::string sem =
      random_.pick<const char*>({"", "", ".release.cta", ".release.cluster", ".relaxed.cta"});
  switch (random_.weighted({35, 30, 6, 4, 4, 4, 12})) {
    case 0:
      return fmt::format("mbarrier.arrive{}.shared.b64 _, {}", sem, object_operands(""));
    case 1:
      return mbarrier_wait(t);
    case 2: {  // a wait for one's own phase
      const std::string state = fmt::format("%rs{}", t.addresses++), p = fmt::format("%p{}", t.predicates++);
      const std::string object = object_operands(""), label = new_label(t);
      t.lines.push_back(fmt::format("mbarrier.arrive{}.shared.b64 {}, {}", sem, state, object));
      t.lines.push_back(label + ":");
      t.lines.push_back(fmt::format("mbarrier.try_wait.shared.b64 {}, {}, {}", p, object, state));
      return fmt::format("@!{} bra {}", p, label);
    }
    case 3:
      return fmt::format("mbarrier.arrive_drop{}.shared.b64 _, {}", sem, object_operands(""));
    case 4:
      return fmt::format("mbarrier.{}.relaxed.cta.shared.b64 {}",
                         random_.pick<const char*>({"expect_tx", "complete_tx"}), object_operands(", 4"));
    case 5:
      return fmt::format("mbarrier.arrive.expect_tx{}.shared.b64 _, {}", sem, object_operands(", 4"));
    default: {
      const char* kind = random_.pick<const char*>({"", ".release", ".relaxed"});
      t.lines.push_back(fmt::format("barrier.cluster.arrive{}", kind));
      if (random_.chance(50)) t.lines.push_back(fence(t));
      return "barrier.cluster.wait";
    }
  }
}

/// Few kinds, and as a rule the mask of all lanes, so that those of two threads often meet. One mask in ten
/// names a lane that no thread is.
std::string Generator::exchange(ThreadSpec& t, std::size_t kind) {
  const std::string mask = fmt::format("{:#x}", random_.chance(90) ? lanes_ : lanes_ | 16U);
  const auto source = [&] { return value(t, 32); };
  switch (kind) {
    case 0: {
      const char* mode = random_.pick<const char*>({"idx", "bfly", "up", "down"});
      const char* clamp = std::string_view(mode) == "up" ? "0" : "31";
      const std::string from = source();
      return fmt::format("shfl.sync.{}.b32 {}, {}, {}, {}, {}", mode, new_register(t, 32), from,
                         random_.between(0, 2), clamp, mask);
    }
    case 1: {
      const std::string p = fmt::format("%p{}", t.predicates++), tested = source();
      t.lines.push_back(fmt::format("setp.eq.u32 {}, {}, 1", p, tested));
      return fmt::format("vote.sync.ballot.b32 {}, {}, {}", new_register(t, 32), p, mask);
    }
    case 2: {
      const std::string from = source();
      return fmt::format("match.any.sync.b32 {}, {}, {}", new_register(t, 32), from, mask);
    }
    case 3: {
      const std::string from = source();
      return fmt::format("redux.sync.{} {}, {}, {}",
                         random_.pick<const char*>({"add.u32", "max.s32", "or.b32"}), new_register(t, 32),
                         from, mask);
    }
    case 4: {
      const std::string p = fmt::format("%p{}", t.predicates++);
      t.lines.push_back(fmt::format("elect.sync _|{}, {}", p, mask));
      return fmt::format("selp.b32 {}, 1, 0, {}", new_register(t, 32), p);
    }
    default:
      return fmt::format("bar.warp.sync {}", mask);
  }
}

}  // namespace ptxmc::testing
