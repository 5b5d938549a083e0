// SPDX-License-Identifier: Apache-2.0
#include "input/record/server.h"

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
#include <map>
#include <memory>
#include <optional>
#include <set>

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

struct Message {
  Kind kind = Kind::hello;
  std::string bytes;
};

/// A connection of a process that uses the driver.
class Client {
 public:
  explicit Client(int descriptor) : descriptor_(descriptor) {}
  int descriptor() const { return descriptor_.get(); }
  /// The session of the process; 0: it has said nothing yet.
  std::uint64_t session() const { return session_; }
  void join(std::uint64_t session) { session_ = session; }

  /// Nothing: there will be no more.
  std::optional<Message> take() const {
    Header header;
    if (!read_all(descriptor(), reinterpret_cast<char*>(&header), sizeof header) ||
        header.bytes > kMaxMessage)
      return std::nullopt;
    Message out{header.kind, std::string(header.bytes, '\0')};
    if (!read_all(descriptor(), out.bytes.data(), out.bytes.size())) return std::nullopt;
    return out;
  }
  bool answer(const std::string& reply) const {
    const Header header{Kind::reply, static_cast<std::uint32_t>(reply.size())};
    return write_all(descriptor(),
                     std::string(reinterpret_cast<const char*>(&header), sizeof header) + reply);
  }
  /// Is there a message, or the end of the connection, now?
  bool has_news() const {
    pollfd waiting{descriptor(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }

 private:
  Descriptor descriptor_;
  std::uint64_t session_ = 0;
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

/// All connections, one message at a time. A process that closes its connection may come back over another one.
class Loop {
 public:
  Loop(const Listener& listener, const RecordOptions& options, Writing& writing)
      : listener_(listener), options_(options), writing_(writing) {}

  bool idle() const { return clients_.empty(); }
  void turn() {
    constexpr int kMilliseconds = 50;
    std::vector<pollfd> waiting = {{listener_.descriptor(), POLLIN, 0}};
    for (const auto& client : clients_) waiting.push_back({client->descriptor(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), kMilliseconds) <= 0) return;
    for (std::size_t i = waiting.size(); i-- > 1;) {
      Client& client = *clients_[i - 1];
      if (waiting[i].revents != 0 && client.has_news() && !serve(client)) end(client);
    }
    std::erase_if(clients_, [&](const auto& client) { return ended_.contains(client.get()); });
    ended_.clear();
    if (waiting.front().revents == 0) return;
    const int descriptor = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor >= 0) clients_.push_back(std::make_unique<Client>(descriptor));
  }
  void end() {
    for (const auto& [session, process] : processes_) process->end();
  }

 private:
  /// Takes one message. False: there will be no more.
  bool serve(Client& client) {
    if (ended_.contains(&client)) return true;
    const std::optional<Message> message = client.take();
    if (!message) return false;
    try {
      if (message->kind == Kind::hello) join(client, Reader(message->bytes).number());
      const auto found = processes_.find(client.session());
      if (found == processes_.end()) return false;
      const auto reply = found->second->handle(message->kind, Reader(message->bytes));
      return !reply || client.answer(*reply);
    } catch (const BadMessage& error) {
      writing_.trouble(error.what());
      return false;
    }
  }

  /// A new process; or one that is known, of whose other connection nothing may be left unread.
  void join(Client& client, std::uint64_t session) {
    if (!processes_.contains(session)) {
      session = ++last_;
      processes_.emplace(session, std::make_unique<Process>(options_, writing_, session));
    }
    for (const auto& other : clients_) {
      if (other.get() == &client || other->session() != session || ended_.contains(other.get())) continue;
      while (other->has_news() && serve(*other)) {
      }
      ended_.insert(other.get());
    }
    client.join(session);
  }

  void end(const Client& client) {
    ended_.insert(&client);
    if (const auto found = processes_.find(client.session()); found != processes_.end()) found->second->end();
  }

  const Listener& listener_;
  const RecordOptions& options_;
  Writing& writing_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::set<const Client*> ended_;                                // of them, in this turn
  std::map<std::uint64_t, std::unique_ptr<Process>> processes_;  // by session
  std::uint64_t last_ = 0;
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
