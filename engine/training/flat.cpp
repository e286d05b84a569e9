// Strategy flat: gradients live in a few flat buffers, each averaged by one all-reduce while
// backward goes on. Backward hands its gradient to a hook, which writes it into the buffer; from
// then on the gradient is a view of the buffer, and nothing is copied back. Backward starts from
// 1 / ranks, so that the sum over ranks is the mean, with any backend and without a pass for it.
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "engine/training/compression.h"
#include "engine/training/metered_group.h"
#include "engine/training/replicas.h"
#include "engine/training/strategy.h"

namespace scalemark::training {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: a cache line, and more than vector loads ask for

std::int64_t aligned_elements(const at::Tensor& tensor) {
  const std::int64_t step = kAlignment / static_cast<std::int64_t>(tensor.element_size());
  return (tensor.numel() + step - 1) / step * step;
}

// The part of `buffer` at `offset` in the shape of `parameter`, in the order of its memory.
at::Tensor view_for(const at::Tensor& parameter, const at::Tensor& buffer, std::int64_t offset) {
  const at::Tensor part = buffer.narrow(0, offset, parameter.numel());
  if (!parameter.is_non_overlapping_and_dense()) return part.view(parameter.sizes());
  return part.as_strided(parameter.sizes(), parameter.strides());
}

struct Bucket {
  at::Tensor buffer;
  std::size_t parameters = 0;
  std::size_t missing = 0;  // gradients, in this backward
  std::vector<at::Tensor> sent;
  c10::intrusive_ptr<c10d::Work> work;
};

class Flat;

class FillBucket final : public torch::autograd::PostAccumulateGradHook {
 public:
  FillBucket(Flat& flat, Bucket& bucket, at::Tensor view)
      : flat_(flat), bucket_(bucket), view_(std::move(view)) {}
  void operator()(const at::Tensor& parameter) override;

 private:
  Flat& flat_;
  Bucket& bucket_;
  at::Tensor view_;
};

class Flat final : public Strategy {
 public:
  explicit Flat(StrategyInput input);
  ~Flat() override;
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;

  void before_forward(bool synchronise) override;
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override;
  void after_backward() override;
  at::Tensor backward_seed(const at::Tensor& loss) override;
  void before_evaluation() override { broadcast_from_rank_0(whole_group_, buffers_); }
  Communication communication() const override { return group_->communication(); }
  void set_exchange(Exchange exchange) override { group_->set_exchange(exchange); }

  void note_filled(Bucket& bucket);

 private:
  void make_bucket(const std::vector<std::size_t>& members);
  void send_complete_buckets();
  void send(Bucket& bucket);
  void receive(Bucket& bucket);
  [[noreturn]] void refuse_unused() const;

  std::vector<at::Tensor> buffers_;
  c10::intrusive_ptr<c10d::ProcessGroup> whole_group_;
  c10::intrusive_ptr<MeteredGroup> group_;
  std::optional<at::ScalarType> compressed_;
  std::vector<std::unique_ptr<Bucket>> buckets_;  // in the order in which they leave
  std::size_t next_to_send_ = 0;
  bool synchronising_ = false, step_begins_ = true;
  at::Tensor seed_;
};

void FillBucket::operator()(const at::Tensor& parameter) {
  at::Tensor& gradient = parameter.mutable_grad();
  if (!gradient.is_same(view_)) {  // the first micro-step; later ones add to the view
    view_.copy_(gradient);
    gradient = view_;
  }
  flat_.note_filled(bucket_);
}

// Backward produces gradients roughly from the last parameter to the first. All ranks send in this
// order, whatever order their gradients come in.
Flat::Flat(StrategyInput input)
    : Strategy(input.parameters),
      buffers_(input.buffers),
      whole_group_(input.group),
      group_(c10::make_intrusive<MeteredGroup>(whole_group_)),
      compressed_(compressed_type(input.settings.gradient_compression)) {
  if (!input.settings.overlap) group_->set_exchange(Exchange::kAfterwards);
  become_replicas(input);
  const auto& settings = input.settings;
  const std::vector<std::size_t> limits = {
      static_cast<std::size_t>(bytes_of_mb(settings.first_bucket_cap_mb, "first_bucket_cap_mb")),
      static_cast<std::size_t>(bytes_of_mb(settings.bucket_cap_mb, "bucket_cap_mb"))};
  const std::size_t last = parameters_.size() - 1;
  std::vector<at::Tensor> reversed;
  for (std::size_t i = 0; i <= last; ++i) reversed.push_back(parameters_[last - i].tensor);
  auto assignment = std::get<0>(c10d::compute_bucket_assignment_by_size(reversed, limits));
  for (auto& members : assignment) {
    for (std::size_t& member : members) member = last - member;
    make_bucket(members);
  }
}

Flat::~Flat() {
  for (const NamedParameter& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter.tensor, nullptr);
  }
}

void Flat::make_bucket(const std::vector<std::size_t>& members) {
  std::int64_t elements = 0;
  for (const std::size_t i : members) elements += aligned_elements(parameters_[i].tensor);
  buckets_.push_back(std::make_unique<Bucket>());
  Bucket& bucket = *buckets_.back();
  bucket.parameters = members.size();
  bucket.buffer = at::zeros({elements}, parameters_[members.front()].tensor.options());
  std::int64_t offset = 0;
  for (const std::size_t i : members) {
    const at::Tensor& parameter = parameters_[i].tensor;
    torch::autograd::impl::set_post_acc_grad_hooks(
        parameter, std::make_unique<FillBucket>(
                       *this, bucket, view_for(parameter.detach(), bucket.buffer, offset)));
    offset += aligned_elements(parameter);
  }
}

void Flat::before_forward(bool /*synchronise*/) {
  if (step_begins_) group_->begin_step();
  step_begins_ = false;
}

void Flat::before_backward(const at::Tensor&, bool synchronise, measurement::StepMarker& marker) {
  synchronising_ = synchronise;
  if (!synchronise) return;
  step_begins_ = true;
  next_to_send_ = 0;
  for (const auto& bucket : buckets_) bucket->missing = bucket->parameters;
  group_->begin_backward(buckets_.size(), marker);
}

at::Tensor Flat::backward_seed(const at::Tensor& loss) {
  const double share = compressed_ ? 1.0 : 1.0 / group_->getSize();
  if (!seed_.defined()) seed_ = at::full_like(loss.detach(), share);
  return seed_;
}

void Flat::note_filled(Bucket& bucket) {
  if (!synchronising_) return;
  if (--bucket.missing == 0) send_complete_buckets();
}

void Flat::send_complete_buckets() {
  while (next_to_send_ < buckets_.size() && buckets_[next_to_send_]->missing == 0) {
    send(*buckets_[next_to_send_++]);
  }
}

// Compressed gradients are divided after rounding, as ddp's hook does it: divided before, fp16
// below 2^-14 would be rounded differently.
void Flat::send(Bucket& bucket) {
  bucket.sent = {compressed_ ? bucket.buffer.to(*compressed_).div_(group_->getSize())
                             : bucket.buffer};
  bucket.work = group_->allreduce(bucket.sent, c10d::AllreduceOptions());
}

void Flat::after_backward() {
  if (!synchronising_) return;
  if (next_to_send_ < buckets_.size()) refuse_unused();
  for (const auto& bucket : buckets_) receive(*bucket);
}

void Flat::receive(Bucket& bucket) {
  bucket.work->wait();
  bucket.work.reset();
  if (compressed_) bucket.buffer.copy_(bucket.sent.front());
  bucket.sent.clear();
}

void Flat::refuse_unused() const {
  std::string names;
  for (const NamedParameter& parameter : parameters_) {
    if (!parameter.tensor.grad().defined()) names += (names.empty() ? "" : ", ") + parameter.name;
  }
  throw configuration("no gradient came for " + names,
                      "strategy flat needs one for every parameter in every step",
                      "use --strategy ddp --find-unused-parameters");
}

}  // namespace

std::unique_ptr<Strategy> make_flat(StrategyInput input) {
  return std::make_unique<Flat>(std::move(input));
}

}  // namespace scalemark::training
