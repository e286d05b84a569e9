// ResNet-50 v1.5 (stride in the 3x3 convolution, as torchvision and NVIDIA build it).
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {
namespace {

struct Convolution {
  double in, out, kernel, size;  // channels, channels, k of k x k, height = width of the output
  bool activated;                // followed by a ReLU whose output is kept (also: block outputs)
  int block = 0;                 // counted from 1; 0: the stem

  double weights() const { return in * out * kernel * kernel; }
  double outputs() const { return out * size * size; }
  double multiply_adds() const { return weights() * size * size; }
};

constexpr double kFeatures = 2048;

std::int64_t halved(std::int64_t size) { return (size + 1) / 2; }  // padding k/2, stride 2

// The 53 convolutions for a square image; the first is the stem.
std::vector<Convolution> convolutions(std::int64_t image_size) {
  std::int64_t size = halved(image_size);
  std::vector<Convolution> all{{3, 64, 7, static_cast<double>(size), true}};
  size = halved(size);  // max pool
  double in = 64;
  int number = 0;
  constexpr std::array<int, 4> kBlocks{3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const double width = 64 << stage;
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const auto before = static_cast<double>(size);
      if (block == 0 && stage > 0) size = halved(size);
      const auto after = static_cast<double>(size);
      ++number;
      all.push_back({in, width, 1, before, true, number});
      all.push_back({width, width, 3, after, true, number});
      all.push_back({width, 4 * width, 1, after, true, number});  // its ReLU follows the addition
      if (block == 0) all.push_back({in, 4 * width, 1, after, false, number});
      in = 4 * width;
    }
  }
  return all;
}

std::int64_t resnet50_parameters(const ModelShape& shape) {
  double sum = kFeatures * shape.classes + shape.classes;
  for (const auto& c : convolutions(shape.image_size)) sum += c.weights() + 2 * c.out;
  return static_cast<std::int64_t>(sum);
}

double resnet50_flops_per_sample(const ModelShape& shape) {
  const auto all = convolutions(shape.image_size);
  double forward = 2 * kFeatures * shape.classes;
  for (const auto& c : all) forward += 2 * c.multiply_adds();
  return 3 * forward - 2 * all.front().multiply_adds();
}

// Kept: the image as the network reads it, each convolution's output (batch norm reads it again),
// each ReLU's output (the next convolution reads it; ReLU and the residual addition work in place),
// the pooled stem with int64 indices, the pooled features. Batch norm statistics are negligible. At
// the peak backward holds about four gradients of the largest size beside them: those of the
// block's output, of its residual branch, and of the convolution and batch norm at hand.
double resnet50_activation_bytes_per_sample(const ModelShape& shape, int element_bytes) {
  const auto all = convolutions(shape.image_size);
  const auto image = static_cast<double>(shape.image_size);
  const auto pooled_size = static_cast<double>(halved(halved(shape.image_size)));
  const double pooled = 64 * pooled_size * pooled_size;
  double elements = 3 * image * image + pooled + kFeatures;
  double largest = 0;
  for (const auto& c : all) {
    elements += c.outputs() * (c.activated ? 2 : 1);
    largest = std::max(largest, c.outputs());
  }
  elements += 4 * largest;
  return elements * element_bytes + 8 * pooled;
}

// Kept: as above of image and stem, and each block's input. While a block is made again, only the
// inputs of those before it are left: the peak is in the block with the largest sum.
CheckpointedBytes resnet50_checkpointed_bytes(const ModelShape& shape, int element_bytes) {
  const auto all = convolutions(shape.image_size);
  const auto image = static_cast<double>(shape.image_size);
  const auto pooled_size = static_cast<double>(halved(halved(shape.image_size)));
  const double pooled = 64 * pooled_size * pooled_size;
  double inputs = 3 * image * image + 2 * all.front().outputs() + pooled;
  double peak = 0, inside = 0, largest = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    inside += all[i].outputs() * (all[i].activated ? 2 : 1);
    largest = std::max(largest, all[i].outputs());
    const bool is_last = i + 1 == all.size() || all[i + 1].block != all[i].block;
    if (!is_last) continue;
    peak = std::max(peak, inputs + inside + 4 * largest);
    inputs += all[i].outputs();
    inside = largest = 0;
  }
  return {.kept = inputs * element_bytes + 8 * pooled,
          .block = std::max(0.0, peak - inputs) * element_bytes};
}

std::int64_t resnet50_least_norm_values(const ModelShape& shape) {
  const auto size = static_cast<std::int64_t>(convolutions(shape.image_size).back().size);
  return size * size;
}

Recipe recipe() {
  return {.optimizer = "sgd",
          .learning_rate = 0.1,
          .lr_schedule = "cosine",
          .lr_warmup_share = 5.0 / 90,
          .momentum = 0.9,
          .weight_decay = 1e-4,
          .reference_batch = 256,
          .source =
              "SGD, momentum 0.9, rate 0.1 at batch 256, weight decay 1e-4, 90 epochs: He et "
              "al., arXiv:1512.03385, section 3.4, and torchvision references/classification; "
              "5 epochs of linear warm-up: Goyal et al., arXiv:1706.02677, section 2.2; "
              "cosine decay to 0: He et al., arXiv:1812.01187, section 5.1"};
}

std::vector<std::string> options() {
  return {"image_size",
          "image_decoding",
          "augment",
          "random_erasing",
          "mixup",
          "cutmix",
          "label_smoothing",
          "zero_init_residual",
          "memory_format",
          "activation_checkpointing",
          "stochastic_depth",
          "fused_layers"};
}

}  // namespace

Workload resnet50() {
  return {.name = "resnet50",
          .title = "ResNet-50 v1.5",
          .sample_unit = "images",
          .loss = "mean cross-entropy over the classes, with label smoothing when asked for",
          .metric = "top-1",
          .data_kind = DataKind::kImages,
          .data = {"synthetic", "an ImageFolder tree (train/<class>/*.JPEG, val/ when there)"},
          .default_shape = {.image_size = 224, .classes = 1000},
          .default_batch_size = 32,
          .recipe = recipe(),
          .options = options(),
          .parameters = resnet50_parameters,
          .flops_per_sample = resnet50_flops_per_sample,
          .flops_formula =
              "3 x F - F_stem, F = sum over 53 convolutions and the classifier of 2 x "
              "k^2 x in x out x height x width; the stem's input gradient is never "
              "computed; batch norm, ReLU and pooling not counted",
          .flops_source =
              "layer shapes of He et al., arXiv:1512.03385, table 1, stride in the 3x3; "
              "2 per multiply-add and no recomputation as PaLM, arXiv:2204.02311, "
              "appendix B",
          .activation_bytes_per_sample = resnet50_activation_bytes_per_sample,
          .checkpointed_bytes = resnet50_checkpointed_bytes,
          .least_norm_values = resnet50_least_norm_values};
}

}  // namespace scalemark::catalogue
