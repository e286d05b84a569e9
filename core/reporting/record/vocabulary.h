// Words for people, where fields and options have other names: the parts of lost efficiency, and
// ranks that exchange nothing. Every form takes them from here. Source: docs/METRICS.md.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "core/reporting/record/sweep_records.h"

namespace scalemark::reporting {

// Efficiency goes to six such parts.
template <class Share>
struct LossPart {
  const char* field;  // in JSON and CSV
  const char* name;   // wherever a person reads
  const char* meaning;
  Share LossOfEfficiency::*share;
  Bounds LossIntervals::*ci95;
  const char* advice;  // what makes it smaller
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
