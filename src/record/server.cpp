// SPDX-License-Identifier: Apache-2.0
#include "record/server.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/refuse.h"

namespace ptxmc::record {

namespace {

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

bool read_all(int from, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t now = ::recv(from, to, bytes, 0);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    to += now;
    bytes -= static_cast<std::size_t>(now);
  }
  return true;
}
bool write_all(int to, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

/// A process that uses the driver.
class Client {
 public:
  Client(int descriptor, const RecordOptions& options, Writing& writing)
      : descriptor_(descriptor), process_(std::make_unique<Process>(options, writing)), writing_(&writing) {}
  int descriptor() const { return descriptor_.get(); }

  /// Takes one message. False: there will be no more.
  bool serve() {
    Header header;
    if (!read_all(descriptor(), reinterpret_cast<char*>(&header), sizeof header) ||
        header.bytes > kMaxMessage)
      return false;
    std::string bytes(header.bytes, '\0');
    if (!read_all(descriptor(), bytes.data(), bytes.size())) return false;
    try {
      const auto reply = process_->handle(header.kind, Reader(bytes));
      return !reply || answer(*reply);
    } catch (const BadMessage& error) {
      writing_->trouble(error.what());
      return false;
    }
  }
  void end() { process_->end(); }

 private:
  bool answer(const std::string& reply) const {
    const Header header{Kind::reply, static_cast<std::uint32_t>(reply.size())};
    return write_all(descriptor(),
                     std::string(reinterpret_cast<const char*>(&header), sizeof header) + reply);
  }
  Descriptor descriptor_;
  std::unique_ptr<Process> process_;
  Writing* writing_;
};

/// A socket in a folder of its own, which goes with it.
class Listener {
 public:
  Listener() : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::string folder = (std::filesystem::temp_directory_path() / "ptxmc-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) fail();
    folder_ = folder;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path().size() >= sizeof address.sun_path)
      refuse(fmt::format("'{}' is too long for a socket: set TMPDIR", path()));
    std::strcpy(address.sun_path, path().c_str());
    constexpr int kWaiting = 64;
    if (descriptor_.get() < 0 ||
        ::bind(descriptor_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(descriptor_.get(), kWaiting) != 0)
      fail();
  }
  ~Listener() {
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  int descriptor() const { return descriptor_.get(); }
  std::string path() const { return folder_ + "/socket"; }

 private:
  [[noreturn]] static void fail() {
    refuse(fmt::format("cannot listen to the recording driver: {}", std::strerror(errno)));
  }
  Descriptor descriptor_;
  std::string folder_;
};

/// NVIDIA's runtime takes no driver that is pretended: another one is in front of it then.
std::string library_path(const std::string& driver_folder, bool forwards) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  return driver_folder + (forwards ? "" : ":" + driver_folder + "/runtime") +
         (before == nullptr ? "" : ":" + std::string(before));
}

/// The runtime that is pretended is there before the program, which may have NVIDIA's in it.
std::string preloaded() {
  const char* before = std::getenv("LD_PRELOAD");
  return "libcudart.so.13" + (before == nullptr ? std::string() : ":" + std::string(before));
}

pid_t start(const std::vector<std::string>& command, const std::string& path, bool forwards,
            const std::string& socket) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) refuse(fmt::format("cannot start '{}': {}", command.front(), std::strerror(errno)));
  if (child > 0) return child;
  ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  if (!forwards) ::setenv("LD_PRELOAD", preloaded().c_str(), 1);
  ::setenv(kSocketVariable, socket.c_str(), 1);
  ::execvp(arguments.front(), arguments.data());
  const std::string why = fmt::format("ptxmc: cannot run '{}': {}\n", command.front(), std::strerror(errno));
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, why.data(), why.size());
  ::_exit(127);
}

/// Everybody who is connected, one message at a time.
class Loop {
 public:
  Loop(const Listener& listener, const RecordOptions& options, Writing& writing)
      : listener_(listener), options_(options), writing_(writing) {}

  bool idle() const { return clients_.empty(); }
  void turn() {
    constexpr int kMilliseconds = 50;
    std::vector<pollfd> waiting = {{listener_.descriptor(), POLLIN, 0}};
    for (const Client& client : clients_) waiting.push_back({client.descriptor(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), kMilliseconds) <= 0) return;
    for (std::size_t i = waiting.size(); i-- > 1;) {
      if (waiting[i].revents == 0 || clients_[i - 1].serve()) continue;
      clients_[i - 1].end();
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    if (waiting.front().revents == 0) return;
    const int descriptor = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor >= 0) clients_.emplace_back(descriptor, options_, writing_);
  }
  void end() {
    for (Client& client : clients_) client.end();
  }

 private:
  const Listener& listener_;
  const RecordOptions& options_;
  Writing& writing_;
  std::vector<Client> clients_;
};

}  // namespace

ProgramEnd run_recorded(const std::vector<std::string>& command, const std::string& driver_folder,
                        const RecordOptions& options, Writing& writing, const std::function<bool()>& stop) {
  const Listener listener;
  Loop loop(listener, options, writing);
  const bool forwards = !options.forward_to.empty();
  const pid_t child = start(command, library_path(driver_folder, forwards), forwards, listener.path());
  int status = 0;
  bool ended = false, stopped = false;
  while (!ended || !loop.idle()) {
    loop.turn();
    if (!ended) ended = ::waitpid(child, &status, WNOHANG) == child;
    if (!stop()) continue;
    if (stopped || ended) break;
    ::kill(child, SIGTERM);
    stopped = true;
  }
  if (!ended) ::kill(child, SIGKILL);
  if (!ended) ::waitpid(child, &status, 0);
  loop.end();
  ProgramEnd out;
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

std::string installed_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  link_map* map = nullptr;
  const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  std::string out = known ? std::filesystem::absolute(map->l_name).string() : std::string();
  ::dlclose(library);
  return out;
}

}  // namespace ptxmc::record
