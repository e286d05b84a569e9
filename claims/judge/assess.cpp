// Says of a log or a table that somebody pastes what it measured, what in it cannot be true, where
// it stands among published rows and beside the chip's limits, and what is probably wrong.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "claims/judge/claims.h"
#include "claims/lint/inputs.h"
#include "claims/rows/arithmetic.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/catalogue/workload.h"
#include "core/collectives/collective.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::claims {
namespace {

using published::Row;

constexpr std::size_t kFewest = 5;  // a percentile of fewer rows says nothing
// Damaged digits make numbers that no machine has.
bool is_sane(double value) { return value > 0 && value < 1e15; }

}  // namespace

bool is_rate(const Row& row) {
  return row.metric.empty() && row.throughput && is_sane(*row.throughput);
}

namespace {

bool has_bus_bandwidth(const Row& row) {
  return row.collective && row.bytes && row.value && is_sane(*row.value) &&
         row.metric == "busbw_GBps";
}

// Returns the rate of the most GPUs, else the bandwidth of the largest message, which says most.
const Row* chief_of(std::span<const Row> rows) {
  const Row* chief = nullptr;
  for (const Row& row : rows) {
    if (is_rate(row) &&
        (!chief || std::pair(row.gpus, row.nodes) > std::pair(chief->gpus, chief->nodes)))
      chief = &row;
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

// Our own reports name the chip of a GPU; without one the ranks are processes on CPUs.
std::string noun_of(const Row& row) {
  return row.framework == "scalemark" && row.system.empty() ? "rank" : "GPU";
}

std::string work_text(const Row& row) {
  std::vector<std::string> words;
  if (!row.workload.empty()) words.push_back(row.workload);
  if (!row.precision.empty()) words.push_back(published::precision_text({row.precision}));
  if (row.batch_per_gpu)
    words.push_back("batch " + significant(*row.batch_per_gpu, 6) + " a " + noun_of(row));
  if (row.sequence_length) words.push_back("length " + std::to_string(*row.sequence_length));
  if (!row.system.empty()) words.push_back(row.system);
  return words.empty() ? "" : ": " + joined(words, ", ");
}

std::string rate_text(std::span<const Row> rows, const Row& row) {
  std::string text = readable(*row.throughput) + " " + row.unit;
  if (!row.gpus)
    return text + (row.nodes ? " on " + counted(*row.nodes, "node") : "") + work_text(row);
  const auto gpus = static_cast<double>(*row.gpus);
  text += " on " + counted(*row.gpus, noun_of(row));
  if (*row.gpus > 1) text += ", " + readable(*row.throughput / gpus) + " a " + noun_of(row);
  if (const Row* first = first_of(rows, row)) {
    const double speedup = *row.throughput / *first->throughput;
    const double more = gpus / static_cast<double>(*first->gpus);
    text += ", " + significant(speedup, 3) + " times " + counted(*first->gpus, noun_of(row)) +
            " (" + percent(speedup / more, 0) + ")";
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
  if (!row.value || !is_sane(*row.value)) return "no rate" + work_text(row);
  const bool is_time = row.metric.ends_with("_s");
  const std::string what = is_time ? row.metric.substr(0, row.metric.size() - 2) : row.metric;
  return what + " " + (is_time ? duration_text(*row.value) : significant(*row.value, 4)) +
         (row.gpus ? " on " + counted(*row.gpus, "GPU") : "") + work_text(row);
}

std::string measured_text(const Pasted& pasted, const Row& chief) {
  const std::string text = is_rate(chief)             ? rate_text(pasted.rows, chief)
                           : has_bus_bandwidth(chief) ? bandwidth_text(pasted.rows, chief)
                                                      : other_text(chief);
  return text + " (" + pasted.form + (pasted.place.empty() ? "" : ", " + pasted.place) + ")";
}

bool needs_length(const Row& row) {
  const auto trained = published::trained_as(row);
  const auto* network = catalogue::find_workload(trained.workload);
  return network && network->transformer && !trained.sequence_length;
}

// Lists the fields that a comparison needs and the text does not say.
std::vector<std::string> unsaid(const Row& row) {
  std::vector<std::string> fields;
  if (!row.gpus && !row.nodes) fields.emplace_back("gpus");
  if (row.system.empty()) fields.emplace_back("system");
  // A log of steps without their batch becomes a rate by it.
  const bool is_of_steps = row.metric == "step_s" && row.gradient_accumulation_steps;
  if (is_of_steps && !row.batch_per_gpu && !row.global_batch_size)
    fields.emplace_back("batch_per_gpu");
  if (!is_rate(row) && !is_of_steps) return fields;
  if (row.workload.empty()) fields.emplace_back("workload");
  if (row.precision.empty()) fields.emplace_back("precision");
  if (needs_length(row)) fields.emplace_back("seq_len");
  return fields;
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

// Tells the bandwidth of the same collective on the same chip, of the nearest count and size.
void add_published_bandwidth(std::span<const Row> library, const Row& own, Assessment& assessment) {
  const auto chip = published::chip_in(own.system);
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
  };
  std::pair<double, const Row*> best{};
  for (const Row& row : library) {
    if (!chip || !has_bus_bandwidth(row) || row.collective != own.collective) continue;
    const auto theirs = published::chip_in(row.system);
    if (!theirs || theirs->name != chip->name) continue;
    const double gpus = own.gpus && row.gpus ? apart(*row.gpus, *own.gpus) : 0;
    const std::pair one(1000 * gpus + apart(*row.bytes, *own.bytes), &row);
    if (!best.second || one.first < best.first) best = one;
  }
  if (!best.second) return;
  const Row& first = *best.second;
  assessment.published.push_back("nearest: " + percent(*own.value / *first.value, 0) + " of " +
                                 significant(*first.value, 4) + " GB/s for " +
                                 collectives::to_text({.count = *first.bytes}) +
                                 (first.gpus ? " on " + counted(*first.gpus, "GPU") : "") + " (" +
                                 published::name_of_table(first.group) + ", " + first.id + ")");
}

// Tells the share of the chip's arithmetic, or of the links of a node, and returns it.
std::optional<double> share_of_peak(const Row& row, Assessment& assessment) {
  if (const auto rate = rate_of(row)) {
    const auto of_chip = published::arithmetic_of(row);
    if (!of_chip) return std::nullopt;
    const double share = rate->samples_per_sec * of_chip->flops_of_sample /
                         (static_cast<double>(rate->gpus) * of_chip->peak_per_sec);
    const std::string text = "MFU " + percent(share) + ": " +
                             significant(of_chip->flops_of_sample / 1e9, 3) + " GFLOP a sample, " +
                             significant(of_chip->peak_per_sec / 1e12, 4) + " TFLOP/s a GPU (" +
                             of_chip->source + ")";
    const bool any_size = row.framework == "timm" || row.framework.ends_with("references)");
    auto& lines = any_size ? assessment.suspicions : assessment.impossible;  // images' size unsaid
    (share <= 1 ? assessment.limits : lines).push_back(text);
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

// The sentence says where to look for the reason of so small a share.
struct Gap {
  double below;
  const char* sentence;
};
constexpr Gap kGapsOfRates[] = {
    {0.35,
     "a third of it and less: look for one GPU's rate among totals, steps that are counted "
     "instead of samples, another size of input, or a device that others use"},
    {0.6,
     "about half of it: look for a loader that is too slow, a number format that was asked "
     "for and is not used, and clocks or a power limit"},
    {0.85,
     "15 to 40 % below: look for the loader, a small batch, an older library, and clocks or "
     "a power limit"},
    {1.25, "as the nearest: nothing stands out"}};
constexpr const char* kTooFast =
    "above the nearest by a quarter and more: is it the rate of all GPUs, are tokens counted, or is "
    "the network or the size of its input another one?";
constexpr Gap kGapsOfLinks[] = {
    {0.15,
     "far below: look for PCIe through the host instead of NVLink, peer access that is "
     "switched off, and a message that is too small"},
    {0.7,
     "a part of it: look for PCIe instead of NVLink, fewer links than the GPUs have, and a "
     "message that is too small"},
    {1.0, "as the links allow: nothing stands out"},
    {1.3, "above the links: NVLink SHARP, which adds in the switch, does that on H100 and newer"}};
constexpr const char* kTooWide =
    "more than NVLink SHARP explains: is the chip or the number of ranks another one?";

std::string sentence_for(std::span<const Gap> gaps, double share, const char* above) {
  for (const Gap& one : gaps) {
    if (share < one.below) return one.sentence;
  }
  return above;
}

void suspect(const Row& chief, std::span<const NearRow> near,
             const std::optional<double>& share_of_peak, Assessment& assessment) {
  constexpr double kAlike = 1.5;            // nearest rows that differ by more explain no gap
  constexpr double kSame = 0.1, kMany = 4;  // half of a rate has many reasons
  if (has_bus_bandwidth(chief)) {
    if (share_of_peak)
      assessment.suspicions.push_back(sentence_for(kGapsOfLinks, *share_of_peak, kTooWide));
    return;
  }
  // Without a number format the nearest row may be one of half or twice the speed.
  if (near.empty() || !has_equal_bits(near.front())) return;
  if (published::trained_as(chief).precisions.empty()) return;
  const auto [low, high] = std::ranges::minmax(equally_near(near), {}, &NearRow::ratio);
  const double most = high.ratio;
  if (most > kAlike * low.ratio) return;
  const auto gpus = static_cast<double>(chief.gpus.value_or(1));
  if (gpus >= kMany && std::abs(most * gpus - 1) < kSame) {
    assessment.suspicions.push_back("one part in " + significant(gpus, 4) +
                                    " of the nearest: probably one GPU's rate, or GPUs that each "
                                    "train alone");
    return;
  }
  assessment.suspicions.push_back(sentence_for(kGapsOfRates, most, kTooFast));
}

// Returns the option that starts as many ranks; empty where one node has not so many GPUs.
std::string ranks_of_one_node(const Row& row) {
  constexpr std::int64_t kMostInANode = 8;
  const auto gpus = row.gpus.value_or(1);
  if (row.nodes.value_or(1) > 1 || gpus < 2 || gpus > kMostInANode) return "";
  return " --nproc-per-node " + std::to_string(gpus);
}

// Returns the options of `comm` that measure the same; empty: it has no such collective.
std::string options_of_comm(const Row& row) {
  const auto collective = find_word<collectives::Collective>(*row.collective);
  if (!collective) return "";
  std::string options = "--collectives " + *row.collective + " --sizes " +
                        collectives::to_text({.count = *row.bytes});
  return options + ranks_of_one_node(row);
}

// Writes what the row says of its training, for the one command that would repeat it in a node.
std::string options_of_train(const Row& row) {
  std::string options;
  const auto precisions = published::trained_as(row).precisions;
  if (precisions.size() == 1) options += " --precision " + precisions.front();
  if (row.batch_per_gpu && *row.batch_per_gpu == std::floor(*row.batch_per_gpu))
    options += " --batch-size " + std::to_string(std::llround(*row.batch_per_gpu));
  if (const auto size = row.conditions.find("image_size"); size != row.conditions.end())
    options += " --image-size " + size->second;
  const auto* network = catalogue::find_workload(published::trained_as(row).workload);
  if (row.sequence_length && network && network->transformer)
    options += " --sequence-length " + std::to_string(*row.sequence_length);
  if (row.gradient_accumulation_steps.value_or(1) > 1)
    options += " --gradient-accumulation-steps " + std::to_string(*row.gradient_accumulation_steps);
  return options + ranks_of_one_node(row);
}

// Returns the nearest row that this program can run; null: none.
const Row* runnable_in(std::span<const NearRow> near) {
  const auto found = std::ranges::find_if(
      near, [](const NearRow& one) { return published::map_row(*one.row).point.has_value(); });
  return found == near.end() ? nullptr : found->row;
}

void add_commands(const Pasted& pasted, const Row& chief, std::span<const NearRow> near,
                  Assessment& assessment) {
  if (const auto fields = unsaid(chief); !fields.empty()) {
    std::string option = "scalemark judge " + shell_word(pasted.file) + " --fields ";
    for (const std::string& field : fields) {
      std::string wanted = field;  // "gpus=GPUS": the reader puts the value there
      std::ranges::transform(wanted, wanted.begin(),
                             [](unsigned char c) { return std::toupper(c); });
      option += (field == fields.front() ? "" : ",") + field + "=" + wanted;
    }
    assessment.next.push_back(option);
  }
  if (has_bus_bandwidth(chief)) {
    if (const std::string options = options_of_comm(chief); !options.empty())
      assessment.next.push_back("scalemark comm " + options);
  } else if (const Row* row = runnable_in(near)) {
    assessment.next.push_back("scalemark reproduce " + published::name_of_table(row->group));
  } else if (!pasted.repeat.empty()) {
    assessment.next.push_back(pasted.repeat);
  } else if (const auto* network =
                 catalogue::find_workload(published::trained_as(chief).workload)) {
    assessment.next.push_back("scalemark train --workload " + network->name +
                              options_of_train(chief));
  }
}

}  // namespace

Assessment assess(const Pasted& pasted, std::span<const Row> library) {
  Assessment assessment{
      .impossible = pasted.impossible, .unread = pasted.unread, .suspicions = pasted.doubts};
  const Row* chief = chief_of(pasted.rows);
  const std::vector<Row> measures = lint::believable(library);
  std::vector<NearRow> near;
  std::optional<double> share;
  if (chief) {
    assessment.measured = measured_text(pasted, *chief);
    if (const auto rate = rate_of(*chief)) {
      near = nearest(measures, *rate);
      add_published_rates(*rate, near, assessment);
    } else if (has_bus_bandwidth(*chief)) {
      add_published_bandwidth(measures, *chief, assessment);
    }
    share = share_of_peak(*chief, assessment);
    suspect(*chief, near, share, assessment);
    add_commands(pasted, *chief, near, assessment);
  }
  assessment.compared = pasted.compared;
  assessment.notes = pasted.notes;
  const bool told =
      assessment.is_compared() || !near.empty() || share || !assessment.suspicions.empty();
  assessment.exit_code = !assessment.impossible.empty() ? ExitCode::kFail
                         : told                         ? ExitCode::kPass
                                                        : ExitCode::kUnsure;
  return assessment;
}

}  // namespace scalemark::claims
