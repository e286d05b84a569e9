// ResNet-50 v1.5 with torchvision's names, initialisation and numerics.
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <string>
#include <vector>

#include "workloads/classification.h"
#include "workloads/layers.h"
#include "workloads/network.h"
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
};

// A convolution and its norm, registered side by side in the module that holds them.
struct ConvolutionNorm {
  std::shared_ptr<Convolution> convolution;
  std::shared_ptr<BatchNorm> norm;

  at::Tensor forward(const at::Tensor& x) const { return norm->forward(convolution->forward(x)); }
};

struct ConvolutionSize {
  std::int64_t in, out, kernel, stride;
};

ConvolutionNorm register_pair(torch::nn::Module& owner, const std::string& convolution,
                              const std::string& norm, const ConvolutionSize& size,
                              const Common& common, double initial_weight = 1) {
  return {owner.register_module(convolution,
                                std::make_shared<Convolution>(size.in, size.out, size.kernel,
                                                              size.stride, common.memory_format)),
          owner.register_module(
              norm, std::make_shared<BatchNorm>(size.out, common.batches, initial_weight))};
}

// ReLU and the addition work in place on the norm's output, which nothing else needs.
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

  at::Tensor forward(const at::Tensor& x) const {
    auto y = first.forward(x).relu_();
    y = second.forward(y).relu_();
    y = third.forward(y);
    return y.add_(shortcut ? shortcut->forward(x) : x).relu_();
  }

  ConvolutionNorm first, second, third;
  std::optional<ConvolutionNorm> shortcut;
};

struct ResNet : torch::nn::Module {
  ResNet(std::int64_t classes, const Common& common)
      : stem(register_pair(*this, "conv1", "bn1", {3, 64, 7, 2}, common)) {
    constexpr std::array<int, 4> kBlocks{3, 4, 6, 3};
    std::int64_t in = 64;
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t width = 64 << stage;
      auto& layer = *register_module("layer" + std::to_string(stage + 1),
                                     std::make_shared<torch::nn::Module>());
      for (int block = 0; block < kBlocks[stage]; ++block) {
        const int stride = block == 0 && stage > 0 ? 2 : 1;
        blocks.push_back(layer.register_module(
            std::to_string(block), std::make_shared<Bottleneck>(in, width, stride, common)));
        in = 4 * width;
      }
    }
    fc = register_module("fc", std::make_shared<Linear>(in, classes));
  }

  at::Tensor forward(const at::Tensor& images) const {
    auto x = at::max_pool2d(stem.forward(images).relu_(), 3, 2, 1);
    for (const auto& block : blocks) x = block->forward(x);
    return fc->forward(x.mean({2, 3}));
  }

  ConvolutionNorm stem;
  std::vector<std::shared_ptr<Bottleneck>> blocks;
  std::shared_ptr<Linear> fc;
};

class ResNetNetwork : public Network {
 public:
  explicit ResNetNetwork(const NetworkOptions& options)
      : batches_(at::zeros({}, at::kLong)),
        module_(std::make_shared<ResNet>(
            options.shape.classes,
            Common{options.memory_format, batches_, options.zero_init_residual ? 0.0 : 1.0})),
        memory_format_(options.memory_format),
        label_smoothing_(options.label_smoothing) {}

  torch::nn::Module& module() override { return *module_; }

  at::Tensor loss(const data::Batch& batch) override {
    if (module_->is_training()) batches_.add_(1);
    return classification_loss(logits(batch), batch["label"], label_smoothing_);
  }

  EvaluationSums evaluate(const data::Batch& batch) override {
    return classification_sums(logits(batch), batch["label"], batch.padding, label_smoothing_);
  }

 private:
  at::Tensor logits(const data::Batch& batch) const {
    const auto images =
        normalise_images(batch["image"], kImageNet, module_->fc->weight.scalar_type());
    return module_->forward(images.contiguous(memory_format_));
  }

  at::Tensor batches_;
  std::shared_ptr<ResNet> module_;
  at::MemoryFormat memory_format_;
  double label_smoothing_;
};

}  // namespace

std::unique_ptr<Network> make_resnet50(const catalogue::Workload&, const NetworkOptions& options) {
  return std::make_unique<ResNetNetwork>(options);
}

}  // namespace scalemark::workloads
