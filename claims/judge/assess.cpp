// Says of a log or a table that somebody pastes what it measured, what in it cannot be true, where
// it stands among published rows and beside the chip's limits, and what is probably wrong.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "core/base/text.h"
#include "core/catalogue/workload.h"
#include "core/collectives/collective.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::claims {
namespace {

using published::Row;

constexpr std::size_t kFewest = 5;  // a percentile of fewer rows says nothing
constexpr std::size_t kMostLines = 2;

bool is_rate(const Row& row) { return row.metric.empty() && row.throughput && *row.throughput > 0; }

bool has_bus_bandwidth(const Row& row) {
  return row.collective && row.bytes && row.value && row.metric == "busbw_GBps";
}

// Returns the rate of the most GPUs, else the bandwidth of the largest message, which says most.
const Row* chief_of(std::span<const Row> rows) {
  const Row* chief = nullptr;
  for (const Row& row : rows) {
    if (is_rate(row) && (!chief || row.gpus.value_or(0) > chief->gpus.value_or(0))) chief = &row;
  }
  if (chief) return chief;
  for (const Row& row : rows) {
    if (has_bus_bandwidth(row) &&
        (!chief || std::pair(*row.bytes, *row.value) > std::pair(*chief->bytes, *chief->value)))
      chief = &row;
  }
  return chief || rows.empty() ? chief : &rows.back();
}

// Returns the rate of the fewest GPUs among rows that are otherwise equal.
const Row* first_of(std::span<const Row> rows, const Row& chief) {
  const Row* first = nullptr;
  for (const Row& row : rows) {
    const bool same = is_rate(row) && row.gpus && row.unit == chief.unit &&
                      row.workload == chief.workload && row.precision == chief.precision &&
                      row.system == chief.system && row.scaling_label == chief.scaling_label &&
                      row.batch_per_gpu == chief.batch_per_gpu;
    if (same && (!first || *row.gpus < *first->gpus)) first = &row;
  }
  return first && chief.gpus && *first->gpus < *chief.gpus ? first : nullptr;
}

std::string work_text(const Row& row) {
  std::vector<std::string> words;
  if (!row.workload.empty()) words.push_back(row.workload);
  if (!row.precision.empty()) words.push_back(row.precision);
  if (row.batch_per_gpu) words.push_back("batch " + significant(*row.batch_per_gpu, 6) + " a GPU");
  if (row.sequence_length) words.push_back("length " + std::to_string(*row.sequence_length));
  if (!row.system.empty()) words.push_back(row.system);
  return words.empty() ? "" : ": " + joined(words, ", ");
}

std::string rate_text(std::span<const Row> rows, const Row& row) {
  std::string text = readable(*row.throughput) + " " + row.unit;
  if (!row.gpus) return text + work_text(row);
  const auto gpus = static_cast<double>(*row.gpus);
  text += " on " + counted(*row.gpus, "GPU");
  if (*row.gpus > 1) text += ", " + readable(*row.throughput / gpus) + " a GPU";
  if (const Row* first = first_of(rows, row)) {
    const double speedup = *row.throughput / *first->throughput;
    const double more = gpus / static_cast<double>(*first->gpus);
    text += ", " + significant(speedup, 3) + " times " + counted(*first->gpus, "GPU") + " (" +
            percent(speedup / more, 0) + ")";
  }
  return text + work_text(row);
}

std::string bandwidth_text(std::span<const Row> rows, const Row& row) {
  std::string text = "bus bandwidth of " + *row.collective + ", " +
                     collectives::to_text({.count = *row.bytes}) + ": " +
                     significant(*row.value, 4) + " GB/s";
  if (row.gpus) text += " on " + counted(*row.gpus, "GPU");
  if (rows.size() > 1) text += ", the largest of " + counted(rows.size(), "row");
  return text + (row.system.empty() ? "" : ": " + row.system);
}

std::string other_text(const Row& row) {
  if (row.time_to_train_min)
    return significant(*row.time_to_train_min, 4) + " minutes to the target" + work_text(row);
  if (!row.value) return "no rate" + work_text(row);
  return row.metric + " " + significant(*row.value, 4) +
         (row.gpus ? " on " + counted(*row.gpus, "GPU") : "") + work_text(row);
}

std::string measured_text(const Pasted& pasted, const Row& chief) {
  const std::string text = is_rate(chief)             ? rate_text(pasted.rows, chief)
                           : has_bus_bandwidth(chief) ? bandwidth_text(pasted.rows, chief)
                                                      : other_text(chief);
  return text + " (" + pasted.form + (pasted.place.empty() ? "" : ", " + pasted.place) + ")";
}

// Lists the fields that a comparison needs and the text does not say.
std::vector<std::string> unsaid(const Row& row) {
  std::vector<std::string> fields;
  if (!row.gpus) fields.emplace_back("gpus");
  if (row.system.empty()) fields.emplace_back("system");
  if (!is_rate(row)) return fields;
  if (row.workload.empty()) fields.emplace_back("workload");
  if (row.precision.empty()) fields.emplace_back("precision");
  return fields;
}

// Returns nothing for what no published rate could be about.
std::optional<MeasuredRate> rate_of_row(const Row& row) {
  if (!is_rate(row) || !row.gpus) return std::nullopt;
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

// Says how many comparable rates of one GPU are lower. Numbers of other bits are another format's.
std::string percentile_text(std::span<const NearRow> near, const MeasuredRate& rate) {
  const double own = rate.samples_per_sec / static_cast<double>(rate.gpus);
  std::size_t lower = 0, all = 0;
  for (const NearRow& one : near) {
    if (!has_equal_bits(one)) continue;
    ++all;
    lower += one.per_gpu < own ? 1 : 0;
  }
  if (all < kFewest) return "";
  return percent(static_cast<double>(lower) / static_cast<double>(all), 0) + " of " +
         std::to_string(all) + " published rates a GPU of " + rate.workload + " on " + rate.chip +
         (rate.precision.empty() ? ", in whatever number format," : "") + " are lower";
}

void add_published_rates(const MeasuredRate& rate, std::span<const NearRow> near,
                         Assessment& assessment) {
  if (near.empty()) {
    assessment.published.push_back("no published row is " + rate.workload + " on " + rate.chip);
    return;
  }
  if (std::string text = percentile_text(near, rate); !text.empty())
    assessment.published.push_back(std::move(text));
  assessment.published.push_back("nearest: " + beside_text(near));
}

// Returns the bandwidths of the same collective on the same chip, the nearest sizes first.
std::vector<const Row*> near_bandwidths(std::span<const Row> library, const Row& own) {
  const auto chip = published::chip_in(own.system);
  std::vector<std::pair<double, const Row*>> all;
  for (const Row& row : library) {
    if (!chip || !has_bus_bandwidth(row) || row.collective != own.collective) continue;
    const auto theirs = published::chip_in(row.system);
    if (!theirs || theirs->name != chip->name) continue;
    const double gpus =
        own.gpus && row.gpus
            ? std::log(static_cast<double>(*row.gpus) / static_cast<double>(*own.gpus))
            : 0;
    const double bytes =
        std::log(static_cast<double>(*row.bytes) / static_cast<double>(*own.bytes));
    all.emplace_back(std::abs(gpus) * 1000 + std::abs(bytes), &row);
  }
  std::ranges::sort(all, {}, &std::pair<double, const Row*>::first);
  std::vector<const Row*> rows;
  for (const auto& [distance, row] : all) rows.push_back(row);
  return rows;
}

void add_published_bandwidth(std::span<const Row> library, const Row& own, Assessment& assessment) {
  const auto near = near_bandwidths(library, own);
  if (near.empty()) return;
  const Row& first = *near.front();
  assessment.published.push_back("nearest: " + percent(*own.value / *first.value, 0) + " of " +
                                 significant(*first.value, 4) + " GB/s for " +
                                 collectives::to_text({.count = *first.bytes}) +
                                 (first.gpus ? " on " + counted(*first.gpus, "GPU") : "") + " (" +
                                 published::name_of_table(first.group) + ", " + first.id + ")");
}

// Tells the share of the chip's arithmetic, or of the links of a node, and returns it.
std::optional<double> share_of_peak(const Row& row, Assessment& assessment) {
  if (const auto rate = rate_of_row(row)) {
    const catalogue::Workload* network = catalogue::find_workload(rate->workload);
    const auto peak = reporting::peak_flops(rate->chip, rate->precision);
    if (!network || !network->flops_per_sample || !peak) return std::nullopt;
    catalogue::ModelShape shape = network->default_shape;
    if (rate->sequence_length) shape.sequence_length = *rate->sequence_length;
    const double flops = network->flops_per_sample(catalogue::resolved_shape(*network, shape));
    const double share =
        rate->samples_per_sec * flops / (static_cast<double>(rate->gpus) * peak->per_sec);
    const std::string text = "MFU " + percent(share) + ": " + significant(flops / 1e9, 3) +
                             " GFLOP a sample, " + significant(peak->per_sec / 1e12, 4) +
                             " TFLOP/s a GPU (" + peak->source + ")";
    (share > 1 ? assessment.impossible : assessment.limits).push_back(text);
    return share;
  }
  const auto chip = published::chip_in(row.system);
  const bool one_node = row.nodes.value_or(1) == 1 && row.gpus.value_or(0) <= 8;
  if (!chip || !has_bus_bandwidth(row) || !one_node) return std::nullopt;
  const auto links = reporting::peak_nvlink(chip->name);
  if (!links) return std::nullopt;
  const double share = *row.value * 1e9 / links->per_sec;
  assessment.limits.push_back(percent(share, 0) + " of NVLink's " +
                              significant(links->per_sec / 1e9, 4) + " GB/s one way (" +
                              links->source + ")");
  return share;
}

// The sentence says why a rate is usually so small a share of a comparable one.
struct Gap {
  double below;
  const char* sentence;
};
constexpr Gap kGapsOfRates[] = {
    {0.35,
     "a third of it and less: usual are optimizer steps counted instead of samples, one GPU's "
     "rate taken for all, or a device that others use"},
    {0.6,
     "about half of it: usual are fp32 or tf32 where others use 16 bits, and a loader that is "
     "too slow"},
    {0.85,
     "15 to 40 % below: usual are the loader, a small batch, an older library, and clocks or "
     "a power limit"},
    {1.25, "as the nearest: nothing is probably wrong"}};
constexpr const char* kTooFast =
    "above the nearest by a quarter and more: is it the rate of all GPUs, are tokens counted, or is "
    "the network another one?";
constexpr Gap kGapsOfLinks[] = {
    {0.15,
     "far below: usual are sockets instead of RDMA, PCIe through the host instead of NVLink, "
     "or a message too small to fill the links"},
    {0.7,
     "a part of it: usual are PCIe instead of NVLink, fewer links or adapters than the node "
     "has, and a message that is too small"}};

std::string sentence_for(std::span<const Gap> gaps, double share, const char* above) {
  for (const Gap& one : gaps) {
    if (share < one.below) return one.sentence;
  }
  return above;
}

void suspect(const Row& chief, std::span<const NearRow> near,
             const std::optional<double>& share_of_peak, Assessment& assessment) {
  constexpr double kSame = 0.2;
  if (has_bus_bandwidth(chief)) {
    if (share_of_peak)
      assessment.suspicions.push_back(sentence_for(
          kGapsOfLinks, *share_of_peak, "as the links allow: nothing is probably wrong"));
    return;
  }
  // Without a number format the nearest row may be one of half or twice the speed.
  const bool is_comparable = !near.empty() && has_equal_bits(near.front()) &&
                             !published::trained_as(chief).precisions.empty();
  if (!is_comparable) return;
  const double ratio = near.front().ratio;
  const auto gpus = static_cast<double>(chief.gpus.value_or(1));
  if (gpus > 1 && std::abs(ratio * gpus - 1) < kSame) {
    assessment.suspicions.push_back("one part in " + significant(gpus, 4) +
                                    " of the nearest: probably one GPU's rate, or GPUs that each "
                                    "train alone");
    return;
  }
  assessment.suspicions.push_back(sentence_for(kGapsOfRates, ratio, kTooFast));
}

void add_commands(const Pasted& pasted, const Row& chief, std::span<const NearRow> near,
                  Assessment& assessment) {
  if (const auto fields = unsaid(chief); !fields.empty()) {
    std::string option = "scalemark judge " + shell_word(pasted.file) + " --fields ";
    for (const std::string& field : fields)
      option += (field == fields.front() ? "" : ",") + field + "=...";
    assessment.next.push_back(option + "  # it does not say them");
  }
  if (has_bus_bandwidth(chief)) {
    std::string command = "scalemark comm --collectives " + *chief.collective + " --sizes " +
                          collectives::to_text({.count = *chief.bytes});
    if (chief.gpus && chief.nodes.value_or(1) == 1)
      command += " --nproc-per-node " + std::to_string(*chief.gpus);
    assessment.next.push_back(command + "  # there, with what its links allow");
  } else if (!near.empty()) {
    assessment.next.push_back("scalemark reproduce " +
                              published::name_of_table(near.front().row->group) +
                              "  # there: the nearest table, with verdicts");
  } else if (!assessment.impossible.empty()) {
    return;
  } else if (catalogue::find_workload(published::trained_as(chief).workload)) {
    assessment.next.push_back("scalemark train --workload " +
                              published::trained_as(chief).workload +
                              "  # there: the same network without a loader");
  }
}

void cut(std::vector<std::string>& lines) {
  if (lines.size() <= kMostLines) return;
  const std::size_t more = lines.size() - kMostLines;
  lines.resize(kMostLines);
  lines.back() += "; and " + std::to_string(more) + " more: --format json";
}

}  // namespace

Assessment assess(const Pasted& pasted, std::span<const Row> library) {
  Assessment assessment{
      .impossible = pasted.impossible, .unread = pasted.unread, .suspicions = pasted.doubts};
  const Row* chief = chief_of(pasted.rows);
  std::vector<NearRow> near;
  std::optional<double> share;
  if (chief) {
    assessment.measured = measured_text(pasted, *chief);
    if (const auto rate = rate_of_row(*chief)) {
      near = nearest(library, *rate);
      add_published_rates(*rate, near, assessment);
    } else if (has_bus_bandwidth(*chief)) {
      add_published_bandwidth(library, *chief, assessment);
    }
    share = share_of_peak(*chief, assessment);
    suspect(*chief, near, share, assessment);
    add_commands(pasted, *chief, near, assessment);
  }
  assessment.compared = pasted.compared;
  const bool told = pasted.compared > 0 || !near.empty() || share || !assessment.published.empty();
  assessment.exit_code = !assessment.impossible.empty() ? ExitCode::kFail
                         : told                         ? ExitCode::kPass
                                                        : ExitCode::kUnsure;
  return assessment;
}

std::string assessment_text(const Assessment& assessment, const Terminal& terminal) {
  constexpr std::size_t kLabel = 11;
  std::string text;
  const auto add = [&](std::string label, std::vector<std::string> lines, Ink ink = Ink::kDim) {
    cut(lines);
    for (const std::string& line : lines) {
      label.resize(kLabel, ' ');
      const std::string item = wrapped(line, text_width(terminal), kLabel, label);
      text += inked(terminal, ink, label) + item.substr(kLabel);
      label.clear();
    }
  };
  add("measured",
      {assessment.measured.empty() ? "nothing that is known here" : assessment.measured});
  if (!assessment.impossible.empty()) {
    add("cannot be", assessment.impossible, Ink::kRed);
  } else {
    add("cannot be",
        {assessment.compared == 0 ? "no two numbers in it could contradict each other"
                                  : "nothing: " + counted(assessment.compared, "number") +
                                        " could contradict others, and none does"});
  }
  add("unread", assessment.unread);
  add("published", assessment.published.empty()
                       ? std::vector<std::string>{"nothing to compare with"}
                       : assessment.published);
  add("limit", assessment.limits);
  add("probably", assessment.suspicions);
  add("next", assessment.next);
  return text;
}

std::string assessment_json(const Assessment& assessment) {
  return dumped(FieldJson{{"schema", "scalemark.assessment/1"},
                          {"exit_code", static_cast<int>(assessment.exit_code)},
                          {"measured", assessment.measured},
                          {"compared", assessment.compared},
                          {"cannot_be", assessment.impossible},
                          {"unread", assessment.unread},
                          {"published", assessment.published},
                          {"limit", assessment.limits},
                          {"probably", assessment.suspicions},
                          {"next", assessment.next}},
                2) +
         "\n";
}

}  // namespace scalemark::claims
