// cuBLAS and cuBLASLt: handles and descriptors that hold what torch reads back. What computes is
// counted by the generated stubs (stubs.txt).
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstring>
#include <new>

#include "api.h"
#include "captures.h"

namespace {

struct Handle {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};

Handle* of(cublasHandle_t handle) { return reinterpret_cast<Handle*>(handle); }

// Descriptors are never read back: one byte each.
template <class T>
cublasStatus_t make(T* descriptor) {
  *descriptor = reinterpret_cast<T>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t drop(T descriptor) {
  delete reinterpret_cast<char*>(descriptor);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

NULLCUDA_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new Handle);
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete of(handle);
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  nullcuda::check_library_stream(stream, "cublasSetStream");
  of(handle)->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = of(handle)->stream;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  of(handle)->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = of(handle)->math;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                                    cublasPointerMode_t mode) {
  of(handle)->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                                    cublasPointerMode_t* mode) {
  *mode = of(handle)->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
NULLCUDA_API std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

NULLCUDA_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return make(handle); }
NULLCUDA_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return drop(handle); }
NULLCUDA_API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor,
                                                     cublasComputeType_t, cudaDataType_t) {
  return make(descriptor);
}
NULLCUDA_API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  return drop(descriptor);
}
NULLCUDA_API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType,
                                                       uint64_t, uint64_t, int64_t) {
  return make(layout);
}
NULLCUDA_API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return drop(layout);
}
NULLCUDA_API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return make(preference);
}
NULLCUDA_API cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return drop(preference);
}
NULLCUDA_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
    cublasLtMatmulHeuristicResult_t results[], int* count) {
  std::memset(results, 0, sizeof *results);
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
