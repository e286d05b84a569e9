// Values of points, hosts and times, and words for people, that several tables and checks need and
// no record holds. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "core/collectives/bandwidth.h"
#include "core/machine/host.h"
#include "report/record/records.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

// Returns the waits for data that counted, the mean over steps and ranks: d of METRICS.md. It
// is 0 without ranks, and unset where a rank has no phases.
std::optional<double> counted_data_wait_s(const PointRecord& point);

// Waits for data are reported from this share of the step on.
inline constexpr double kDataWaitShare = 0.05;

// Returns the share of the mean step that counted_data_wait_s() takes; on a CPU at least the
// data_wait phase's share. 0 where neither is known.
double data_wait_share(const PointRecord& point);

// The mean of a window with fewer steps, or a shorter one, is not known well.
inline constexpr std::int64_t kEnoughSteps = 100;
inline constexpr double kEnoughSeconds = 2;
bool is_short_window(const PointRecord& point);

// Steps that take more than so many medians are unlike the others: a stop, a page from disk, a
// pause of the machine.
inline constexpr double kSlowStep = 5;

// Returns the share of the window, in [0, 1), that such steps took beyond the median; the mean
// throughput is lower by this share. A report that keeps no single steps gives at least the longest
// step's share, and 0 where it has no quantiles either. Where several steps are marked at a time,
// the marks count.
double slow_steps_share(const PointRecord& point);

// Returns T = wall_s / iterations, or nothing where one of them is missing (imported reports).
std::optional<double> step_time_s(const PointRecord& point);

// Returns half of the 95 % interval within the run, relative to its rate. The uncertainty of a
// single run is at least this. Returns nothing without an interval.
std::optional<double> within_run_share(const PointRecord& point);

// Returns how many training ranks each process holds: one, unless all are replicas in one process.
int ranks_per_process(const PointRecord& point);

// Whether the ranks exchanged anything: there are several, and they are no independent replicas
// (solo).
bool has_exchange(const PointRecord& point);

// Returns the ranks that do the same work. A server on a training rank, which is the first, updates
// alone, and is left out.
std::span<const RankRecord> peers_of(const PointRecord& point);

// Whether the ranks are several independent replicas at once.
bool is_solo(const PointRecord& point);

// Whether the ranks exchange in some steps only, and run independently between them.
bool skips_exchanges(const PointRecord& point);

// Whether the loss of the window means anything to a reader. Made-up samples have made-up labels: a
// network that sees few of them again and again ends near 0, and a recipe for real ones diverges.
bool shows_loss(const PointRecord& point);

std::string sample_unit(const std::string& workload);  // "images"; "samples" if unknown

// Returns the first run of a group that is ok, or null.
const PointRecord* first_run(std::span<const PointRecord> points, const std::string& group);

// Returns null where no group has that name.
const GroupRecord* find_group(std::span<const GroupRecord> groups, const std::string& name);

// Returns null where no host has that name.
const monitoring::Host* find_host(std::span<const monitoring::Host> hosts,
                                  const std::string& hostname);

// Lowers what `path` knows of GPUs to the slowest one of `host`.
void add_gpus(collectives::DataPath& path, const monitoring::Host& host);

// Returns the seconds since 1970 of "2026-01-02T03:04:05[.678]Z", and nothing for any other text.
std::optional<double> seconds_of(const std::string& utc);

// --- Words for people where fields and options have other names: the parts of lost efficiency, and
// ranks that exchange nothing. Every form takes them from here. Source: METRICS.md.

// One of the six parts of lost efficiency.
template <class Share>
struct LossPart {
  const char* field;  // name in JSON and CSV
  const char* name;   // name for people
  const char* meaning;
  Share LossOfEfficiency::*share;
  Bounds LossIntervals::*ci95;
  const char* advice;  // how to make the part smaller
};

inline constexpr const char* kLeaveRanksAlone =
    "--bind cores keeps ranks on their cores; let nothing else run there";

inline constexpr std::tuple kLossParts{
    LossPart<double>{
        "slower_compute", "slower computing than alone",
        "ranks compute slower than the baseline does", &LossOfEfficiency::slower_compute,
        &LossIntervals::slower_compute,
        "ranks take bandwidth, caches or power from each other: fewer ranks on a machine, or other "
        "--threads"},
    LossPart<double>{"data_wait", "waiting for data", "ranks wait longer for data",
                     &LossOfEfficiency::data_wait, &LossIntervals::data_wait,
                     "more --workers, or images packed by scalemark data pack"},
    LossPart<double>{
        "persistent_imbalance", "ranks that are always slower",
        "one rank, the same in all blocks, is slower than the others: it is named only where "
        "stragglers names it",
        &LossOfEfficiency::persistent_imbalance, &LossIntervals::persistent_imbalance,
        "scalemark doctor --measure on their machines says what is slow there"},
    LossPart<std::optional<double>>{
        "run_imbalance", "ranks that are slower in some runs",
        "another rank is slower in each run; absent with one block, or where "
        "ranks ran on another host or device in some block, and then part of persistent_imbalance",
        &LossOfEfficiency::run_imbalance, &LossIntervals::run_imbalance, kLeaveRanksAlone},
    LossPart<std::optional<double>>{
        "jitter", "single slow steps",
        "another rank is late in each step; absent with steps_per_mark, and then part of "
        "communication",
        &LossOfEfficiency::jitter, &LossIntervals::jitter, kLeaveRanksAlone},
    LossPart<double>{"communication", "communication", "what is left of the step",
                     &LossOfEfficiency::communication, &LossIntervals::communication,
                     "send less or hide more of it: larger batches, --gradient-accumulation-steps, "
                     "--gradient-compression, other --bucket-cap-mb"}};

// Calls `visit` with each LossPart, in the order of tables and figures.
constexpr void for_each_loss(const auto& visit) {
  std::apply([&](const auto&... part) { (visit(part), ...); }, kLossParts);
}

// Explains the fall from the ideal speed-up to the measured one, largest part first: "8.0x -> 6.1x:
// communication -0.9, ranks that are always slower (rank 5) -0.6". Parts that round to nothing are
// added up as "other". Where the row has two digits (surety.h): "8.0x -> ~6x". Empty for a row
// without a speed-up or parts.
std::string waterfall_in_words(const ScalingRow& row);

inline constexpr const char* kNoExchange = "no exchange";

// Returns the strategy's name, or kNoExchange for ranks that each train a model of their own.
std::string strategy_text(const std::string& strategy);

// Returns what a table's rows are compared with: "1 rank with no exchange", or the ranks that take
// its place.
std::string baseline_text(const ScalingTable& table);

}  // namespace scalemark::reporting
