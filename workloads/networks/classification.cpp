#include "workloads/networks/classification.h"

#include <ATen/Dispatch.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/t.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/torch/compat.h"
#include "workloads/layers/layers.h"
#include "workloads/networks/network.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::variable_list;

// y = x w' + b; gradients of b, x, w. at::linear's own nodes also return b's gradient before w's,
// and DDP fills its rebuilt buckets in the order in which gradients come.
struct LinearBackward final : torch::autograd::Node {
  at::Tensor x, weight;

  variable_list apply(variable_list&& gradients) override {
    const at::Tensor& of_y = gradients[0];
    variable_list result(3);
    if (!of_y.defined()) return result;
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    if (task_should_compute_output(0)) result[0] = at::sum(of_y, {0});
    if (task_should_compute_output(1)) result[1] = at::mm(of_y, weight);
    if (task_should_compute_output(2)) result[2] = at::mm(of_y.t(), x);
    return result;
  }
  void release_variables() override {
    x.reset();
    weight.reset();
  }
};

struct CrossEntropyBackward final : torch::autograd::Node {
  at::Tensor of_logits;  // computed for a loss whose own gradient is 1

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(1);
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    return {at::mul(of_logits, gradients[0])};
  }
  void release_variables() override { of_logits.reset(); }
};

bool wants_gradient(const at::Tensor& tensor) {
  return at::GradMode::is_enabled() && tensor.requires_grad();
}

// Returns log(sum(exp(x))) - x[label] for one row, and writes (softmax(x) - [label]) / rows.
template <class T>
T row_of_cross_entropy(const T* x, std::int64_t classes, std::int64_t label, T scale, T* gradient) {
  const T highest = *std::max_element(x, x + classes);
  T sum = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    gradient[c] = std::exp(x[c] - highest);
    sum += gradient[c];
  }
  for (std::int64_t c = 0; c < classes; ++c) gradient[c] *= scale / sum;
  gradient[label] -= scale;
  return highest + std::log(sum) - x[label];
}

// Returns the loss and fills `gradient`.
template <class T>
double cross_entropy_rows(const at::Tensor& logits, const at::Tensor& labels,
                          at::Tensor& gradient) {
  const std::int64_t rows = logits.size(0), classes = logits.size(1);
  const T* x = logits.const_data_ptr<T>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  T* out = gradient.mutable_data_ptr<T>();
  const T scale = T{1} / static_cast<T>(rows);
  double sum = 0;
  for (std::int64_t i = 0; i < rows; ++i, x += classes, out += classes) {
    TORCH_CHECK(label[i] >= 0 && label[i] < classes, "label ", label[i], " of ", classes,
                " classes");
    sum += row_of_cross_entropy(x, classes, label[i], scale, out);
  }
  return sum / static_cast<double>(rows);
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!x.is_cpu() || x.dim() != 2 || at::autocast::is_autocast_enabled(at::kCPU)) {
    return at::linear(x, weight, bias);
  }
  at::Tensor y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    y = at::addmm(bias, x, weight.t());
  }
  if (wants_gradient(x) || wants_gradient(weight) || wants_gradient(bias)) {
    auto node = compat::make_node<LinearBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(bias, x, weight));
    node->x = x;
    node->weight = weight;
    torch::autograd::set_history(y, node);
  }
  return y;
}

bool has_mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  const auto type = logits.scalar_type();
  return logits.is_cpu() && logits.dim() == 2 && logits.is_contiguous() && logits.size(0) > 0 &&
         (type == at::kFloat || type == at::kDouble) && labels.scalar_type() == at::kLong &&
         labels.is_contiguous() && !at::autocast::is_autocast_enabled(at::kCPU);
}

at::Tensor mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  TORCH_CHECK(has_mean_cross_entropy(logits, labels) && labels.numel() == logits.size(0),
              "mean_cross_entropy takes logits [n, classes] and labels [n]");
  at::Tensor loss, gradient;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    gradient = at::empty(logits.sizes(), logits.options());
    loss = at::empty({}, logits.options());
    if (logits.scalar_type() == at::kFloat) {
      *loss.mutable_data_ptr<float>() =
          static_cast<float>(cross_entropy_rows<float>(logits, labels, gradient));
    } else {
      *loss.mutable_data_ptr<double>() = cross_entropy_rows<double>(logits, labels, gradient);
    }
  }
  if (wants_gradient(logits)) {
    auto node = compat::make_node<CrossEntropyBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(logits));
    node->of_logits = std::move(gradient);
    torch::autograd::set_history(loss, node);
  }
  return loss;
}

namespace {

constexpr std::int64_t kIgnoreIndex = -100;  // PyTorch's default; no label has it

}  // namespace

at::Tensor classification_loss(const at::Tensor& logits, const at::Tensor& labels,
                               double label_smoothing) {
  if (label_smoothing == 0 && has_mean_cross_entropy(logits, labels)) {
    return mean_cross_entropy(logits, labels);
  }
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::Mean, kIgnoreIndex,
                                label_smoothing);
}

EvaluationSums classification_sums(const at::Tensor& logits, const at::Tensor& labels,
                                   std::int64_t padding, double label_smoothing) {
  const std::int64_t kept = labels.size(0) - padding;
  const auto kept_logits = logits.narrow(0, 0, kept);
  const auto kept_labels = labels.narrow(0, 0, kept);
  const auto sum = at::cross_entropy_loss(kept_logits, kept_labels, {}, at::Reduction::Sum,
                                          kIgnoreIndex, label_smoothing);
  return {.loss = sum.to(at::kDouble),
          .correct = kept_logits.argmax(1).eq(kept_labels).sum(),
          .items = at::scalar_tensor(kept, labels.options())};
}

at::Tensor in_dtype_of(const at::Tensor& features, const at::Tensor& like) {
  return features.scalar_type() == like.scalar_type() ? features : features.to(like.scalar_type());
}

namespace {

constexpr std::int64_t kFeatures = 1000;

struct Mlp : torch::nn::Module {
  explicit Mlp(std::int64_t classes)
      : fc1(register_module("fc1", std::make_shared<Linear>(1024, 512))),
        fc2(register_module("fc2", std::make_shared<Linear>(512, 256))),
        fc3(register_module("fc3", std::make_shared<Linear>(256, classes))) {}

  at::Tensor forward(const at::Tensor& x) const {
    return fc3->forward(fc2->forward(fc1->forward(x).relu_()).relu_());
  }

  std::shared_ptr<Linear> fc1, fc2, fc3;
};

// Features arrive in the type of this layer's weight.
const Linear& first_layer(const Linear& only) { return only; }
const Linear& first_layer(const Mlp& mlp) { return *mlp.fc1; }

// Trains fully connected layers, which classify vectors.
template <class Layers>
class FeatureNetwork : public Network {
 public:
  FeatureNetwork(std::shared_ptr<Layers> layers, double label_smoothing)
      : module_(std::move(layers)), label_smoothing_(label_smoothing) {}

  torch::nn::Module& module() override { return *module_; }

  Outputs forward(const data::Batch& batch) override { return {logits(batch)}; }

  at::Tensor loss_of(const Outputs& outputs, const data::Batch& batch) override {
    return classification_loss(outputs[0], batch["label"], label_smoothing_);
  }

  EvaluationSums evaluate(const data::Batch& batch) override {
    return classification_sums(logits(batch), batch["label"], batch.padding, label_smoothing_);
  }

 private:
  at::Tensor logits(const data::Batch& batch) const {
    return module_->forward(in_dtype_of(batch["features"], first_layer(*module_).weight));
  }

  std::shared_ptr<Layers> module_;
  double label_smoothing_;
};

}  // namespace

std::unique_ptr<Network> make_linear(const catalogue::Workload&, const NetworkOptions& options) {
  return std::make_unique<FeatureNetwork<Linear>>(
      std::make_shared<Linear>(kFeatures, options.shape.classes), options.label_smoothing);
}

std::unique_ptr<Network> make_mlp(const catalogue::Workload&, const NetworkOptions& options) {
  return std::make_unique<FeatureNetwork<Mlp>>(std::make_shared<Mlp>(options.shape.classes),
                                               options.label_smoothing);
}

}  // namespace scalemark::workloads
