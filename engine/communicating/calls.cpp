#include "engine/communicating/calls.h"

#include <utility>
#include <vector>

namespace scalemark::communicating {
namespace {

using collectives::Collective;
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

// Both directions at once: a rank that sends first and receives then would wait for one that does
// the same. A GPU's library is told so by coalescing them.
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

}  // namespace scalemark::communicating
