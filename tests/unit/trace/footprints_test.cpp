// SPDX-License-Identifier: Apache-2.0
// Which CTAs do the same.
#include "dynamic/shadow/footprints.h"

#include <doctest/doctest.h>

#include <functional>

namespace ptxmc::trace {
namespace {

constexpr Address kShared = 0x10000000, kWindow = 0x1000, kGlobal = 0x1000;
constexpr Site kSite = 3;

/// Two CTAs of a warp each; true: they are of one class after what each does.
bool alike(const std::function<void(Footprints&, std::uint32_t cta)>& act) {
  Footprints footprints;
  const std::vector<Placement> warps = {{.cta = 0, .cluster = 0}, {.cta = 1, .cluster = 1}};
  footprints.start(warps);
  for (std::uint32_t cta = 0; cta < 2; ++cta)
    footprints.shared_memory(cta, {kShared + cta * kWindow, kWindow});
  for (std::uint32_t cta = 0; cta < 2; ++cta) act(footprints, cta);
  footprints.finish();
  return footprints.classes()[0] == footprints.classes()[1];
}

/// Lanes 0 and 1 store at these addresses.
void store(Footprints& footprints, std::uint32_t warp, Address first, Address second) {
  std::array<Address, kLanes> begin{};
  begin[0] = first;
  begin[1] = second;
  Access access{.site = kSite,
                .lanes = {warp, 3},
                .effect = Effect::write,
                .strength = {},
                .begin = begin,
                .written = {}};
  footprints.access(access);
}

}  // namespace

TEST_CASE("places of shared memory tell CTAs apart") {
  CHECK(alike([](Footprints& f, std::uint32_t cta) {
    const Address own = kShared + cta * kWindow;
    store(f, cta, own + 4, own + 8);
  }));
  CHECK_FALSE(alike([](Footprints& f, std::uint32_t cta) {
    const Address own = kShared + cta * kWindow;
    store(f, cta, own + 4, own + (cta == 0 ? 8 : 4));  // both lanes at one place
  }));
}

TEST_CASE("of global memory, only where an instruction begins may differ") {
  CHECK(alike(
      [](Footprints& f, std::uint32_t cta) { store(f, cta, kGlobal + 64 * cta, kGlobal + 64 * cta + 4); }));
  CHECK_FALSE(alike([](Footprints& f, std::uint32_t cta) {
    store(f, cta, kGlobal + 64 * cta, kGlobal + 64 * cta + (cta == 0 ? 4 : 0));
  }));
}

TEST_CASE("objects, barriers and counts tell CTAs apart") {
  const auto arrives = [](Address offset, std::uint32_t count) {
    return [=](Footprints& f, std::uint32_t cta) {
      Arrival arrival{
          .site = kSite, .thread = cta * kLanes, .object = kShared + cta * kWindow, .strength = {}};
      if (cta == 1) {
        arrival.object += offset;
        arrival.count = count;
      }
      f.mbarrier_arrive(arrival);
    };
  };
  CHECK(alike(arrives(0, 1)));
  CHECK_FALSE(alike(arrives(8, 1)));
  CHECK_FALSE(alike(arrives(0, 2)));
  const auto meets = [](std::uint8_t id) {
    return [=](Footprints& f, std::uint32_t cta) {
      f.barrier_arrive(kSite, {cta, 1}, {cta, cta == 0 ? std::uint8_t{1} : id}, 0);
    };
  };
  CHECK(alike(meets(1)));
  CHECK_FALSE(alike(meets(2)));
}

}  // namespace ptxmc::trace
