// Finds the published throughputs that are nearest to one that was measured, and what differs.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "claims/judge/claims.h"
#include "claims/lint/inputs.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/statistics/summary.h"
#include "report/record/point_facts.h"
#include "report/record/runs.h"

namespace scalemark::claims {
namespace {

using published::Row;
using published::TrainedAs;
using reporting::GroupRecord;
using reporting::PointRecord;
using reporting::PointStatus;
using reporting::Report;

// Rows state no size of images: theirs have 224 pixels.
constexpr const char* kPublishedImageSize = "224";
constexpr int kMostSources = 3;  // so many lines has one training

// Formats of equally many bits use the same units of a GPU, and differ little: fp8, amp-fp16 and
// amp-bf16, tf32, fp32.
double bits_of(const std::string& precision) {
  const auto has = [&](const char* word) { return precision.find(word) != precision.npos; };
  if (has("fp8")) return 0;
  if (has("16") || has("amp")) return 1;
  return has("tf32") ? 2 : 3;
}

double times_apart(double a, double b) { return std::abs(std::log(a / b)); }

std::string instead(const std::string& theirs, const std::string& ours) {
  return theirs + " instead of " + ours;
}

void compare_precision(const TrainedAs& trained, const MeasuredRate& measured, NearRow& near) {
  if (trained.precisions.empty() || measured.precision.empty()) return;
  double bits = std::numeric_limits<double>::infinity();
  for (const std::string& one : trained.precisions)
    bits = std::min(bits, std::abs(bits_of(one) - bits_of(measured.precision)));
  near.distance[1] = bits;
  if (trained.precisions == std::vector{measured.precision}) return;
  near.distance[3] = trained.other_precision ? 2 : 1;
  near.differs.push_back(
      instead(published::precision_text(trained.precisions), measured.precision));
}

void compare_batch(const Row& row, const MeasuredRate& measured, NearRow& near) {
  if (!measured.batch_size) return;
  if (!row.batch_per_gpu) {
    near.distance[4] = std::numeric_limits<double>::infinity();
    near.differs.emplace_back("batch not stated");
    return;
  }
  near.distance[4] = times_apart(*row.batch_per_gpu, static_cast<double>(*measured.batch_size));
  if (near.distance[4] > 0)
    near.differs.push_back(instead("batch " + significant(*row.batch_per_gpu, 6),
                                   std::to_string(*measured.batch_size)));
}

// Whether a row is a rate of the same work on the same chip.
bool is_same_work(const Row& row, const TrainedAs& trained, const MeasuredRate& measured) {
  if (!is_rate(row) || !row.gpus || row.untestable || row.unit.starts_with("tok") ||
      trained.workload != measured.workload)
    return false;
  if (trained.sequence_length && measured.sequence_length &&
      *trained.sequence_length != *measured.sequence_length)
    return false;
  const auto chip = published::chip_in(row.system);
  return chip && chip->name == measured.chip;
}

}  // namespace

std::vector<NearRow> nearest(std::span<const Row> rows, const MeasuredRate& measured) {
  std::vector<NearRow> all;
  const auto gpus = static_cast<double>(measured.gpus);
  for (const Row& row : rows) {
    const TrainedAs trained = published::trained_as(row);
    if (!is_same_work(row, trained, measured)) continue;
    NearRow& near = all.emplace_back(NearRow{.row = &row});
    const auto theirs = static_cast<double>(*row.gpus);
    near.per_gpu = *row.throughput / theirs;
    near.ratio = measured.samples_per_sec / gpus / near.per_gpu;
    if (measured.sequence_length && !trained.sequence_length) {
      near.distance[0] = 1;
      near.differs.emplace_back("length of sequences not stated");
    }
    near.distance[2] = times_apart(theirs, gpus);
    if (*row.gpus != measured.gpus)
      near.differs.push_back(instead(counted(*row.gpus, "GPU"), std::to_string(measured.gpus)));
    compare_precision(trained, measured, near);
    compare_batch(row, measured, near);
    near.distance[5] = row.framework == measured.framework ? 0 : 1;
  }
  std::ranges::stable_sort(all, {}, &NearRow::distance);
  return all;
}

std::span<const NearRow> equally_near(std::span<const NearRow> near) {
  const auto first_other = std::ranges::find_if(
      near, [&](const NearRow& one) { return one.distance != near.front().distance; });
  return {near.begin(), first_other};
}

std::string beside_text(std::span<const NearRow> near) {
  const auto equal = equally_near(near);
  const auto [least, most] = std::ranges::minmax(equal, {}, &NearRow::per_gpu);
  const Row& first = *near.front().row;
  const auto range = [](const std::string& low, const std::string& high) {
    return low == high ? low : low + " to " + high;
  };
  std::string text = range(percent(least.ratio, 0), percent(most.ratio, 0)) + " of " +
                     range(readable(least.per_gpu), readable(most.per_gpu)) + " " + first.unit +
                     " published (" + published::name_of_table(first.group) + ", " + first.id;
  if (equal.size() > 1) text += " and " + std::to_string(equal.size() - 1) + " more";
  text += ")";
  if (!near.front().differs.empty()) text += ": " + joined(near.front().differs, ", ");
  return text;
}

std::string near_text(const MeasuredRate& measured, std::span<const NearRow> near,
                      std::size_t reports) {
  std::string text = measured.workload + ", " + measured.precision;
  if (measured.batch_size) text += ", batch " + std::to_string(*measured.batch_size);
  text += ", " + std::to_string(measured.gpus) + " x " + measured.chip + ": " +
          readable(measured.samples_per_sec / static_cast<double>(measured.gpus)) +
          (measured.gpus > 1 ? " per GPU here" : " here");
  if (reports > 1) text += " (median of " + counted(reports, "report") + ")";
  return text + ", " + beside_text(near);
}

std::vector<Row> rows_measured(const Report& report) {
  std::vector<Row> rows;
  const auto add = [&](const PointRecord* run, const auto& measured,
                       std::optional<double> samples_per_sec) {
    if (!run || run->world_size < 1 || measured.standing.is_withheld() ||
        !(samples_per_sec.value_or(0) > 0))
      return;
    Row& row = rows.emplace_back();
    row.framework = "scalemark";
    row.workload = run->workload;
    row.precision = run->precision;
    row.system = run->device_name;
    row.gpus = run->world_size;
    row.nodes = run->nodes;
    if (run->batch_size.value_or(0) > 0) row.batch_per_gpu = static_cast<double>(*run->batch_size);
    if (run->sequence_length.value_or(0) > 0) row.sequence_length = run->sequence_length;
    if (run->gradient_accumulation_steps.value_or(0) > 0)
      row.gradient_accumulation_steps = run->gradient_accumulation_steps;
    if (run->image_size) row.conditions["image_size"] = std::to_string(*run->image_size);
    row.throughput = samples_per_sec;
    row.unit = reporting::sample_unit(run->workload) + "/s";
    const bool other_task = !run->task.empty() && run->task != "pretrain";  // an older report's
    if (other_task || reporting::is_solo(*run)) row.untestable = "workload";
  };
  for (const GroupRecord& group : report.groups)
    add(reporting::first_run(report.points, group.group), group, group.samples_per_sec);
  if (!report.groups.empty()) return rows;
  for (const PointRecord& run : report.points) {
    if (run.status == PointStatus::kOk) add(&run, run, run.samples_per_sec);
  }
  return rows;
}

std::optional<MeasuredRate> rate_of(const Row& row) {
  // A split model is as much work.
  const bool is_other = row.untestable && row.untestable != "parallelism";
  if (!is_rate(row) || !row.gpus || is_other ||
      value_at(row.conditions, "image_size", kPublishedImageSize) != kPublishedImageSize)
    return std::nullopt;
  const auto trained = published::trained_as(row);
  const auto chip = published::chip_in(row.system);
  const bool tokens = row.unit.starts_with("tok");
  if (!chip || trained.workload.empty() || (tokens && !trained.sequence_length))
    return std::nullopt;
  MeasuredRate rate{.workload = trained.workload,
                    .chip = std::string(chip->name),
                    .framework = row.framework,
                    .gpus = *row.gpus,
                    .sequence_length = trained.sequence_length,
                    .samples_per_sec = *row.throughput};
  if (tokens) rate.samples_per_sec /= static_cast<double>(*trained.sequence_length);
  if (trained.precisions.size() == 1) rate.precision = trained.precisions.front();
  if (row.batch_per_gpu && *row.batch_per_gpu == std::floor(*row.batch_per_gpu))
    rate.batch_size = static_cast<std::int64_t>(*row.batch_per_gpu);
  return rate;
}

namespace {

std::vector<MeasuredRate> rates_of(const Report& report) {
  std::vector<MeasuredRate> rates;
  for (const Row& row : rows_measured(report)) {
    if (auto rate = rate_of(row)) rates.push_back(*std::move(rate));
  }
  return rates;
}

auto training_of(const MeasuredRate& one) {
  return std::tuple(one.workload, one.chip, one.precision, one.gpus, one.batch_size,
                    one.sequence_length);
}

// By how many nearer sources the training has, and then nearest first, of the most GPUs.
using Lines = std::multimap<std::tuple<int, Distance, std::int64_t>, std::string>;

// A source shows once: what it has at other batches and numbers of GPUs is its table's to say.
void add_lines(const MeasuredRate& measured, const std::vector<NearRow>& near, std::size_t reports,
               Lines& lines) {
  std::set<std::string> seen;
  int sources = 0;
  for (std::span<const NearRow> rest(near); !rest.empty() && sources < kMostSources;) {
    const auto equal = equally_near(rest);
    bool is_new = false;
    for (const NearRow& one : equal) is_new |= seen.insert(one.row->repo).second;
    if (is_new) {
      lines.emplace(std::tuple(sources++, rest.front().distance, -measured.gpus),
                    near_text(measured, rest, reports));
    }
    rest = rest.subspan(equal.size());
  }
}

struct RatesOfTraining {
  MeasuredRate rate;
  std::vector<double> rates;  // a report has several of one rank, with and without exchange
  std::set<const Report*> reports;
};

}  // namespace

std::vector<std::string> published_beside(std::span<const Row> rows,
                                          const std::vector<const Report*>& reports) {
  std::map<decltype(training_of(MeasuredRate())), RatesOfTraining> trainings;
  for (const Report* report : reports) {
    if (!report->scaled_down.empty()) continue;
    for (const MeasuredRate& rate : rates_of(*report)) {
      RatesOfTraining& measured = trainings[training_of(rate)];
      measured.rate = rate;
      measured.rates.push_back(rate.samples_per_sec);
      measured.reports.insert(report);
    }
  }
  if (trainings.empty()) return {};
  const std::vector<Row> measures = lint::believable(rows);
  Lines lines;
  for (auto& [training, measured] : trainings) {
    measured.rate.samples_per_sec = statistics::median(measured.rates);
    add_lines(measured.rate, nearest(measures, measured.rate), measured.reports.size(), lines);
  }
  std::vector<std::string> sorted;
  for (auto& [order, text] : lines) sorted.push_back(std::move(text));
  return sorted;
}

std::string nearest_published(std::span<const Report> reports) {
  std::vector<const Report*> on_chips;
  for (const Report& report : reports) {
    if (!rates_of(report).empty()) on_chips.push_back(&report);
  }
  if (on_chips.empty()) return "";
  const auto lines = published_beside(published::own_library(), on_chips);
  return lines.empty() ? "" : lines.front();
}

}  // namespace scalemark::claims
