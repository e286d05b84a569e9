// Checks printed products against the cells that they are made of (batches, rates times durations,
// GPU hours, tokens), and columns that say the same against each other.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims/lint/lint.h"
#include "claims/rows/table_files.h"
#include "core/base/number_words.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kOff = 0.02;        // added to what the printed digits allow
constexpr double kBatchOff = 0.001;  // whole batches only; submissions may print fractions
constexpr double kOverhead = 1.5;    // A whole run may be so much longer.
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

// Rate x time can be, by the row's other cells, the data set, in all epochs or in one, or the
// samples of all steps.
std::vector<double> work_of(const Row& row) {
  std::vector<double> all;
  if (row.samples) all.push_back(row.samples->value);
  if (row.samples && row.epochs && !row.time_is_of_an_epoch)
    all.push_back(row.samples->value * row.epochs->value);
  if (row.steps && !row.time_is_of_an_epoch) {
    for (const double samples : samples_of_a_step(row)) all.push_back(row.steps->value * samples);
  }
  if (!row.unit.starts_with("tok")) return all;
  if (!row.sequence_length) return {};
  for (double& one : all) one *= static_cast<double>(*row.sequence_length);
  return all;
}

// Rate times time is the size of the data set, which is printed or equal in all rows of one
// network.
void judge_work(const Table& table, Findings& findings) {
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : table.rows) {
    if (!rate_of(row) || !row.time_s || row.counts_nodes) continue;
    if (row.time_is_of_an_epoch || row.epochs || !work_of(row).empty())
      families[row.network + "|" + row.series + "|" + row.unit].push_back(&row);
  }
  const auto samples_of = [](const Row& row) {
    const double epochs = row.time_is_of_an_epoch || !row.epochs ? 1 : row.epochs->value;
    const double share = work_of(row).empty() ? 1 / std::max(1.0, epochs) : 1;
    return times(product(*rate_of(row), *row.time_s), share);
  };
  for (const auto& [name, rows] : families) {
    std::vector<double> all;
    for (const Row* row : rows) {
      if (work_of(*row).empty()) all.push_back((samples_of(*row).low + samples_of(*row).high) / 2);
    }
    std::ranges::sort(all);
    const double usual = all.size() < kRowsOfAnEpoch ? 0 : all[all.size() / 2];
    const auto nearest_of = [&](const Row* row) {
      const Bounds samples = samples_of(*row);
      std::vector<double> told = work_of(*row);
      if (told.empty()) told.push_back(usual);
      return *std::ranges::min_element(told, {}, [&](double one) {
        return gap(samples, {one, one});
      });
    };
    const bool some_agree = std::ranges::any_of(rows, [&](const Row* row) {
      return gap(samples_of(*row), {nearest_of(row), nearest_of(row)}) < kOff;
    });
    for (const Row* row : rows) {
      const bool told = !work_of(*row).empty();
      const double nearest = nearest_of(row);
      if (!told && usual == 0) continue;
      const Bounds samples = samples_of(*row);
      // A whole run may also load, evaluate and save.
      const bool more = !some_agree && !row->time_is_of_an_epoch && row->epochs &&
                        samples.low > nearest && samples.low < kOverhead * nearest;
      if (more || gap(samples, {nearest, nearest}) < kOff) continue;
      const bool same = row->samples && nearest == row->samples->value;
      findings.add(kinds::rate_time, kError, row->id,
                   {{"rate", rate_of(*row)->text},
                    {"time", row->time_s->text},
                    {"samples", (samples.low + samples.high) / 2},
                    {"printed", !told  ? ""
                                : same ? row->samples->text
                                       : significant(nearest, 6)},
                    {"usual", usual}});
    }
  }
}

// A number of a row, and what another column of the row says that it is.
struct Pair {
  const Row* row = nullptr;
  Printed printed;
  std::vector<Bounds> expected;  // one for each way to read the other column
  std::string cells, unit;
  std::string name = {};  // names the printed number
};

double off_by(const Pair& pair) {
  double off = 1e9;
  for (const Bounds& one : pair.expected) off = std::min(off, gap(bounds_of(pair.printed), one));
  return off;
}

// Columns that agree in most rows say the same; else they are about two things.
void judge_pairs(const std::vector<Pair>& pairs, Findings& findings,
                 const char* severity = kError) {
  const auto wrong = static_cast<std::size_t>(
      std::ranges::count_if(pairs, [](const Pair& one) { return off_by(one) >= kOff; }));
  if (wrong >= pairs.size() - wrong) return;
  for (const Pair& one : pairs) {
    if (off_by(one) < kOff) continue;
    const Bounds& first = one.expected.front();
    findings.add(kinds::not_the_product, severity, one.row->id,
                 {{"printed", one.printed.text + one.name},
                  {"cells", one.cells},
                  {"product", (first.low + first.high) / 2},
                  {"unit", one.unit}});
  }
}

void judge_times(const Table& table, Findings& findings) {
  std::vector<Pair> same, hours, samples;
  for (const Row& row : table.rows) {
    if (!row.gpus || row.counts_nodes) continue;
    if (row.same_time)
      same.push_back({&row, *row.same_time, {bounds_of(*row.time_s)}, row.time_s->text, "s", ""});
    if (row.gpu_s && row.time_s) {
      const Bounds used = times(bounds_of(*row.time_s), *row.gpus / 3600);
      hours.push_back({&row,
                       scaled(*row.gpu_s, 1.0 / 3600),
                       {used},
                       gpus_text(row) + " for " + row.time_s->text,
                       "",
                       " GPU hours"});
    }
    const auto rate = rate_of(row);
    if (!row.sample_s || !rate) continue;
    const Bounds one = times(quotient({1, 0, ""}, *rate), 1e3);
    samples.push_back({&row,
                       scaled(*row.sample_s, 1e3),
                       {one, times(one, *row.gpus)},
                       "1 / " + rate->text,
                       "ms",
                       " a sample"});
  }
  judge_pairs(same, findings);
  judge_pairs(hours, findings);
  judge_pairs(samples, findings);
}

// Tokens and sequences of one row differ by the length of a sequence.
void judge_tokens(const Table& table, Findings& findings) {
  std::vector<Pair> pairs;
  std::map<std::string, const Row*> sequences;
  for (const Row& row : table.rows) {
    if (row.unit == "seq/s" || row.unit == "samples/s") sequences[row.id] = &row;
  }
  for (const Row& row : table.rows) {
    const auto other = sequences.find(row.id);
    const auto rate = rate_of(row);
    if (!row.unit.starts_with("tok") || !rate || !row.sequence_length || other == sequences.end())
      continue;
    const auto beside = rate_of(*other->second);
    if (!beside) continue;
    const auto length = static_cast<double>(*row.sequence_length);
    pairs.push_back({&row,
                     *rate,
                     {times(bounds_of(*beside), length)},
                     beside->text + " x " + significant(length, 9),
                     "tokens/s",
                     " tokens/s"});
  }
  judge_pairs(pairs, findings);
}

// Whether most rows have one ratio of MFU to another of their numbers; then the others are wrong.
template <class Other>
void judge_mfu_beside(const Table& table, const char* name, Other other, Findings& findings) {
  std::map<std::string, std::vector<const Row*>> families;
  for (const Row& row : table.rows) {
    if (!row.mfu || !(row.mfu->value > 0) || !other(row)) continue;
    const std::string length = row.sequence_length ? significant(*row.sequence_length, 9) : "";
    families[row.network + "|" + row.series + "|" + row.chip + "|" + row.precision + "|" +
             row.phase + "|" + length + "|" + row.unit]
        .push_back(&row);
  }
  for (const auto& [key, rows] : families) {
    std::vector<double> ratios;
    for (const Row* row : rows) ratios.push_back(row->mfu->value / other(*row)->value);
    std::ranges::sort(ratios);
    std::vector<Pair> pairs;
    for (const Row* row : rows) {
      const Bounds mfu = times(bounds_of(*other(*row)), 100 * ratios[ratios.size() / 2]);
      pairs.push_back({row,
                       scaled(*row->mfu, 100),
                       {mfu},
                       other(*row)->text + name + " in the ratio of the other rows",
                       "%",
                       " % MFU"});
    }
    if (pairs.size() >= kRowsOfAnEpoch) judge_pairs(pairs, findings, kWarning);
  }
}

void judge_accuracy(const Table& table, Findings& findings) {
  constexpr double kPoint = 1;
  for (const Series& series : series_of(table)) {
    Series shown;
    std::ranges::copy_if(series, std::back_inserter(shown),
                         [](const Row* row) { return row->accuracy.has_value(); });
    if (shown.size() < 2) continue;
    const Row &first = *shown.front(), &last = *shown.back();
    const double points = first.accuracy->value <= 1 ? 100 : 1;
    if (!(points * (first.accuracy->low() - last.accuracy->high()) > kPoint)) continue;
    findings.add(kinds::accuracy_falls, kInfo, last.id,
                 {{"accuracy", last.accuracy->text},
                  {"gpus", gpus_text(last)},
                  {"first", first.accuracy->text},
                  {"first_gpus", *first.gpus}});
  }
}

}  // namespace

void judge_products(const Table& table, Findings& findings) {
  for (const Row& row : table.rows) {
    judge_batch(row, findings);
    judge_step(row, findings);
  }
  judge_work(table, findings);
  judge_times(table, findings);
  judge_tokens(table, findings);
  judge_mfu_beside(
      table, " FLOP/s", [](const Row& row) { return row.flops; }, findings);
  judge_mfu_beside(
      table, " per second",
      [](const Row& row) {
        const auto rate = rate_of(row);
        return rate ? std::optional(scaled(*rate, 1 / *row.gpus)) : std::nullopt;
      },
      findings);
  judge_accuracy(table, findings);
  if (table.unread.cells > 0) {
    findings.add(kinds::unread_cells, kInfo, "", {{"unread", tables::unread_text(table.unread)}});
  }
}

}  // namespace scalemark::lint
