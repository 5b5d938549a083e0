// SPDX-License-Identifier: Apache-2.0
// A child process that sends messages, and what it may take: the guarantee behind --timeout and --memory.
// What does not look at the clock itself, or asks for memory in the wrong place, costs its process alone.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
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
  bool by_default = false;           ///< `bytes` is a share of the machine's memory, as the user named none

  bool any() const { return seconds || bytes || inherited; }
  /// When a test that does not look at the clock is stopped: after its engines had the chance to.
  double patience() const { return *seconds * 1.1 + 0.5; }
};

/// With what the process itself is limited to.
Confines confines(std::optional<double> seconds, std::optional<std::size_t> bytes);
/// The same; without a number of bytes, so many processes share half of the machine's memory.
Confines confines_or_share(std::optional<double> seconds, std::optional<std::size_t> bytes,
                           std::size_t processes = 1);
/// Memory of the machine, or of this process's cgroup if that has less.
std::size_t machine_memory();
/// "more than 11.7 GB, ...", where a limit that the user did not name was reached; empty: they did.
std::string memory_note(const Confines& confines);

/// How a child ended.
struct Ending {
  bool well = false;     ///< its work returned
  bool timeout = false;  ///< else: it found that the time is over
  bool memory = false;   ///< else: it ran out of memory, which it said, or which was measured
  bool killed = false;   ///< else: SIGKILL, from outside
  int signal = 0;        ///< else: that ended it, or 0

  /// "timeout", "memory" or "killed"; empty: it ended well, or by its own fault.
  std::string_view limit() const;
};

/// In a child: what is to be said after memory ran out needs some.
void lift_memory_limit();

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
  /// The ending of a child that ended().
  Ending ending();
  /// As Ctrl-C does.
  void interrupt() const;

 private:
  void take_messages(std::vector<std::string>& out);

  Confines confines_;
  std::uint64_t system_kills_ = 0;  // processes that the system had killed for memory, when this one began
  pid_t process_ = 0;
  int pipe_ = -1;
  bool ended_ = false;
  std::string buffer_;
};

/// What a piece of work came to.
struct Outcome {
  std::string text;     ///< what it returned
  std::string unknown;  ///< else: what ended it, Ending::limit()
};

/// Runs `work` in a child, or here where there is no limit. Throws InternalError when its process died of
/// something else; what `work` throws ends the program where it runs in a child.
Outcome run_confined(const Confines& confines, const std::function<std::string()>& work);

/// The same of work that sends messages, each of which `take` is given as it comes; what it returns is the limit, if any. What `take`
/// throws ends the work.
std::string run_confined(const Confines& confines, const std::function<void(const Child::Send&)>& work,
                         const Child::Send& take);

}  // namespace ptxmc::cli
