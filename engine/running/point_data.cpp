#include "engine/running/point_data.h"

#include <utility>
#include <vector>

#include "core/planning/estimates.h"
#include "engine/running/fresh_batches.h"

namespace scalemark::running {
namespace {

bool pins_memory(device::Device& device, const settings::Settings& settings) {
  return settings.loading.pin_memory && device.torch_device().is_cuda();
}

std::unique_ptr<BatchSource> source_of_one(device::Device& device,
                                           const settings::Settings& settings,
                                           const catalogue::Workload& workload,
                                           const WorkloadData& data, const TrainingRanks& rank) {
  if (data.train) return endless_epochs(*data.train, sampling_of(device, settings, rank));
  auto batches = synthetic_batches(settings, workload, data.shape, rank.first,
                                   device.batch_allocator(settings.loading.pin_memory));
  if (!settings.loading.synthetic_in_loop) return cached_batches(std::move(batches));
  return fresh_batches(batches.front(), random_ranges(workload, data.shape),
                       first_seed(settings, rank.first));
}

}  // namespace

SamplingOptions sampling_of(device::Device& device, const settings::Settings& settings,
                            const TrainingRanks& ranks) {
  return {.loader = {.batch_size = settings.size.batch_size,
                     .workers = settings.loading.workers,
                     .batches_ahead = settings.loading.prefetch,
                     .on_bad_sample = settings.loading.on_bad_sample == settings::OnBadSample::kSkip
                                          ? data::OnBadSample::kSkip
                                          : data::OnBadSample::kFail,
                     .seed = settings.recipe.seed,
                     .allocate = device.batch_allocator(settings.loading.pin_memory)},
          .ranks = ranks,
          .pinned = pins_memory(device, settings),
          .drop_last = settings.loading.drop_last,
          .seed = settings.recipe.seed};
}

std::unique_ptr<BatchSource> open_source(device::Device& device, const settings::Settings& settings,
                                         const catalogue::Workload& workload,
                                         const WorkloadData& data, const TrainingRanks& ranks) {
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (int i = 0; i < ranks.count; ++i) {
    sources.push_back(source_of_one(device, settings, workload, data, ranks.one(i)));
  }
  auto source = joined_batches(std::move(sources), pins_memory(device, settings));
  const bool cached = !data.train && !settings.loading.synthetic_in_loop;
  if (ranks.count == 1 || !cached) return source;
  return cached_batches(*source, planning::kSyntheticBatches);  // joined once for all steps
}

}  // namespace scalemark::running
