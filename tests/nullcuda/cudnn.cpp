// cuDNN: opaque descriptors, the graph interface's answers, and workspace sizes.
#include <cudnn.h>

#include <cstring>

#include "api.h"
#include "captures.h"
#include "journal.h"

namespace {

constexpr std::size_t kWorkspaceBytes = 1 << 20;

struct CudnnHandle {
  cudaStream_t stream = nullptr;
};

template <class T>
cudnnStatus_t make_handle(T* handle) {
  *handle = reinterpret_cast<T>(new char);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

NULLCUDA_API std::size_t cudnnGetVersion() { return CUDNN_VERSION; }
NULLCUDA_API std::size_t cudnnGetCudartVersion() { return CUDART_VERSION; }
NULLCUDA_API const char* cudnnGetErrorString(cudnnStatus_t) {
  return "an error of the null device";
}
NULLCUDA_API void cudnnGetLastErrorString(char* text, std::size_t size) {
  if (size > 0) text[0] = 0;
}

NULLCUDA_API cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = reinterpret_cast<cudnnHandle_t>(new CudnnHandle);
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete reinterpret_cast<CudnnHandle*>(handle);
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  nullcuda::check_library_stream(stream, "cudnnSetStream");
  reinterpret_cast<CudnnHandle*>(handle)->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  *stream = reinterpret_cast<CudnnHandle*>(handle)->stream;
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  return make_handle(descriptor);
}
NULLCUDA_API cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  delete reinterpret_cast<char*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

// The graph interface, which convolutions and attention use: every plan is good, and the first one
// is as good as any. Numbers (workspace and shared memory, knobs, notes) are 0; one engine is
// found.
NULLCUDA_API cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t,
                                                        cudnnBackendDescriptor_t* descriptor) {
  return make_handle(descriptor);
}
NULLCUDA_API cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<char*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t,
                                                    cudnnBackendAttributeName_t name,
                                                    cudnnBackendAttributeType_t type, int64_t asked,
                                                    int64_t* count, void* values) {
  const std::size_t size = type == CUDNN_TYPE_INT64 ? 8 : type == CUDNN_TYPE_INT32 ? 4 : 0;
  const bool is_there =
      name == CUDNN_ATTR_ENGINEHEUR_RESULTS || name == CUDNN_ATTR_ENGINECFG_ENGINE;
  if (count) *count = size > 0 || is_there ? 1 : 0;
  if (size > 0 && values && asked > 0) std::memset(values, 0, size);
  return CUDNN_STATUS_SUCCESS;
}

NULLCUDA_API cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnActivationDescriptor_t, std::size_t* bytes) {
  *bytes = kWorkspaceBytes;
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t, const cudnnActivationDescriptor_t,
    std::size_t* bytes) {
  *bytes = kWorkspaceBytes;
  return CUDNN_STATUS_SUCCESS;
}
NULLCUDA_API cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t, cudnnBatchNormMode_t, cudnnBatchNormOps_t, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t, std::size_t* bytes) {
  *bytes = kWorkspaceBytes;
  return CUDNN_STATUS_SUCCESS;
}
