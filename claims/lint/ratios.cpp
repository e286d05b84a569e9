// Checks printed ratios and products against the cells that they are made of: speed-ups,
// efficiencies, batches, rates times durations.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims/lint/lint.h"
#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kContradiction = 0.02;  // added to what the printed digits allow
constexpr std::size_t kRowsThatProve = 2;

bool is_one(const Printed& printed) { return std::fabs(printed.value - 1) <= printed.unit / 2; }

// A way to compare the speed of `row` with that of `base`: by rates, or by times of the same work.
// A step may hold more work on more GPUs.
struct Speed {
  Bounds ratio;
  std::string in_words;  // "3,100 / 310"
};
std::vector<Speed> speeds(const Row& row, const Row& base) {
  std::vector<Speed> all;
  const auto add = [&](const std::optional<Printed>& above, const std::optional<Printed>& below,
                       double factor, const std::string& factor_text) {
    if (!above || !below || !(below->value > 0)) return;
    all.push_back(
        {times(quotient(*above, *below), factor), above->text + " / " + below->text + factor_text});
  };
  if (row.rate && base.rate) {
    add(row.rate, base.rate, 1, "");
    return all;
  }
  const double more = *row.gpus / *base.gpus;
  add(row.rate_per_gpu, base.rate_per_gpu, more, " times " + significant(more, 4));
  if (!all.empty()) return all;
  add(base.time_s, row.time_s, 1, "");
  // If the work grows with the GPUs, equal times mean a higher speed. An epoch does not grow.
  if (!row.time_is_of_an_epoch)
    add(base.time_s, row.time_s, more, " times " + significant(more, 4));
  const std::size_t others = std::min(base.other_times.size(), row.other_times.size());
  for (std::size_t i = 0; i < others; ++i) add(base.other_times[i], row.other_times[i], 1, "");
  add(base.step_s, row.step_s, 1, "");
  add(base.step_s, row.step_s, more, " times " + significant(more, 4));
  return all;
}

bool has_speed(const Row& row) { return row.rate || row.rate_per_gpu || row.time_s || row.step_s; }

// The row that printed speed-ups are relative to: the first that prints 1, else the first of all.
struct Base {
  const Row* row = nullptr;
  double speedup = 1;
  bool prints_it = false;
};
std::optional<Base> base_of(const Series& series) {
  for (const Row* row : series) {
    if (has_speed(*row) && row->speedup && is_one(*row->speedup)) return Base{row, 1, true};
  }
  const auto first = std::ranges::find_if(series, [](const Row* row) { return has_speed(*row); });
  if (first == series.end()) return std::nullopt;
  if ((*first)->speedup) return Base{*first, (*first)->speedup->value, true};
  return Base{*first, 1, false};
}

struct Contradiction {
  const Row* row = nullptr;
  double by = 0;
  double ratio = 0;  // the ratio that the cells give
  std::string printed, cells;
  std::optional<double> efficiency = std::nullopt, times = std::nullopt;
};

// Chooses the reading that comes nearest to the printed ratio.
Contradiction nearest(const Row& row, const Printed& printed, const std::vector<Speed>& readings,
                      double factor, const std::string& name) {
  Contradiction found{.row = &row, .by = -1, .ratio = 0, .printed = {}, .cells = {}};
  for (const Speed& speed : readings) {
    const Bounds ratio = times(speed.ratio, factor);
    const double by = gap(bounds_of(printed), ratio);
    if (found.by >= 0 && by >= found.by) continue;
    found.by = by;
    found.ratio = (ratio.low + ratio.high) / 2;
    found.printed = name;
    found.cells = speed.in_words;
  }
  return found;
}

std::string on_gpus(const Row& row) { return " on " + gpus_text(row); }

std::vector<Contradiction> wrong_speedups(const Series& series) {
  const auto base = base_of(series);
  if (!base) return {};
  std::vector<Contradiction> all;
  for (const Row* row : series) {
    if (row == base->row || !row->speedup) continue;
    auto found = nearest(*row, *row->speedup, speeds(*row, *base->row), base->speedup,
                         significant(row->speedup->value, 6) + "x" + on_gpus(*row));
    if (found.by > 0) {
      found.efficiency = found.ratio * *base->row->gpus / *row->gpus;
      all.push_back(std::move(found));
    }
  }
  // A base that prints no speed-up may not be the table's own. Then all ratios are off by the same
  // factor.
  const bool alike =
      all.size() >= kRowsThatProve && !base->prints_it &&
      std::ranges::all_of(all, [&](const Contradiction& one) {
        const double off = one.row->speedup->value / one.ratio;
        return std::fabs(off / (all.front().row->speedup->value / all.front().ratio) - 1) <
               kContradiction;
      });
  if (alike) all.clear();
  return all;
}

// An efficiency is relative to the same row as the speed-ups. Without rates and times that is the
// first row that prints a speed-up of 1.
const Row* base_of_efficiency(const Series& series) {
  if (const auto base = base_of(series)) return base->row;
  const auto first = std::ranges::find_if(
      series, [](const Row* row) { return row->speedup && is_one(*row->speedup); });
  return first == series.end() ? nullptr : *first;
}

std::vector<Contradiction> wrong_efficiencies(const Series& series) {
  std::vector<Contradiction> all;
  const Row* base = base_of_efficiency(series);
  if (!base) return all;
  for (const Row* row : series) {
    if (row == base || !row->efficiency) continue;
    const double fewer = *base->gpus / *row->gpus;
    std::vector<Speed> readings = speeds(*row, *base);
    if (readings.empty() && row->speedup) {
      readings.push_back({bounds_of(*row->speedup), row->speedup->text + "x"});
    }
    if (readings.empty()) continue;
    auto found = nearest(
        *row, *row->efficiency, readings, fewer,
        "an efficiency of " + significant(100 * row->efficiency->value, 4) + " %" + on_gpus(*row));
    if (found.by <= 0) continue;
    found.times = 1 / fewer;
    all.push_back(std::move(found));
  }
  return all;
}

// Whether each printed speed-up of `a` agrees with the cells of `b`.
bool are_those_of(const std::vector<Contradiction>& a, const std::vector<Contradiction>& b) {
  return std::ranges::all_of(a, [&](const Contradiction& one) {
    const auto same = std::ranges::find_if(
        b, [&](const Contradiction& other) { return *other.row->gpus == *one.row->gpus; });
    return same != b.end() &&
           std::fabs(one.row->speedup->value / same->ratio - 1) < kContradiction / 2;
  });
}

std::vector<Contradiction> errors_of(const std::vector<Contradiction>& all) {
  std::vector<Contradiction> errors;
  std::ranges::copy_if(all, std::back_inserter(errors),
                       [](const Contradiction& one) { return one.by >= kContradiction; });
  return errors;
}

void add_findings(const std::vector<Contradiction>& all, Findings& findings) {
  for (const Contradiction& one : all) {
    findings.add(kinds::not_the_ratio, one.by >= kContradiction ? kError : kInfo, one.row->id,
                 {{"printed", one.printed},
                  {"cells", one.cells},
                  {"ratio", one.ratio},
                  {"efficiency", one.efficiency},
                  {"times", one.times}});
  }
}

void judge_totals(const Table& table, Findings& findings) {
  for (const Row& row : table.rows) {
    if (!row.rate || !row.rate_per_gpu || !row.gpus || row.counts_nodes ||
        !(row.rate_per_gpu->value > 0))
      continue;
    const double by = gap(times(bounds_of(*row.rate_per_gpu), *row.gpus), bounds_of(*row.rate));
    if (by < kContradiction) continue;
    findings.add(kinds::not_the_ratio, kError, row.id,
                 {{"printed", row.rate_per_gpu->text + " per GPU"},
                  {"cells", row.rate->text + on_gpus(row)},
                  {"ratio", row.rate->value / *row.gpus}});
  }
}

void judge_precision_ratios(const Table& table, Findings& findings) {
  for (const Row& row : table.rows) {
    for (const tables::PrecisionRatio& ratio : row.ratios) {
      const auto other = std::ranges::find_if(table.rows, [&](const Row& one) {
        return one.id == row.id && one.precision == ratio.from;
      });
      if (other == table.rows.end() || !row.rate || !other->rate) continue;
      // "TF32 to amp" and "amp to TF32" may both label the same ratio, so its reciprocal is
      // accepted, too.
      const double by = std::min(gap(bounds_of(ratio.value), quotient(*row.rate, *other->rate)),
                                 gap(bounds_of(ratio.value), quotient(*other->rate, *row.rate)));
      if (!(by > 0)) continue;
      findings.add(kinds::not_the_ratio, by >= kContradiction ? kError : kInfo, row.id,
                   {{"printed", ratio.value.text + "x from " + ratio.from + " to " + ratio.to},
                    {"cells", row.rate->text + " / " + other->rate->text},
                    {"ratio", row.rate->value / other->rate->value}});
    }
  }
}

}  // namespace

void judge_ratios(const Table& table, Findings& findings) {
  const std::vector<Series> all = series_of(table);
  std::vector<std::vector<Contradiction>> wrong;
  for (const Series& series : all) wrong.push_back(wrong_speedups(series));
  std::vector<std::vector<Contradiction>> errors;
  for (const auto& one : wrong) errors.push_back(errors_of(one));
  std::vector<bool> swapped(all.size(), false);
  std::string pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const auto &a = errors[i], &b = errors[j];
      const bool proved = a.size() >= kRowsThatProve && a.size() == b.size() &&
                          are_those_of(a, b) && are_those_of(b, a);
      if (!proved || swapped[i] || swapped[j]) continue;
      swapped[i] = swapped[j] = true;
      pairs += (pairs.empty() ? "" : "; ") + all[i].front()->precision + " and " +
               all[j].front()->precision + " (" + a.front().row->id + " prints " +
               a.front().row->speedup->text + "x, its cells give " +
               significant(a.front().ratio, 4) + ")";
    }
  }
  if (!pairs.empty()) {
    findings.add(kinds::columns_swapped, kError, "", {{"columns", pairs}});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!swapped[i]) add_findings(wrong[i], findings);
    add_findings(wrong_efficiencies(all[i]), findings);
  }
  judge_precision_ratios(table, findings);
  judge_totals(table, findings);
}

namespace {

constexpr double kOff = 0.02;        // added to what the printed digits allow
constexpr double kBatchOff = 0.001;  // whole batches only; submissions may print fractions
constexpr std::size_t kRowsOfAnEpoch = 3;

// Returns the samples of a step for each reading of "batch": per micro-step, per optimizer step, or
// of all GPUs.
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
    // Where rates count tokens, a batch may count sequences or tokens.
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

// Rate times time of an epoch is the size of the data set, which is printed or equal in all rows of
// one network.
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
