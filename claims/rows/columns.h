// A column of somebody's table holds what its header says. Pure.
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
  kParallel,  // a way or a degree of splitting a network: its copies are fewer than the GPUs
  kBatch,     // whatever batch: per GPU, per step, or of all
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
  kSamples,
};

struct ColumnMeaning {
  ColumnKind kind = ColumnKind::kOther;
  std::vector<std::string> precisions;  // in the order of the header
  double factor = 1;  // turns the column's unit into seconds, per cents into shares
  std::string unit;   // set for a rate: "img/s"
  std::vector<std::string> own_words;  // words that distinguish it within its kind: "DDP"
};

// A rate, in all or per GPU.
bool is_rate_kind(ColumnKind kind);
// A time of a step, of an epoch, or in all.
bool is_time_kind(ColumnKind kind);
// A speed-up, or an efficiency.
bool is_ratio_kind(ColumnKind kind);
// These are what a run reached: a rate, a time, a speed-up, an efficiency, an MFU.
bool is_measure(ColumnKind kind);

// Whether a word tells both from others of their kind: "DDP images/s", "DDP speed-up".
bool share_a_word(const ColumnMeaning& a, const ColumnMeaning& b);

// By words that such tables use: "GPUs", "Throughput - mixed precision", "Speed-up (8 GPUs)",
// "Efficiency %", "Time per epoch (min)". Markup does not count.
ColumnMeaning meaning_of(std::string_view header);

// A rate, a time or a speed-up that a sentence about a table names ("Training throughput in
// images/s"); kOther where it names none, or a rate and a time.
ColumnMeaning meaning_of_prose(std::string_view sentence);

// "TF32 (A100)" -> "tf32", "mixed precision" -> "amp", "bfloat16" -> "bf16"; in the order of the
// text.
std::vector<std::string> precisions_in(std::string_view text);

}  // namespace scalemark::tables
