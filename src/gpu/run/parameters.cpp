// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace ptxmc::gpu {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "ptxmc parameters 1";

/// Found by `run --tune` (tests/gpu/README.md, "Stress and tuning"); other architectures are not tuned.
struct BuiltIn {
  int major;  ///< compute capability
  unsigned instances, stride;
  const char* stress;
};
constexpr BuiltIn kBuiltIn[] = {
    {9, 128, 16, "pre=80,lines=512,scratch=8192"},  // an H100
};

Json json_of(const Parameters& parameters) {
  Json out;
  out["instances"] = parameters.instances;
  out["stride"] = parameters.stride;
  Json stress = Json::object();
  for (const StressSetting& setting : stress_settings(parameters.stress)) {
    if (setting.number) {
      stress[setting.key] = std::stoul(setting.value);
    } else {
      stress[setting.key] = setting.value;
    }
  }
  out["stress"] = std::move(stress);
  return out;
}

/// An object of the file, and where it is: "tests[2].parameters".
class Reader {
 public:
  Reader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail("expected an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ParameterError(place_.empty() ? what : fmt::format("{}: {}", place_, what));
  }
  void only(const std::set<std::string>& keys) const {
    for (const auto& item : json_.items()) {
      if (!keys.contains(item.key())) fail(fmt::format("unknown key \"{}\"", item.key()));
    }
  }
  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("it has no \"{}\"", key));
    return *found;
  }
  bool has(const char* key) const { return json_.contains(key); }
  Reader object(const char* key) const { return {at(key), inside(key)}; }
  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("\"{}\": expected a text", key));
    return at(key).get<std::string>();
  }
  double number(const char* key) const {
    if (!at(key).is_number() || at(key).get<double>() < 0)
      fail(fmt::format("\"{}\": expected a number that is not negative", key));
    return at(key).get<double>();
  }
  std::uint32_t whole(const char* key, std::uint32_t most) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      fail(fmt::format("\"{}\": expected a number from 0 to {}", key, most));
    return value.get<std::uint32_t>();
  }
  unsigned power(const char* key, unsigned least, unsigned most) const {
    const unsigned n = whole(key, ~std::uint32_t{0});
    if (n < least || n > most || (n & (n - 1)) != 0)
      fail(fmt::format("\"{}\": expected a power of two from {} to {}", key, least, most));
    return n;
  }
  std::string inside(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }
  const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string place_;
};

StressOptions stress_of(const Reader& reader) {
  StressOptions stress;
  for (const auto& item : reader.json().items()) {
    if (!item.value().is_string() && !item.value().is_number_unsigned())
      reader.fail(fmt::format("\"{}\": expected a number or a word", item.key()));
    try {
      set_stress(stress, item.key(),
                 item.value().is_string() ? item.value().get<std::string>() : item.value().dump());
    } catch (const StressError& error) {
      reader.fail(error.what());
    }
  }
  return stress;
}

Parameters parameters_of(const Reader& reader) {
  reader.only({"instances", "stride", "stress"});
  Parameters out;
  if (reader.has("instances")) out.instances = reader.power("instances", kLeastInstances, kMostInstances);
  if (reader.has("stride")) out.stride = reader.power("stride", 1, kMostStride);
  if (reader.has("stress")) out.stress = stress_of(reader.object("stress"));
  return out;
}

DeviceInfo device_of(const Reader& reader) {
  reader.only({"name", "capability", "driver", "multiprocessors"});
  DeviceInfo out;
  out.name = reader.text("name");
  const std::string capability = reader.text("capability");
  const std::size_t dot = capability.find('.');
  const auto digits = [](const std::string& s) {
    return !s.empty() && s.size() < 4 && s.find_first_not_of("0123456789") == std::string::npos;
  };
  if (dot == std::string::npos || !digits(capability.substr(0, dot)) || !digits(capability.substr(dot + 1)))
    reader.fail("\"capability\": expected one like \"9.0\"");
  out.major = std::stoi(capability.substr(0, dot));
  out.minor = std::stoi(capability.substr(dot + 1));
  constexpr std::uint32_t kMost = 0x7fffffff;
  out.driver = static_cast<int>(reader.whole("driver", kMost));
  out.multiprocessors = static_cast<int>(reader.whole("multiprocessors", kMost));
  return out;
}

}  // namespace

std::string print(const Parameters& parameters) {
  return fmt::format("--instances {} --stride {} --stress {}", parameters.instances, parameters.stride,
                     print_stress(parameters.stress));
}

void apply(const Parameters& parameters, HarnessOptions& options) {
  options.instances = parameters.instances;
  options.stride = parameters.stride;
  options.stress = parameters.stress;
}

const Parameters& ParameterFile::of(const std::string& hash) const {
  const auto found =
      std::find_if(tests.begin(), tests.end(), [&](const TunedTest& test) { return test.hash == hash; });
  return found == tests.end() ? joint : found->parameters;
}

std::string write_parameters(const ParameterFile& file) {
  Json out;
  out["format"] = kFormat;
  out["device"] = {{"name", file.device.name},
                   {"capability", fmt::format("{}.{}", file.device.major, file.device.minor)},
                   {"driver", file.device.driver},
                   {"multiprocessors", file.device.multiprocessors}};
  out["command"] = file.command;
  out["seed"] = file.seed;
  out["objective"] = file.objective;
  out["seconds"] = file.seconds;
  out["joint"] = json_of(file.joint);
  out["joint_gain"] = file.joint_gain;
  Json tests = Json::array();
  for (const TunedTest& test : file.tests) {
    Json one;
    one["name"] = test.name;
    one["hash"] = test.hash;
    one["parameters"] = json_of(test.parameters);
    one["rate"] = test.rate;
    one["joint_rate"] = test.joint_rate;
    one["default_rate"] = test.default_rate;
    tests.push_back(std::move(one));
  }
  out["tests"] = std::move(tests);
  return out.dump(2) + "\n";
}

ParameterFile read_parameters(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw ParameterError(fmt::format("not JSON: byte {}", error.byte));
  }
  const Reader reader(json, "");
  if (!reader.has("format") || reader.text("format") != kFormat)
    reader.fail(fmt::format("no file of parameters: expected \"format\": \"{}\"", kFormat));
  reader.only(
      {"format", "device", "command", "seed", "objective", "seconds", "joint", "joint_gain", "tests"});
  ParameterFile out;
  out.device = device_of(reader.object("device"));
  out.command = reader.text("command");
  out.seed = reader.whole("seed", ~std::uint32_t{0});
  out.objective = reader.text("objective");
  out.seconds = reader.number("seconds");
  out.joint = parameters_of(reader.object("joint"));
  out.joint_gain = reader.number("joint_gain");
  const Json& tests = reader.at("tests");
  if (!tests.is_array()) reader.fail("\"tests\": expected a list");
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Reader test(tests[i], fmt::format("tests[{}]", i));
    test.only({"name", "hash", "parameters", "rate", "joint_rate", "default_rate"});
    out.tests.push_back({test.text("name"), test.text("hash"), parameters_of(test.object("parameters")),
                         test.number("rate"), test.number("joint_rate"), test.number("default_rate")});
  }
  return out;
}

std::string parameter_file_name(const DeviceInfo& device) {
  std::string name;
  for (const char c : device.name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? c : '-';
  }
  return fmt::format("ptxmc-{}.json", name);
}

Parameters default_parameters(const DeviceInfo& device) {
  const auto found = std::find_if(std::begin(kBuiltIn), std::end(kBuiltIn),
                                  [&](const BuiltIn& known) { return known.major == device.major; });
  if (found == std::end(kBuiltIn)) return {};
  return {found->instances, found->stride, parse_stress(found->stress)};
}

}  // namespace ptxmc::gpu
