#include "engine/training/shards.h"

#include <algorithm>
#include <utility>

namespace scalemark::training {
namespace {

NamedParameter piece_of(const NamedParameter& whole, const at::Tensor& parameters,
                        const at::Tensor& gradients, std::int64_t begin, std::int64_t end) {
  NamedParameter piece{whole.name, parameters.narrow(0, begin, end - begin), whole.norm_or_bias};
  piece.tensor.mutable_grad() = gradients.narrow(0, begin, end - begin);
  return piece;
}

// The number of each parameter among those that are no norm weights or biases; theirs: unused.
std::vector<std::int64_t> matrix_numbers(const std::vector<NamedParameter>& network) {
  std::vector<std::int64_t> numbers;
  std::int64_t next = 0;
  for (const NamedParameter& parameter : network) {
    numbers.push_back(next);
    if (!parameter.norm_or_bias) ++next;
  }
  numbers.push_back(next);
  return numbers;
}

}  // namespace

Shards shards_of(const std::vector<NamedParameter>& network,
                 const std::vector<BucketLayout>& layouts,
                 const std::vector<at::Tensor>& parameters,
                 const std::vector<at::Tensor>& gradients, int rank, int ranks) {
  Shards shards;
  const auto numbers = matrix_numbers(network);
  shards.matrices = numbers.back();
  for (std::size_t b = 0; b < layouts.size(); ++b) {
    const std::int64_t length = layouts[b].elements / ranks, first = rank * length;
    shards.parameters.push_back(parameters[b].narrow(0, first, length));
    shards.gradients.push_back(gradients[b].narrow(0, first, length));
    for (const BucketPlace& place : layouts[b].places) {
      const NamedParameter& whole = network[place.parameter];
      const std::int64_t begin = std::max(place.offset, first);
      const std::int64_t end = std::min(place.offset + whole.tensor.numel(), first + length);
      if (begin >= end) continue;
      shards.pieces.push_back(piece_of(whole, parameters[b], gradients[b], begin, end));
      if (!whole.norm_or_bias) shards.matrix_of_piece.push_back(numbers[place.parameter]);
    }
  }
  if (shards.pieces.empty()) {
    const NamedParameter filling{"filling", {}, /*norm_or_bias=*/true};
    const std::int64_t length = shards.parameters.front().numel();
    shards.pieces.push_back(
        piece_of(filling, shards.parameters.front(), shards.gradients.front(), 0, length));
  }
  return shards;
}

}  // namespace scalemark::training
