// Options with a fixed set of words: each an enumeration with its one table of names. The names of
// workloads, strategies, backends and launchers come from lists instead.
#pragma once

#include "core/base/words.h"

namespace scalemark::settings {

enum class DeviceKind { kCpu, kCuda };
constexpr auto words_of(DeviceKind) {
  return std::to_array<Word<DeviceKind>>({{DeviceKind::kCpu, "cpu"}, {DeviceKind::kCuda, "cuda"}});
}

// The number format of the arithmetic.
enum class Precision { kFp32, kTf32, kAmpFp16, kAmpBf16 };
constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{Precision::kFp32, "fp32"},
                                         {Precision::kTf32, "tf32"},
                                         {Precision::kAmpFp16, "amp-fp16"},
                                         {Precision::kAmpBf16, "amp-bf16"}});
}
constexpr bool is_half(Precision precision) {
  return precision == Precision::kAmpFp16 || precision == Precision::kAmpBf16;
}

// A sweep or `comm` measures this of its devices besides its points (--checks).
enum class Check { kDevices, kReplay, kHealth };
constexpr auto words_of(Check) {
  return std::to_array<Word<Check>>(
      {{Check::kDevices, "devices"}, {Check::kReplay, "replay"}, {Check::kHealth, "health"}});
}

// Order of image tensors in memory.
enum class MemoryFormat { kChannelsLast, kContiguous };
constexpr auto words_of(MemoryFormat) {
  return std::to_array<Word<MemoryFormat>>(
      {{MemoryFormat::kChannelsLast, "channels-last"}, {MemoryFormat::kContiguous, "contiguous"}});
}

// Which process of strategy parameter-server is the server: rank 0, which also trains, or one
// beside the training ranks.
enum class Server { kRank0, kDedicated };
constexpr auto words_of(Server) {
  return std::to_array<Word<Server>>(
      {{Server::kRank0, "rank0"}, {Server::kDedicated, "dedicated"}});
}

// The format in which gradients travel, where it is not their own.
enum class GradientCompression { kNone, kFp16, kBf16 };
constexpr auto words_of(GradientCompression) {
  return std::to_array<Word<GradientCompression>>({{GradientCompression::kNone, "none"},
                                                   {GradientCompression::kFp16, "fp16"},
                                                   {GradientCompression::kBf16, "bf16"}});
}

enum class LrScaling { kNone, kLinear };
constexpr auto words_of(LrScaling) {
  return std::to_array<Word<LrScaling>>(
      {{LrScaling::kNone, "none"}, {LrScaling::kLinear, "linear"}});
}

// A file that cannot be decoded does this to the run.
enum class OnBadSample { kFail, kSkip };
constexpr auto words_of(OnBadSample) {
  return std::to_array<Word<OnBadSample>>(
      {{OnBadSample::kFail, "fail"}, {OnBadSample::kSkip, "skip"}});
}

// How an image of a JPEG file becomes RGB at the network's size.
enum class ImageDecoding { kExact, kFast };
constexpr auto words_of(ImageDecoding) {
  return std::to_array<Word<ImageDecoding>>(
      {{ImageDecoding::kExact, "exact"}, {ImageDecoding::kFast, "fast"}});
}

// Training does this to an image beside crop and flip.
enum class Augment { kBasic, kTrivial, kRandAugment, kColourJitter };
constexpr auto words_of(Augment) {
  return std::to_array<Word<Augment>>({{Augment::kBasic, "basic"},
                                       {Augment::kTrivial, "trivial"},
                                       {Augment::kRandAugment, "randaugment"},
                                       {Augment::kColourJitter, "colour-jitter"}});
}

enum class LogFormat { kText, kJson };
constexpr auto words_of(LogFormat) {
  return std::to_array<Word<LogFormat>>({{LogFormat::kText, "text"}, {LogFormat::kJson, "json"}});
}

// How a fixed global batch is kept with fewer ranks.
enum class StrongBy { kBatch, kAccumulation };
constexpr auto words_of(StrongBy) {
  return std::to_array<Word<StrongBy>>(
      {{StrongBy::kBatch, "batch"}, {StrongBy::kAccumulation, "accumulation"}});
}

// Which ranks a smaller point of a sweep gets: whole nodes first, or one of each node in turn.
enum class Placement { kFill, kSpread };
constexpr auto words_of(Placement) {
  return std::to_array<Word<Placement>>(
      {{Placement::kFill, "fill"}, {Placement::kSpread, "spread"}});
}

// Which links `comm --pairs` measures between two nodes: those of their first ranks, or of each
// rank with the rank at the same place on the other node, all at once.
enum class PairBy { kNode, kRank };
constexpr auto words_of(PairBy) {
  return std::to_array<Word<PairBy>>({{PairBy::kNode, "node"}, {PairBy::kRank, "rank"}});
}

}  // namespace scalemark::settings
