#include "workloads/networks/resnet50.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <string>
#include <vector>

#include "data/augment/mixing.h"
#include "data/load/batch.h"
#include "workloads/layers/checkpointed.h"
#include "workloads/layers/layers.h"
#include "workloads/layers/parallel.h"
#include "workloads/layers/pixel_table.h"
#include "workloads/networks/classification.h"

namespace scalemark::workloads {
namespace {

// --- Batches whose images are mixed in pairs (--mixup, --cutmix): their pixels, and a loss for
// both labels. data/augment/mixing.h describes the fields of such a batch.

// Returns [n, 1, h, w]: 1 within each row's rectangle, else 0.
at::Tensor rectangles(const at::Tensor& mixing, std::int64_t height, std::int64_t width) {
  const auto edge = [&](data::MixingColumn column) {
    return mixing.select(1, column).view({-1, 1, 1, 1});
  };
  const auto y = at::arange(height, mixing.options()).view({1, 1, height, 1});
  const auto x = at::arange(width, mixing.options()).view({1, 1, 1, width});
  const auto in_rows = y.ge(edge(data::kTop)).logical_and(y.lt(edge(data::kBottom)));
  const auto in_columns = x.ge(edge(data::kLeft)).logical_and(x.lt(edge(data::kRight)));
  return in_rows.logical_and(in_columns).to(mixing.scalar_type());
}

bool is_mixed(const data::Batch& batch) { return batch.tensors.contains("mixing"); }

// Mixes `own` and `other` [n, c, h, w] by `mixing`, f32 [n, kMixingColumns], on one device.
// Computes in float at least, without rounding to bytes. Only enqueues, and always the same
// operators whatever the batch holds. A share of 1 or 0 leaves a pixel exactly unchanged.
at::Tensor mixed_images(const at::Tensor& own, const at::Tensor& other, const at::Tensor& mixing) {
  const at::Tensor outside = 1 - rectangles(mixing, own.size(2), own.size(3));
  const at::Tensor share = outside * mixing.select(1, data::kPixelShare).view({-1, 1, 1, 1});
  return (own * share + other * (1 - share)).to(own.scalar_type());
}

// Returns the mean cross-entropy against a `share` of one label and the rest of another, equal to
// PyTorch's cross_entropy for such probabilities, its smoothing included. logits are [n, classes],
// labels i64 [n], `share` f32 [n].
at::Tensor mixed_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                               const at::Tensor& other_labels, const at::Tensor& share,
                               double label_smoothing) {
  const auto type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor log_probability = at::log_softmax(logits, 1, type);
  const auto of = [&](const at::Tensor& label) {
    return log_probability.gather(1, label.unsqueeze(1)).squeeze(1);
  };
  at::Tensor loss = -(of(labels) * share + of(other_labels) * (1 - share));
  if (label_smoothing > 0) {
    loss = loss * (1 - label_smoothing) - log_probability.mean(1) * label_smoothing;
  }
  return loss.mean();
}

// The operator scalemark::normalise_images: its schema and its CPU kernel. The CUDA kernel is in
// engine/cuda and registers itself when that plugin is loaded; the dispatcher finds it by device.

constexpr std::int64_t kPixelsPerTask = 16'384;

template <class Out>
void fill(const std::uint8_t* bytes, Out* out, std::int64_t pixels, const PixelTable<Out>& table) {
  parallel_for(0, pixels, kPixelsPerTask, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t c = 0; c < 3; ++c) {
        out[3 * i + c] = table.value[bytes[3 * i + c]][c];
      }
    }
  });
}

at::Tensor normalise_on_cpu(const at::Tensor& images, at::ArrayRef<double> mean,
                            at::ArrayRef<double> deviation, at::ScalarType dtype) {
  TORCH_CHECK(images.scalar_type() == at::kByte && images.dim() == 4 && images.size(3) == 3 &&
                  images.is_contiguous(),
              "normalise_images takes contiguous uint8 [n, h, w, 3]");
  auto out = at::empty({images.size(0), 3, images.size(1), images.size(2)},
                       images.options().dtype(dtype), at::MemoryFormat::ChannelsLast);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype, "normalise_images", [&] {
    fill(images.const_data_ptr<std::uint8_t>(), out.mutable_data_ptr<scalar_t>(),
         images.numel() / 3, make_pixel_table<scalar_t>(mean, deviation));
  });
  return out;
}

}  // namespace

TORCH_LIBRARY(scalemark, library) {
  library.def(
      "normalise_images(Tensor images, float[] mean, float[] std, ScalarType dtype) -> Tensor");
}

TORCH_LIBRARY_IMPL(scalemark, CPU, library) { library.impl("normalise_images", &normalise_on_cpu); }

at::Tensor normalise_images(const at::Tensor& images, const PixelStatistics& statistics,
                            at::ScalarType dtype) {
  static const auto kOperator = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("scalemark::normalise_images", "")
                                    .typed<decltype(normalise_on_cpu)>();
  return kOperator.call(images, statistics.mean, statistics.deviation, dtype);
}

namespace {

// The statistics of ImageNet's training images that torchvision's and most other published recipes
// use.
constexpr PixelStatistics kImageNet{.mean = {0.485, 0.456, 0.406},
                                    .deviation = {0.229, 0.224, 0.225}};

// Every convolution and norm of one network shares these.
struct Common {
  at::MemoryFormat memory_format;
  at::Tensor batches;  // num_batches_tracked of all norms
  double last_norm_weight;
  bool fused_layers;
};

// A convolution and its norm, registered side by side in the module that has them.
struct ConvolutionNorm {
  std::shared_ptr<Convolution> convolution;
  std::shared_ptr<BatchNorm> norm;

  Fork forward(const at::Tensor& x, Pass pass, const NormTail& tail) const {
    return norm->forward(convolution->forward(x), pass, tail);
  }
};

struct ConvolutionSize {
  std::int64_t in, out, kernel, stride;
};

ConvolutionNorm register_pair(torch::nn::Module& owner, const std::string& convolution,
                              const std::string& norm, const ConvolutionSize& size,
                              const Common& common, double initial_weight = 1) {
  return {owner.register_module(convolution, std::make_shared<Convolution>(
                                                 size.in, size.out, size.kernel, size.stride,
                                                 common.memory_format, common.fused_layers)),
          owner.register_module(
              norm, std::make_shared<BatchNorm>(size.out, common.batches, common.fused_layers,
                                                initial_weight))};
}

struct Bottleneck : torch::nn::Module {
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, const Common& common)
      : first(register_pair(*this, "conv1", "bn1", {in, width, 1, 1}, common)),
        second(register_pair(*this, "conv2", "bn2", {width, width, 3, stride}, common)),
        third(register_pair(*this, "conv3", "bn3", {width, 4 * width, 1, 1}, common,
                            common.last_norm_weight)) {
    if (stride == 1 && in == 4 * width) return;
    auto& downsample = *register_module("downsample", std::make_shared<torch::nn::Module>());
    shortcut = register_pair(downsample, "0", "1", {in, 4 * width, 1, stride}, common);
  }

  // `scale` multiplies the residual branch; absent: the branch is left out. Then a block without a
  // convolution in its shortcut returns its input unchanged, since that is the output of a ReLU.
  Fork forward(const Fork& x, std::optional<double> scale, Pass pass) const {
    if (!scale) {
      return shortcut ? shortcut->forward(x.shortcut, pass, {.relu = true, .fork = true}) : x;
    }
    at::Tensor y = first.forward(x.branch, pass, {.relu = true}).branch;
    y = second.forward(y, pass, {.relu = true}).branch;
    y = third.convolution->forward(y);
    return third.norm->forward(y, pass, {.relu = true, .gain = *scale, .fork = true}, [&] {
      return shortcut ? shortcut->forward(x.shortcut, pass, {}).branch : x.shortcut;
    });
  }

  ConvolutionNorm first, second, third;
  std::optional<ConvolutionNorm> shortcut;
};

// Draws the factor of a residual branch that a share `skipped` of the batches skips in training:
// absent where this batch skips it, else such that the expectation equals the value in evaluation
// (torchvision's StochasticDepth, mode "batch"). It is drawn on the host, which must know what to
// enqueue.
std::optional<double> draw_scale(double skipped) {
  if (skipped == 0) return 1;
  const double kept = 1 - skipped;
  const bool keep = at::empty({1}).bernoulli_(kept).item<float>() != 0;
  return keep ? std::optional(1 / kept) : std::nullopt;
}

struct ResNet : torch::nn::Module {
  ResNet(const ResNetStages& stages, const NetworkOptions& options, const Common& common)
      : checkpointing(options.checkpointing),
        stochastic_depth(options.stochastic_depth),
        stem(register_pair(*this, "conv1", "bn1", {3, 64, 7, 2}, common)) {
    std::int64_t in = 64;
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t width = 64 << stage;
      auto& layer = *register_module("layer" + std::to_string(stage + 1),
                                     std::make_shared<torch::nn::Module>());
      for (int block = 0; block < stages[stage]; ++block) {
        const int stride = block == 0 && stage > 0 ? 2 : 1;
        blocks.push_back(layer.register_module(
            std::to_string(block), std::make_shared<Bottleneck>(in, width, stride, common)));
        in = 4 * width;
      }
    }
    fc = register_module("fc", std::make_shared<Linear>(in, options.shape.classes));
  }

  at::Tensor forward(const at::Tensor& images) const {
    Fork x;
    x.branch = at::max_pool2d(stem.forward(images, Pass::kFirst, {.relu = true}).branch, 3, 2, 1);
    x.shortcut = x.branch;
    for (std::size_t i = 0; i < blocks.size(); ++i) x = forward_block(i, x);
    return fc->forward(x.branch.mean({2, 3}));
  }

  // The share of batches that skip a branch rises linearly with depth (arXiv:1603.09382, eq. 4).
  Fork forward_block(std::size_t i, const Fork& x) const {
    const double depth = static_cast<double>(i + 1) / static_cast<double>(blocks.size());
    const auto scale = draw_scale(is_training() ? depth * stochastic_depth : 0);
    if (!checkpointing) return blocks[i]->forward(x, scale, Pass::kFirst);
    const auto part = [block = blocks[i], scale](const Tensors& inputs, Pass pass) {
      const Fork y = block->forward({inputs[0], inputs[1]}, scale, pass);
      return Tensors{y.branch, y.shortcut};
    };
    const Tensors y = checkpointed(part, {x.branch, x.shortcut});
    return {y[0], y[1]};
  }

  bool checkpointing;
  double stochastic_depth;
  ConvolutionNorm stem;
  std::vector<std::shared_ptr<Bottleneck>> blocks;
  std::shared_ptr<Linear> fc;
};

class ResNetNetwork : public Network {
 public:
  ResNetNetwork(const ResNetStages& stages, const NetworkOptions& options)
      : batches_(at::zeros({}, at::kLong)),
        module_(std::make_shared<ResNet>(
            stages, options,
            Common{options.memory_format, batches_, options.zero_init_residual ? 0.0 : 1.0,
                   options.fused_layers})),
        memory_format_(options.memory_format),
        label_smoothing_(options.label_smoothing) {}

  torch::nn::Module& module() override { return *module_; }

  Outputs forward(const data::Batch& batch) override {
    if (module_->is_training()) batches_.add_(1);
    return {logits(batch)};
  }

  at::Tensor loss_of(const Outputs& outputs, const data::Batch& batch) override {
    if (is_mixed(batch)) {
      return mixed_cross_entropy(outputs[0], batch["label"], batch["mixed_label"],
                                 batch["mixing"].select(1, data::kLabelShare), label_smoothing_);
    }
    return classification_loss(outputs[0], batch["label"], label_smoothing_);
  }

  EvaluationSums evaluate(const data::Batch& batch) override {
    return classification_sums(logits(batch), batch["label"], batch.padding, label_smoothing_);
  }

 private:
  at::Tensor logits(const data::Batch& batch) const {
    return module_->forward(input_of(batch).contiguous(memory_format_));
  }

  at::Tensor input_of(const data::Batch& batch) const {
    const auto normalised = [&](const at::Tensor& images) {
      return normalise_images(images, kImageNet, module_->fc->weight.scalar_type());
    };
    const at::Tensor& images = batch["image"];
    if (!is_mixed(batch)) return normalised(images);
    return mixed_images(normalised(images), normalised(images.roll(1, 0)), batch["mixing"]);
  }

  at::Tensor batches_;
  std::shared_ptr<ResNet> module_;
  at::MemoryFormat memory_format_;
  double label_smoothing_;
};

}  // namespace

std::unique_ptr<Network> make_resnet(const ResNetStages& stages, const NetworkOptions& options) {
  return std::make_unique<ResNetNetwork>(stages, options);
}

std::unique_ptr<Network> make_resnet50(const catalogue::Workload&, const NetworkOptions& options) {
  return make_resnet(kResNet50Stages, options);
}

}  // namespace scalemark::workloads
