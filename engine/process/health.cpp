#include "engine/process/health.h"

#include <chrono>

#include "core/base/wire.h"
#include "engine/process/node_leader.h"

namespace scalemark::process {

std::string HealthWatch::look() {
  device::Device& device = context_.device();
  if (!looked_ && device.torch_device().is_cuda()) {
    gpu_ = monitoring::GpuHealth::open(device.identity(), device.name());
  }
  looked_ = true;
  reporting::HealthLook look{.host = context_.host(), .counters = {}};
  if (gpu_) look.counters = gpu_->read();
  if (leads_node(context_)) {
    for (auto& counter : monitoring::machine_health()) look.counters.push_back(std::move(counter));
  }
  return to_wire(look);
}

void HealthLooks::look() {
  if (!options_.wanted) return;
  loop_.link().enter("wait");
  const auto now = loop_.link().clock().now();
  std::vector<reporting::HealthLook> looks;
  for (const auto& [rank, text] : loop_.ask_all(options_.task, options_.read)) {
    looks.push_back(from_wire<reporting::HealthLook>(text));
  }
  std::optional<double> seconds;
  if (first_) seconds = std::chrono::duration<double>(now - *first_).count();
  if (!first_) first_ = now;
  reporting::add_looks(rows_, looks, seconds);
  options_.keep(rows_);
}

}  // namespace scalemark::process
