// SPDX-License-Identifier: Apache-2.0
#include "input/record/driver/channel.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ptxmc::record::driver {

Channel::Channel() {
  connect(0);
}

bool Channel::connected() {
  const std::lock_guard lock(mutex_);
  if (process_ != getpid()) connect(0);
  return socket_ >= 0;
}

void Channel::connect(std::uint64_t session) {
  process_ = getpid();
  socket_ = -1;
  const char* path = std::getenv(kSocketVariable);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  std::strcpy(address.sun_path, path);
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
  struct stat opened = {};
  if (socket_ >= 0 && ::fstat(socket_, &opened) == 0) {
    device_ = opened.st_dev;
    file_ = opened.st_ino;
  }
  Writer hello;
  hello.number(session);
  const std::string reply = ask_unlocked(Kind::hello, hello);
  if (reply.empty()) return;
  Reader in(reply);
  settings_.forward_to = in.text();
  for (int* value : {&settings_.major, &settings_.minor, &settings_.multiprocessors})
    *value = static_cast<int>(in.number());
  session_ = in.number();
}

bool Channel::is_open() const {
  struct stat now = {};
  return socket_ >= 0 && ::fstat(socket_, &now) == 0 && now.st_dev == device_ && now.st_ino == file_;
}

bool Channel::send(Kind kind, const std::string& bytes) {
  if (socket_ >= 0 && !is_open()) {  // the program closed it: what it is now is not ours to close
    connect(session_);
    if (socket_ < 0) {
      constexpr char kLost[] =
          "ptxmc record: the program closed the connection: what it launches now is lost\n";
      [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, kLost, sizeof kLost - 1);
    }
  }
  if (socket_ < 0 || bytes.size() > kMaxMessage) return false;
  const Header header{kind, static_cast<std::uint32_t>(bytes.size())};
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all += bytes;
  for (std::size_t sent = 0; sent < all.size();) {
    const ssize_t now = ::send(socket_, all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) {
      ::close(socket_);
      socket_ = -1;
      return false;
    }
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

bool Channel::receive(std::string& bytes) {
  const auto all = [&](char* to, std::size_t size) {
    while (size > 0) {
      const ssize_t now = ::recv(socket_, to, size, 0);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return false;
      to += now;
      size -= static_cast<std::size_t>(now);
    }
    return true;
  };
  Header header;
  if (socket_ < 0 || !all(reinterpret_cast<char*>(&header), sizeof header)) return false;
  bytes.resize(header.bytes);
  return all(bytes.data(), bytes.size());
}

void Channel::tell(Kind kind, const Writer& message) {
  const std::lock_guard lock(mutex_);
  if (process_ != getpid()) connect(0);
  send(kind, message.bytes());
}

void Channel::tell(Kind kind, std::initializer_list<std::uint64_t> numbers) {
  Writer out;
  for (const std::uint64_t number : numbers) out.number(number);
  tell(kind, out);
}

std::string Channel::ask(Kind kind, const Writer& message) {
  const std::lock_guard lock(mutex_);
  if (process_ != getpid()) connect(0);
  return ask_unlocked(kind, message);
}

std::string Channel::ask_unlocked(Kind kind, const Writer& message) {
  std::string reply;
  return send(kind, message.bytes()) && receive(reply) ? reply : std::string();
}

}  // namespace ptxmc::record::driver
