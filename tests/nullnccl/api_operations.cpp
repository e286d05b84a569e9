// NCCL's functions that communicate.
#include "tests/nullnccl/group.h"

namespace nullnccl {
namespace {

ncclResult_t issue_on(ncclComm_t handle, Operation operation, int op = ncclSum) {
  Communicator* const communicator = find(handle);
  if (communicator == nullptr) return ncclInvalidArgument;
  if (const auto result = communicator->check(operation); result != ncclSuccess) return result;
  if (const auto result = communicator->reduction_of(op, &operation.reduction);
      result != ncclSuccess) {
    return result;
  }
  return issue(*communicator, operation);
}

}  // namespace
}  // namespace nullnccl

using nullnccl::Kind;

extern "C" {

ncclResult_t ncclAllReduce(const void* input, void* output, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kAllReduce, input, output, count, type, {}, 0, stream},
                            op);
}

ncclResult_t ncclReduce(const void* input, void* output, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kReduce, input, output, count, type, {}, root, stream},
                            op);
}

ncclResult_t ncclReduceScatter(const void* input, void* output, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kReduceScatter, input, output, count, type, {}, 0, stream},
                            op);
}

ncclResult_t ncclBroadcast(const void* input, void* output, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kBroadcast, input, output, count, type, {}, root, stream});
}

ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void* input, void* output, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kAllGather, input, output, count, type, {}, 0, stream});
}

ncclResult_t ncclAlltoAll(const void* input, void* output, size_t count, ncclDataType_t type,
                          ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kAllToAll, input, output, count, type, {}, 0, stream});
}

ncclResult_t ncclGather(const void* input, void* output, size_t count, ncclDataType_t type,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kGather, input, output, count, type, {}, root, stream});
}

ncclResult_t ncclScatter(const void* input, void* output, size_t count, ncclDataType_t type,
                         int root, ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kScatter, input, output, count, type, {}, root, stream});
}

ncclResult_t ncclSend(const void* input, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kSend, input, nullptr, count, type, {}, peer, stream});
}

ncclResult_t ncclRecv(void* output, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return nullnccl::issue_on(comm, {Kind::kReceive, nullptr, output, count, type, {}, peer, stream});
}

ncclResult_t ncclGroupStart() {
  nullnccl::begin_group();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() { return nullnccl::end_group(); }

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t, ncclComm_t comm) {
  nullnccl::Communicator* const communicator = nullnccl::find(comm);
  if (communicator == nullptr || !nullnccl::can_reduce(type)) return ncclInvalidArgument;
  *op = static_cast<ncclRedOp_t>(communicator->add_reduction(nullnccl::scalar_at(scalar, type)));
  return ncclSuccess;
}

// Torch destroys it right after the call that uses it; its number is never used again.
ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  nullnccl::Communicator* const communicator = nullnccl::find(comm);
  nullnccl::Reduction ignored;
  if (communicator == nullptr || op < ncclNumOps) return ncclInvalidArgument;
  return communicator->reduction_of(op, &ignored);
}

}  // extern "C"
