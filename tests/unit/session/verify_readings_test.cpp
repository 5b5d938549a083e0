// SPDX-License-Identifier: Apache-2.0
#include "session/verify_readings.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "input/litmus/parse.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::session {
namespace {

litmus::Test no_program() {
  const char* const text = "PTX one\n{\n}\nP0 @ cta 0 {\n  mov.u32 %r1, 1;\n}\nforall (true)\n";
  return litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text}));
}

explore::VerifyReadings read_with(const model::Readings& readings) {
  Settings settings;
  settings.readings = readings;
  explore::VerifyReadings out = verify_readings(settings, no_program());
  out.under.clear();  // words
  return out;
}

TEST_CASE(
    "a run and a model text read one table: the defaults agree, and each value that a run takes changes it") {
  const model::Readings defaults;
  CHECK(read_with(defaults) == explore::VerifyReadings{});
  std::size_t taken = 0;
  for (const model::Readings::Variant& variant : defaults.variants()) {
    const std::string name = std::string(variant.name) + "=" + std::string(variant.value);
    CAPTURE(name);
    try {
      const explore::VerifyReadings read = read_with(variant.readings);
      ++taken;
      CHECK((read == explore::VerifyReadings{}) ==
            (name == "test-wait=may-fail"));  // timing decides that in any case
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("--reading " + name) != std::string::npos);
    }
  }
  CHECK(taken == 22);
}

}  // namespace
}  // namespace ptxmc::session
