// The agreement with the null CUDA device: a stream is busy from the moment at which a
// communication is appended to it until it is finished. Without that device these do nothing.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace nullnccl {

// Holds the stream until release() is called, on any thread, with the result.
void* hold(cudaStream_t stream);
void release(void* held);

// Whether the stream is captured into a graph; then `name` is a part of that, and not done now.
bool capture(cudaStream_t stream, const char* name);

// Where the bytes of a device address can be read and written by the host.
void* host_view(const void* address);

// The bus id of the calling thread's current device; empty when no CUDA runtime is there.
std::string current_gpu();

}  // namespace nullnccl
