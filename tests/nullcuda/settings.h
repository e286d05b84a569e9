// How the null device behaves: the environment's NULLCUDA_* variables, read once.
//
//   NULLCUDA_DEVICES=N           how many devices there are (1)
//   NULLCUDA_MEMORY=BYTES        memory of each (an H200's)
//   NULLCUDA_DRIVER=13000        the CUDA version that the driver supports
//   NULLCUDA_COMPUTE=90          the devices' compute capability
//   NULLCUDA_COPIES=deferred     asynchronous copies are done at the last moment that CUDA allows
//   NULLCUDA_EVENTS=late[:N]     an event answers "not ready" to the first N queries (3)
//   NULLCUDA_FAIL_ALLOCATION=K[:M]  the K-th cudaMalloc and the M - 1 after it find no memory;
//                                M is 3: torch's allocator frees its cache and asks again, twice.
//                                A call for other bytes ends it
//   NULLCUDA_FAIL_UNJOINED=K     the same of those while a capture has streams that are not joined;
//                                M is 1, since a capture frees no cache
//   NULLCUDA_FAIL_PINNED=K       the K-th allocation of pinned memory finds none
//   NULLCUDA_FAIL_LAUNCH=K       the K-th kernel launch is the one that breaks the device for good
//   NULLCUDA_FAULT_RANK=R        the four faults above are those of the process of rank R only
//   NULLCUDA_TIMELINE=on         the counts hold what each window did, in its order
//   NULLCUDA_HEALTH=G[,NAME=N]   NVML reports counters of errors, too; after the first reading
//   those
//                                of device G are by N larger: ecc_uncorrected, rows_remapped,
//                                nvlink_replays; xid: one event with that number
//   NULLCUDA_COUNTS=FILE         what was counted is written here when the process ends;
//                                %p: its pid
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace nullcuda {

struct Fault {
  std::uint64_t first = 0;  // counted from 1; 0: never
  std::uint64_t times = 1;

  bool hits(std::uint64_t call) const { return first > 0 && call >= first && call < first + times; }
};

struct Settings {
  int devices = 1;
  std::uint64_t memory_bytes = 150'754'820'096;
  int driver_version = 13000;
  int compute_major = 9, compute_minor = 0;
  bool deferred_copies = false;
  bool timeline = false;
  unsigned late_queries = 0;
  Fault allocation, unjoined, pinned, launch;
  std::optional<int> growing_device;  // empty: NVML reports no counters of errors
  std::map<std::string, std::uint64_t, std::less<>> growth;
  std::string rank;
  std::string counts_file;
};

// The values at the start of the process. An unknown variable or value ends the process with its
// name.
const Settings& settings();

}  // namespace nullcuda
