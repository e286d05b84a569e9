#include "report/record/point_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "report/record/surety.h"

namespace scalemark::reporting {
namespace {

// Returns the median of the steps. Where steps are too short to mark each, no quantiles are kept,
// and it is the median of means over several steps.
std::optional<double> typical_step_s(const PointRecord& point) {
  if (point.step_s.p50 || point.step_samples_s.empty()) return point.step_s.p50;
  std::vector<double> sorted = point.step_samples_s;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

}  // namespace

std::optional<double> counted_data_wait_s(const PointRecord& point) {
  double wait_s = 0;
  for (const RankRecord& rank : point.ranks) {
    if (!rank.data_wait_s) return std::nullopt;
    wait_s += *rank.data_wait_s / static_cast<double>(point.ranks.size());
  }
  return wait_s;
}

double data_wait_share(const PointRecord& point) {
  const double step_s = point.step_mean_over_ranks_s;
  if (!(step_s > 0)) return 0;
  // A CPU computes nothing while it waits; a GPU may.
  const double phase_s = point.device == "cpu" && point.phases_s ? point.phases_s->data_wait : 0;
  return std::max(counted_data_wait_s(point).value_or(0), phase_s) / step_s;
}

bool is_short_window(const PointRecord& point) {
  return point.iterations < kEnoughSteps || point.wall_s < kEnoughSeconds;
}

double slow_steps_share(const PointRecord& point) {
  const auto typical = typical_step_s(point);
  if (!typical) return 0;
  const double median = *typical;
  double all_s = 0, beyond_s = 0;
  for (const double step_s : point.step_samples_s) {
    all_s += step_s;
    if (step_s > kSlowStep * median) beyond_s += step_s - median;
  }
  if (all_s > 0) return beyond_s / all_s;
  const double longest = point.step_s.max.value_or(0);
  return longest > kSlowStep * median && point.wall_s > longest ? (longest - median) / point.wall_s
                                                                : 0;
}

std::optional<double> step_time_s(const PointRecord& point) {
  if (point.iterations <= 0 || !(point.wall_s > 0)) return std::nullopt;
  return point.wall_s / static_cast<double>(point.iterations);
}

std::optional<double> within_run_share(const PointRecord& point) {
  if (!point.within_run_ci95) return std::nullopt;
  return (*point.within_run_ci95.high - *point.within_run_ci95.low) / 2 / point.samples_per_sec;
}

int ranks_per_process(const PointRecord& point) {
  return point.processes == 1 ? point.world_size : 1;
}

bool has_exchange(const PointRecord& point) {
  // Besides other ranks, a server is a peer, and so is a replica in the same process.
  const bool has_peers =
      point.ranks.size() > 1 || point.processes > 1 || ranks_per_process(point) > 1;
  return has_peers && catalogue::exchanges(point.strategy);
}

std::span<const RankRecord> peers_of(const PointRecord& point) {
  const std::span all(point.ranks);
  const catalogue::Strategy* strategy = catalogue::find_strategy(point.strategy);
  const bool has_server = strategy && strategy->updates == catalogue::Updates::kServer &&
                          point.processes == point.world_size;
  return has_server && !all.empty() ? all.subspan(1) : all;
}

bool is_solo(const PointRecord& point) {
  return point.world_size > 1 && !catalogue::exchanges(point.strategy);
}

bool skips_exchanges(const PointRecord& point) {
  return has_exchange(point) && !catalogue::exchanges_in_every_step(point.strategy);
}

bool shows_loss(const PointRecord& point) {
  return point.loss_first && point.loss_last && point.data != "synthetic";
}

std::string sample_unit(const std::string& workload) {
  const auto* known = catalogue::find_workload(workload);
  return known ? known->sample_unit : "samples";
}

const GroupRecord* find_group(std::span<const GroupRecord> groups, const std::string& name) {
  const auto found = std::ranges::find(groups, name, &GroupRecord::group);
  return found == groups.end() ? nullptr : &*found;
}

const PointRecord* first_run(std::span<const PointRecord> points, const std::string& group) {
  const auto found = std::ranges::find_if(points, [&](const PointRecord& point) {
    return point.group == group && point.status == PointStatus::kOk;
  });
  return found == points.end() ? nullptr : &*found;
}

const monitoring::Host* find_host(std::span<const monitoring::Host> hosts,
                                  const std::string& hostname) {
  const auto found = std::ranges::find(hosts, hostname, &monitoring::Host::hostname);
  return found == hosts.end() ? nullptr : &*found;
}

namespace {

template <class T>
void keep_least(std::optional<T>& least, const std::optional<T>& value) {
  if (value && (!least || *value < *least)) least = value;
}

}  // namespace

void add_gpus(collectives::DataPath& path, const monitoring::Host& host) {
  for (const monitoring::Gpu& gpu : host.gpus) {
    keep_least(path.pcie_generation, gpu.pcie.generation);
    keep_least(path.pcie_lanes, gpu.pcie.width);
    keep_least(path.nvlinks, gpu.nvlinks);
    path.compute_major = gpu.compute_major;
    path.compute_minor = gpu.compute_minor;
  }
}

std::optional<double> seconds_of(const std::string& utc) {
  std::tm time{};
  int used = 0;
  if (std::sscanf(utc.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &time.tm_year, &time.tm_mon,
                  &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &used) != 6) {
    return std::nullopt;
  }
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  double fraction = 0;
  const auto rest = utc.substr(static_cast<std::size_t>(used));
  if (rest.size() > 2 && rest.front() == '.') std::sscanf(rest.c_str(), "%lf", &fraction);
  return static_cast<double>(timegm(&time)) + fraction;
}

namespace {

// The terms of small speed-ups are visible only with a second decimal.
constexpr double kOneDecimalFrom = 8;
constexpr double kThreeDigitsFrom = 9.95;  // rounded to one decimal, it has three digits

int decimals_of(const ScalingRow& row, double ideal) {
  if (has_two_digits(row)) return *row.speedup >= kThreeDigitsFrom ? 0 : 1;
  return ideal >= kOneDecimalFrom ? 1 : 2;
}

using Terms = std::vector<std::pair<std::string, double>>;

// Sorts the terms by size, the largest first.
Terms terms_of(const ScalingRow& row) {
  Terms terms;
  for_each_loss([&](const auto& part) {
    const std::optional<double> share = (*row.loss_of_efficiency).*part.share;
    terms.emplace_back(part.name, share.value_or(0));
    if (part.ci95 == &LossIntervals::persistent_imbalance && row.slowest_rank) {
      terms.back().first += " (rank " + std::to_string(*row.slowest_rank) + ")";
    }
  });
  std::ranges::stable_sort(terms, std::greater{},
                           [](const auto& term) { return std::abs(term.second); });
  return terms;
}

}  // namespace

std::string waterfall_in_words(const ScalingRow& row) {
  if (!row.loss_of_efficiency || !row.speedup || !(row.efficiency.value_or(0) > 0)) return "";
  const double ideal = row.ideal();
  const int decimals = decimals_of(row, ideal);
  const double smallest = 0.5 * std::pow(10.0, -decimals);
  std::string text = with_decimals(ideal, decimals) + "x -> " + (has_two_digits(row) ? "~" : "") +
                     with_decimals(*row.speedup, decimals) + "x";
  const char* separator = ": ";
  const auto add = [&](const std::string& name, double change) {
    text += separator + name + " " + with_sign(change, decimals);
    separator = ", ";
  };
  double other = 0;
  for (const auto& [name, share] : terms_of(row)) {
    const double change = -share * ideal;
    if (std::abs(change) < smallest) {
      other += change;
    } else {
      add(name, change);
    }
  }
  if (std::abs(other) >= smallest) add("other", other);
  return text;
}

std::string strategy_text(const std::string& strategy) {
  return catalogue::exchanges(strategy) ? strategy : kNoExchange;
}

std::string baseline_text(const ScalingTable& table) {
  std::string text = table.relative_to;
  const auto at = text.find("without communication");
  return at == std::string::npos ? text : text.replace(at, std::string::npos, "with no exchange");
}

}  // namespace scalemark::reporting
