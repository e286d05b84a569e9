// How parameters share flat buffers: each has its place in one bucket, in the order of its own
// memory. Pure; strategies use it for gradients, and for parameters that travel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/settings/settings.h"
#include "engine/training/parameters.h"

namespace scalemark::training {

// Converts --bucket-cap-mb and its like. Throws configuration() for less than a byte.
std::int64_t bytes_of_mb(double mb, const char* option);

struct BucketPlace {
  std::size_t parameter = 0;  // its index
  std::int64_t offset = 0;    // in elements of the buffer, at a cache line
};

struct BucketLayout {
  std::vector<BucketPlace> places;  // ascending offsets
  std::int64_t elements = 0;        // of the buffer, filling included
};

// As DistributedDataParallel: from the last parameter to the first, which is roughly the order in
// which backward produces gradients; a bucket closes with the tensor that takes it over
// --bucket-cap-mb (the first one: --first-bucket-cap-mb). All parameters of a bucket have one
// dtype. A buffer can be divided into `parts` equal parts that begin at cache lines.
std::vector<BucketLayout> bucket_layouts(const std::vector<NamedParameter>& parameters,
                                         const settings::ParallelSettings& settings,
                                         std::int64_t parts = 1);

// One buffer of zeros per layout.
std::vector<at::Tensor> zero_buffers(const std::vector<NamedParameter>& parameters,
                                     const std::vector<BucketLayout>& layouts);

// The part of `buffer` at `offset`, in the shape and strides of `parameter`.
at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset);

// Moves every parameter into its place of new buffers, which are returned: what is sent from a
// buffer are the parameters themselves.
std::vector<at::Tensor> flatten_parameters(const std::vector<NamedParameter>& parameters,
                                           const std::vector<BucketLayout>& layouts);

}  // namespace scalemark::training
