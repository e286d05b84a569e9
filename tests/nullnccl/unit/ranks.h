// Ranks as forked processes of a test, on one communicator, and the test's own stand-in for
// streams.
#pragma once

#include <nccl.h>

#include <functional>
#include <string>
#include <vector>

namespace nullnccl_test {

// Runs `body(rank)` in `size` processes and waits for all. How each ended: "" when it returned,
// else the text of what it threw; "killed" when a signal ended it.
std::vector<std::string> on_ranks(int size, const std::function<void(int rank)>& body);

// The ranks must all have returned.
void expect_all_well(const std::vector<std::string>& endings);

// In a rank: throws what went wrong.
void require(bool condition, const std::string& text);
void require_success(ncclResult_t result, const char* what);
#define NCCL(call) nullnccl_test::require_success(call, #call)

// The unique id that a test's ranks share: made before they are forked.
ncclUniqueId new_id();

// These stand in for the null CUDA device's streams, as far as these tests need holds.
bool is_busy(cudaStream_t stream);
void synchronise(cudaStream_t stream);  // waits until nothing holds the stream
bool becomes_idle(cudaStream_t stream, double seconds);

inline cudaStream_t stream_number(int number) {
  return reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(number) << 8);
}
inline const cudaStream_t kStream = stream_number(1);

}  // namespace nullnccl_test
