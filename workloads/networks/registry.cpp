// Makes the network of a workload in workload_list.inc. Tests replace this file, too.

#include "core/base/error.h"
#include "workloads/networks/network.h"

namespace scalemark::workloads {

#define SCALEMARK_WORKLOAD(descriptor, network) \
  std::unique_ptr<Network> network(const catalogue::Workload&, const NetworkOptions&);
#include "core/catalogue/workload_list.inc"
#undef SCALEMARK_WORKLOAD

namespace {

using Maker = std::unique_ptr<Network> (*)(const catalogue::Workload&, const NetworkOptions&);

// The makers in the order of catalogue::all_workloads().
constexpr Maker kMakers[] = {
#define SCALEMARK_WORKLOAD(descriptor, network) network,
#include "core/catalogue/workload_list.inc"
#undef SCALEMARK_WORKLOAD
};

}  // namespace

std::unique_ptr<Network> make_network(std::string_view workload, const NetworkOptions& options) {
  const catalogue::Workload* found = catalogue::find_workload(workload);
  if (found == nullptr) {
    throw configuration("there is no workload '" + std::string(workload) + "'");
  }
  NetworkOptions resolved = options;
  resolved.shape = catalogue::resolved_shape(*found, options.shape);
  const auto index = static_cast<std::size_t>(found - catalogue::all_workloads().data());
  return kMakers[index](*found, resolved);
}

}  // namespace scalemark::workloads
