#include "engine/mpi/peers.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>

#include "core/base/host_name.h"

namespace scalemark::mpi {
namespace {

// Returns the letter after the name in /proc/PID/stat, or 0 where the file is not readable. The
// name may hold brackets.
char state_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto bracket = line.rfind(')');
  return bracket == std::string::npos || bracket + 2 >= line.size() ? '\0' : line[bracket + 2];
}

}  // namespace

Process own_process() {
  std::error_code none;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", none);
  return {.host = std::hash<std::string>{}(host_name() + " " + space.string()),
          .pid = static_cast<std::int64_t>(getpid())};
}

// A zombie has ended, although its parent has not waited for it yet.
bool has_ended(const Process& process, const Process& own) {
  if (process.host != own.host) return false;
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return true;
  const char state = state_of(process.pid);
  return state == 'Z' || state == 'X';
}

}  // namespace scalemark::mpi
