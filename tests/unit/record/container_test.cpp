// SPDX-License-Identifier: Apache-2.0
#include "input/record/container.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "../contains.h"
#include "fat_binary.h"
#include "input/record/image.h"
#include "support/diagnostic.h"

namespace ptxmc::record {
namespace {

using ptxmc::testing::contains;

const std::string kText = ".version 8.0\n.target sm_90a\n.address_size 64\n";

template <typename Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("parts of a fat binary, plain and compressed") {
  const std::string image = fat_binary(
      {part(2, 90, "object"), part(1, 80, kText), lz4_part(1, 90, kText), zstd_part(1, 100, kText)});
  const auto parts = parts_of(image);
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].kind == Part::Kind::object);
  CHECK(parts[1].architecture == 80);
  CHECK(parts[2].compression == Compression::lz4);
  CHECK(parts[3].compression == Compression::zstd);
  for (std::size_t i = 1; i < parts.size(); ++i) CHECK(plain_data(parts[i]).substr(0, kText.size()) == kText);
}

TEST_CASE("what is cut off is an error, wherever") {
  const std::string image = fat_binary({part(1, 80, kText), zstd_part(1, 90, kText)});
  for (std::size_t length = 0; length < image.size(); ++length)
    CHECK(contains(error_of([&] { parts_of(image.substr(0, length)); }), "a fat binary is damaged"));
}

TEST_CASE("any byte may be another: an error, or parts inside of the image") {
  const std::string image = fat_binary({lz4_part(1, 80, kText), zstd_part(1, 90, kText)});
  for (std::size_t at = 0; at < image.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string changed = image;
      changed[at] = byte;
      const std::string error = error_of([&] {
        for (const Part& one : parts_of(changed)) {
          CHECK(one.data.data() >= changed.data());
          CHECK(one.data.data() + one.data.size() <= changed.data() + changed.size());
          plain_data(one);
        }
      });
      const bool known = error == "no error" || error.find("a fat binary is damaged") != std::string::npos;
      CHECK_MESSAGE(known, error);
    }
  }
}

TEST_CASE("sizes that lie") {
  const auto error = [](std::string changed) {
    return error_of([&] {
      for (const Part& one : parts_of(changed)) plain_data(one);
    });
  };
  const std::string image = fat_binary({zstd_part(1, 90, kText)});
  const auto with = [&](std::size_t at, std::uint64_t value) {
    std::string changed = image;
    std::memcpy(changed.data() + at, &value, sizeof value);
    return changed;
  };
  constexpr std::size_t kBytes = 8, kPart = 16;
  CHECK(contains(error(with(kBytes, ~std::uint64_t{0})), "it says that it has"));
  CHECK(contains(error(with(kPart + 8, ~std::uint64_t{0} - 100)), "a part says that it has"));
  CHECK(contains(error(with(kPart + 56, std::uint64_t{1} << 40)), "more than"));
  CHECK(contains(error(with(kPart + 56, std::uint64_t{1} << 27)), "compressed"));
  CHECK(contains(error(with(kPart + 56, 3)), "its zstd data are no 3 bytes"));
  CHECK(contains(error(with(kPart + 40, 0x11)), "in a way that is not known"));
}

TEST_CASE("the PTX that a device takes") {
  const PtxFolders none({});
  const std::string image =
      fat_binary({part(1, 80, "eighty"), zstd_part(1, 90, "ninety"), part(1, 120, "later")});
  CHECK(ptx_of(image, 90, none).text == "ninety");
  CHECK(ptx_of(image, 86, none).text == "eighty");
  CHECK(ptx_of(image, 130, none).text == "later");
  CHECK(contains(error_of([&] { ptx_of(image, 75, none); }), "--arch sm_80"));
  CHECK(ptx_of(std::string("text\0behind", 11), 90, none).text == "text");
  CHECK(contains(error_of([&] { ptx_of(fat_binary({part(2, 90, "object")}), 90, none); }),
                 "compile it with nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a]"));
}

}  // namespace
}  // namespace ptxmc::record
