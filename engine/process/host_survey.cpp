#include "engine/process/host_survey.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/wire.h"
#include "core/monitoring/environment.h"
#include "core/reporting/record/report_fields.h"

namespace scalemark::process {

std::vector<monitoring::Host> survey_hosts(RankContext& context) {
  std::vector<monitoring::Host> hosts;
  const std::string mine = to_wire(monitoring::survey_host());
  for (const std::string& bytes : context.control().gather(mine)) {
    auto host = from_wire<monitoring::Host>(bytes);
    const bool known = std::ranges::any_of(
        hosts, [&](const auto& other) { return other.hostname == host.hostname; });
    if (!known) hosts.push_back(std::move(host));
  }
  return hosts;
}

void refuse_bound_by_launcher(RankContext& context, const std::string& given_cpus) {
  if (given_cpus.empty()) return;
  std::map<std::string, std::pair<int, std::string>> first_of_host;  // rank, CPUs
  using CpusAndHost = std::pair<std::string, std::string>;
  const auto told = context.control().all_gather(to_wire(CpusAndHost(given_cpus, context.host())));
  for (std::size_t rank = 0; rank < told.size(); ++rank) {
    const auto [cpus, host] = from_wire<CpusAndHost>(told[rank]);
    const auto [found, is_first] = first_of_host.try_emplace(host, static_cast<int>(rank), cpus);
    if (is_first || found->second.second == cpus) continue;
    throw configuration("--bind: something has bound the ranks of " + host + " already: rank " +
                            std::to_string(found->second.first) + " may use CPUs " +
                            found->second.second + ", rank " + std::to_string(rank) + " CPUs " +
                            cpus,
                        "ranks of a machine that may all use the same CPUs",
                        "leave --bind out, or start them unbound: mpirun --bind-to none, srun "
                        "--cpu-bind=none");
  }
}

}  // namespace scalemark::process
