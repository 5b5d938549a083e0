// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "axiomatic/event/base.h"
#include "model/cat/print.h"
#include "model/models.h"

using namespace ptxmc;
using model::Readings;

TEST_CASE("the table: names and values are there once, and say something") {
  std::set<std::string_view> names;
  for (const model::Reading& reading : model::readings()) {
    CAPTURE(reading.name);
    CHECK(names.insert(reading.name).second);
    CHECK(reading.values.size() >= 2);
    CHECK(std::set<std::string_view>(reading.values.begin(), reading.values.end()).size() ==
          reading.values.size());
    CHECK_FALSE(reading.doc.empty());
    CHECK_FALSE(reading.rules.empty());
  }
}

TEST_CASE("setting a reading") {
  Readings readings;
  CHECK(readings.changed().empty());
  CHECK(readings.has("fence-sc=acq-rel"));
  readings.set("red=acquire");
  readings.set("fence-sc=only-sc");
  CHECK(readings.has("fence-sc=only-sc"));
  CHECK_FALSE(readings.has("fence-sc=acq-rel"));
  CHECK(readings.changed() == std::vector<std::string>{"fence-sc=only-sc", "red=acquire"});
  readings.set("fence-sc=acq-rel");
  CHECK(readings.changed() == std::vector<std::string>{"red=acquire"});
  CHECK(readings != Readings{});
  for (const char* wrong :
       {"fence-sc", "", "=", "fence-sc=", "fence-sc=sc", "fence=only-sc", "fence-sc=only-sc "})
    CHECK_THROWS_AS(readings.set(wrong), std::invalid_argument);
  CHECK(readings.holds("red=acquire") == true);
  CHECK(readings.holds("red=no-acquire") == false);
  CHECK_FALSE(readings.holds("red=maybe").has_value());
}

TEST_CASE("variants differ in one reading each") {
  Readings readings;
  readings.set("red=acquire");
  std::size_t expected = 0;
  for (const model::Reading& reading : model::readings()) expected += reading.values.size() - 1;
  const auto variants = readings.variants();
  CHECK(variants.size() == expected);
  for (const Readings::Variant& variant : variants) {
    CAPTURE(variant.name);
    CHECK(variant.readings.holds(fmt::format("{}={}", variant.name, variant.value)) == true);
    CHECK(variant.readings != readings);
    if (variant.name != "red") CHECK(variant.readings.has("red=acquire"));
  }
}

TEST_CASE("each reading that acts in the text changes the default model, and only such a one") {
  const relation::Signature& signature = event::base_signature();
  const std::string name(model::kDefaultProfile);
  const std::string text = cat::print(model::load(name, signature), signature);
  for (const Readings::Variant& variant : Readings().variants()) {
    CAPTURE(variant.name);
    CAPTURE(variant.value);
    const std::string other = cat::print(model::load(name, signature, variant.readings), signature);
    CHECK((other != text) == (variant.acts == model::Acts::text));
  }
}

TEST_CASE("an edition's values are in force until others are chosen, and are no change") {
  const model::Profile* const older = model::find_profile("ptx-9");
  REQUIRE(older != nullptr);
  CHECK(older->name == "ptx-9.1");
  Readings readings(older->readings);
  CHECK(readings.has("tcgen05-pairs=9.1"));
  CHECK(readings.has("wait-read=map"));
  CHECK(readings.changed().empty());
  CHECK(readings != Readings());
  readings.set("tcgen05-pairs=9.4");
  readings.set("wait-read=map");
  CHECK(readings.changed() == std::vector<std::string>{"tcgen05-pairs=9.4"});
  readings.take_edition({});
  CHECK(readings == Readings());
  CHECK(readings.changed().empty());
  CHECK(Readings(model::edition_of("ptx-8.4")).has("init-visible=fenced"));
  CHECK(model::edition_of("mine.cat").empty());
}

TEST_CASE("the published models consult none") {
  const relation::Signature& signature = event::base_signature();
  for (const char* name : {"ptx-6.0", "ptx-7.5", "sc"}) {
    const std::string text = cat::print(model::load(name, signature), signature);
    for (const Readings::Variant& variant : Readings().variants())
      CHECK(cat::print(model::load(name, signature, variant.readings), signature) == text);
  }
}
