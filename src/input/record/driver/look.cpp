// SPDX-License-Identifier: Apache-2.0
#include "input/record/driver/look.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

constexpr unsigned kRounds = 4;  // of addresses that lead to addresses
constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::chrono::microseconds kPause{50};

template <typename... Parameters>
Result call(const std::string& name, Parameters... parameters) {
  using Function = Result (*)(Parameters...);
  const auto function = reinterpret_cast<Function>(of_real_driver(name.c_str()));
  return function == nullptr ? kNotFound : function(parameters...);
}

/// This thread may call what would spoil the captures of others; as it was, afterwards.
class Relaxed {
 public:
  Relaxed() { exchange(); }
  ~Relaxed() { exchange(); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  void exchange() { call<int*>("cuThreadExchangeStreamCaptureMode", &mode_); }
  int mode_ = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
};

/// All that is before in the stream is over.
bool is_ready(Stream stream) {
  const std::string suffix = stream.per_thread ? "_ptsz" : "";
  const auto enough = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const Result result = call<Handle>("cuStreamQuery" + suffix, stream.handle);
    if (result != kNotReady || std::chrono::steady_clock::now() > enough) return result == kOk;
    std::this_thread::sleep_for(kPause);
  }
}

/// Copies on a stream of its own, which no other waits for.
class Copies {
 public:
  Copies() { call<Handle*, unsigned>("cuStreamCreate", &stream_, 1); }  // CU_STREAM_NON_BLOCKING
  ~Copies() {
    if (stream_ != nullptr) call<Handle>("cuStreamDestroy_v2", stream_);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// Empty: it cannot be read.
  std::string read(Address from, std::size_t bytes) {
    std::string out(bytes, '\0');
    if (stream_ == nullptr ||
        call<void*, Address, std::size_t, Handle>("cuMemcpyDtoHAsync_v2", out.data(), from, bytes, stream_) !=
            kOk ||
        call<Handle>("cuStreamSynchronize", stream_) != kOk)
      out.clear();
    return out;
  }

 private:
  Handle stream_ = nullptr;
};

std::vector<std::uint64_t> wanted(unsigned round, const LaunchCall& launch) {
  Writer question;
  question.number(round);
  launch.write(question);
  const std::string reply = state().channel.ask(Kind::look, question);
  return reply.empty() ? std::vector<std::uint64_t>() : Reader(reply).numbers();
}

}  // namespace

bool is_captured(Stream stream) {
  if (!state().forwards()) return is_capture_pretended(stream.handle);
  const Relaxed relaxed;
  int capturing = 0;
  const std::string name = stream.per_thread ? "cuStreamIsCapturing_ptsz" : "cuStreamIsCapturing";
  return call<Handle, int*>(name, stream.handle, &capturing) != kOk || capturing != 0;
}

void look(const LaunchCall& launch, Stream stream) {
  if (!state().forwards()) return;
  std::vector<std::uint64_t> places = wanted(0, launch);
  if (places.empty()) return;
  const Relaxed relaxed;
  if (is_captured(stream) || !is_ready(stream)) return;
  Copies copies;
  for (unsigned round = 1; !places.empty() && round <= kRounds; ++round) {
    for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
      const std::string bytes = copies.read(places[i], places[i + 1]);
      if (bytes.empty()) continue;
      Writer out;
      out.number(places[i]);
      out.text(bytes);
      state().channel.tell(Kind::seen, out);
    }
    if (round < kRounds) places = wanted(round, launch);
  }
}

}  // namespace ptxmc::record::driver
