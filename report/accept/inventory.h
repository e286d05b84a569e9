// The parts of a fleet as reports name them, and the facts that a buyer checks first: how many of
// what. Private to this folder.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/accept/series.h"

namespace scalemark::acceptance {

// Only points that use every rank of their report show all of a machine at once.
int widest(const reporting::Report& report);

Part node_part(const reporting::Report& report, const std::string& host);
std::vector<Part> node_parts(const reporting::Report& report);
// Links between hosts of the report, each with its record.
std::vector<std::pair<Part, const reporting::LinkRecord*>> link_parts(
    const reporting::Report& report);
// Whether a time or rate of a link is one: damaged reports hold others.
inline bool is_measured(double value) { return value > 0 && std::isfinite(value); }
// The device of one rank of `run`.
Part device_part(const reporting::Report& report, const reporting::PointRecord& run,
                 const reporting::RankRecord& rank);
// A GPU by its name in the report and its UUID.
Part gpu_part(const reporting::Report& report, const std::string& host, const std::string& device,
              const std::string& uuid);
// The device that was measured by itself: of a rank, or of the machine.
Part measured_part(const reporting::Report& report, const std::string& host,
                   const std::string& device, std::optional<int> rank);

// The model of the GPU, or of the machine's CPU. `otherwise`: where the GPU is not in the list.
std::string chip_of(const reporting::Report& report, const Part& part,
                    const std::string& otherwise);

// Numbers from 1 for reports in the order of time: of those that overlap in time the same one.
std::vector<std::size_t> rounds_of(std::span<const NamedReport> reports);

// "driver 580.1, libtorch 2.11.0, nccl 2.28, scalemark 0.1.0 (1a2b3c)"
std::string software_of(const reporting::Report& report, const std::string& host);

// The same by name: "driver 580.1" -> {"driver", "580.1"}; the first blank parts it from the
// version.
std::map<std::string, std::string> versions_of(const std::string& software);

// The last report that knows a machine tells its facts: one start each.
std::vector<Series> read_facts(Metric metric, std::span<const NamedReport> reports);

// One start of each node for each report that compared what collectives delivered: how many
// findings blame it.
void read_findings(const Rule& rule, const reporting::Report& report, SeriesOfParts& all);
// One start for each piece of work of each device, over all reports: 1 where its bits are wrong,
// NaN where it cannot be told whose are, and NaN with a `why` where it was not done.
std::vector<Series> read_replays(std::span<const NamedReport> reports);
// Others used the machine meanwhile, whether the device throttled besides or not.
bool was_shared(const reporting::FingerprintRecord& record);
inline constexpr const char* kSharedWhy = "others used the machine";
// One start for each time that a device held its products.
void read_sustained(const reporting::Report& report, SeriesOfParts& all);
// One start for each report that measured the link.
void read_links(const reporting::Report& report, SeriesOfParts& all);
// One start of each node for each report of links: its best one.
void read_best_links(const reporting::Report& report, SeriesOfParts& all);

}  // namespace scalemark::acceptance
