// Finds the parts of a fleet that reports name, and the facts that a buyer checks first: how many
// of what. Private to this folder.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/accept/series.h"
#include "report/record/runs.h"

namespace scalemark::acceptance {

// Returns the most ranks that a run has. Only runs with so many show all of a machine at once.
int widest(const reporting::Report& report);

Part node_part(const reporting::Report& report, const std::string& host);
std::vector<Part> node_parts(const reporting::Report& report);
// "n[001-064]"
std::string nodes_in_words(const reporting::Report& report);
// Returns the part that results of all nodes together are of.
Part whole_fleet();
// Returns the links between hosts of the report, each with its record.
std::vector<std::pair<Part, const reporting::LinkRecord*>> link_parts(
    const reporting::Report& report);
// Whether `value` can be a time or a rate of a link: damaged reports hold other numbers.
inline bool is_measured(double value) { return value > 0 && std::isfinite(value); }
// Returns the device of one rank of `run`.
Part device_part(const reporting::Report& report, const reporting::PointRecord& run,
                 const reporting::RankRecord& rank);
// Returns the GPU with this name in the report and this UUID.
Part gpu_part(const reporting::Report& report, const std::string& host, const std::string& device,
              const std::string& uuid);
// Returns the device that was measured by itself. `rank` is absent where it is the machine's.
Part measured_part(const reporting::Report& report, const std::string& host,
                   const std::string& device, std::optional<int> rank);

// Returns the model of the GPU, or of the machine's CPU; `otherwise` where the GPU is not in the
// report's list.
std::string chip_of(const reporting::Report& report, const Part& part,
                    const std::string& otherwise);

// Numbers reports, which stand in the order of time, from 1 on. Those that overlap in time have one
// number.
std::vector<std::size_t> rounds_of(std::span<const NamedReport> reports);

// "driver 580.1, libtorch 2.11.0, nccl 2.28, scalemark 0.1.0 (1a2b3c)"
std::string software_of(const reporting::Report& report, const std::string& host);

// Splits the same text: "driver 580.1" -> {"driver", "580.1"}. The version follows the first blank.
std::map<std::string, std::string> versions_of(const std::string& software);

// Whether it is what NCCL chose.
inline bool is_of_nccl(Metric metric) {
  return metric == Metric::kNcclTransport || metric == Metric::kNcclAdapters;
}

// Makes a series of each node and class of what NCCL chose; none where no report knows anything.
std::vector<Series> read_nccl(Metric metric, std::span<const NamedReport> reports);

// Takes the facts of a machine from the last report that knows it: one start each.
std::vector<Series> read_facts(Metric metric, std::span<const NamedReport> reports);

// Adds one start to each node for each report that compared what collectives delivered: how many
// findings blame it.
void read_findings(const Rule& rule, const reporting::Report& report, SeriesOfParts& all);
// Makes one start for each piece of work of each device, over all reports: 1 where its bits are
// wrong, NaN where it is not known whose are, and NaN with a `why` where it was not done.
std::vector<Series> read_replays(std::span<const NamedReport> reports);
// Whether others used the machine meanwhile; the device may have throttled besides.
bool was_shared(const reporting::FingerprintRecord& record);
inline constexpr const char* kSharedWhy = "others used the machine";
// Returns why a run of a training or of a collective does not count; empty: it counts.
template <class Run>
std::string why_left_out(const Run& run, const reporting::FitOfRuns& fit) {
  if (run.status != reporting::PointStatus::kOk)
    return run.reason.empty() ? std::string(name_of(run.status)) : run.reason;
  const auto disturbance = fit.disturbance_of(run.id);
  return disturbance ? std::string("disturbed: ") + disturbance->code : "";
}
// Whether the run has what `where` of a rule asks for.
bool is_selected(const std::map<std::string, std::string>& where,
                 const reporting::PointRecord& run);
// Makes a series for each training over several nodes, with its 98 % interval: in per cent of what
// these nodes reach by themselves, which their own reports hold, or of what datasheets promise.
std::vector<Series> read_of_fleet(const Rule& rule, std::span<const NamedReport> reports);
// Adds one start for each time that a device held its products.
void read_sustained(const reporting::Report& report, SeriesOfParts& all);
// Adds one start for each report that measured the link.
void read_links(const reporting::Report& report, SeriesOfParts& all);
// Adds one start to each division of the fleet into parts, for each report that measured their
// all-reduces: bus bandwidth, with its 98 % interval, of the part that reached least of what was
// expected of it. Divisions of other nodes, as in waves, are other classes.
void read_fleet_all_reduce(std::span<const NamedReport> reports, SeriesOfParts& all);
// Adds one start to each node for each report of links: its best one.
void read_best_links(const reporting::Report& report, SeriesOfParts& all);

}  // namespace scalemark::acceptance
