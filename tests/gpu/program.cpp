// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace ptxmc::testing {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLimit{20};
constexpr std::chrono::milliseconds kPoll{5};

/// Asks until it holds or the time is up.
template <typename F>
bool eventually(F&& holds) {
  const auto begin = std::chrono::steady_clock::now();
  while (!holds()) {
    if (std::chrono::steady_clock::now() - begin > kLimit) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Is there a process of this group? One that is dead, and not yet waited for, does not count.
bool lives_in_group(pid_t group) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front())) == 0) continue;
    std::string stat;  // "PID (NAME) STATE PARENT GROUP ..."
    std::ifstream stream(entry.path() / "stat");
    std::getline(stream, stat);
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream rest(stat.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0, found = 0;
    if (rest >> state >> parent >> found && found == group && state != 'Z' && state != 'X') return true;
  }
  return false;
}

void redirect(const std::string& file, int to) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || ::dup2(opened, to) < 0) ::_exit(127);
}

}  // namespace

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "ptxmc-fake-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::file(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
  return at(name);
}

std::string Folder::text(const std::string& name) const {
  return read(path_ / name);
}

std::string Folder::test(const std::string& name, const std::string& folder) const {
  return file(folder + "/" + name + ".litmus",
              "PTX " + name +
                  "\n{\n .global .u32 x = 0;\n .global .u32 y = 0;\n}\n P0 @ cta 0 | P1 @ cta 1 ;\n"
                  " st.relaxed.gpu.global.u32 [x], 1 | ld.relaxed.gpu.global.u32 %r0, [y] ;\n"
                  " st.relaxed.gpu.global.u32 [y], 1 | ld.relaxed.gpu.global.u32 %r1, [x] ;\n"
                  "exists (1:%r0 == 1 /\\ 1:%r1 == 0)\n");
}

Program::Program(const Folder& folder, const std::vector<std::string>& arguments,
                 const Environment& environment, std::size_t file_bytes)
    : folder_(folder) {
  std::vector<std::string> words = {PTXMC_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) {
    ::setpgid(0, 0);
    if (::chdir(folder.path().c_str()) != 0) ::_exit(127);
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    ::setenv("LD_LIBRARY_PATH", PTXMC_FAKE_DRIVER, 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (file_bytes != 0) {
      const rlimit limit{file_bytes, file_bytes};
      std::signal(SIGXFSZ, SIG_IGN);  // so that write() fails, as on a full disk
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(127);
    }
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(PTXMC_PROGRAM, pointers.data());
    ::_exit(127);
  }
  ::setpgid(process_, process_);  // in both, so that nobody signals the group too early
}

Program::~Program() {
  ::kill(-process_, SIGKILL);
  if (!done_) ::waitpid(process_, nullptr, 0);
}

bool Program::says(const std::string& what, const std::string& file) const {
  return eventually([&] {
    if (!file.empty()) return has(folder_.text(file), what);
    return has(folder_.text("out"), what) || has(folder_.text("err"), what);
  });
}

void Program::signal(int number) const {
  ::kill(process_, number);
}

void Program::signal_group(int number) const {
  ::kill(-process_, number);
}

Ran Program::finish() {
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(process_, &status, WNOHANG) == process_; });
  Ran ran;
  ran.out = folder_.text("out");
  ran.err = folder_.text("err");
  if (!ended) throw std::runtime_error("ptxmc does not end; it said:\n" + ran.out + ran.err);
  done_ = true;
  if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  return ran;
}

bool Program::left_orphans() const {
  return !eventually([&] { return !lives_in_group(process_); });
}

Ran run_program(const Folder& folder, const std::vector<std::string>& arguments,
                const Environment& environment) {
  return Program(folder, arguments, environment).finish();
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++found;
  return found;
}

}  // namespace ptxmc::testing
