#include "engine/comm/timing.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace scalemark::communicating {
namespace {

using collectives::Collective;
using collectives::DataType;

at::ScalarType scalar_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return at::kFloat;
    case DataType::kFp16:
      return at::kHalf;
    case DataType::kBf16:
      return at::kBFloat16;
    case DataType::kInt32:
      return at::kInt;
  }
  throw_unnamed_value();
}

}  // namespace

collectives::Exchange exchange_of(const planning::CollectivePoint& point, int round) {
  return {.collective = point.collective,
          .world_size = point.world_size,
          .elements = point.elements,
          .round = static_cast<std::uint64_t>(round)};
}

Buffers make_buffers(const planning::CollectivePoint& point, int rank, c10::Device device) {
  const auto options = at::TensorOptions().dtype(scalar_type(point.dtype)).device(device);
  const auto tensor = [&](std::int64_t elements) { return at::empty({elements}, options); };
  const std::int64_t share = share_of(exchange_of(point, 0));
  const auto share_in = [&](const at::Tensor& whole) {
    return point.in_place ? whole.narrow(0, rank * share, share) : tensor(share);
  };
  if (point.collective == Collective::kBarrier) return {};
  if (point.collective == Collective::kGather && rank != collectives::kRoot) {
    return {.input = tensor(share), .output = {}};
  }
  const at::Tensor whole = tensor(point.elements);
  switch (point.collective) {
    case Collective::kAllGather:
    case Collective::kGather:
      return {.input = share_in(whole), .output = whole};
    case Collective::kReduceScatter:
      return {.input = whole, .output = share_in(whole)};
    default:
      return {.input = whole, .output = point.in_place ? whole : tensor(point.elements)};
  }
}

namespace {

using Backend = c10::intrusive_ptr<c10d::Backend>;
using Tensors = std::vector<at::Tensor>;

template <class Options>
Options from_root() {
  Options options;
  options.rootRank = collectives::kRoot;
  return options;
}

std::function<void()> gather(const Buffers& buffers, const Backend& backend) {
  std::vector<Tensors> outputs;
  if (backend->getRank() == collectives::kRoot)
    outputs.push_back(buffers.output.chunk(backend->getSize()));
  return [backend, outputs = std::move(outputs), inputs = Tensors{buffers.input}]() mutable {
    backend->gather(outputs, inputs, from_root<c10d::GatherOptions>())->wait();
  };
}

// Both directions go at once: ranks that send first and receive then would wait for each other. For
// a GPU's library the two are coalesced.
std::function<void()> ring_shift(const Buffers& buffers, const Backend& backend, bool coalesced) {
  const int n = backend->getSize();
  const int next = (backend->getRank() + 1) % n, previous = (backend->getRank() + n - 1) % n;
  auto both = [backend, next, previous, out = Tensors{buffers.input},
               in = Tensors{buffers.output}]() mutable {
    return std::pair{backend->send(out, next, 0), backend->recv(in, previous, 0)};
  };
  if (!coalesced) {
    return [both]() mutable {
      const auto [sent, received] = both();
      sent->wait();
      received->wait();
    };
  }
  return [backend, both]() mutable {
    backend->startCoalescing();
    both();
    backend->endCoalescing()->wait();
  };
}

std::function<void()> barrier(const Backend& backend, c10::Device device) {
  c10d::BarrierOptions options;
  if (device.is_cuda()) options.device_ids = {device.index()};
  return [backend, options] { backend->barrier(options)->wait(); };
}

std::function<void()> start_of(Collective collective, const Buffers& buffers,
                               const Backend& backend, c10::Device device) {
  Tensors whole{buffers.output};
  switch (collective) {
    case Collective::kAllReduce:
      return [backend, whole]() mutable { backend->allreduce(whole)->wait(); };
    case Collective::kBroadcast:
      return [backend, whole]() mutable {
        backend->broadcast(whole, from_root<c10d::BroadcastOptions>())->wait();
      };
    case Collective::kReduce:
      return [backend, whole]() mutable {
        backend->reduce(whole, from_root<c10d::ReduceOptions>())->wait();
      };
    case Collective::kAllGather:
      return [backend, own = buffers]() mutable {
        backend->_allgather_base(own.output, own.input)->wait();
      };
    case Collective::kReduceScatter:
      return [backend, own = buffers]() mutable {
        backend->_reduce_scatter_base(own.output, own.input)->wait();
      };
    case Collective::kAllToAll:
      return [backend, own = buffers, equal = std::vector<std::int64_t>()]() mutable {
        backend->alltoall_base(own.output, own.input, equal, equal)->wait();
      };
    case Collective::kGather:
      return gather(buffers, backend);
    case Collective::kSendRecv:
      return ring_shift(buffers, backend, device.is_cuda());
    case Collective::kBarrier:
      return barrier(backend, device);
  }
  throw_unnamed_value();
}

}  // namespace

Call c10d_call(Collective collective, const Buffers& buffers,
               const c10::intrusive_ptr<c10d::ProcessGroup>& group, device::Device& device) {
  const c10::Device place = device.torch_device();
  return {.start = start_of(collective, buffers, group->getBackend(place.type()), place),
          .finish = [&device] { device.synchronize(); }};
}

Call direct_call(Collective collective, const Buffers& buffers, std::int64_t elements,
                 collectives::DataType type, distributed::DirectCommunicator& communicator) {
  const auto address = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.mutable_data_ptr() : nullptr;
  };
  const void* in = address(buffers.input);
  void* out = address(buffers.output);
  return {.start =
              [=, &communicator, own = buffers] {
                communicator.run(collective, in, out, elements, type, collectives::kRoot);
              },
          .finish = [&communicator] { communicator.finish(); }};
}

namespace {

constexpr std::int64_t kFirstCalls = 2;  // connections and buffers are made in these
constexpr double kWarmUp_s = 0.02;
constexpr double kLoop_s = 0.2, kIsolated_s = 0.2;  // least time of either part

struct Bounds {
  std::int64_t least, most;
};
// The least numbers matter where a call takes seconds (4 GiB over Gloo): each call prolongs the
// run.
constexpr Bounds kWarmUpCalls{1, 2'000}, kLoopCalls{5, 100'000}, kIsolatedCalls{1, 2'000};
constexpr Bounds kFewIsolatedCalls{5, 20};  // twenty calls have a 95th percentile
constexpr double kFewIsolated_s = 2;
constexpr std::int64_t kTrialCalls = 5;  // they show how long one call takes
constexpr double kLongTrial_s = 0.5;     // a call that takes so long is trial enough by itself

constexpr double kLongCall_s = 0.2;  // the ranks check for a stop after each longer call

void run_once(const Call& call) {
  call.start();
  call.finish();
}

std::int64_t count_within(double wanted_s, double call_s, Bounds bounds) {
  const double count = std::ceil(wanted_s / std::max(call_s, 1e-9));
  return std::clamp(static_cast<std::int64_t>(std::min(count, 1e9)), bounds.least, bounds.most);
}

std::int64_t trial_calls(double call_s) {
  return count_within(kLongTrial_s, call_s, {1, kTrialCalls});
}

// The timing of one call on this rank. Numbers of calls follow from the slowest rank's times, so
// that every rank makes equally many.
class CallTimer {
 public:
  CallTimer(const Call& call, const Call& barrier, distributed::ControlGroup& control,
            const std::function<void()>& between, const distributed::Clock& clock)
      : call_(call), barrier_(barrier), control_(control), between_(between), clock_(clock) {}

  struct WarmUp {
    std::int64_t calls = 0;
    double call_s = 0;  // the slowest rank's time of a call, at the end
  };
  WarmUp warm_up() {
    WarmUp done;
    const auto take = [&](std::int64_t count) {
      done.call_s = slowest(back_to_back(count, done.call_s) / static_cast<double>(count));
      done.calls += count;
      between_();
    };
    for (std::int64_t i = 0; i < kFirstCalls; ++i) take(1);
    take(trial_calls(done.call_s));
    take(count_within(kWarmUp_s, done.call_s, kWarmUpCalls));
    return done;
  }

  // Returns the seconds of `count` calls without a pause, each of about `call_s`. Checking for a
  // stop takes less than a thousandth of a long call.
  double back_to_back(std::int64_t count, double call_s) {
    if (call_s < kLongCall_s) return seconds_of(count);
    double sum_s = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum_s += seconds_of(1);
      between_();
    }
    return sum_s;
  }

  // Times each call by itself, from the moment at which all ranks leave a barrier.
  std::vector<double> isolated(std::int64_t count, double call_s) {
    std::vector<double> seconds(static_cast<std::size_t>(count));
    for (double& one : seconds) {
      run_once(barrier_);
      const auto begin = clock_.now();
      run_once(call_);
      one = seconds_since(begin);
      if (call_s >= kLongCall_s) between_();
    }
    return seconds;
  }

  double slowest(double mine_s) {
    std::vector<double> slowest{mine_s};
    control_.max_over_ranks(slowest);
    return slowest[0];
  }

  double seconds_since(distributed::Clock::time_point begin) const {
    return std::chrono::duration<double>(clock_.now() - begin).count();
  }

 private:
  double seconds_of(std::int64_t count) {
    const auto begin = clock_.now();
    for (std::int64_t i = 0; i < count; ++i) call_.start();
    call_.finish();
    return seconds_since(begin);
  }

  const Call& call_;
  const Call& barrier_;
  distributed::ControlGroup& control_;
  const std::function<void()>& between_;
  const distributed::Clock& clock_;
};

}  // namespace

Timing time_call(const Call& call, const Call& barrier, distributed::ControlGroup& control,
                 const std::function<void()>& between, const distributed::Clock& clock) {
  CallTimer timer(call, barrier, control, between, clock);
  Timing timing;
  const CallTimer::WarmUp warm = timer.warm_up();
  timing.iterations = count_within(kLoop_s, warm.call_s, kLoopCalls);
  run_once(barrier);
  timing.time_s =
      timer.back_to_back(timing.iterations, warm.call_s) / static_cast<double>(timing.iterations);
  const double call_s = timer.slowest(timing.time_s);
  between();

  const auto trial = trial_calls(call_s);
  const auto begin = clock.now();
  timer.isolated(trial, call_s);
  const double with_barrier =
      timer.slowest(timer.seconds_since(begin) / static_cast<double>(trial));
  const auto count = std::max(count_within(kFewIsolated_s, with_barrier, kFewIsolatedCalls),
                              count_within(kIsolated_s, with_barrier, kIsolatedCalls));
  between();
  timing.slowest_s = timer.isolated(count, call_s);
  control.max_over_ranks(timing.slowest_s);
  timing.calls = warm.calls + timing.iterations + trial + count;
  return timing;
}

}  // namespace scalemark::communicating
