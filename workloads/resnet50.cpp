// ResNet-50 v1.5 with torchvision's names, initialisation and numerics.
#include "workloads/resnet50.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <vector>

#include "data/augment/mixing.h"
#include "workloads/checkpointed.h"
#include "workloads/classification.h"
#include "workloads/layers.h"
#include "workloads/mixed_batch.h"
#include "workloads/normalise_images.h"

namespace scalemark::workloads {
namespace {

// Of ImageNet's training images, as torchvision's and most other published recipes have them.
constexpr PixelStatistics kImageNet{.mean = {0.485, 0.456, 0.406},
                                    .deviation = {0.229, 0.224, 0.225}};

// What every convolution and norm of one network shares.
struct Common {
  at::MemoryFormat memory_format;
  at::Tensor batches;  // num_batches_tracked of all norms
  double last_norm_weight;
  bool fused_layers;
};

// A convolution and its norm, registered side by side in the module that holds them.
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

  // `scale`: of the residual branch; absent: without it, which leaves the input of a block without
  // a convolution in its shortcut as it is, since that is the output of a ReLU.
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

// What training does to a residual branch of which batches skip `skipped`: it is absent, or scaled
// so that its expectation is what evaluation computes (torchvision's StochasticDepth, mode
// "batch"). Drawn on the host, which must know what to enqueue.
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
