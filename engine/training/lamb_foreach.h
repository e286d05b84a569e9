// LAMB's update with torch's foreach kernels: for tensors that no kernels or passes of ours serve.
// Private to the optimizer; knows no ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/training/lamb_operators.h"
#include "engine/training/layerwise.h"

namespace scalemark::training {

class LambForeach {
 public:
  static constexpr std::size_t kMean = LambOperators::kMean,
                               kMeanSquare = LambOperators::kMeanSquare;

  // `steps` are those that counted, with this one. All must outlive it.
  LambForeach(const ParameterLists& lists, const LambRule& rule, const at::Tensor& steps)
      : lists_(lists), rule_(rule), steps_(steps) {}

  // `norms` null: without trust ratios.
  void update(const LearningRate& rate, const GradientTerms& terms,
              const layerwise::MatrixNorms* norms) const;

 private:
  void update_moments(const at::Tensor& keep) const;
  layerwise::Tensors direction() const;
  void scale(const layerwise::Tensors& update, const LearningRate& rate,
             const layerwise::MatrixNorms& norms) const;

  const ParameterLists& lists_;
  const LambRule& rule_;
  const at::Tensor& steps_;
};

}  // namespace scalemark::training
