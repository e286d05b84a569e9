// The communication backends, as far as settings and estimates need to know them. What makes their
// process groups is their provider (engine/distributed/backend.h).
#pragma once

#include <string_view>
#include <vector>

namespace scalemark::catalogue {

struct Backend {
  std::string_view name;  // a value of --backend
  // Carries tensors of GPUs only, and two ranks must not share one.
  bool one_rank_per_gpu = false;
  bool cpu_only = false;              // carries no tensors of GPUs
  bool mpi_ranks = false;             // carries only between ranks that an MPI launcher has started
  bool scatter_all_reduces = false;   // its reduce-scatter is an all-reduce of everything
  bool default_stream_waits = false;  // only a GPU's default stream waits for results
  bool one_interface = false;         // a rank sends through one network interface only
  bool full_mesh = false;             // each rank connects to every other one of its group
  // Rough figures of an all-reduce serve estimates before anything is measured.
  double latency_s = 1e-3, bytes_per_s = 1e9;
};

const Backend* find_backend(std::string_view name);  // nullptr when unknown
std::vector<std::string_view> backend_names();       // in the order of backend_list.inc

// --backend auto means this one: the first that needs a GPU for each rank on GPUs, else the first
// that does not.
std::string_view default_backend(bool on_gpus);

bool needs_one_rank_per_gpu(std::string_view backend);     // false when unknown
bool is_cpu_only(std::string_view backend);                // false when unknown
bool needs_mpi_ranks(std::string_view backend);            // false when unknown
bool all_reduces_to_scatter(std::string_view backend);     // false when unknown
bool only_default_stream_waits(std::string_view backend);  // false when unknown
bool uses_one_interface(std::string_view backend);         // false when unknown
bool makes_full_mesh(std::string_view backend);            // false when unknown

}  // namespace scalemark::catalogue
