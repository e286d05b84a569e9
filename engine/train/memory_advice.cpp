#include "engine/train/memory_advice.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/base/number_words.h"
#include "core/machine/survey.h"
#include "core/plan/estimates.h"
#include "core/settings/processes.h"

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

std::optional<std::uint64_t> memory_of_gpu(const std::string& uuid) {
  const auto survey = monitoring::detect_gpus();
  const auto found = monitoring::find_gpu(survey.gpus, uuid);
  const std::uint64_t bytes = found.instance ? found.instance->memory_bytes
                              : found.gpu    ? found.gpu->memory_bytes
                                             : 0;
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

// Where all ranks of a point are in one process, the other processes of a node wait.
int processes_at_work(const settings::Settings& settings, const process::RankContext& context) {
  const auto kind = settings::process_kind_of(settings.parallel);
  return kind.count == catalogue::ProcessCount::kOne ? 1 : context.world().local_world_size;
}

planning::AvailableMemory host_memory_here(const settings::Settings& settings,
                                           const process::RankContext& context) {
  const auto host = monitoring::survey_host("/", {});
  return {.host_bytes = host.memory_bytes,
          .cgroup_bytes = host.cgroup.memory_bytes,
          .gpu_bytes = std::nullopt,
          .ranks = processes_at_work(settings, context)};
}

planning::AvailableMemory memory_here(const settings::Settings& settings,
                                      process::RankContext& context) {
  planning::AvailableMemory there = host_memory_here(settings, context);
  const auto& device = context.device();
  if (device.torch_device().is_cuda()) there.gpu_bytes = memory_of_gpu(device.identity());
  return there;
}

}  // namespace

// Asks for no GPU, so that none is searched for before each run of a sweep: a limit is given or is
// the host's memory.
std::optional<std::uint64_t> memory_limit(const settings::Settings& settings,
                                          process::RankContext& context) {
  return planning::memory_limit(settings.parallel, context.world().rank,
                                host_memory_here(settings, context));
}

std::optional<std::uint64_t> available_memory(const settings::Settings& settings,
                                              process::RankContext& context) {
  const auto available = planning::memory_available(settings.parallel, context.world().rank,
                                                    memory_here(settings, context));
  const bool on_cpu = context.device().torch_device().is_cpu();
  return on_cpu ? planning::least(available, address_space_left()) : available;
}

std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape, int world_size,
                                     std::optional<std::uint64_t> available_bytes) {
  if (!available_bytes) return std::nullopt;
  auto question = planning::memory_question(settings, shape, world_size);
  question.whole_process = false;  // the limit counts tensors only
  const std::int64_t batch =
      catalogue::largest_batch_that_fits(workload, question, *available_bytes);
  const std::string within = " into " + size_text(*available_bytes);
  if (batch == 0) return "by the estimate not even --batch-size 1 fits" + within;
  if (batch >= question.batch_size) {
    return "by the estimate --batch-size " + std::to_string(question.batch_size) + " fits" +
           within + ", so something else takes memory here";
  }
  return "by the estimate --batch-size " + std::to_string(batch) + " fits" + within;
}

}  // namespace scalemark::running
