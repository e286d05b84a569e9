// A column of somebody's table holds what its header says. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::lint {

enum class ColumnKind {
  kOther,
  kGpus,
  kNodes,
  kGpusPerNode,
  kChip,
  kNetwork,
  kPrecision,
  kSequence,
  kBatch,  // whatever batch: per GPU, per step, or of all
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
  std::vector<std::string> precisions;  // that the header names, in its order
  double factor = 1;                    // to seconds, or from a per cent
  std::string unit;                     // of a rate: "img/s"
  std::vector<std::string> own_words;   // what tells it from others of its kind: "DDP"
};

// A rate, in all or per GPU.
bool is_rate_kind(ColumnKind kind);

// Whether a word tells both from others of their kind: "DDP images/s", "DDP speed-up".
bool share_a_word(const ColumnMeaning& a, const ColumnMeaning& b);

// By words that such tables use: "GPUs", "Throughput - mixed precision", "Speed-up (8 GPUs)",
// "Efficiency %", "Time per epoch (min)". Markup does not count.
ColumnMeaning meaning_of(std::string_view header);

// "TF32 (A100)" -> "tf32", "mixed precision" -> "amp", "bfloat16" -> "bf16"; in the order of the
// text.
std::vector<std::string> precisions_in(std::string_view text);

}  // namespace scalemark::lint
