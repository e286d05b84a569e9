// Maps a published number, and the words for its chip, to what scalemark would run to test it, or
// says why it cannot. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/row.h"
#include "core/base/words.h"

namespace scalemark::published {

// The chip that the words of a table mean.
struct Chip {
  std::string_view name;  // CUDA's name without the maker; for a family of chips the fastest one
  bool gone = false;      // true: Turing or older, which CUDA 13 does not serve
};

// "NVIDIA DGX A100 (8x A100 80GB)" -> A100-SXM4-80GB. Returns nothing where the words name no
// NVIDIA chip that is known here, or an instance of one (MIG).
std::optional<Chip> chip_in(std::string_view system);

// Why this program cannot test a number.
enum class Untestable {
  kWorkload,
  kPrecision,
  kHardwareGone,
  kChipUnknown,
  kFramework,
  kParallelism,
  kRanks,
  kNetworkMissing,
  kNumberMissing,
  kMeaningless
};
constexpr auto words_of(Untestable) {
  return std::to_array<Word<Untestable>>({{Untestable::kWorkload, "workload"},
                                          {Untestable::kPrecision, "precision"},
                                          {Untestable::kHardwareGone, "hardware_gone"},
                                          {Untestable::kChipUnknown, "chip_unknown"},
                                          {Untestable::kFramework, "framework"},
                                          {Untestable::kParallelism, "parallelism"},
                                          {Untestable::kRanks, "ranks"},
                                          {Untestable::kNetworkMissing, "network_missing"},
                                          {Untestable::kNumberMissing, "number_missing"},
                                          {Untestable::kMeaningless, "meaningless"}});
}

// Returns one sentence about the reason.
std::string sentence_about(Untestable reason);

// The network and the number formats of a row, by scalemark's names where it has them, else by the
// source's. Whether this program can test them is map_row()'s question.
struct TrainedAs {
  std::string workload;                 // "bert-large squad1.1": another task than pretraining
  std::vector<std::string> precisions;  // two where the source leaves it open; empty: not said
  bool other_precision = false;         // scalemark has no such format, or not exactly
  std::optional<std::int64_t> sequence_length;
};
TrainedAs trained_as(const Row& row);

// Writes number formats as --precision takes them, and --fields, too: "amp-fp16", "fp32-or-tf32".
std::string precision_text(const std::vector<std::string>& precisions);

// Lists the words for number formats that rows may have: "amp_bf16", "fp8".
std::vector<std::string_view> known_precisions();

// The point that tests a row of a scaling table.
struct MappedPoint {
  std::string workload;
  std::vector<std::string> precisions;  // two where the source leaves it open: both are run
  // Whether `precisions` holds the nearest one instead of the source's. Then only ratios are
  // judged.
  bool other_precision = false;
  std::optional<std::int64_t> world_size, nodes, batch_size, gradient_accumulation_steps,
      sequence_length;
  std::string strategy;  // ddp unless the source names another one; empty for one rank
  std::string chip;      // empty: none is named
  bool on_cpus = false;  // its backend exchanges between processes on CPUs, too
};

// Whether the row's own number is a time or an efficiency, from which its speed-up over the first
// row of its series follows, or that speed-up itself. Only the speed-up can be tested.
bool is_worth_a_speedup(const Row& row);

// Exactly one of the two is set.
struct Mapping {
  std::optional<MappedPoint> point;
  std::optional<Untestable> reason;
};
// docs/PUBLISHED.md, "What would be run", lists the words that are known.
Mapping map_row(const Row& row);

// Returns the training of a row as it is, whether or not its number claims anything and its chip is
// known: a speed-up may count from it.
Mapping map_training(const Row& row);

}  // namespace scalemark::published
