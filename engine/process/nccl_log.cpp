#include "engine/process/nccl_log.h"

#include <c10/util/env.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "core/base/text.h"
#include "core/machine/text_file.h"

namespace scalemark::process {

using monitoring::NcclChoice;

namespace {

constexpr std::array kVariables{"NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS"};
constexpr std::size_t kMostBytes =
    16 << 20;  // enough for one reading: ranks of a large node write 1 MB

// NCCL takes variables of these files, too, and less seriously than the environment
// (misc/param.cc).
std::vector<std::filesystem::path> files_of_variables() {
  std::vector<std::filesystem::path> files{"/etc/nccl.conf"};
  const char* named = std::getenv("NCCL_CONF_FILE");
  if (named != nullptr && *named != '\0') {
    files.emplace_back(named);
  } else if (const passwd* user = ::getpwuid(::getuid()); user != nullptr) {
    files.push_back(std::filesystem::path(user->pw_dir) / ".nccl.conf");
  }
  return files;
}

// Why NCCL's log is not ours to ask for; empty: it is.
std::string set_by_user() {
  for (const char* variable : kVariables) {
    if (std::getenv(variable) != nullptr) return std::string(variable) + " is set";
  }
  for (const auto& file : files_of_variables()) {
    const std::string text = monitoring::read_text(file).value_or("");
    const auto lines = lines_of(text);
    const auto sets = [](std::string_view line) { return line.starts_with("NCCL_DEBUG"); };
    if (std::ranges::any_of(lines, sets)) return file.filename().string() + " sets NCCL_DEBUG";
  }
  return "";
}

}  // namespace

void NcclLog::begin() {
  why_unknown_ = set_by_user();
  if (!why_unknown_.empty()) return;
  file_ = Descriptor(::memfd_create("nccl log", MFD_CLOEXEC));
  const std::string name = "/proc/self/fd/" + std::to_string(file_.get());
  // NCCL would write to stdout where it cannot open the file.
  const Descriptor as_nccl(::open(name.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file_.open() || !as_nccl.open()) {
    why_unknown_ = std::string("no memory file for its log: ") + std::strerror(errno);
    file_.reset();
    return;
  }
  // Uses torch's function, since torch's threads read the environment under the same lock.
  c10::utils::set_env("NCCL_DEBUG_FILE", name.c_str());
  c10::utils::set_env("NCCL_DEBUG_SUBSYS", monitoring::kNcclLogSubsystems);
  c10::utils::set_env("NCCL_DEBUG", "INFO");
}

void NcclLog::read(std::span<const int> node_of_rank) {
  if (!file_.open()) return;
  const auto size = static_cast<std::int64_t>(::lseek(file_.get(), 0, SEEK_END));
  if (size <= read_bytes_) return;
  std::string text(std::min(static_cast<std::size_t>(size - read_bytes_), kMostBytes), '\0');
  const ssize_t got = ::pread(file_.get(), text.data(), text.size(), read_bytes_);
  if (got <= 0) return;
  text.resize(static_cast<std::size_t>(got));
  text.resize(text.rfind('\n') + 1);  // a thread of NCCL may be writing the next line
  read_bytes_ += static_cast<std::int64_t>(text.size());
  reader_.read(text, node_of_rank);
}

NcclChoice NcclLog::choice(const std::string& host, std::span<const int> node_of_rank) {
  read(node_of_rank);
  NcclChoice choice = reader_.choice();
  if (choice.empty())
    choice.unknown = why_unknown_.empty() ? "its log has no line of it" : why_unknown_;
  choice.host = host;
  return choice;
}

void set_nccl(RunReport& report, const std::vector<NcclChoice>& of_ranks) {
  std::vector<NcclChoice> hosts;
  for (const NcclChoice& one : of_ranks) {
    auto known = std::ranges::find(hosts, one.host, &NcclChoice::host);
    if (known == hosts.end()) {
      hosts.push_back(one);
    } else {
      add(*known, one);
    }
  }
  report.writer()->amend([&](reporting::Report& page) {
    std::erase_if(page.nccl, [&](const NcclChoice& earlier) {
      return std::ranges::find(hosts, earlier.host, &NcclChoice::host) != hosts.end();
    });
    std::ranges::move(hosts, std::back_inserter(page.nccl));
  });
}

}  // namespace scalemark::process
