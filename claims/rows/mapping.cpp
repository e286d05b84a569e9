#include "claims/rows/mapping.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "claims/rows/names.h"
#include "core/base/text.h"
#include "core/catalogue/workload.h"

namespace scalemark::published {
namespace {

// The first entry that fits is taken, so a name that another one contains stands below it.
struct PrintedChip {
  std::string_view word, more;  // a text must hold both
  Chip chip;
  std::string_view memory = {};  // a text must hold it, too: cards of 40 GB are slower than of 80
};
constexpr auto kChips = std::to_array<PrintedChip>({
    {"gb300", "", {"GB300"}},
    {"gb200", "", {"GB200"}},
    {"b300", "", {"B300 SXM6 AC"}},
    {"b200", "", {"B200"}},
    {"gh200", "144", {"GH200 144G HBM3e"}},
    {"gh200", "", {"GH200 480GB"}},
    {"h200", "", {"H200"}},
    {"h100", "pcie", {"H100 PCIe"}},
    {"h100", "nvl", {"H100 NVL"}},
    {"h100", "", {"H100 80GB HBM3"}},
    {"a100", "pcie", {"A100-PCIE-40GB"}, " 40g"},
    {"a100", "pcie", {"A100 80GB PCIe"}},
    {"a100", "", {"A100-SXM4-40GB"}, " 40g"},
    {"a100", "", {"A100-SXM-64GB"}, " 64g"},
    {"a100", "", {"A100-SXM4-80GB"}},
    {"a6000", "", {"RTX A6000"}},
    {"a5000", "", {"RTX A5000"}},
    {"6000 ada", "", {"RTX 6000 Ada Generation"}},
    {"pro 6000", "", {"RTX PRO 6000 Blackwell Workstation Edition"}},
    {"4090", "", {"GeForce RTX 4090"}},
    {"3090", "", {"GeForce RTX 3090"}},
    {"rtx 8000", "", {"Quadro RTX 8000"}},
    {"a10g", "", {"A10G"}},
    {"a10", "", {"A10"}},
    {"a30", "", {"A30"}},
    {"a40", "", {"A40"}},
    {"l40s", "", {"L40S"}},
    {"l40", "", {"L40"}},
    {"l4", "", {"L4"}},
    {"t4", "", {"T4"}},
    {"p100", "", {"P100", true}},
    {"k80", "", {"K80", true}},
    {"v100s", "", {"V100S-PCIE-32GB", true}},
    {"v100", "pcie", {"V100-PCIE-32GB", true}},
    {"v100", "", {"V100-SXM2-32GB", true}},
    {"dgx 1", "", {"V100-SXM2-32GB", true}},
    {"dgx 2", "", {"V100-SXM2-32GB", true}},
    {"dgx 2h", "", {"V100-SXM2-32GB", true}},
});

// Returns lower case, with every character but letters and digits as a blank, and blanks at both
// ends. A count in front of a chip ("4xA100", "8x H100") is cut off, and "40 GB" becomes "40gb".
std::string plain(std::string_view system) {
  std::string text = " ";
  for (const char c : system) {
    const auto byte = static_cast<unsigned char>(c);
    const char kept =
        byte < 128 && std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : ' ';
    const bool counts = kept == 'x' && std::isdigit(static_cast<unsigned char>(text.back()));
    if (counts) {
      text += ' ';
    } else if (kept != ' ' || text.back() != ' ') {
      text += kept;
    }
  }
  text += ' ';
  for (std::size_t at = 0; (at = text.find(" gb ", at)) != std::string::npos; ++at) {
    if (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1]))) text.erase(at, 1);
  }
  return text;
}

}  // namespace

std::optional<Chip> chip_in(std::string_view system) {
  const std::string text = plain(system);
  const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  // An instance (MIG, vGPU) has a part of its chip; these other cards share a number with theirs.
  for (const char* other :
       {" mig ", " grid ", " laptop ", " max q ", " mobile ", " ti ", " super "})
    if (holds(other)) return std::nullopt;
  for (const auto& [word, more, chip, memory] : kChips) {
    if (holds(" " + std::string(word) + " ") && holds(more) && holds(memory)) return chip;
  }
  return std::nullopt;
}

namespace {

struct Translated {
  std::string_view theirs, ours;
};
// These are MLPerf's words: its BERT is BERT-large in pretraining with 512 tokens.
constexpr auto kNetworks =
    std::to_array<Translated>({{"resnet", "resnet50"}, {"bert", "bert-large"}});
constexpr std::int64_t kMlperfSequence = 512;

struct Precisions {
  std::string_view theirs;
  std::string_view ours, second;  // second: set where the source leaves it open
  bool other = false;
};
// Up to Turing, fp32 means fp32. From Ampere on it does only where the source says so.
constexpr auto kPrecisions = std::to_array<Precisions>({{"fp32", "fp32", "", false},
                                                        {"tf32", "tf32", "", false},
                                                        {"fp32_or_tf32", "fp32", "tf32", false},
                                                        {"amp_fp16", "amp-fp16", "", false},
                                                        {"amp_bf16", "amp-bf16", "", false},
                                                        {"amp (submission)", "amp-fp16", "", true},
                                                        {"bf16", "amp-bf16", "", true},
                                                        {"fp16", "amp-fp16", "", true}});
// Sources print these as well, and no run here has them.
constexpr auto kOtherPrecisions =
    std::to_array<std::string_view>({"amp", "fp16_cast", "bf16_cast", "fp8"});

// Published ways of exchanging gradients, and our strategies that do the same.
constexpr auto kStrategies = std::to_array<Translated>({{"BSP-A2A", "flat"},
                                                        {"WFBP-A2A", "ddp"},
                                                        {"MG-WFBP", "ddp"},
                                                        {"BSP-PS", "parameter-server"},
                                                        {"WFBP-PS", "parameter-server"}});
constexpr auto kOtherMethods =
    std::to_array<std::string_view>({"ByteScheduler-A2A", "ByteScheduler-PS"});

template <class List>
auto find_theirs(const List& list, std::string_view word) {
  const auto found =
      std::ranges::find_if(list, [&](const auto& one) { return one.theirs == word; });
  return found == list.end() ? nullptr : &*found;
}

// Returns this program's name of a network; empty: it trains none of that name. Others write
// "ResNet-50", "resnet50v1.5", "bert-base-uncased".
std::string_view own_name_of(std::string_view network) {
  if (const auto* found = find_theirs(kNetworks, network)) return found->ours;
  std::string letters = letters_of(network);
  for (const std::string_view end : {"v15", "uncased", "cased"}) {
    if (letters.ends_with(end)) letters.resize(letters.size() - end.size());
  }
  for (const std::string_view name : catalogue::workload_names()) {
    if (letters_of(name) == letters) return name;
  }
  return {};
}

// Without a ratio these depend on data and on machines that no run here has.
constexpr auto kTimesAndShares =
    std::to_array<std::string_view>({"step_s", "epoch_s", "time_to_train_s", "efficiency"});

bool is_squad(const Row& row) { return row.phase && row.phase->starts_with("squad"); }

std::optional<Untestable> without_number(const Row& row) {
  if (row.untestable)
    return find_word<Untestable>(*row.untestable).value_or(Untestable::kMeaningless);
  // A range is said of any network, one number of a network that the source should name.
  const bool any = row.low || row.high || !row.value;
  if ((row.metric == "speedup" && !row.relative_to && !any) || is_worth_a_speedup(row)) {
    if (row.workload.empty()) return Untestable::kNetworkMissing;
  } else if (!row.relative_to &&
             std::ranges::find(kTimesAndShares, row.metric) != kTimesAndShares.end()) {
    return Untestable::kNumberMissing;
  }
  const bool has_number = row.throughput || !row.metric.empty();
  return has_number ? std::nullopt : std::optional(Untestable::kNumberMissing);
}

// A ratio may be tested on any chip, a rate only on its own.
std::optional<Untestable> of_chip(const Row& row) {
  if (row.relative_to || row.metric == "speedup" || is_worth_a_speedup(row) || row.system.empty())
    return std::nullopt;
  const auto chip = chip_in(row.system);
  if (!chip) return Untestable::kChipUnknown;
  return chip->gone ? std::optional(Untestable::kHardwareGone) : std::nullopt;
}

}  // namespace

std::string sentence_about(Untestable reason) {
  switch (reason) {
    case Untestable::kWorkload:
      return "scalemark does not train this network, or not for this task";
    case Untestable::kPrecision:
      return "scalemark has no such number format (fp8, models cast without fp32 masters)";
    case Untestable::kHardwareGone:
      return "CUDA 13 serves Turing GPUs and later: not V100, P100 and K80";
    case Untestable::kChipUnknown:
      return "the source names no chip, or none of NVIDIA's that is known here";
    case Untestable::kFramework:
      return "it is about a method of another framework";
    case Untestable::kParallelism:
      return "the model is split over GPUs (tensor, pipeline, context, sharded parameters)";
    case Untestable::kRanks:
      return "more ranks are needed than there are";
    case Untestable::kNetworkMissing:
      return "the source names no network; of a file of yours --fields workload=NAME says it";
    case Untestable::kNumberMissing:
      return "the source prints no number, or a time or an efficiency that gives no speed-up";
    case Untestable::kMeaningless:
      return "the number says nothing about training: its note says why";
  }
  return {};
}

bool is_worth_a_speedup(const Row& row) {
  return !row.metric.empty() && row.published_speedup && !row.relative_to;
}

TrainedAs trained_as(const Row& row) {
  TrainedAs trained{.workload = row.workload, .sequence_length = row.sequence_length};
  if (const auto name = own_name_of(row.workload); !name.empty()) trained.workload = name;
  if (is_squad(row)) trained.workload += " " + *row.phase;
  if (row.workload == "bert" && !row.sequence_length) trained.sequence_length = kMlperfSequence;
  if (row.precision.empty()) return trained;
  const auto* precision = find_theirs(kPrecisions, row.precision);
  const bool is_ours = precision && !precision->other;
  trained.precisions = {is_ours ? std::string(precision->ours) : row.precision};
  trained.other_precision = !is_ours;
  if (is_ours && !precision->second.empty()) trained.precisions.emplace_back(precision->second);
  return trained;
}

std::string precision_text(const std::vector<std::string>& precisions) {
  std::string text = joined(precisions, "-or-");
  std::ranges::replace(text, '_', '-');
  return text;
}

std::vector<std::string_view> known_precisions() {
  std::vector<std::string_view> words;
  for (const Precisions& one : kPrecisions) words.push_back(one.theirs);
  words.insert(words.end(), kOtherPrecisions.begin(), kOtherPrecisions.end());
  return words;
}

Mapping map_training(const Row& row) {
  MappedPoint point;
  TrainedAs trained = trained_as(row);
  if (!row.workload.empty()) {
    if (own_name_of(row.workload).empty() || is_squad(row))
      return {.point = {}, .reason = Untestable::kWorkload};
    point.workload = std::move(trained.workload);
  }
  if (!row.precision.empty()) {
    const auto* precision = find_theirs(kPrecisions, row.precision);
    if (!precision) return {.point = {}, .reason = Untestable::kPrecision};
    point.precisions = {std::string(precision->ours)};
    if (!precision->second.empty()) point.precisions.emplace_back(precision->second);
    point.other_precision = precision->other;
  }
  if (std::ranges::find(kOtherMethods, row.framework) != kOtherMethods.end())
    return {.point = {}, .reason = Untestable::kFramework};
  point.world_size = row.gpus;
  point.nodes = row.nodes;
  point.gradient_accumulation_steps = row.gradient_accumulation_steps;
  // Less than one sample per GPU cannot be run.
  const double batch = row.batch_per_gpu.value_or(0);
  if (batch >= 1 && batch < 1e9 && batch == std::floor(batch))
    point.batch_size = static_cast<std::int64_t>(batch);
  point.sequence_length = trained.sequence_length;
  const auto* strategy = find_theirs(kStrategies, row.framework);
  if (row.gpus.value_or(1) > 1) point.strategy = strategy ? strategy->ours : "ddp";
  if (const auto chip = chip_in(row.system)) point.chip = chip->name;
  point.on_cpus = row.backend && *row.backend != "nccl";
  return {.point = std::move(point), .reason = std::nullopt};
}

Mapping map_row(const Row& row) {
  if (const auto reason = without_number(row)) return {.point = {}, .reason = reason};
  Mapping training = map_training(row);
  if (!training.point) return training;
  if (const auto reason = of_chip(row)) return {.point = {}, .reason = reason};
  return training;
}

}  // namespace scalemark::published
