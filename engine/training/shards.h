// Which part of the flat buffers belongs to a rank: of each bucket the part of its number, cut at
// the borders of parameters into pieces that an optimizer can update. Pure.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/training/bucket_layout.h"
#include "engine/training/parameters.h"

namespace scalemark::training {

struct Shards {
  std::vector<at::Tensor> parameters, gradients;  // this rank's part of each bucket
  // Views of the parts, their gradients attached: what the rank's optimizer updates. Never empty: a
  // rank whose parts hold only filling gets that as a bias.
  std::vector<NamedParameter> pieces;
  // Numbers the matrix of each piece that is no norm weight or bias, in order, among all.
  std::vector<std::int64_t> matrix_of_piece;
  std::int64_t matrices = 0;  // of the network
};

// `parameters` and `gradients`: the buffers of `layouts`, which were made for `ranks` parts.
Shards shards_of(const std::vector<NamedParameter>& network,
                 const std::vector<BucketLayout>& layouts,
                 const std::vector<at::Tensor>& parameters,
                 const std::vector<at::Tensor>& gradients, int rank, int ranks);

}  // namespace scalemark::training
