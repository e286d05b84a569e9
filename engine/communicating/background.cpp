#include "engine/communicating/background.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>

namespace scalemark::communicating {
namespace {

constexpr std::int64_t kProductSize = 512;             // of square matrices
constexpr std::size_t kTrafficValues = (4 << 20) / 8;  // doubles of one all-reduce
constexpr int kProductsAhead = 8;                      // that a GPU's queue holds

void multiply_until(const std::stop_token& stop, c10::Device device) {
  const c10::InferenceMode no_gradients;
  std::optional<c10::StreamGuard> own_stream;
  if (device.is_cuda()) {
    const c10::impl::VirtualGuardImpl streams(device.type());
    own_stream.emplace(streams.getStreamFromGlobalPool(device));
  }
  const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
  const at::Tensor a = at::rand({kProductSize, kProductSize}, options);
  at::Tensor product = at::empty_like(a);
  while (!stop.stop_requested()) {
    for (int i = 0; i < kProductsAhead && !stop.stop_requested(); ++i) at::mm_out(product, a, a);
    if (own_stream) own_stream->current_stream().synchronize();
  }
}

}  // namespace

BackgroundCompute::BackgroundCompute(device::Device& device)
    : thread_([on = device.torch_device()](const std::stop_token& stop) {
        multiply_until(stop, on);
      }) {}

BackgroundTraffic::BackgroundTraffic(process::RankGroup& rank_group)
    : rank_group_(rank_group), thread_([this] { run(); }) {}

// Without stop(), when the run is left early or has failed: peers that live end with the same
// all-reduce, and where one is gone, Gloo's connection to it breaks.
BackgroundTraffic::~BackgroundTraffic() { stop_ = true; }

void BackgroundTraffic::stop() {
  stop_ = true;
  thread_.join();
  if (failed_) std::rethrow_exception(failed_);
}

// The first value is how many want to stop (the largest over ranks): all see it in the same round.
void BackgroundTraffic::run() noexcept {
  try {
    std::vector<double> values(kTrafficValues, 0);
    do {
      values[0] = stop_ ? 1 : 0;
      rank_group_.control().max_over_ranks(values);
    } while (values[0] == 0);
  } catch (...) {
    failed_ = std::current_exception();
  }
}

}  // namespace scalemark::communicating
