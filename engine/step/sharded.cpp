// Strategy sharded: each rank receives the sum of its part of the gradients, updates its part of
// the parameters with its part of the optimizer's state, and sends it to all: reduce-scatter,
// update, all-gather. These are ZeRO's stages 1 and 2 (arXiv:1910.02054), but gradients are not
// freed.

#include <ATen/core/Tensor.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <utility>
#include <vector>

#include "core/catalogue/backends.h"
#include "engine/step/bucketed.h"
#include "engine/step/parameters.h"
#include "engine/torch/compat.h"

namespace scalemark::training {
namespace {

// The part of the flat buffers that belongs to a rank: of each bucket one part, cut at the borders
// of parameters into pieces that an optimizer can update.
struct Shards {
  std::vector<at::Tensor> parameters, gradients;  // this rank's part of each bucket
  // Views of the parts, with their gradients, for the rank's optimizer. Never empty: a rank whose
  // parts hold only filling gets the filling as a bias.
  std::vector<NamedParameter> pieces;
  // This numbers the matrix of each piece that is no norm weight or bias.
  std::vector<std::int64_t> matrix_of_piece;
  std::int64_t matrices = 0;  // number of matrices of the whole network
};

// The name says which elements they are, so that a checkpoint tells the pieces of ranks apart.
NamedParameter piece_of(const NamedParameter& whole, const at::Tensor& parameters,
                        const at::Tensor& gradients, std::int64_t offset, std::int64_t begin,
                        std::int64_t end) {
  NamedParameter piece{name_of({whole.name, begin - offset, end - offset}),
                       parameters.narrow(0, begin, end - begin), whole.norm_or_bias};
  piece.tensor.mutable_grad() = gradients.narrow(0, begin, end - begin);
  return piece;
}

// Numbers the parameters that are no norm weights or biases; the numbers of those are not used.
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

// Pure. `parameters` and `gradients` are the buffers of `layouts`, which were made for `ranks`
// parts.
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
      shards.pieces.push_back(
          piece_of(whole, parameters[b], gradients[b], place.offset, begin, end));
      if (!whole.norm_or_bias) shards.matrix_of_piece.push_back(numbers[place.parameter]);
    }
  }
  if (shards.pieces.empty()) {
    const NamedParameter filling{"filling", {}, /*norm_or_bias=*/true};
    const std::int64_t length = shards.parameters.front().numel();
    shards.pieces.push_back(
        piece_of(filling, shards.parameters.front(), shards.gradients.front(), 0, 0, length));
  }
  return shards;
}

using Tensors = std::vector<at::Tensor>;

class Sharded final : public Bucketed {
 public:
  explicit Sharded(const StrategyInput& input)
      : Bucketed(input, bucket_layouts(input.parameters, input.settings, input.group->getSize())),
        whole_parameters_(flatten_parameters(input.parameters, buckets().layouts())),
        shards_(shards_of(input.parameters, buckets().layouts(), whole_parameters_,
                          buckets().buffers(), group().getRank(), group().getSize())),
        adds_up_itself_(catalogue::all_reduces_to_scatter(input.settings.backend)),
        sent_(buckets().size()),
        received_(buckets().size()),
        works_(buckets().size()) {}

  const std::vector<NamedParameter>& optimizer_parameters() const override {
    return shards_.pieces;
  }

  at::Tensor norm_over_ranks(const at::Tensor& norm) override {
    Tensors square{norm * norm};
    group().allreduce(square, c10d::AllreduceOptions())->wait();
    return square.front().sqrt();
  }

  void infinity_over_ranks(at::Tensor& found_inf) override {
    Tensors largest{found_inf};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    group().allreduce(largest, options)->wait();
  }

  WholeNorms whole_norms() override {
    return [this](const at::Tensor& norms) { return norms_of_matrices(norms); };
  }

  void after_update(measurement::StepMarker& marker) override {
    marker.mark(measurement::Moment::kUpdateEnd);
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    for (std::size_t b = 0; b < whole_parameters_.size(); ++b) {
      works.push_back(group().all_gather_single(whole_parameters_[b], shards_.parameters[b], {}));
    }
    for (const auto& work : works) work->wait();
  }

 private:
  void send(std::size_t bucket) override {
    at::Tensor& sent = sent_[bucket];
    sent = buckets().buffers()[bucket];
    if (compressed()) sent = sent.to(*compressed());
    if (adds_up_itself_) {
      if (!received_[bucket].defined()) received_[bucket] = at::zeros_like(sent);
      std::vector<std::int64_t> equal_parts;
      works_[bucket] =
          group().all_to_all_single(received_[bucket], sent, equal_parts, equal_parts, {});
    } else {
      if (compressed()) sent.div_(group().getSize());  // keeps the sum from overflowing
      received_[bucket] = part_of(sent);
      works_[bucket] = group().reduce_scatter_single(received_[bucket], sent, {});
    }
  }

  void receive(std::size_t bucket) override {
    works_[bucket]->wait();
    works_[bucket].reset();
    at::Tensor sum = shards_.gradients[bucket];
    if (adds_up_itself_) {
      const at::Tensor by_rank = received_[bucket].view({group().getSize(), -1});
      at::sum_out(sum, by_rank, {0}, /*keepdim=*/false, sum.scalar_type());
      if (compressed()) sum.div_(group().getSize());
    } else if (compressed()) {
      sum.copy_(received_[bucket]);
    }
    sent_[bucket].reset();
  }

  at::Tensor part_of(const at::Tensor& whole) {
    const std::int64_t length = whole.numel() / group().getSize();
    return whole.narrow(0, group().getRank() * length, length);
  }

  at::Tensor norms_of_matrices(const at::Tensor& norms) {
    if (!matrix_of_piece_.defined()) {
      matrix_of_piece_ = at::tensor(shards_.matrix_of_piece, at::kLong).to(norms.device());
    }
    Tensors squares{at::zeros({norms.size(0), shards_.matrices}, norms.options())};
    squares.front().index_add_(1, matrix_of_piece_, norms * norms);
    group().allreduce(squares, c10d::AllreduceOptions())->wait();
    return at::index_select(squares.front().sqrt(), 1, matrix_of_piece_);
  }

  Tensors whole_parameters_;
  Shards shards_;
  at::Tensor matrix_of_piece_;
  bool adds_up_itself_;
  Tensors sent_, received_;
  std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

}  // namespace

std::unique_ptr<Strategy> make_sharded(StrategyInput input) {
  return std::make_unique<Sharded>(input);
}

}  // namespace scalemark::training
