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

// The chip that a table's words about a machine mean.
struct Chip {
  std::string_view name;  // CUDA's name without the maker; for a family, its fastest chip
  bool gone = false;      // older than what CUDA 13 serves (Turing)
};

// "NVIDIA DGX A100 (8x A100 80GB)" -> A100-SXM4-80GB. Absent where the words name no chip of
// NVIDIA's that we know.
std::optional<Chip> chip_in(std::string_view system);

// A closed list: why a number cannot be tested by this program.
enum class Untestable {
  kWorkload,
  kPrecision,
  kHardwareGone,
  kChipUnknown,
  kFramework,
  kParallelism,
  kRanks,
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
                                          {Untestable::kNumberMissing, "number_missing"},
                                          {Untestable::kMeaningless, "meaningless"}});
}

// One sentence about each.
std::string sentence_about(Untestable reason);

// A point that tests a row of a scaling table.
struct MappedPoint {
  std::string workload;
  std::vector<std::string> precisions;  // two where the source leaves it open: both are run
  bool other_precision = false;         // the nearest one: speed-ups only
  std::optional<std::int64_t> world_size, nodes, batch_size, gradient_accumulation_steps,
      sequence_length;
  std::string strategy;  // ddp unless the source says otherwise; empty for one rank
  std::string chip;      // empty: none is named
};

// One of the two is there.
struct Mapping {
  std::optional<MappedPoint> point;
  std::optional<Untestable> reason;
};
// The words that are known are in the table of docs/PUBLISHED.md, "What would be run".
Mapping map_row(const Row& row);

}  // namespace scalemark::published
