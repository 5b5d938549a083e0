// SPDX-License-Identifier: Apache-2.0
// Changes of a CUDA source by statements, and where none can stand.
#include "repair/source_change.h"

#include <doctest/doctest.h>

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

const std::string kSource =
    "__global__ void k(int* x) {\n"    // 1
    "  if (threadIdx.x == 0) {\n"      // 2
    "    __syncthreads();\n"           // 3
    "  }\n"                            // 4
    "  for (int i = 0; i < 4; ++i)\n"  // 5
    "    x[i] = i;  // each\n"         // 6
    "  x[4] = x[3] +\n"                // 7
    "         x[2];\n"                 // 8
    "  int y = x[4];\n"                // 9
    "  x[5] = y;\n"                    // 10
    "}\n";

SourceChange at(std::uint32_t line, std::uint32_t column, bool behind, const std::string& statement,
                std::uint32_t taken = 0) {
  return {{"k.cu", line, column}, behind, statement, taken};
}

}  // namespace

TEST_CASE("a statement of CUDA, or asm") {
  CHECK(statement_of("bar.sync 0") == "__syncthreads();");
  CHECK(statement_of("fence.acq_rel.gpu") == "__threadfence();");
  CHECK(statement_of("fence.proxy.async") == "asm volatile(\"fence.proxy.async;\" ::: \"memory\");");
  CHECK(!statement_of("fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128"));
}

TEST_CASE("it stands on a line of its own") {
  const auto after = with_changes(kSource, {at(10, 3, false, "__syncthreads();")});
  REQUIRE(after);
  CHECK(after->find("  int y = x[4];\n  __syncthreads();\n  x[5] = y;\n") != std::string::npos);
  const auto behind = with_changes(kSource, {at(10, 3, true, "__threadfence();")});
  REQUIRE(behind);
  CHECK(behind->find("  x[5] = y;\n  __threadfence();\n}\n") != std::string::npos);
}

TEST_CASE("a barrier of a branch stands before the branch") {
  const auto after = with_changes(kSource, {at(2, 3, false, "", 3)});
  REQUIRE(after);
  CHECK(after->find("{\n  __syncthreads();\n  if (threadIdx.x == 0) {\n  }\n") != std::string::npos);
}

TEST_CASE("where no statement begins, none can stand") {
  CHECK(!with_changes(kSource, {at(6, 5, false, "__syncthreads();")}));   // the body of a loop without braces
  CHECK(!with_changes(kSource, {at(8, 10, false, "__syncthreads();")}));  // the rest of a statement
  CHECK(!with_changes(kSource, {at(2, 20, false, "__syncthreads();")}));  // after the condition
  CHECK(!with_changes(kSource, {at(2, 3, true, "__syncthreads();")}));
  CHECK(!with_changes(kSource, {at(99, 1, false, "__syncthreads();")}));
  CHECK(!with_changes(kSource, {at(2, 3, false, "", 9)}));  // a declaration
  CHECK(!with_changes(kSource, {at(2, 3, false, "", 7)}));  // half of a statement
}
