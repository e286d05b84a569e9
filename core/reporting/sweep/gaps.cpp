#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "core/reporting/sweep/runs.h"
#include "core/settings/checks.h"
#include "core/statistics/efficiency.h"

namespace scalemark::reporting {
namespace {

// A loader's options vary with real data only: a synthetic point has none of them. Synthetic data
// that is made in the loop is another thing than files.
std::map<std::string, std::string> varying_but_data(const PointRecord& p) {
  auto varying = p.varying;
  varying.erase("data");
  for (const std::string_view option : settings::reading_options()) {
    varying.erase(std::string(option));
  }
  if (const auto made = varying.find("synthetic_in_loop");
      made != varying.end() && made->second == "off") {
    varying.erase(made);
  }
  return varying;
}

auto all_but_data(const PointRecord& p) {
  return std::tie(p.workload, p.task, p.strategy, p.overlap, p.gradient_compression, p.backend,
                  p.device, p.precision, p.memory_format, p.threads, p.world_size, p.batch_size,
                  p.gradient_accumulation_steps, p.bucket_cap_mb, p.image_size, p.sequence_length);
}

std::optional<DataGap> gap_between(const Runs& real, const Runs& synthetic) {
  const auto rates = rates_of(paired(synthetic, real));
  if (rates.empty()) return std::nullopt;
  double real_ln = 0, synthetic_ln = 0;
  for (const auto& rate : rates) {
    real_ln += std::log(rate.scaled) / static_cast<double>(rates.size());
    synthetic_ln += std::log(rate.baseline) / static_cast<double>(rates.size());
  }
  const auto ratio = statistics::paired_efficiency(rates, 1);
  DataGap gap{.real_group = real.front()->group,
              .synthetic_group = synthetic.front()->group,
              .real_samples_per_sec = std::exp(real_ln),
              .synthetic_samples_per_sec = std::exp(synthetic_ln),
              .lost_share = 1 - ratio.efficiency};
  const auto& ci95 = ratio.efficiency_ci95;
  if (is_finite(ci95)) gap.lost_share_ci95 = {1 - ci95->high, 1 - ci95->low};
  return gap;
}

}  // namespace

std::vector<DataGap> data_gaps_of(const SweepRuns& runs) {
  std::vector<DataGap> gaps;
  for (const auto& [all, real, undisturbed] : runs) {
    if (real.empty() || real.front()->data == "synthetic") continue;
    for (const auto& other : runs) {
      const Runs& synthetic = other.ok;
      if (synthetic.empty() || synthetic.front()->data != "synthetic") continue;
      if (all_but_data(*real.front()) != all_but_data(*synthetic.front())) continue;
      if (varying_but_data(*real.front()) != varying_but_data(*synthetic.front())) continue;
      if (auto gap = gap_between(real, synthetic)) gaps.push_back(*std::move(gap));
    }
  }
  return gaps;
}

}  // namespace scalemark::reporting
