#include "data/load/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "data/load/dataset.h"

namespace scalemark::data {
namespace {

void at_least_one(std::initializer_list<std::pair<const char*, std::int64_t>> counts) {
  for (const auto& [name, value] : counts) {
    if (value < 1)
      throw configuration(std::string(name) + " is " + std::to_string(value), "1 or more");
  }
}

// Adds a field and returns its unwritten elements.
template <class T>
std::span<T> add_field(HostBatch& batch, const HostAllocator& allocate, std::string name,
                       DType dtype, std::vector<std::int64_t> shape) {
  const auto n = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  batch.fields.push_back({.name = std::move(name),
                          .dtype = dtype,
                          .shape = std::move(shape),
                          .bytes = allocate ? allocate(bytes) : allocate_host(bytes)});
  return batch.fields.back().as<T>();
}

void fill_random_bytes(std::span<std::uint8_t> bytes, SampleRandom& random) {
  while (!bytes.empty()) {
    const std::uint64_t number = random.next();
    const std::size_t n = std::min(bytes.size(), sizeof number);
    std::memcpy(bytes.data(), &number, n);
    bytes = bytes.subspan(n);
  }
}

void fill_below(std::span<std::int64_t> values, std::int64_t low, std::int64_t end,
                SampleRandom& random) {
  for (std::int64_t& value : values) value = low + random.below(end - low);
}

// Returns `count` distinct numbers below n, ascending (Floyd's selection would save little memory).
std::vector<std::int64_t> choose_sorted(std::int64_t count, std::int64_t n, SampleRandom& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    std::swap(all[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(i + random.below(n - i))]);
  }
  all.resize(static_cast<std::size_t>(count));
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

HostBatch synthetic_images(const SyntheticImages& options, std::uint64_t seed,
                           const HostAllocator& allocate) {
  const auto [n, size, classes] = options;
  at_least_one({{"batch_size", n}, {"image_size", size}, {"classes", classes}});
  SampleRandom random(seed);
  HostBatch batch{.samples = n};
  fill_random_bytes(
      add_field<std::uint8_t>(batch, allocate, "image", DType::kUint8, {n, size, size, 3}), random);
  fill_below(add_field<std::int64_t>(batch, allocate, "label", DType::kInt64, {n}), 0, classes,
             random);
  return batch;
}

HostBatch synthetic_tokens(const SyntheticTokens& options, std::uint64_t seed,
                           const HostAllocator& allocate) {
  const auto [n, length, vocabulary] = options;
  // Id 0 is padding.
  at_least_one(
      {{"batch_size", n}, {"sequence_length", length}, {"vocabulary - 1", vocabulary - 1}});
  const auto masked = std::max<std::int64_t>(1, std::llround(0.15 * static_cast<double>(length)));
  SampleRandom random(seed);
  HostBatch batch{.samples = n, .non_pad_tokens = n * length};
  const auto add = [&](const char* name, std::vector<std::int64_t> shape) {
    return add_field<std::int64_t>(batch, allocate, name, DType::kInt64, std::move(shape));
  };
  fill_below(add("input_ids", {n, length}), 1, vocabulary, random);
  const auto segments = add("token_type_ids", {n, length});
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i] = static_cast<std::int64_t>(i) % length >= (length + 1) / 2;
  }
  std::ranges::fill(add("attention_mask", {n, length}), std::int64_t{1});
  const auto positions = add("masked_positions", {n * masked});
  for (std::int64_t sequence = 0; sequence < n; ++sequence) {
    const auto chosen = choose_sorted(masked, length, random);
    std::ranges::transform(chosen, positions.begin() + sequence * masked,
                           [&](std::int64_t p) { return sequence * length + p; });
  }
  fill_below(add("masked_labels", {n * masked}), 1, vocabulary, random);
  fill_below(add("next_sentence_label", {n}), 0, 2, random);
  return batch;
}

HostBatch synthetic_vectors(const SyntheticVectors& options, std::uint64_t seed,
                            const HostAllocator& allocate) {
  const auto [n, features, classes] = options;
  at_least_one({{"batch_size", n}, {"features", features}, {"classes", classes}});
  SampleRandom random(seed);
  HostBatch batch{.samples = n};
  for (float& value :
       add_field<float>(batch, allocate, "features", DType::kFloat32, {n, features})) {
    value = static_cast<float>(random.next() >> 40) * 0x1p-23F - 1.0F;
  }
  fill_below(add_field<std::int64_t>(batch, allocate, "label", DType::kInt64, {n}), 0, classes,
             random);
  return batch;
}

}  // namespace scalemark::data
