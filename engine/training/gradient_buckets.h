// Flat buffers that a backward fills with gradients. Backward hands each gradient to a hook, which
// writes it into its buffer; from then on the gradient is a view of the buffer, and nothing is
// copied back. Knows nothing of what is done with a full buffer.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/training/bucket_layout.h"
#include "engine/training/parameters.h"

namespace scalemark::training {

class GradientBuckets {
 public:
  // `full` is called in each synchronised backward once per bucket, in ascending order, whatever
  // order the gradients come in: all ranks send in the same order.
  using Full = std::function<void(std::size_t bucket)>;

  GradientBuckets(std::vector<NamedParameter> parameters, std::vector<BucketLayout> layouts,
                  Full full);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  std::size_t size() const { return buffers_.size(); }
  const std::vector<BucketLayout>& layouts() const { return layouts_; }
  const std::vector<at::Tensor>& buffers() const { return buffers_; }

  // Without synchronisation buffers fill and nothing is told.
  void begin_backward(bool synchronise);

  // In the place of a synchronised backward: every gradient becomes its view of a buffer, whatever
  // that holds, and all buckets are told as full.
  void fill_without_backward();

  // After a synchronised backward. Throws configuration() where a parameter got no gradient,
  // naming `strategy`, which needs all.
  void require_all_full(const std::string& strategy) const;

 private:
  class Fill;

  void note_filled(std::size_t bucket, std::size_t parameter);

  std::vector<NamedParameter> parameters_;
  std::vector<BucketLayout> layouts_;
  Full full_;
  std::vector<at::Tensor> buffers_;
  std::vector<std::size_t> missing_;  // gradients of each bucket, in this backward
  std::vector<bool> filled_;          // of each parameter, in this backward
  std::size_t next_ = 0;              // bucket to be told as full
  bool synchronising_ = false;
};

}  // namespace scalemark::training
