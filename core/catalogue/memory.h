// How much memory a training run needs, before it runs, and what of it each optimizer keeps. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {

// The optimizers, as far as settings and estimates need to know them. Their update rules are in
// engine/step/.

// An optimizer keeps this between steps, in tensors of the parameters' size.
enum class OptimizerState {
  kMomentum,    // one, with momentum; else none
  kTwoMoments,  // two
};

// The names in the order of optimizer_list.inc.
std::vector<std::string_view> optimizer_names();

// How many tensors of the parameters' size `optimizer` keeps; bug() for an unknown name.
int state_copies(std::string_view optimizer, double momentum);

// How many such tensors an update makes, and frees at its end; bug() for an unknown name.
int update_copies(std::string_view optimizer);

// Recipe explains `optimizer`, and ExchangeQuestion explains dedicated_server,
// all_reduces_to_scatter and compressed.
struct MemoryQuestion {
  ModelShape shape;  // resolved
  std::int64_t batch_size = 1;
  std::string optimizer;
  double momentum = 0;
  int activation_element_bytes = 4;  // 2 under autocast
  bool activation_checkpointing = false;
  std::string strategy = "none";
  int world_size = 1;
  bool dedicated_server = false;
  bool gradient_as_bucket_view = false;
  bool all_reduces_to_scatter = false;
  bool compressed = false;
  bool on_cpu = false;
  int input_batches = 0;  // batches in this memory at once, also the one in training
  // True: the process's resident set, which is what a CPU run measures. False: its tensors only.
  bool whole_process = false;
};

// A rank on a CPU without a tensor: program, LibTorch, thread stacks, Gloo. The resident set of an
// mlp rank less its tensors, measured with LibTorch 2.11 on x86-64.
inline constexpr std::uint64_t kProcessBytes = 140'000'000;

// Bytes of the process with most, a training rank or a dedicated server: parameters, gradients,
// optimizer state and communication buckets in float32, and the data that backward holds at its
// peak. For a whole process also the libraries and, for convolutions, oneDNN's reordered copy of
// weights.
std::uint64_t estimated_memory_bytes(const Workload& workload, const MemoryQuestion& question);

// One sample as the loader hands it over: uint8 pixels, int64 tokens or float32 vectors.
double input_bytes_per_sample(const Workload& workload, const ModelShape& shape);

// The largest batch_size whose estimate stays within `available_bytes`; 0 when not even one sample
// does.
std::int64_t largest_batch_that_fits(const Workload& workload, MemoryQuestion question,
                                     std::uint64_t available_bytes);

}  // namespace scalemark::catalogue
