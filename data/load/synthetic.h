// Batches of random samples in a network's shape, made before anything is timed. Knows no files;
// the same options and seed give the same bytes everywhere.
#pragma once

#include <cstdint>

#include "data/load/dataset.h"

namespace scalemark::data {

// All functions refuse counts below 1 (78). An empty allocator means allocate_host().

struct SyntheticImages {
  std::int64_t batch_size = 1;
  std::int64_t image_size = 224;
  std::int64_t classes = 1000;
};
// The fields are "image" u8 [n, s, s, 3] and "label" i64 [n].
HostBatch synthetic_images(const SyntheticImages& options, std::uint64_t seed,
                           const HostAllocator& allocate = {});

struct SyntheticTokens {
  std::int64_t batch_size = 1;
  std::int64_t sequence_length = 128;
  std::int64_t vocabulary = 30522;
};
// The fields are BERT's as in dataset.h, without padding. The second half of each sequence is
// segment 1, and max(1, round(0.15 s)) distinct positions of each sequence are masked: their labels
// are random and the input stays unchanged, as the work is the same.
HostBatch synthetic_tokens(const SyntheticTokens& options, std::uint64_t seed,
                           const HostAllocator& allocate = {});

struct SyntheticVectors {
  std::int64_t batch_size = 1;
  std::int64_t features = 1024;
  std::int64_t classes = 10;
};
// The fields are "features" f32 [n, d] in [-1, 1) and "label" i64 [n].
HostBatch synthetic_vectors(const SyntheticVectors& options, std::uint64_t seed,
                            const HostAllocator& allocate = {});

}  // namespace scalemark::data
