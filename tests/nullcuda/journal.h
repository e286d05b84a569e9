// Lists what the process does with its devices, in order. Counts are made from it afterwards, of
// the whole process or of any interval.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nullcuda {

enum class Kind : std::uint8_t {
  kLaunch,      // a kernel, by its name
  kGemm,        // a call of cuBLAS that computes
  kCudnn,       // a call of cuDNN that computes
  kCopy,        // named by its direction; has bytes
  kMemset,      // has bytes
  kSync,        // the host waits for the device
  kRecord,      // an event is recorded
  kQuery,       // an event or a stream is queried
  kWait,        // a stream waits for an event
  kAllocation,  // device or pinned memory is allocated or freed; named by function
  kGraph,       // a whole graph is launched
};
inline constexpr int kKinds = 11;
std::string_view to_string(Kind kind);

struct Entry {
  Kind kind;
  std::uint8_t thread;                  // index into thread_names()
  std::uint16_t name;                   // index into names()
  std::uint32_t bytes;                  // copies and memsets have them; at most 4 GiB - 1
  std::uint16_t stream = 0, event = 0;  // numbers of those that it concerns; 0: none, or not known
};

// An entry concerns these, where they are known.
struct Subject {
  const void* stream = nullptr;
  const void* event = nullptr;
};

// Every caller must hold the lock of the null device.
Entry entry_of(Kind kind, const char* name, std::uint64_t bytes = 0);
void note(Kind kind, const char* name, std::uint64_t bytes = 0, const Subject& subject = {});

const std::vector<Entry>& entries();
const std::vector<std::string>& names();
// Returns the names that the threads had when they were first seen; the first one is "main".
const std::vector<std::string>& thread_names();

}  // namespace nullcuda

// The generated stubs call these: they note a call that computes.
extern "C" void nullcuda_note_gemm(const char* function);
extern "C" void nullcuda_note_cudnn(const char* function);
