// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/parameters.h"

#include <doctest/doctest.h>

using namespace ptxmc::gpu;

namespace {

ParameterFile example() {
  ParameterFile file;
  file.device.name = "NVIDIA H100 80GB HBM3";
  file.device.major = 9;
  file.device.driver = 13000;
  file.device.multiprocessors = 132;
  file.command = "ptxmc run --tune x.litmus";
  file.seed = 7;
  file.seconds = 60.5;
  file.joint = {512, 32, parse_stress("ctas=40,assign=chunks")};
  file.joint_gain = 2.5;
  file.tests.push_back({"MP", "abc", {64, 4, parse_stress("shuffle=0")}, 10, 5, 2});
  file.tests.push_back({"SB", "def", {}, 1, 0, 1});
  return file;
}

std::string refusal(const std::string& text) {
  try {
    read_parameters(text);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "";
}

/// The example's text with one piece replaced.
std::string changed(const std::string& what, const std::string& by) {
  std::string text = write_parameters(example());
  const std::size_t at = text.find(what);
  REQUIRE_NE(at, std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("a file is read as it was written") {
  const ParameterFile file = example(), back = read_parameters(write_parameters(file));
  CHECK_EQ(back.device.name, file.device.name);
  CHECK_EQ(back.device.major, 9);
  CHECK_EQ(back.command, file.command);
  CHECK_EQ(back.seed, 7);
  CHECK_EQ(back.seconds, 60.5);
  CHECK_EQ(back.joint, file.joint);
  CHECK_EQ(back.joint_gain, 2.5);
  REQUIRE_EQ(back.tests.size(), 2);
  CHECK_EQ(back.tests[0].parameters, file.tests[0].parameters);
  CHECK_EQ(back.tests[0].rate, 10);
  CHECK_EQ(back.tests[0].joint_rate, 5);
  CHECK_EQ(back.tests[0].default_rate, 2);
  CHECK_EQ(back.of("abc"), file.tests[0].parameters);
  CHECK_EQ(back.of("unknown"), file.joint);
  CHECK_EQ(write_parameters(back), write_parameters(file));
}

TEST_CASE("a file that is wrong says what is") {
  CHECK_EQ(refusal(""), "not JSON: byte 1");
  CHECK_EQ(refusal("[]"), "expected an object");
  CHECK_EQ(refusal("{}"), "no file of parameters: expected \"format\": \"ptxmc parameters 1\"");
  CHECK_EQ(refusal(changed("parameters 1", "parameters 9")),
           "no file of parameters: expected \"format\": \"ptxmc parameters 1\"");
  CHECK_EQ(refusal(changed("\"ctas\": 40", "\"ctas\": 400")),
           "joint.stress: ctas=400: expected a number from 0 to 95");
  CHECK_EQ(refusal(changed("\"ctas\": 40", "\"ctas\": -4")),
           "joint.stress: \"ctas\": expected a number or a word");
  CHECK_EQ(refusal(changed("\"instances\": 64", "\"instances\": 65")),
           "tests[0].parameters: \"instances\": expected a power of two from 32 to 1024");
  CHECK_EQ(refusal(changed("\"stride\": 4", "\"stride\": \"4\"")),
           "tests[0].parameters: \"stride\": expected a number from 0 to 4294967295");
  CHECK_EQ(refusal(changed("\"rate\": 10.0", "\"rate\": null")),
           "tests[0]: \"rate\": expected a number that is not negative");
  CHECK_EQ(refusal(changed("\"seed\"", "\"sead\"")), "unknown key \"sead\"");
  CHECK_EQ(refusal(changed("\"hash\": \"abc\",", "")), "tests[0]: it has no \"hash\"");
  CHECK_EQ(refusal(changed("\"9.0\"", "\"nine\"")), "device: \"capability\": expected one like \"9.0\"");
  CHECK_EQ(refusal(changed("\"name\": \"MP\"", "\"name\": 3")), "tests[0]: \"name\": expected a text");
}

TEST_CASE("names of files") {
  DeviceInfo device;
  device.name = "NVIDIA H100 80GB HBM3";
  CHECK_EQ(parameter_file_name(device), "ptxmc-NVIDIA-H100-80GB-HBM3.json");
  device.name = "a/..  b";
  CHECK_EQ(parameter_file_name(device), "ptxmc-a-..-b.json");
}

TEST_CASE("parameters are printed as options, and applied") {
  const Parameters p{512, 32, parse_stress("ctas=40")};
  CHECK_EQ(print(p), "--instances 512 --stride 32 --stress ctas=40");
  HarnessOptions options;
  options.fuel = 3;
  apply(p, options);
  CHECK_EQ(options.instances, 512);
  CHECK_EQ(options.stride, 32);
  CHECK_EQ(options.fuel, 3);
  CHECK_EQ(options.stress.ctas, 40);
}

TEST_CASE("what is built in") {
  DeviceInfo device;
  device.major = 9;
  CHECK_NE(default_parameters(device), Parameters{});
}

TEST_CASE("an architecture that nothing is known of has the plain parameters") {
  DeviceInfo device;
  device.major = 7;
  CHECK_EQ(default_parameters(device), Parameters{});
}
