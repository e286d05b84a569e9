#include "core/collectives/bandwidth.h"

#include "core/base/error.h"

namespace scalemark::collectives {

std::optional<double> bus_factor(Collective collective, int world_size) {
  const double n = world_size;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (n - 1) / n;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
    case Collective::kGather:
      return (n - 1) / n;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kSendRecv:
      return 1;
    case Collective::kBarrier:
      return std::nullopt;
  }
  throw bug("a collective without a bus factor");
}

std::optional<Bandwidth> bandwidth(Collective collective, int world_size, std::int64_t bytes,
                                   double time_s) {
  const auto factor = bus_factor(collective, world_size);
  if (!factor) return std::nullopt;
  if (!(time_s > 0)) throw bug("a collective took no time");
  const double algbw = static_cast<double>(bytes) / time_s / 1e9;
  return Bandwidth{.algbw_GBps = algbw, .busbw_GBps = algbw * *factor};
}

}  // namespace scalemark::collectives
