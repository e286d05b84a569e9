// A data set as the loader sees it: samples of one layout, the batch in host memory into which they
// are written, and the random numbers that each draws. Knows nothing of ranks, batches in flight,
// threads or torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace scalemark::data {

// A batch in host memory: named fields with one buffer each. data/load/batch.h makes tensors of it.

enum class DType { kUint8, kInt32, kInt64, kFloat32 };

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return 1;
    case DType::kInt32:
      return 4;
    case DType::kInt64:
      return 8;
    case DType::kFloat32:
      return 4;
  }
  return 0;
}

// One field of one sample, such as {"image", kUint8, {224, 224, 3}} (height, width, RGB) or
// {"label", kInt64, {}}.
struct FieldSpec {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;  // empty for a scalar

  std::size_t bytes_per_sample() const {
    return std::accumulate(
        shape.begin(), shape.end(), size_of(dtype),
        [](std::size_t n, std::int64_t d) { return n * static_cast<std::size_t>(d); });
  }
};

// One sample's place in a batch: one byte range per field, in the order of Dataset::fields().
using SampleSlot = std::span<const std::span<std::byte>>;

// Owned host memory. On CUDA the engine's allocator pins it; data/ does not depend on that.
using HostBuffer = std::shared_ptr<std::byte>;
using HostAllocator = std::function<HostBuffer(std::size_t bytes)>;

HostBuffer allocate_host(std::size_t bytes);  // 64-byte aligned, not pinned

struct HostField {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;  // {samples, ...}
  HostBuffer bytes;

  template <class T>
  std::span<T> as() const {
    const auto n =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return {reinterpret_cast<T*>(bytes.get()), static_cast<std::size_t>(n)};
  }
};

// Images: "image" u8 [n, h, w, 3], "label" i64 [n].
// Text:   "input_ids", "token_type_ids", "attention_mask" i64 [n, s]; "masked_positions" i64 [m]
//         (into the flattened n*s), "masked_labels" i64 [m], "next_sentence_label" i64 [n].
// Vectors (mlp, linear): "features" f32 [n, d], "label" i64 [n].
struct HostBatch {
  std::vector<HostField> fields;
  std::int64_t samples = 0;         // rows in the fields
  std::int64_t padding = 0;         // repeated samples with which the sampler evens out the ranks
  std::int64_t non_pad_tokens = 0;  // text only
  std::int64_t epoch = 0;

  const HostField& field(std::string_view name) const;  // throws bug() when absent
};

// The source of one sample's random choices (crop, flip, masking): the same (seed, epoch, index)
// gives the same sample for any thread, rank or worker count.
struct SampleKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;  // index into the data set
};

class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;

  // Returns the fields of one sample, in the order of load()'s slot.
  virtual std::vector<FieldSpec> fields() const = 0;

  // Writes sample `key.index` completely: every byte of every field in `slot`. Several threads may
  // call it at once. Throws Error (65, naming the file and the reason) when the sample cannot be
  // decoded.
  virtual void load(const SampleKey& key, SampleSlot slot) const = 0;

  // Announces that sample `index` will be loaded soon, so that its data may be fetched now without
  // waiting. Several threads may call it at once. It does not report bad samples.
  virtual void expect(std::int64_t /*index*/) const noexcept {}

  // Turns the slots of a batch into the network's input (BERT: padded slots of masked positions
  // become one flat list). The default returns the batch unchanged.
  virtual HostBatch collate(HostBatch batch) const { return batch; }

  // Returns a readable name of sample `index`: a path, or a document and sentence number.
  virtual std::string name_of(std::int64_t index) const = 0;

  // Returns a hash of the data (sorted relative paths and sizes; file contents for token files), by
  // which ranks and reports recognise the same data.
  virtual std::string identity() const = 0;
};

// Random numbers for one sample. The sequence depends on the key alone, not on thread, rank or
// platform. SplitMix64: one multiply-xor chain per number, passes BigCrush, has hardly any state.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SampleRandom {
 public:
  explicit SampleRandom(const SampleKey& key)
      : state_(mix(mix(mix(key.seed) ^ static_cast<std::uint64_t>(key.epoch)) ^
                   static_cast<std::uint64_t>(key.index))) {}
  explicit SampleRandom(std::uint64_t seed) : SampleRandom(SampleKey{.seed = seed}) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  // Returns a number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Returns a number in [0, n), n > 0. The modulo's bias is below n / 2^64.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z += kStep;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace scalemark::data
