#include "engine/running/memory_advice.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "core/base/error.h"
#include "core/monitoring/environment.h"
#include "core/planning/estimates.h"

namespace scalemark::running {
namespace {

std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> address_space_left() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::uint64_t used = mapped_bytes();
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::optional<std::uint64_t> share_of_host(int ranks_here) {
  const auto host = monitoring::survey_host("/", {});
  if (host.memory_bytes == 0) return std::nullopt;
  const std::uint64_t limit = host.cgroup.memory_bytes.value_or(host.memory_bytes);
  return std::min(limit, host.memory_bytes) / static_cast<std::uint64_t>(std::max(1, ranks_here));
}

std::optional<std::uint64_t> memory_of_gpu(const std::string& uuid) {
  for (const auto& gpu : monitoring::survey_host().gpus) {
    if (gpu.uuid == uuid) return gpu.memory_bytes;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::string in_gib(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

std::optional<std::uint64_t> memory_limit(const settings::Settings& settings, Session& session) {
  const auto& own = settings.parallel.memory_limit_of_rank_bytes;
  const int ranks = session.world().world_size;
  if (!own.empty() && own.rbegin()->first >= ranks) {
    throw configuration("--memory-limit names rank " + std::to_string(own.rbegin()->first),
                        "the ranks are 0 to " + std::to_string(ranks - 1));
  }
  const auto found = own.find(session.world().rank);
  if (found != own.end()) return found->second;
  if (settings.parallel.memory_limit_bytes) return *settings.parallel.memory_limit_bytes;
  if (session.device().torch_device().is_cuda()) return std::nullopt;
  const auto share = share_of_host(session.world().local_world_size);
  return share ? std::optional(*share / 10 * 8) : std::nullopt;
}

std::optional<std::uint64_t> available_memory(Session& session,
                                              std::optional<std::uint64_t> limit) {
  if (session.device().torch_device().is_cuda()) {
    return least(limit, memory_of_gpu(session.device().identity()));
  }
  const auto share = share_of_host(session.world().local_world_size);
  return least(limit, least(share, address_space_left()));
}

std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape,
                                     std::optional<std::uint64_t> available_bytes) {
  if (!available_bytes) return std::nullopt;
  auto question = planning::memory_question(settings, shape);
  question.whole_process = false;  // the limit counts tensors
  const std::int64_t batch =
      catalogue::largest_batch_that_fits(workload, question, *available_bytes);
  const std::string within = " into " + in_gib(*available_bytes);
  if (batch == 0) return "by the estimate not even --batch-size 1 fits" + within;
  if (batch >= question.batch_size) {
    return "by the estimate --batch-size " + std::to_string(question.batch_size) + " fits" +
           within + ", so something else takes memory here";
  }
  return "by the estimate --batch-size " + std::to_string(batch) + " fits" + within;
}

}  // namespace scalemark::running
