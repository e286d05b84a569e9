#include "core/settings/machine.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "core/base/words.h"

namespace scalemark::settings {
namespace {

bool has_flag(std::string_view flags, std::string_view wanted) {
  std::istringstream words{std::string(flags)};
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

std::optional<std::string> why_unsupported_on_cpu(Precision precision, std::string_view flags) {
  if (precision == Precision::kTf32) return "tf32 exists on GPUs only; use fp32 on a CPU";
  if (precision == Precision::kAmpFp16)
    return "amp-fp16 is for GPUs; use fp32 or amp-bf16 on a CPU";
  if (precision == Precision::kAmpBf16 && !has_flag(flags, "avx512_bf16") &&
      !has_flag(flags, "amx_bf16")) {
    return "this CPU has neither avx512_bf16 nor amx_bf16, and would run slower than in fp32; use "
           "fp32 here";
  }
  return std::nullopt;
}

std::optional<std::string> why_unsupported_on_cuda(Precision precision,
                                                   std::optional<ComputeCapability> gpu) {
  const bool needs_ampere = precision == Precision::kTf32 || precision == Precision::kAmpBf16;
  if (!needs_ampere || !gpu || gpu->major >= 8) return std::nullopt;
  return "needs a GPU of compute capability 8.0, this one has " + std::to_string(gpu->major) + "." +
         std::to_string(gpu->minor);
}

}  // namespace

std::optional<std::string> why_unsupported(Precision precision, const PrecisionDevice& device) {
  if (device.device == DeviceKind::kCpu) return why_unsupported_on_cpu(precision, device.cpu_flags);
  return why_unsupported_on_cuda(precision, device.gpu);
}

namespace {

const std::string* value_of(std::string_view word, const Place& place) {
  if (word == "host") return &place.host;
  if (word == "job") return &place.job;
  if (word == "date") return &place.date;
  return nullptr;
}

}  // namespace

std::optional<std::string> fill_placeholders(std::string_view pattern, const Place& place) {
  std::string filled;
  while (true) {
    const std::size_t brace = pattern.find_first_of("{}");
    filled += pattern.substr(0, brace);
    if (brace == std::string_view::npos) return filled;
    const std::size_t end = pattern.find('}', brace);
    if (pattern[brace] == '}' || end == std::string_view::npos) return std::nullopt;
    const std::string* value = value_of(pattern.substr(brace + 1, end - brace - 1), place);
    if (!value) return std::nullopt;
    filled += *value;
    pattern.remove_prefix(end + 1);
  }
}

placement::Answer place_ranks(const Machine& machine, placement::Bind bind, DeviceKind device,
                              int local_world_size) {
  placement::Question question{.bind = bind, .ranks = local_world_size};
  if (device == DeviceKind::kCuda) {
    for (const Gpu& gpu : machine.gpus) question.gpu_nodes.push_back(gpu.memory_node);
  }
  return placement::places_of_ranks(machine.topology, question);
}

int threads_per_rank(const Machine& machine, placement::Bind bind, DeviceKind device,
                     int local_world_size, int computing) {
  const int share = machine.cores / std::max(1, computing);
  const auto fitting =
      placement::threads_that_fit(place_ranks(machine, bind, device, local_world_size).places);
  return std::max(1, std::min(share, fitting.value_or(share)));
}

std::optional<Problem> impossible_binding(const Settings& settings, const Machine& machine,
                                          const RankCount& ranks) {
  const placement::Bind bind = settings.parallel.bind;
  const auto answer = place_ranks(machine, bind, settings.parallel.device, ranks.local_world_size);
  if (answer.problem.empty()) return std::nullopt;
  return Problem{.option = "bind",
                 .found = std::string(name_of(bind)),
                 .allowed = answer.problem,
                 .origin = value_at(settings.origins, "bind"),
                 .hint =
                     "leave --bind out; where a launcher has bound the ranks already, start "
                     "them unbound (mpirun --bind-to none, srun --cpu-bind=none)"};
}

}  // namespace scalemark::settings
