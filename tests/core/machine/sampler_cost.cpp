// sampler-cost [SECONDS]: what reading this machine costs, as a share of one core.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/machine/telemetry/host_probes.h"
#include "core/machine/telemetry/sampler.h"
#include "tools/programs/commands.h"

int scalemark::commands::sampler_cost(int argc, char** argv) {
  namespace monitoring = scalemark::monitoring;
  monitoring::Sampler sampler(monitoring::host_probes());
  sampler.begin();
  std::this_thread::sleep_for(std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 5));
  sampler.end();
  for (const auto& source : sampler.summaries()) {
    std::printf("%-32s %-12s n %4lld  mean %.6g  min %.6g  max %.6g\n", source.source.c_str(),
                source.device.c_str(), static_cast<long long>(source.n), source.mean, source.min,
                source.max);
  }
  return 0;
}
