#include "engine/communicating/links/host_ring.h"

#include <utility>
#include <vector>

#include "core/reporting/collectives/collectives.h"
#include "engine/communicating/links/link_group.h"
#include "engine/communicating/links/pair_rounds.h"

namespace scalemark::communicating {
namespace {

reporting::LinkRecord record_of(const PairTimes& pair, const std::vector<std::string>& names) {
  const LinkTime& time = pair.passes.front();
  return {.a = names[static_cast<std::size_t>(pair.a)],
          .b = names[static_cast<std::size_t>(pair.b)],
          .latency_s = time.latency_s,
          .bandwidth_GBps = time.bytes_per_s / 1e9};
}

}  // namespace

void report_host_ring(process::RankContext& context, const std::string& backend,
                      process::RunReport& report, const std::function<void()>& between) {
  const auto leaders = node_leaders(context.node_of_rank());
  if (leaders.size() < 2) return;
  std::vector<reporting::LinkRecord> links;
  with_link_group(context, "links", leaders, backend, [&](const LinkGroup& group) {
    for (const PairTimes& pair : measure_ring(group.rank_group, {.transfers_s = 0.2}, between)) {
      links.push_back(record_of(pair, group.names));
    }
  });
  if (report.writer() == nullptr) return;
  auto findings = reporting::findings_of_links(links);
  report.writer()->add_links(std::move(links), std::move(findings));
}

}  // namespace scalemark::communicating
