// The meaning of a column of somebody's table, by its header. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::tables {

enum class ColumnKind {
  kOther,
  kGpus,
  kNodes,
  kGpusPerNode,
  kChip,
  kNetwork,
  kPrecision,
  kSequence,
  kVariant,   // a size of the network
  kParallel,  // a way or degree of splitting a network, which leaves fewer copies than GPUs
  kBatch,     // a batch per GPU, per step, or of all GPUs
  kBatchPerGpu,
  kGlobalBatch,
  kAccumulation,
  kRate,
  kRatePerGpu,
  kSpeedup,
  kEfficiency,
  kMfu,
  kPrecisionRatio,
  kStepTime,
  kTime,
  kEpochTime,
  kSampleTime,
  kSamples,
  kEpochs,
  kSteps,
  kGpuHours,
  kFlops,     // FLOP per second that a run reached
  kAccuracy,  // the trained network has it
};

struct ColumnMeaning {
  ColumnKind kind = ColumnKind::kOther;
  std::vector<std::string> precisions;  // ordered as in the header
  // Converts the column's unit into seconds or samples per second, and per cents into shares.
  double factor = 1;
  bool gain = false;                   // a speed-up is printed as what is added to 100 %
  std::string unit;                    // set for a rate: "img/s"
  std::vector<std::string> own_words;  // words that distinguish it within its kind: "DDP"
};

// Whether the column holds rates, in all or per GPU.
bool is_rate_kind(ColumnKind kind);
// Whether the column holds times of a step, of an epoch, or in all.
bool is_time_kind(ColumnKind kind);
// Whether the column holds speed-ups or efficiencies.
bool is_ratio_kind(ColumnKind kind);
// Whether the column holds what a run reached: a rate, a time, a speed-up, an efficiency, an MFU.
bool is_measure(ColumnKind kind);

// Whether both share a word that distinguishes them within their kinds: "DDP images/s", "DDP
// speed-up".
bool share_a_word(const ColumnMeaning& a, const ColumnMeaning& b);

// Reads a header by words that such tables use: "GPUs", "Throughput - mixed precision", "Speed-up
// (8 GPUs)", "Efficiency %", "Time per epoch (min)". Markup does not count.
ColumnMeaning meaning_of(std::string_view header);

// Returns the rate, time or speed-up that a sentence about a table names ("Training throughput in
// images/s"). Returns kOther where it names none, or both a rate and a time.
ColumnMeaning meaning_of_prose(std::string_view sentence);

// Lists the precisions that a text names, in its order: "TF32 (A100)" -> "tf32", "mixed precision"
// -> "amp", "bfloat16" -> "bf16".
std::vector<std::string> precisions_in(std::string_view text);

}  // namespace scalemark::tables
