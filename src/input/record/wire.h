// SPDX-License-Identifier: Apache-2.0
// What the driver in a recorded program and ptxmc say to each other: messages over a local socket, each its kind, the
// number of its bytes, and them. Numbers are of 64 bits; texts and lists have their length in front. Both ends are of
// one machine and one build. Header only: the driver links nothing of ptxmc.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::record {

/// The environment variable that holds the path of the socket.
constexpr const char* kSocketVariable = "PTXMC_RECORD";

enum class Kind : std::uint32_t {
  hello,  ///< session, 0 of a new one -> reply: path of the driver to forward to, or empty; major, minor, multiprocessors, session
  load,   ///< image -> reply: number of the module
  describe_kernel,  ///< module, name -> reply: known, then offset and bytes of each parameter, static shared bytes
  describe_variable,  ///< module, name -> reply: known, bytes
  list_kernels,       ///< module -> reply: names
  variable,           ///< module, name, address, bytes
  allocate,           ///< address, bytes
  release,            ///< address
  share,              ///< address: others write there, too, at any time
  write,              ///< address, the bytes that are there from now on
  fill,               ///< address, bytes: zero from now on
  forget,             ///< address, bytes: what is there is not known from now on
  forget_all,         ///< the same of all memory: work that writes at unknown places
  tensor_map,         ///< the 128 bytes, MapCall
  look,     ///< round, LaunchCall -> reply: address and bytes of what to look at, for addresses in memory
  seen,     ///< address, the bytes that are there now
  launch,   ///< LaunchCall
  trouble,  ///< a sentence for the summary
  reply,
};

struct Header {
  Kind kind = Kind::hello;
  std::uint32_t bytes = 0;
};
constexpr std::uint32_t kMaxMessage = 0xf0000000u;

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  template <typename Numbers>
  void numbers(const Numbers& values) {
    number(values.size());
    for (const auto value : values) number(static_cast<std::uint64_t>(value));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// A message does not hold what its kind says.
class BadMessage : public std::runtime_error {
 public:
  BadMessage() : std::runtime_error("a message of the recording driver is cut off") {}
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  std::vector<std::uint64_t> numbers() {
    const std::uint64_t count = number();
    if (count > left_.size() / sizeof count) throw BadMessage();
    std::vector<std::uint64_t> out(count);
    for (std::uint64_t& value : out) value = number();
    return out;
  }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (bytes > left_.size()) throw BadMessage();
    const std::string_view out = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return out;
  }
  std::string_view left_;
};

/// What cuTensorMapEncodeTiled was given. Sizes are of the innermost dimension first.
struct MapCall {
  std::uint64_t type = 0, address = 0;  ///< CUtensorMapDataType
  std::vector<std::uint64_t> dims, strides, box, steps;
  std::uint64_t interleave = 0, swizzle = 0, fill = 0;  ///< as the driver's enumerations

  void write(Writer& out) const {
    out.number(type);
    out.number(address);
    for (const auto* list : {&dims, &strides, &box, &steps}) out.numbers(*list);
    for (const std::uint64_t value : {interleave, swizzle, fill}) out.number(value);
  }
  void read(Reader& in) {
    type = in.number();
    address = in.number();
    for (auto* list : {&dims, &strides, &box, &steps}) *list = in.numbers();
    for (std::uint64_t* value : {&interleave, &swizzle, &fill}) *value = in.number();
  }
};

/// A kernel and what it was launched with.
struct LaunchCall {
  std::uint64_t module = 0;
  std::string kernel;
  std::vector<std::uint64_t> grid, block, cluster;  ///< of 3; no cluster: empty
  std::uint64_t shared = 0, cooperative = 0, programmatic = 0, stream = 0;
  std::uint64_t in_graph = 0;  ///< it runs when its graph is launched
  std::string parameters;      ///< all bytes

  void write(Writer& out) const {
    out.number(module);
    out.text(kernel);
    for (const auto* list : {&grid, &block, &cluster}) out.numbers(*list);
    for (const std::uint64_t value : {shared, cooperative, programmatic, stream, in_graph}) out.number(value);
    out.text(parameters);
  }
  void read(Reader& in) {
    module = in.number();
    kernel = in.text();
    for (auto* list : {&grid, &block, &cluster}) *list = in.numbers();
    for (std::uint64_t* value : {&shared, &cooperative, &programmatic, &stream, &in_graph})
      *value = in.number();
    parameters = in.text();
  }
};

}  // namespace ptxmc::record
