#include "workloads/classification.h"
#include "workloads/layers.h"
#include "workloads/network.h"

namespace scalemark::workloads {
namespace {

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

class MlpNetwork : public Network {
 public:
  explicit MlpNetwork(const NetworkOptions& options)
      : module_(std::make_shared<Mlp>(options.shape.classes)),
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
    return module_->forward(in_dtype_of(batch["features"], module_->fc1->weight));
  }

  std::shared_ptr<Mlp> module_;
  double label_smoothing_;
};

}  // namespace

std::unique_ptr<Network> make_mlp(const catalogue::Workload&, const NetworkOptions& options) {
  return std::make_unique<MlpNetwork>(options);
}

}  // namespace scalemark::workloads
