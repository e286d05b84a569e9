// The impure half of the detection: looks at this process and its machine.
#include <unistd.h>

#include <sstream>

#include "core/launching/detect.h"
#include "core/monitoring/text_file.h"
#include "core/monitoring/visible_gpus.h"

namespace scalemark::launching {
namespace {

constexpr int kMostAncestors = 64;

bool has_variable(int pid, const std::string& name) {
  const auto environment =
      '\0' + monitoring::read_text("/proc/" + std::to_string(pid) + "/environ").value_or("");
  return environment.find('\0' + name + "=") != std::string::npos;
}

// The fourth field of /proc/PID/stat; the second, the name, may hold spaces and brackets.
int parent_of(int pid) {
  const auto stat = monitoring::read_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const auto bracket = stat.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream rest(stat.substr(bracket + 1));
  std::string state;
  int parent = 0;
  return rest >> state >> parent ? parent : 0;
}

int ranks_of_auto(const Environment& environment) {
  const auto visible = environment.find("CUDA_VISIBLE_DEVICES");
  return std::max(1,
                  monitoring::visible_gpu_count(
                      visible == environment.end() ? std::nullopt : std::optional(visible->second),
                      monitoring::gpu_device_files()));
}

}  // namespace

std::optional<int> mpi_launcher_pid(const std::string& variable) {
  int pid = getppid();
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    if (!has_variable(pid, variable)) return pid;
    pid = parent_of(pid);
  }
  return {};
}

Request make_request(const settings::Settings& settings) {
  Request request;
  request.environment = snapshot_environment();
  request.launch = settings.launch;
  request.user = std::to_string(getuid());
  request.origins = settings.origins;
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (!request.environment.contains(variable)) continue;
    request.launcher_pid = mpi_launcher_pid(variable);
    break;
  }
  request.auto_nproc_per_node = ranks_of_auto(request.environment);
  return request;
}

}  // namespace scalemark::launching
