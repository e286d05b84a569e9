// NCCL's functions that make, ask and end communicators.
#include <cstring>

#include "tests/nullnccl/group.h"

namespace nullnccl {
namespace {

std::string name_in(const ncclUniqueId& id) {
  return {id.internal, strnlen(id.internal, sizeof id.internal)};
}

bool is_blocking(const ncclConfig_t* config) { return config == nullptr || config->blocking != 0; }

ncclResult_t create(ncclComm_t* comm, int size, const ncclUniqueId& id, int rank, bool blocking) {
  if (size < 1 || size > kMostRanks || rank < 0 || rank >= size) {
    set_last_error("the null NCCL knows up to " + std::to_string(kMostRanks) + " ranks");
    return ncclInvalidArgument;
  }
  auto* const communicator = new Communicator(name_in(id), rank, size, blocking);
  *comm = handle_of(communicator);
  return communicator->start();
}

// Ending nothing is no error, like in NCCL.
template <class Call>
ncclResult_t end(ncclComm_t comm, Call call) {
  if (comm == nullptr) return ncclSuccess;
  Communicator* const communicator = find(comm);
  return communicator == nullptr ? ncclInvalidArgument : call(*communicator);
}

template <class Call>
ncclResult_t with(ncclComm_t comm, Call call) {
  Communicator* const communicator = find(comm);
  return communicator == nullptr ? ncclInvalidArgument : call(*communicator);
}

}  // namespace
}  // namespace nullnccl

using nullnccl::Communicator;

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, 0, sizeof *id);
  std::strncpy(id->internal, nullnccl::new_segment_name().c_str(), sizeof id->internal - 1);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  return nullnccl::create(comm, size, id, rank, true);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return nullnccl::create(comm, size, id, rank, nullnccl::is_blocking(config));
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int size, int rank, int, ncclUniqueId* ids,
                                      ncclConfig_t* config) {
  return nullnccl::create(comm, size, ids[0], rank, nullnccl::is_blocking(config));
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* child,
                           ncclConfig_t* config) {
  return nullnccl::with(comm, [&](Communicator& parent) {
    *child = nullptr;
    Communicator* made = nullptr;
    const auto result = parent.split(color, key, nullnccl::is_blocking(config), &made);
    if (made != nullptr) *child = nullnccl::handle_of(made);
    return result;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return nullnccl::end(comm, [](Communicator& communicator) { return communicator.finalize(); });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return nullnccl::end(comm, [](Communicator& communicator) {
    nullnccl::forget(&communicator);
    return communicator.destroy();
  });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return nullnccl::end(comm, [](Communicator& communicator) {
    nullnccl::forget(&communicator);
    communicator.begin_abort();
    nullnccl::end_abort_of(communicator);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  return nullnccl::with(comm, [&](Communicator& communicator) {
    *error = communicator.async_error();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  return nullnccl::with(comm, [&](Communicator& communicator) {
    *count = communicator.size();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  return nullnccl::with(comm, [&](Communicator& communicator) {
    *rank = communicator.rank();
    return ncclSuccess;
  });
}

// Registration speeds nothing up here; any handle will do.
ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buffer, size_t, void** handle) {
  *handle = buffer;
  return nullnccl::find(comm) == nullptr ? ncclInvalidArgument : ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void*) {
  return nullnccl::find(comm) == nullptr ? ncclInvalidArgument : ncclSuccess;
}

}  // extern "C"
