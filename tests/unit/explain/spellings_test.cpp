// SPDX-License-Identifier: Apache-2.0
#include "explain/words/spellings.h"

#include <doctest/doctest.h>

namespace ptxmc::explain {
namespace {

TEST_CASE("calls are in the order of the text, each once, and without those that it names") {
  const Calls calls = calls_for(
      "let the same thread execute cp.async.bulk.commit_group and a cp.async.bulk.wait_group.read whose count "
      "includes that group; cp.async.bulk.commit_group again");
  CHECK(calls.cuda ==
        std::vector<std::string>{"cuda::ptx::cp_async_bulk_commit_group()",
                                 "cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<N>{})"});
  CHECK(calls.cutlass == std::vector<std::string>{"cute::tma_store_arrive()", "cute::tma_store_wait<N>()"});
  const Calls named = calls_for("add `__syncthreads()` between the two accesses (PTX: bar.sync 0)");
  CHECK(named.cuda.empty());
  CHECK(named.cutlass.empty());
  const Calls cluster =
      calls_for("call `cluster.sync()` (PTX: barrier.cluster.arrive and barrier.cluster.wait)");
  CHECK(cluster.cuda.empty());
  CHECK(cluster.cutlass == std::vector<std::string>{"cute::cluster_sync()"});
}

TEST_CASE("a name is found whole: not as the beginning of another one") {
  CHECK(calls_for("use fence.scope").cuda.empty());
  CHECK(calls_for("add fence.sc after the read").cuda == std::vector<std::string>{"__threadfence()"});
  CHECK(calls_for("add cp.async.bulk.wait_group 0").cutlass.empty());
  CHECK(calls_for("nothing to do").cuda.empty());
}

TEST_CASE("a name that another begins with stands after it, and all have a call") {
  const auto all = spellings();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].ptx);
    CHECK_FALSE((all[i].cuda.empty() && all[i].cutlass.empty()));
    for (std::size_t j = i + 1; j < all.size(); ++j)
      CHECK_FALSE(all[j].ptx.starts_with(std::string(all[i].ptx) + "."));
  }
}

}  // namespace
}  // namespace ptxmc::explain
