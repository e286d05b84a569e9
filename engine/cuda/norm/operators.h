// The operators scalemark::norm_forward and norm_backward (workloads/layers/fused_norm.h) over
// tensors: they allocate memory and launch kernels. The parts that belong to one device are passed
// in, so that tests run these operators on a CPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <type_traits>

#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// The device on which kernels run: a GPU, or in tests a CPU.
struct NormDevice {
  unsigned multiprocessors;
  cudaStream_t stream;
  unsigned* counters;  // kNormCounters zeros that only this stream uses
  void (*check)(cudaError_t);
};

using MaybeTensor = std::optional<at::Tensor>;

// Both operators take these; see workloads/layers/fused_norm.h.
struct NormArguments {
  const at::Tensor &x, &weight, &bias;
  double gain;
  bool relu;
};

struct NormTraining {
  const MaybeTensor &running_mean, &running_variance;
  bool training;
  double momentum, eps;
};

// Returns null where there is no tensor.
template <class T>
T* memory_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if constexpr (std::is_const_v<T>) {
    return static_cast<T*>(tensor.const_data_ptr());
  } else {
    return static_cast<T*>(tensor.mutable_data_ptr());
  }
}
template <class T>
T* memory_of(const MaybeTensor& tensor) {
  return tensor ? memory_of<T>(*tensor) : nullptr;
}

// Blocks that sum wait for the last of them, so there are no more than run at once. Other blocks
// need not run together.
constexpr unsigned kBlocksOfSums = 2, kBlocksOfRows = 8;  // per multiprocessor

template <class Element>
class NormPasses {
 public:
  using Real = RealOf<Element>;

  NormPasses(const NormArguments& arguments, const NormDevice& device)
      : norm_(arguments),
        device_(device),
        channels_(arguments.x.size(1)),
        rows_(arguments.x.numel() / arguments.x.size(1)),
        numbers_(arguments.weight.options()) {
    TORCH_CHECK(grid(1).tiles <= kNormCounters, "a norm of ", channels_,
                " channels is too wide for our kernels");
  }

  std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(const NormTraining& training,
                                                         const MaybeTensor& shortcut,
                                                         bool keeps_mask) const {
    const at::Tensor kept = at::empty({kKeptRows, channels_}, numbers_);
    const NormNumbers<Real> norm{memory_of<const Real>(norm_.weight),
                                 memory_of<const Real>(norm_.bias),
                                 norm_.gain,
                                 training.eps,
                                 memory_of<Real>(kept),
                                 static_cast<int>(channels_)};
    Real* mean = memory_of<Real>(training.running_mean);
    Real* variance = memory_of<Real>(training.running_variance);
    if (training.training) {
      take_statistics(norm, {mean, variance, training.momentum});
    } else {
      device_.check(launch_of_running<Real>(norm, mean, variance, device_.stream));
    }
    at::Tensor y = at::empty(norm_.x.sizes(), norm_.x.options(), at::MemoryFormat::ChannelsLast),
               positive;
    if (keeps_mask)
      positive =
          at::empty({rows_, mask_stride<Element>(channels_)}, norm_.x.options().dtype(at::kByte));
    normalise(kept, shortcut, y, positive);
    return {y, kept, positive};
  }

  // Writes into of_sum and of_x where the caller passes them.
  std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& kept, const MaybeTensor& positive,
                                              const at::Tensor& of_y, const MaybeTensor& of_y_too,
                                              const MaybeTensor& of_sum,
                                              const MaybeTensor& of_x) const {
    const ChannelGrid over = grid(kBlocksOfSums);
    const at::Tensor sums = room_for_sums(over), slopes = at::empty({2, channels_}, numbers_);
    const at::Tensor of_weight = at::empty_like(norm_.weight), of_bias = at::empty_like(norm_.bias);
    GradientSumsJob<Element> job{};
    job.grid = over;
    job.x = memory_of<const Element>(norm_.x);
    job.kept = memory_of<const Real>(kept);
    job.positive = memory_of<const std::uint8_t>(positive);
    job.relu = norm_.relu && !job.positive;
    job.of_y = memory_of<const Element>(of_y);
    job.of_y_too = memory_of<const Element>(of_y_too);
    job.masked = memory_of<Element>(of_sum);
    job.gain = norm_.gain;
    job.slopes = memory_of<Real>(slopes);
    job.of_weight = memory_of<Real>(of_weight);
    job.of_bias = memory_of<Real>(of_bias);
    job.sums = {memory_of<Real>(sums), device_.counters};
    const bool whole =
        is_whole({job.x, job.of_y, job.of_y_too, job.masked, memory_of<Element>(of_x)});
    device_.check(launch_gradient_sums(job, whole, device_.stream));
    if (of_x) write_input_gradient(job, memory_of<Element>(*of_x), whole);
    return {of_weight, of_bias};
  }

 private:
  ChannelGrid grid(unsigned blocks_per_multiprocessor) const {
    return channel_grid<Element>(rows_, channels_,
                                 blocks_per_multiprocessor * device_.multiprocessors);
  }

  at::Tensor room_for_sums(const ChannelGrid& over) const {
    return at::empty({over.blocks(), kSumsOfTile<Element>}, numbers_);
  }

  // Whether all of these arrays can be read and written by 16 bytes at once; a null pointer can.
  bool is_whole(std::initializer_list<const Element*> all) const {
    if (channels_ % kVector<Element> != 0) return false;
    for (const Element* pointer : all) {
      if (reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Vector<Element>) != 0) return false;
    }
    return true;
  }

  void take_statistics(const NormNumbers<Real>& norm, const RunningNumbers<Real>& running) const {
    const ChannelGrid over = grid(kBlocksOfSums);
    const at::Tensor sums = room_for_sums(over);
    const StatisticsJob<Element> job{over,
                                     memory_of<const Element>(norm_.x),
                                     norm,
                                     running,
                                     {memory_of<Real>(sums), device_.counters}};
    device_.check(launch_statistics(job, is_whole({job.x}), device_.stream));
  }

  void normalise(const at::Tensor& kept, const MaybeTensor& shortcut, const at::Tensor& y,
                 const at::Tensor& positive) const {
    const Real* numbers = memory_of<const Real>(kept);
    const NormaliseJob<Element> job{grid(kBlocksOfRows),
                                    memory_of<const Element>(norm_.x),
                                    numbers + kScale * channels_,
                                    numbers + kOffset * channels_,
                                    norm_.relu,
                                    memory_of<const Element>(shortcut),
                                    memory_of<Element>(y),
                                    memory_of<std::uint8_t>(positive)};
    device_.check(
        launch_normalise_channels(job, is_whole({job.x, job.added, job.y}), device_.stream));
  }

  // Where the pass of the sums wrote `masked`, the ReLU is already applied.
  void write_input_gradient(const GradientSumsJob<Element>& sums, Element* of_x, bool whole) const {
    const InputGradientJob<Element> job{grid(kBlocksOfRows),
                                        sums.x,
                                        sums.kept + kScale * channels_,
                                        sums.kept + kOffset * channels_,
                                        sums.masked ? sums.masked : sums.of_y,
                                        sums.slopes,
                                        of_x};
    device_.check(launch_input_gradient(job, whole, sums.relu && !sums.masked, device_.stream));
  }

  const NormArguments& norm_;
  const NormDevice& device_;
  std::int64_t channels_, rows_;
  at::TensorOptions numbers_;
};

}  // namespace scalemark::cuda
