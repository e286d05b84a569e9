#include "core/catalogue/backends.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace scalemark::catalogue {
namespace {

constexpr auto kBackends = std::to_array<Backend>({
#define SCALEMARK_BACKEND(backend, provider, ...) {.name = #backend __VA_OPT__(, ) __VA_ARGS__},
#include "core/catalogue/backend_list.inc"
#undef SCALEMARK_BACKEND
});

}  // namespace

const Backend* find_backend(std::string_view name) {
  const auto found = std::ranges::find(kBackends, name, &Backend::name);
  return found == kBackends.end() ? nullptr : &*found;
}

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  for (const Backend& backend : kBackends) names.push_back(backend.name);
  return names;
}

namespace {

bool holds(std::string_view backend, bool Backend::*fact) {
  const Backend* known = find_backend(backend);
  return known != nullptr && known->*fact;
}

}  // namespace

std::string_view default_backend(bool on_gpus) {
  const auto found = std::ranges::find(kBackends, on_gpus, &Backend::one_rank_per_gpu);
  if (found == kBackends.end()) throw bug("no backend serves as a default");
  return found->name;
}

bool is_cpu_only(std::string_view backend) { return holds(backend, &Backend::cpu_only); }

bool needs_mpi_ranks(std::string_view backend) { return holds(backend, &Backend::mpi_ranks); }

bool all_reduces_to_scatter(std::string_view backend) {
  return holds(backend, &Backend::scatter_all_reduces);
}

bool only_default_stream_waits(std::string_view backend) {
  return holds(backend, &Backend::default_stream_waits);
}

bool uses_one_interface(std::string_view backend) {
  return holds(backend, &Backend::one_interface);
}

bool makes_full_mesh(std::string_view backend) { return holds(backend, &Backend::full_mesh); }

bool needs_one_rank_per_gpu(std::string_view backend) {
  return holds(backend, &Backend::one_rank_per_gpu);
}

}  // namespace scalemark::catalogue
