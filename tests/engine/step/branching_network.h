// A network that skips a branch: batches whose first label is 0 leave the second layer unused.
#pragma once

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <memory>

#include "core/base/error.h"
#include "workloads/networks/network.h"

namespace scalemark::training {

struct BranchingModule : torch::nn::Module {
  at::Tensor trunk = register_parameter("trunk", at::zeros({6, 8}));
  at::Tensor branch = register_parameter("branch", at::zeros({6, 6}));
  at::Tensor never = register_parameter("never", at::zeros({3}));
};

class BranchingNetwork final : public workloads::Network {
 public:
  torch::nn::Module& module() override { return *module_; }

  workloads::Outputs forward(const data::Batch& batch) override {
    const at::Tensor& label = batch["label"];
    at::Tensor x = at::linear(batch["features"].to(module_->trunk.scalar_type()), module_->trunk);
    if (label[0].item<std::int64_t>() != 0) x = at::linear(x.relu(), module_->branch);
    return {x};
  }

  at::Tensor loss_of(const workloads::Outputs& outputs, const data::Batch& batch) override {
    return at::cross_entropy_loss(outputs[0], batch["label"]);
  }

  workloads::EvaluationSums evaluate(const data::Batch&) override { throw bug("not evaluated"); }

 private:
  std::shared_ptr<BranchingModule> module_ = std::make_shared<BranchingModule>();
};

}  // namespace scalemark::training
