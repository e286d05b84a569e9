// Values of points, hosts and times, and words for people, that several tables and checks need and
// no record holds. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "core/machine/host.h"
#include "report/record/records.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

// Waits for data that counted, mean over steps and ranks: d of docs/METRICS.md. 0 without ranks;
// absent where a rank has no phases.
std::optional<double> counted_data_wait_s(const PointRecord& point);

// From this share of the step on, waits for data are worth saying.
inline constexpr double kDataWaitShare = 0.05;

// That part of the mean step: of counted_data_wait_s(), on a CPU at least the phase's. 0 where
// neither is known.
double data_wait_share(const PointRecord& point);

// A window that holds fewer steps, or is shorter, knows its mean badly.
inline constexpr std::int64_t kEnoughSteps = 100;
inline constexpr double kEnoughSeconds = 2;
bool is_short_window(const PointRecord& point);

// Steps that take more than so many times the median are no steps like the others: a stop, a page
// from disk, a pause of the machine.
inline constexpr double kSlowStep = 5;

// The share of the window that such steps took beyond the median, in [0, 1): by it the mean is
// lower than without them. Of a report that keeps no single steps at least the longest one's; 0
// where quantiles are absent, too. Of steps that are marked several at a time: of the marks.
double slow_steps_share(const PointRecord& point);

// T = wall_s / iterations. Absent where one of them is missing (imported reports).
std::optional<double> step_time_s(const PointRecord& point);

// Half of the 95 % interval within the run by its rate: of one run alone, its uncertainty is at
// least this. Absent without an interval.
std::optional<double> within_run_share(const PointRecord& point);

// Training ranks that each process holds: one, unless all are replicas in one process.
int ranks_per_process(const PointRecord& point);

// Whether its ranks exchanged anything: several that are no replicas of their own (solo).
bool has_exchange(const PointRecord& point);

// The ranks that do the same work: a server on a training rank, which is the first, updates alone.
std::span<const RankRecord> peers_of(const PointRecord& point);

// Whether its ranks are replicas of their own, several at once.
bool is_solo(const PointRecord& point);

// Whether its ranks exchange in some steps only, and run apart between them.
bool skips_exchanges(const PointRecord& point);

std::string sample_unit(const std::string& workload);  // "images"; "samples" when unknown

// The first run of a group that is ok. Null where there is none.
const PointRecord* first_run(std::span<const PointRecord> points, const std::string& group);

// Null where none has that name.
const GroupRecord* find_group(std::span<const GroupRecord> groups, const std::string& name);

// Null where no host has that name.
const monitoring::Host* find_host(std::span<const monitoring::Host> hosts,
                                  const std::string& hostname);

// Seconds since 1970 of "2026-01-02T03:04:05[.678]Z"; absent for anything else.
std::optional<double> seconds_of(const std::string& utc);

// --- Words for people, where fields and options have other names: the parts of lost efficiency,
// and ranks that exchange nothing. Every form takes them from here. Source: docs/METRICS.md.

// Efficiency goes to six such parts.
template <class Share>
struct LossPart {
  const char* field;  // in JSON and CSV
  const char* name;   // wherever a person reads
  const char* meaning;
  Share LossOfEfficiency::*share;
  Bounds LossIntervals::*ci95;
  const char* advice;  // says how to make it smaller
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

// "8.0x -> 6.1x: communication -0.9, ranks that are always slower (rank 5) -0.6": from the ideal
// speed-up to the measured one, largest part first. What rounds to nothing is added up as "other".
// Where the row has two digits (surety.h): "8.0x -> ~6x". Empty for a row without a speed-up
// or parts.
std::string waterfall_in_words(const ScalingRow& row);

inline constexpr const char* kNoExchange = "no exchange";

// The strategy's name; kNoExchange for ranks that each train a model of their own.
std::string strategy_text(const std::string& strategy);

// "1 rank with no exchange", or the ranks that stand for it: what a table's rows are compared with.
std::string baseline_text(const ScalingTable& table);

}  // namespace scalemark::reporting
