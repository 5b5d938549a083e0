// SPDX-License-Identifier: Apache-2.0
#include "face/cli/campaign_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kVersion = 1;
constexpr std::array<std::pair<Fate, const char*>, 4> kFates = {
    {{Fate::skipped, "skipped"}, {Fate::hung, "hung"}, {Fate::refused, "refused"}, {Fate::failed, "failed"}}};

std::string print(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string header(const std::string& parameters) {
  Json line;
  line["campaign"] = {{"version", kVersion}, {"parameters", parameters}};
  return print(line);
}

/// A whole line of a campaign's file; nothing for anything else.
std::optional<Json> parse_line(std::string_view text) {
  Json line = Json::parse(text, nullptr, false);
  if (!line.is_object() || !line.contains("campaign") || !line["campaign"].is_object()) return std::nullopt;
  return line;
}

bool is_header(const Json& line) {
  return line["campaign"].contains("version");
}

/// Throws nlohmann's exceptions when a part is not there, or of another type.
CampaignRecord record_of(const Json& line) {
  CampaignRecord out;
  out.sweep = line.at("campaign").at("sweep").get<unsigned>();
  out.wall = line.at("campaign").at("wall").get<double>();
  out.file = line.at("file").get<std::string>();
  out.test = line.value("test", "");
  out.hash = line.value("hash", "");
  if (line.contains("missed")) {
    for (const auto& [fate, name] : kFates) {
      if (line["missed"] == name) out.missed = fate;
    }
    if (!out.missed) out.missed = Fate::failed;
    return out;
  }
  out.seconds = line.at("seconds").get<double>();
  out.instances = line.at("instances").get<std::uint64_t>();
  out.stuck = line.at("stuck").get<std::uint64_t>() != 0;
  for (const Json& state : line.at("states")) out.states.insert(state.at("state").get<std::string>());
  return out;
}

std::string reason() {
  return std::strerror(errno);
}

/// All of it, in one write() unless the system splits it.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

CampaignFile::CampaignFile(const std::string& path, const std::string& parameters)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) refuse(fmt::format("cannot write this file: {}", reason()));
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        refuse("another process writes this campaign; --shard deals tests out to several");
      refuse(fmt::format("cannot lock this file: {}", reason()));
    }
    begin(parameters);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

CampaignFile::~CampaignFile() {
  ::close(file_);
}

void CampaignFile::refuse(const std::string& what) const {
  ptxmc::refuse(fmt::format("'{}': {}", path_, what));
}

std::string CampaignFile::text() const {
  std::string out;
  std::array<char, 1 << 16> buffer{};
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file_, buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(fmt::format("cannot read this file: {}", reason()));
    if (got == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

/// Checks what is there: whole lines, then at most one that is not.
void CampaignFile::begin(const std::string& parameters) {
  struct stat kind {};
  if (::fstat(file_, &kind) != 0 || !S_ISREG(kind.st_mode)) refuse("a campaign needs a regular file");
  const std::string all = text(), head = header(parameters);
  std::size_t good = 0;  // bytes of whole lines
  for (unsigned number = 1; good < all.size(); ++number) {
    const std::size_t end = all.find('\n', good);
    if (end == std::string::npos) break;
    const auto line = parse_line(std::string_view(all).substr(good, end - good));
    if (number == 1 && (!line || !is_header(*line))) refuse("this is not the file of a campaign");
    if (number == 1 && line->at("campaign") != Json::parse(head).at("campaign"))
      refuse(fmt::format("this campaign has other parameters ({}); -o names another file",
                         line->at("campaign").value("parameters", "none")));
    if (!line) break;
    good = end + 1;
  }
  // What a crash leaves is at the end: a line cut short, or a block that was never written.
  const std::string_view rest = std::string_view(all).substr(good);
  for (std::size_t at = rest.find('\n'); at != std::string_view::npos; at = rest.find('\n', at + 1)) {
    const std::size_t next = std::min(rest.find('\n', at + 1), rest.size());
    if (parse_line(rest.substr(at + 1, next - at - 1)))
      refuse("there are lines in this file that are no records of a campaign, and records after them");
  }
  if (good == 0 && !rest.empty() && !head.starts_with(rest.substr(0, 12)))
    refuse("this is not the file of a campaign");
  if (!rest.empty() && ::ftruncate(file_, static_cast<off_t>(good)) != 0)
    refuse(fmt::format("cannot cut this file off: {}", reason()));
  repaired_ = rest.size();
  if (good != 0) return;
  try {
    append(head);
  } catch (const CannotWrite& error) {
    refuse(error.what());
  }
}

std::vector<CampaignRecord> CampaignFile::records() const {
  const std::string all = text();
  std::vector<CampaignRecord> out;
  unsigned number = 0;
  for (std::size_t at = 0; at < all.size();) {
    ++number;
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const auto line = parse_line(std::string_view(all).substr(at, end - at));
    at = end + 1;
    try {
      if (line && !is_header(*line)) out.push_back(record_of(*line));
    } catch (const nlohmann::json::exception& error) {
      refuse(fmt::format("line {}: not a record of a campaign: {}", number, error.what()));
    }
  }
  return out;
}

void CampaignFile::append(const std::string& line) const {
  struct stat before {};
  const bool known = ::fstat(file_, &before) == 0;
  if (write_all(file_, line) && ::fdatasync(file_) == 0) return;
  const std::string why = reason();
  const bool whole = known && ::ftruncate(file_, before.st_size) == 0;  // else the next start repairs it
  throw CannotWrite(fmt::format("'{}': cannot write this file: {}{}", path_, why,
                                whole ? "" : "; its last record is not whole"));
}

std::string campaign_line(const std::string& log, unsigned sweep, double wall) {
  Json line = Json::parse(log);
  line["campaign"] = {{"sweep", sweep}, {"wall", wall}};
  return print(line);
}

std::string missed_line(const RunItem& item, const std::string& hash, Fate fate, const std::string& why,
                        unsigned sweep, double wall) {
  Json line;
  if (item.test) line["test"] = item.test->name;
  line["file"] = item.file;
  if (item.test) line["hash"] = hash;
  for (const auto& [known, name] : kFates) {
    if (known == fate) line["missed"] = name;
  }
  line["why"] = why;
  line["campaign"] = {{"sweep", sweep}, {"wall", wall}};
  return print(line);
}

}  // namespace ptxmc::cli
