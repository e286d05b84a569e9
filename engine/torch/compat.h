// In what the minor versions of torch differ that we build against. Only this header asks for the
// version; docs/internals/DEPENDENCIES.md says how each was tried.
#pragma once

#include <c10/util/intrusive_ptr.h>
#include <torch/version.h>

#include <memory>
#include <string_view>
#include <utility>

// 211 is torch 2.11.
#define SCALEMARK_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

namespace scalemark::compat {

#define SCALEMARK_IN_TEXT(number) #number
#define SCALEMARK_MINOR(major, minor) SCALEMARK_IN_TEXT(major) "." SCALEMARK_IN_TEXT(minor)
inline constexpr std::string_view kTorchMinor =
    SCALEMARK_MINOR(TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR);  // "2.11"
#undef SCALEMARK_MINOR
#undef SCALEMARK_IN_TEXT

// Names of ProcessGroup's collectives on one tensor since 2.13, where the old ones are deprecated;
// c10d::Backend keeps the old ones.
#if SCALEMARK_TORCH < 213
#define all_gather_single _allgather_base
#define all_gather_single_coalesced allgather_into_tensor_coalesced
#define reduce_scatter_single _reduce_scatter_base
#define reduce_scatter_single_coalesced reduce_scatter_tensor_coalesced
#define all_to_all_single alltoall_base
#endif

// CUDAGraph itself gives back the pool of a capture that failed since 2.14: to give it back twice
// would be an error.
inline constexpr bool kGivesBackFailedCaptures = SCALEMARK_TORCH >= 214;

// CUDAGraph finds the generators that a capture uses by itself since 2.14.
template <class Graph, class Generator>
void register_generator([[maybe_unused]] Graph& graph,
                        [[maybe_unused]] const Generator& generator) {
#if SCALEMARK_TORCH < 214
  graph.register_generator_state(generator);
#endif
}

// A generator refuses numbers outside of a capture that failed until it is told, below 2.12.
// `states`: CUDAGraph's captured_generator_states_.
template <class States>
void end_capture_of([[maybe_unused]] States& states) {
#if SCALEMARK_TORCH < 212
  for (auto& entry : states) entry.first->capturing_ = false;
#endif
}

// Autograd holds its nodes by intrusive_ptr since 2.13.
template <class Node>
auto make_node() {
#if SCALEMARK_TORCH >= 213
  return c10::make_intrusive<Node>();
#else
  return std::make_shared<Node>();
#endif
}

}  // namespace scalemark::compat
