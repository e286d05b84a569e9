// Checks printed ratios against the cells that they are made of: speed-ups, efficiencies, one
// column against another.

#include <algorithm>
#include <cmath>
#include <functional>
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
  const Row* before = base->row;
  for (const Row* row : series) {
    if (row == base->row || !row->speedup) continue;
    std::vector<Speed> readings = speeds(*row, *base->row);
    // "+95 %" may be more than the row above.
    if (row->gain && has_speed(*before))
      std::ranges::move(speeds(*row, *before), std::back_inserter(readings));
    before = row;
    auto found = nearest(*row, *row->speedup, readings, base->speedup,
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
  // An improvement may be one over something else, unless most rows are of these cells.
  const auto gains = std::ranges::count_if(
      series, [&](const Row* row) { return row->gain && row->speedup && row != base->row; });
  const bool over_others =
      2 * std::ranges::count_if(all, [](const Contradiction& one) { return one.row->gain; }) >
      gains;
  if (alike || (gains > 0 && over_others)) all.clear();
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
    // The first row need not be what efficiencies are relative to.
    if (base->efficiency && !is_one(*base->efficiency)) {
      for (std::size_t i = readings.size(); i-- > 0;) {
        readings.push_back(
            {times(readings[i].ratio, base->efficiency->value), readings[i].in_words});
      }
    }
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
      const auto other = std::ranges::find_if(
          table.rows, [&](const Row& one) { return one.id == row.id && one.column == ratio.from; });
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

}  // namespace scalemark::lint
