#include "tests/engine/train/planted.h"

#include <time.h>

#include <cerrno>
#include <cmath>
#include <utility>

namespace scalemark::testing {
namespace {

class DelayedNetwork final : public workloads::Network {
 public:
  DelayedNetwork(std::unique_ptr<workloads::Network> inner, const Plant& plant)
      : inner_(std::move(inner)), plant_(plant) {}

  torch::nn::Module& module() override { return inner_->module(); }
  std::map<std::string, std::string> tied_names() const override { return inner_->tied_names(); }
  workloads::Outputs forward(const data::Batch& batch) override {
    sleep_for(plant_.compute_s);
    return inner_->forward(batch);
  }
  at::Tensor loss_of(const workloads::Outputs& outputs, const data::Batch& batch) override {
    return inner_->loss_of(outputs, batch);
  }
  workloads::EvaluationSums evaluate(const data::Batch& batch) override {
    return inner_->evaluate(batch);
  }

 private:
  std::unique_ptr<workloads::Network> inner_;
  const Plant& plant_;
};

// A slow link: the bucket is ready (marked), and leaves late.
class SlowLink final : public measurement::StepMarker {
 public:
  explicit SlowLink(const Plant& plant) : plant_(plant) {}

  StepMarker& in_front_of(StepMarker& inner) {
    inner_ = &inner;
    return *this;
  }
  void mark(measurement::Moment moment) override {
    inner_->mark(moment);
    if (moment == measurement::Moment::kLastBucketReady) sleep_for(plant_.communication_s);
  }

 private:
  const Plant& plant_;
  StepMarker* inner_ = nullptr;
};

class DelayedStrategy final : public training::Strategy {
 public:
  DelayedStrategy(std::unique_ptr<training::Strategy> inner, const Plant& plant)
      : Strategy(inner->optimizer_parameters()), inner_(std::move(inner)), link_(plant) {}

  void before_forward(bool synchronise) override { inner_->before_forward(synchronise); }
  void before_backward(const at::Tensor& loss, bool synchronise,
                       measurement::StepMarker& marker) override {
    inner_->before_backward(loss, synchronise, link_.in_front_of(marker));
  }
  void after_backward() override { inner_->after_backward(); }
  at::Tensor backward_seed(const at::Tensor& loss) override { return inner_->backward_seed(loss); }
  void before_evaluation() override { inner_->before_evaluation(); }
  bool keeps_gradients() const override { return inner_->keeps_gradients(); }
  training::Communication communication() const override { return inner_->communication(); }
  void set_exchange(training::Exchange exchange) override { inner_->set_exchange(exchange); }

 private:
  std::unique_ptr<training::Strategy> inner_;
  SlowLink link_;
};

}  // namespace

void sleep_for(double seconds) {
  if (!(seconds > 0)) return;
  timespec left{.tv_sec = static_cast<time_t>(seconds),
                .tv_nsec = std::lround(std::fmod(seconds, 1.0) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}

std::unique_ptr<workloads::Network> with_delay(std::unique_ptr<workloads::Network> network,
                                               const Plant& plant) {
  return std::make_unique<DelayedNetwork>(std::move(network), plant);
}

std::function<data::Batch()> with_delay(std::function<data::Batch()> next_batch,
                                        const Plant& plant) {
  return [next_batch = std::move(next_batch), &plant] {
    sleep_for(plant.data_s);
    return next_batch();
  };
}

std::unique_ptr<training::Strategy> with_delay(std::unique_ptr<training::Strategy> strategy,
                                               const Plant& plant) {
  return std::make_unique<DelayedStrategy>(std::move(strategy), plant);
}

}  // namespace scalemark::testing
