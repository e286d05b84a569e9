#include "engine/process/host_survey.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/monitoring/environment.h"
#include "core/reporting/record/report_json.h"

namespace scalemark::process {

std::vector<monitoring::Host> survey_hosts(RankContext& context) {
  std::vector<monitoring::Host> hosts;
  const std::string mine = reporting::encode(monitoring::survey_host());
  for (const std::string& bytes : context.control().gather(mine)) {
    auto host = reporting::decode_host(bytes);
    const bool known = std::ranges::any_of(
        hosts, [&](const auto& other) { return other.hostname == host.hostname; });
    if (!known) hosts.push_back(std::move(host));
  }
  return hosts;
}

}  // namespace scalemark::process
