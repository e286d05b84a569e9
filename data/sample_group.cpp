#include "data/sample_group.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace scalemark::data {

SampleGroup make_group(const std::vector<FieldSpec>& specs, std::vector<SampledIndex> samples,
                       std::int64_t epoch, const HostAllocator& allocate) {
  SampleGroup group;
  const auto rows = samples.size();
  for (const FieldSpec& spec : specs) {
    std::vector<std::int64_t> shape = spec.shape;
    shape.insert(shape.begin(), static_cast<std::int64_t>(rows));
    group.batch.fields.push_back({.name = spec.name,
                                  .dtype = spec.dtype,
                                  .shape = std::move(shape),
                                  .bytes = allocate(rows * spec.bytes_per_sample())});
  }
  group.batch.samples = static_cast<std::int64_t>(rows);
  group.batch.epoch = epoch;
  for (const SampledIndex& sample : samples) group.batch.padding += sample.padding;
  group.failure.resize(rows);
  group.samples = std::move(samples);
  return group;
}

std::vector<std::span<std::byte>> row_of(const HostBatch& batch, std::size_t row) {
  std::vector<std::span<std::byte>> slot;
  slot.reserve(batch.fields.size());
  for (const HostField& field : batch.fields) {
    std::size_t bytes = size_of(field.dtype);
    for (std::size_t d = 1; d < field.shape.size(); ++d) {
      bytes *= static_cast<std::size_t>(field.shape[d]);
    }
    slot.emplace_back(field.bytes.get() + row * bytes, bytes);
  }
  return slot;
}

void load_row(const Dataset& dataset, std::uint64_t seed, SampleGroup& group, std::size_t row) {
  const SampleKey key{.seed = seed, .epoch = group.batch.epoch, .index = group.samples[row].index};
  try {
    dataset.load(key, row_of(group.batch, row));
  } catch (...) {
    group.failure[row] = std::current_exception();
  }
}

bool all_good(const SampleGroup& group) {
  return std::all_of(group.failure.begin(), group.failure.end(),
                     [](const std::exception_ptr& failure) { return failure == nullptr; });
}

std::optional<std::string> reason_of_bad_sample(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.record().exit_code == ExitCode::kBadData) return error.record().what;
  } catch (...) {  // not about the sample
  }
  return std::nullopt;
}

}  // namespace scalemark::data
