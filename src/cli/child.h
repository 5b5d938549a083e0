// SPDX-License-Identifier: Apache-2.0
// A child process that sends messages, and what it may take: the guarantee behind --timeout and --memory.
// What does not look at the clock itself, or asks for memory in the wrong place, costs its process alone.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::cli {

/// What one test may take; nothing: no limit.
struct Confines {
  std::optional<double> seconds;
  std::optional<std::size_t> bytes;  ///< of memory, beside what the program has before it starts
  bool inherited = false;            ///< the shell limits memory (ulimit -v, -d)

  bool any() const { return seconds || bytes || inherited; }
  /// When a test that does not look at the clock is stopped: after its engines had the chance to.
  double patience() const { return *seconds * 1.1 + 0.5; }
};

/// With what the process itself is limited to.
Confines confines(std::optional<double> seconds, std::optional<std::size_t> bytes);

/// How a child ended.
struct Ending {
  bool well = false;     ///< its work returned
  bool timeout = false;  ///< else: it found that the time is over
  bool memory = false;   ///< else: it ran out of memory, as far as one can see
  int signal = 0;        ///< else: that ended it, or 0
};

class Child {
 public:
  using Send = std::function<void(std::string_view)>;

  /// `work` runs in the child, within the confines of memory; the child ends when it returns, and dies with
  /// this process. Standard output and error must be flushed. Throws std::system_error when there can be no
  /// child.
  Child(const Confines& confines, const std::function<void(const Send&)>& work);
  ~Child();  ///< kills it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int descriptor() const { return pipe_; }  ///< readable: receive() has news
  /// The messages that have arrived, in order. Waits for some.
  std::vector<std::string> receive();
  bool ended() const { return ended_; }  ///< no message will follow
  /// Of a child that ended().
  Ending ending();

 private:
  void take_messages(std::vector<std::string>& out);

  Confines confines_;
  pid_t process_ = 0;
  int pipe_ = -1;
  bool ended_ = false;
  std::string buffer_;
};

/// What a piece of work came to.
struct Outcome {
  std::string text;     ///< what it returned
  std::string unknown;  ///< else: the limit that it went beyond, "timeout" or "memory"
};

/// Runs `work` in a child, or here where there is no limit. Throws InternalError when its process died of
/// something else; what `work` throws ends the program where it runs in a child.
Outcome run_confined(const Confines& confines, const std::function<std::string()>& work);

/// The same of work that sends messages, each of which `take` is given as it comes; what it returns is the limit, if any. What `take`
/// throws ends the work.
std::string run_confined(const Confines& confines, const std::function<void(const Child::Send&)>& work,
                         const Child::Send& take);

}  // namespace ptxmc::cli
