// SPDX-License-Identifier: Apache-2.0
#include "face/cli/workers.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

using namespace ptxmc::cli;

namespace {

struct Seen {
  std::array<int, 8> by;  ///< the process that treated an item; 0: none
};

struct Run {
  std::array<int, 8> by{};
  std::vector<Loss> losses;
};

Run run(std::uint64_t count, const std::function<Next(std::uint64_t)>& work, bool go_on = true,
        const std::function<bool()>& stop = {}) {
  const Shared<Seen> seen;
  Run out;
  work_in_children(
      count, {0.3, 0.1, stop},
      [&](std::uint64_t i) {
        seen->by[i] = static_cast<int>(::getpid());
        return work(i);
      },
      [&](const Loss& loss) {
        out.losses.push_back(loss);
        return go_on;
      });
  out.by = seen->by;
  return out;
}

}  // namespace

TEST_CASE("one child does all items") {
  const Run r = run(4, [](std::uint64_t) { return Next::go_on; });
  CHECK(r.losses.empty());
  CHECK(r.by[0] != 0);
  CHECK(r.by[0] != static_cast<int>(::getpid()));
  CHECK(r.by[3] == r.by[0]);
  CHECK(r.by[4] == 0);
}

TEST_CASE("a spoiled process is left behind") {
  const Run r = run(3, [](std::uint64_t i) { return i == 0 ? Next::fresh : Next::go_on; });
  CHECK(r.losses.empty());
  CHECK(r.by[1] != r.by[0]);
  CHECK(r.by[2] == r.by[1]);
}

TEST_CASE("an item that never ends is killed, and the next ones run") {
  const Run r = run(3, [](std::uint64_t i) {
    while (i == 1) ::pause();  // NOLINT(bugprone-infinite-loop): that is what is tested
    return Next::go_on;
  });
  REQUIRE(r.losses.size() == 1);
  CHECK(r.losses[0].item == 1);
  CHECK(r.losses[0].silent);
  CHECK(r.by[2] != 0);
}

TEST_CASE("an item that ends its process") {
  const Run r = run(4, [](std::uint64_t i) {
    if (i == 1) ::_exit(9);
    if (i == 2) ::raise(SIGKILL);
    return Next::go_on;
  });
  REQUIRE(r.losses.size() == 2);
  CHECK(r.losses[0].item == 1);
  CHECK(r.losses[0].status == 9);
  CHECK(r.losses[1].item == 2);
  CHECK(r.losses[1].signal == SIGKILL);
  CHECK(r.by[3] != 0);
}

TEST_CASE("work and losses may end it") {
  const Run enough = run(3, [](std::uint64_t i) { return i == 1 ? Next::enough : Next::go_on; });
  CHECK(enough.by[1] != 0);
  CHECK(enough.by[2] == 0);
  const auto dies = [](std::uint64_t i) {
    if (i == 0) ::_exit(1);
    return Next::go_on;
  };
  CHECK(run(2, dies, false).by[1] == 0);
  CHECK(run(2, dies, true).by[1] != 0);
}

TEST_CASE("asked to stop: the item at hand comes to its end, and no other begins") {
  const Shared<int> begun;
  const Run r = run(
      3,
      [&](std::uint64_t) {
        *begun = 1;
        ::usleep(50'000);
        return *begun == 2 ? Next::enough : Next::go_on;
      },
      true,
      [&] {
        if (*begun == 1) *begun = 2;
        return *begun == 2;
      });
  CHECK(r.losses.empty());
  CHECK(r.by[0] != 0);
  CHECK(r.by[1] == 0);
}

TEST_CASE("asked to stop: an item that does not end is killed after its grace") {
  const Shared<int> begun;
  const Run r = run(
      2,
      [&](std::uint64_t) {
        *begun = 1;
        while (true) ::pause();
        return Next::go_on;
      },
      true, [&] { return *begun != 0; });
  REQUIRE(r.losses.size() == 1);
  CHECK(r.losses[0].silent);
  CHECK(r.by[1] == 0);
}
