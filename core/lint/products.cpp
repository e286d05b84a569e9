// Products that must be other printed numbers: batches, and rates times.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/lint/rules.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kOff = 0.02;        // beyond what the digits leave open
constexpr double kBatchOff = 0.001;  // batches are whole, but for those of whole submissions
constexpr std::size_t kRowsOfAnEpoch = 3;

// Samples of a step by each reading of a batch: per micro-step, per optimizer step, of all GPUs.
std::vector<double> samples_of_a_step(const Row& row) {
  std::vector<double> all;
  if (row.global_batch) all.push_back(*row.global_batch);
  if (!row.batch) return all;
  const double accumulation = row.accumulation.value_or(1);
  if (row.gpus) {
    all.push_back(*row.batch * *row.gpus * accumulation);
    all.push_back(*row.batch * *row.gpus);
  }
  if (!row.batch_per_gpu) {
    all.push_back(*row.batch);
    all.push_back(*row.batch * accumulation);
  }
  return all;
}

void judge_batch(const Row& row, Findings& findings) {
  if (!row.batch || !row.global_batch || !row.gpus || row.counts_nodes) return;
  Row without = row;
  without.global_batch.reset();
  const std::vector<double> products = samples_of_a_step(without);
  const double off = std::floor(*row.batch) == *row.batch ? kBatchOff : kOff;
  const auto is_it = [&](double product) {
    return std::fabs(product / *row.global_batch - 1) <= off;
  };
  if (std::ranges::any_of(products, is_it)) return;
  findings.add(kinds::batch_product, kError, row.id,
               {{"global_batch", *row.global_batch},
                {"batch", *row.batch},
                {"accumulation", row.accumulation},
                {"gpus", gpus_text(row)},
                {"product", products.front()}});
}

Bounds product(const Printed& a, const Printed& b) {
  return {std::max(0.0, a.low()) * std::max(0.0, b.low()), a.high() * b.high()};
}

void judge_step(const Row& row, Findings& findings) {
  const auto rate = rate_of(row);
  if (!rate || !row.step_s || row.counts_nodes) return;
  std::vector<double> readings = samples_of_a_step(row);
  if (row.unit.starts_with("tok")) {
    // Batches count sequences, or tokens.
    const auto sequences = readings;
    for (const double one : sequences) {
      if (row.sequence_length) readings.push_back(one * static_cast<double>(*row.sequence_length));
    }
    if (!row.sequence_length) return;
  }
  if (readings.empty()) return;
  const Bounds samples = product(*rate, *row.step_s);
  double nearest = gap(samples, {readings.front(), readings.front()});
  for (const double one : readings) nearest = std::min(nearest, gap(samples, {one, one}));
  if (nearest < kOff) return;
  findings.add(kinds::rate_time, kError, row.id,
               {{"rate", rate->text},
                {"step", row.step_s->text},
                {"samples", (samples.low + samples.high) / 2},
                {"step_samples", readings.front()}});
}

// Rates times of epochs are the data set: printed, or the same in all rows of one network.
void judge_epochs(const Table& table, Findings& findings) {
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : table.rows) {
    if (rate_of(row) && row.time_s && (row.time_is_of_an_epoch || row.samples))
      families[row.network + "|" + row.series].push_back(&row);
  }
  const auto samples_of = [](const Row& row) { return product(*rate_of(row), *row.time_s); };
  for (const auto& [name, rows] : families) {
    std::vector<double> all;
    for (const Row* row : rows) {
      if (!row->samples) all.push_back((samples_of(*row).low + samples_of(*row).high) / 2);
    }
    std::ranges::sort(all);
    for (const Row* row : rows) {
      const bool told = row->samples.has_value();
      if (!told && all.size() < kRowsOfAnEpoch) continue;
      const double usual = told ? 0 : all[all.size() / 2];
      const Bounds expected = told ? bounds_of(*row->samples) : Bounds{usual, usual};
      const Bounds samples = samples_of(*row);
      if (gap(samples, expected) < kOff) continue;
      findings.add(kinds::rate_time, kError, row->id,
                   {{"rate", rate_of(*row)->text},
                    {"time", row->time_s->text},
                    {"samples", (samples.low + samples.high) / 2},
                    {"printed", told ? row->samples->text : ""},
                    {"usual", usual}});
    }
  }
}

}  // namespace

void judge_products(const Table& table, Findings& findings) {
  for (const Row& row : table.rows) {
    judge_batch(row, findings);
    judge_step(row, findings);
  }
  judge_epochs(table, findings);
}

}  // namespace scalemark::lint
