#include "workloads/classification.h"
#include "workloads/layers.h"
#include "workloads/network.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kFeatures = 1000;

class LinearNetwork : public Network {
 public:
  explicit LinearNetwork(const NetworkOptions& options)
      : module_(std::make_shared<Linear>(kFeatures, options.shape.classes)),
        label_smoothing_(options.label_smoothing) {}

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
    return module_->forward(in_dtype_of(batch["features"], module_->weight));
  }

  std::shared_ptr<Linear> module_;
  double label_smoothing_;
};

}  // namespace

std::unique_ptr<Network> make_linear(const catalogue::Workload&, const NetworkOptions& options) {
  return std::make_unique<LinearNetwork>(options);
}

}  // namespace scalemark::workloads
