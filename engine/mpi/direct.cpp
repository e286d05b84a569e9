#include "engine/mpi/direct.h"

#include <cstring>

#include "core/base/error.h"

namespace scalemark::mpi {
namespace {

using collectives::Collective;

DataType own_type(collectives::DataType type) {
  switch (type) {
    case collectives::DataType::kFp32:
      return DataType::kFloat32;
    case collectives::DataType::kFp16:
      return DataType::kFloat16;
    case collectives::DataType::kBf16:
      return DataType::kBFloat16;
    case collectives::DataType::kInt32:
      return DataType::kInt32;
  }
  throw bug("an unknown data type");
}

class Direct final : public distributed::DirectCommunicator {
 public:
  explicit Direct(Communicator& communicator) : mpi_(communicator) {}

  bool supports(Collective, collectives::DataType) const override { return true; }

  // A call of MPI returns when it is done, so there is nothing to finish.
  void run(Collective collective, const void* in, void* out, std::int64_t elements,
           collectives::DataType of, int root) override {
    const DataType type = own_type(of);
    const std::int64_t part = elements / mpi_.size();
    switch (collective) {
      case Collective::kAllReduce:
        return mpi_.all_reduce(in, out, elements, type, Operation::kSum);
      case Collective::kAllGather:
        return mpi_.all_gather(in, out, part, type);
      case Collective::kReduceScatter:
        return mpi_.reduce_scatter(in, out, part, type, Operation::kSum);
      case Collective::kBroadcast:
        return broadcast(in, out, elements, type, root);
      case Collective::kReduce:
        return mpi_.reduce(in, out, elements, type, Operation::kSum, root);
      case Collective::kGather:
        return mpi_.gather(in, out, part, type, root);
      case Collective::kAllToAll:
        return mpi_.all_to_all(in, out, part, type);
      case Collective::kSendRecv:
        return shift(in, out, elements, type);
      case Collective::kBarrier:
        return mpi_.barrier();
    }
    throw bug("an unknown collective");
  }

  void finish() override {}

 private:
  // MPI knows one buffer only.
  void broadcast(const void* in, void* out, std::int64_t elements, DataType type, int root) {
    if (mpi_.rank() == root && in != out) {
      std::memcpy(out, in, static_cast<std::size_t>(elements) * bytes_of(type));
    }
    mpi_.broadcast(out, elements, type, root);
  }

  // Each rank sends to the next one of a ring.
  void shift(const void* in, void* out, std::int64_t elements, DataType type) {
    const int next = (mpi_.rank() + 1) % mpi_.size();
    const int previous = (mpi_.rank() + mpi_.size() - 1) % mpi_.size();
    const auto received = mpi_.receive(out, elements, type, previous, /*tag=*/0);
    const auto sent = mpi_.send(in, elements, type, next, /*tag=*/0);
    received->wait();
    sent->wait();
  }

  Communicator& mpi_;
};

}  // namespace

std::unique_ptr<distributed::DirectCommunicator> make_direct(Communicator& communicator) {
  return std::make_unique<Direct>(communicator);
}

}  // namespace scalemark::mpi
