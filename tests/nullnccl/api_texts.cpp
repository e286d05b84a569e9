// NCCL's functions that say something, and those that the null NCCL refuses: without them the real
// library's would be called with our communicators.
#include "tests/nullnccl/communicator.h"

namespace {

ncclResult_t refuse(const char* name) {
  nullnccl::set_last_error(std::string("the null NCCL has no ") + name);
  return ncclInvalidUsage;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t) { return nullnccl::last_error(); }

ncclResult_t ncclCommInitAll(ncclComm_t*, int, const int*) { return refuse("ncclCommInitAll"); }
ncclResult_t ncclCommShrink(ncclComm_t, int*, int, ncclComm_t*, ncclConfig_t*, int) {
  return refuse("ncclCommShrink");
}
ncclResult_t ncclCommWindowRegister(ncclComm_t, void*, size_t, ncclWindow_t*, int) {
  return refuse("ncclCommWindowRegister");
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t) {
  return refuse("ncclCommWindowDeregister");
}
ncclResult_t ncclDevCommCreate(ncclComm_t, const void*, void*) {
  return refuse("ncclDevCommCreate");
}
ncclResult_t ncclDevCommDestroy(ncclComm_t, const void*) { return refuse("ncclDevCommDestroy"); }
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t*) { return refuse("ncclGroupSimulateEnd"); }
ncclResult_t ncclMemAlloc(void**, size_t) { return refuse("ncclMemAlloc"); }
ncclResult_t ncclMemFree(void*) { return refuse("ncclMemFree"); }

}  // extern "C"
