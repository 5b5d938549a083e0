// SPDX-License-Identifier: Apache-2.0
// The connection to ptxmc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>

#include "input/record/wire.h"

namespace ptxmc::record::driver {

/// What ptxmc wants of this driver.
struct Settings {
  std::string forward_to;  ///< a driver; empty: pretend
  int major = 9, minor = 0, multiprocessors = 0;
};

/// Calls come from any thread. Without ptxmc at the other end, nothing is sent, and there is no recorder to
/// pretend for. A program may close all descriptors, and open other files under their numbers: the session
/// then goes on over another connection.
class Channel {
 public:
  Channel();
  bool connected();
  const Settings& settings() const { return settings_; }
  void tell(Kind kind, const Writer& message);
  void tell(Kind kind, std::initializer_list<std::uint64_t> numbers);
  /// The reply; empty: there is none.
  std::string ask(Kind kind, const Writer& message);

 private:
  void connect(std::uint64_t session);
  bool is_open() const;
  bool send(Kind kind, const std::string& bytes);
  bool receive(std::string& bytes);
  std::string ask_unlocked(Kind kind, const Writer& message);

  std::mutex mutex_;
  int socket_ = -1;
  std::uint64_t device_ = 0, file_ = 0;  // of the socket: the descriptor may have become another file's
  std::uint64_t session_ = 0;            // by which ptxmc knows the process
  pid_t process_ = 0;                    // that opened it: a forked child opens its own
  Settings settings_;
};

}  // namespace ptxmc::record::driver
