// Puts the cells of a table into rows, by what their columns mean.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "claims/rows/gpu_counts.h"
#include "claims/rows/table.h"
#include "claims/rows/table_columns.h"
#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// Reads columns whose cells are words, or numbers that only distinguish series.
bool put_word(const ColumnMeaning& column, const std::string& text, const Cell& read, Row& row) {
  const auto number = read.number(Unit::kOther);
  switch (column.kind) {
    case ColumnKind::kNetwork:
      row.network = text;
      return true;
    case ColumnKind::kPrecision: {
      const auto known = precisions_in(text);
      row.precision = known.empty() ? text : known.front();
      return true;
    }
    case ColumnKind::kParallel:
      row.phase += text + "; ";
      return true;
    case ColumnKind::kSequence:
      if (number && number->value < 1e9)
        row.sequence_length = static_cast<std::int64_t>(number->value);
      row.series += text + "; ";
      return true;
    case ColumnKind::kVariant:
      row.series += text + "; ";
      return true;
    case ColumnKind::kOther:
      if (read.values.empty() && !is_digit_at(text, 0) && !is_not_finite(text))
        row.series += text + "; ";
      return true;
    default:
      return false;
  }
}

void put_number(const ColumnMeaning& column, const Printed& number, Row& row) {
  static constexpr std::pair<ColumnKind, std::optional<double> Row::*> kCounts[] = {
      {ColumnKind::kGpusPerNode, &Row::gpus_per_node},
      {ColumnKind::kBatch, &Row::batch},
      {ColumnKind::kBatchPerGpu, &Row::batch},
      {ColumnKind::kGlobalBatch, &Row::global_batch},
      {ColumnKind::kAccumulation, &Row::accumulation}};
  static constexpr std::pair<ColumnKind, std::optional<Printed> Row::*> kNumbers[] = {
      {ColumnKind::kMfu, &Row::mfu},           {ColumnKind::kSamples, &Row::samples},
      {ColumnKind::kEpochs, &Row::epochs},     {ColumnKind::kSteps, &Row::steps},
      {ColumnKind::kGpuHours, &Row::gpu_s},    {ColumnKind::kFlops, &Row::flops},
      {ColumnKind::kAccuracy, &Row::accuracy}, {ColumnKind::kSampleTime, &Row::sample_s}};
  for (const auto& [kind, member] : kCounts) {
    if (column.kind == kind) row.*member = number.value;
  }
  for (const auto& [kind, member] : kNumbers) {
    if (column.kind == kind) row.*member = scaled(number, column.factor);
  }
  if (column.kind == ColumnKind::kBatch) row.batch_per_gpu = false;
  if (column.kind == ColumnKind::kBatchPerGpu) row.batch_per_gpu = true;
}

// "Wall clock" and "Time (s)" are times of the same, "Loading time" is not.
bool names_only_time(const ColumnMeaning& column) {
  return std::ranges::all_of(column.own_words, [](const std::string& word) {
    return has_any(
        " time wall clock walltime elapsed runtime duration h hours min minutes hh mm ss ",
        {" " + word + " "});
  });
}

}  // namespace

bool has_number(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool in_word = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1]));
    if (is_digit_at(text, i) && !in_word) return true;
  }
  return false;
}

bool is_count_of_machines(double number) {
  return number >= 1 && number <= 1e7 && number == std::floor(number);
}

bool fits(const ColumnMeaning& column, const std::string& text, const Cell& read) {
  const ColumnKind kind = column.kind;
  const bool counts = kind == ColumnKind::kGpus || kind == ColumnKind::kNodes;
  if (counts && machines_in_count(text)) return true;
  if (read.values.empty()) return !read.unread;
  const auto is_of = [&](std::initializer_list<Unit> units) {
    const Unit unit = read.values[0].unit;
    return unit == Unit::kNone || std::ranges::find(units, unit) != units.end();
  };
  const double number = read.values[0].number.value;
  if (counts) return is_of({Unit::kOther}) && is_count_of_machines(number);
  if (is_ratio_kind(kind))
    return is_of({Unit::kTimes, Unit::kPercent}) && (number > 0 || column.gain);
  // A part of a run, such as communication on one GPU, may take no time.
  const bool may_be_none = kind == ColumnKind::kTime && !names_only_time(column);
  if (is_time_kind(kind))
    return is_of({Unit::kTime}) && (number > 0 || (number == 0 && may_be_none));
  if (is_rate_kind(kind)) return is_of({Unit::kRate}) && number > 0;
  return is_of({kind == ColumnKind::kMfu ? Unit::kPercent : Unit::kOther}) && number > 0;
}

void put_time(const ColumnMeaning& column, const Cell& read, Row& row) {
  const auto time = read.seconds(column.factor);
  if (!time || !(time->value > 0)) return;
  auto& slot = column.kind == ColumnKind::kStepTime ? row.step_s : row.time_s;
  const bool whole = column.kind == ColumnKind::kTime && names_only_time(column);
  if (slot) {
    if (whole && row.time_is_whole) row.same_time = *time;
    row.other_times.push_back(*time);
    return;
  }
  slot = *time;
  row.time_is_whole = whole;
  if (column.kind == ColumnKind::kEpochTime) row.time_is_of_an_epoch = true;
}

void put_cell(const ColumnMeaning& column, const std::string& text, Decimal decimal, Row& row) {
  const Cell read = read_cell(text, decimal);
  if (is_time_kind(column.kind)) return put_time(column, read, row);
  if (put_word(column, text, read, row)) return;
  // "98 %" is a number of an MFU, "4M tokens" none of a batch.
  const bool share = column.kind == ColumnKind::kMfu || column.kind == ColumnKind::kAccuracy;
  const auto number = read.number(share ? Unit::kPercent : Unit::kOther);
  const bool tokens = number && read.values[0].words.starts_with("tok");
  if (number && number->value > 0 && !tokens) put_number(column, *number, row);
}

void put_steps(Row& row) {
  const Printed steps = row.rate ? *row.rate : *row.rate_per_gpu;
  const bool known = row.global_batch || (row.batch && row.batch_per_gpu && row.gpus);
  row.step_s =
      Printed{1 / steps.value, steps.unit / (steps.value * steps.value), steps.text + " it/s"};
  row.rate.reset();
  row.rate_per_gpu.reset();
  row.unit = "samples/s";
  if (!known) return;
  row.rate =
      scaled(steps, row.global_batch ? *row.global_batch
                                     : *row.batch * row.accumulation.value_or(1) * *row.gpus);
  row.rate->text = significant(row.rate->value, 6);
}

Printed ratio_of(const Value& value, const ColumnMeaning& column) {
  const bool percent = value.unit == Unit::kPercent || (column.gain && value.unit == Unit::kNone);
  Printed ratio = scaled(value.number, value.unit == Unit::kTimes ? 1
                                       : percent                  ? 0.01
                                                                  : column.factor);
  if (column.gain) ratio.value += 1;
  return ratio;
}

void put_ratios(const ColumnMeaning& column, const Cell& read, Row& row) {
  const bool percents_of_speedups = column.kind == ColumnKind::kSpeedup && column.factor != 1;
  for (const Value& value : read.values) {
    const bool bare = value.unit == Unit::kNone, percent = value.unit == Unit::kPercent;
    if (!bare && !percent && value.unit != Unit::kTimes) continue;
    const bool share = !column.gain && !percents_of_speedups &&
                       (percent || (bare && column.kind == ColumnKind::kEfficiency));
    auto& slot = share ? row.efficiency : row.speedup;
    if (!slot || column.kind == (share ? ColumnKind::kEfficiency : ColumnKind::kSpeedup))
      slot = ratio_of(value, column);
    row.gain = row.gain || (column.gain && !share);
  }
}

}  // namespace scalemark::tables
