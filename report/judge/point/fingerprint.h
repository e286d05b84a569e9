// Judges devices by themselves: the rates of a machine's fingerprint from timed calls, what
// datasheets say a GPU does at most, how much of either a point reached, and which devices computed
// wrong bits. Pure; knows no clock and no device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/records.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Calls that were timed in blocks of equal length.
struct TimedCalls {
  std::vector<double> call_s;  // mean seconds of a call, one per block
  std::int64_t calls_per_block = 1;
};

// Sets value, ci95, n and seconds. value = work of a call / mean call; ci95 comes from the batch
// means of the blocks (statistics::batch_means_interval), and is unset for fewer than ten blocks.
// Where no time passed there is a reason instead. Source: METRICS.md, "The machine's
// fingerprint".
void set_rate(FingerprintRecord& record, const TimedCalls& calls, double work_per_call);

// Marks the values in a report of `doctor --measure` with what throttled or shared the machine
// meanwhile, by its telemetry, and adds a finding for each kind.
void mark_disturbed(Report& report);

// Returns 2 size^3: the product of two square matrices, with a multiply-add counted as two.
double matrix_product_flops(std::int64_t size);

// Returns the number format of a point's matrix products: "amp-bf16" -> "bf16", "fp32" -> "fp32".
std::string number_format(std::string_view precision);

// X F divided by the sum, over the point's ranks, of the matrix product measured on the rank's
// host: with the same kind of device and number format and, on a CPU, as many threads as the
// point's. Returns nothing unless every rank has an undisturbed one. Source: METRICS.md,
// "MFU".
std::optional<double> mfu_of_measured_gemm(const PointRecord& point,
                                           std::span<const FingerprintRecord> fingerprint);

// The most that a GPU can do: dense matrix throughput and memory bandwidth from NVIDIA's
// datasheets.
struct Peak {
  double per_sec;      // FLOP/s or B/s
  std::string source;  // the datasheet and, for FLOP/s, the number format
};

// `gpu_name` is the driver's ("NVIDIA H200"); `precision` is a setting (fp32, tf32, amp-fp16,
// amp-bf16) or a number format (fp16, bf16). Returns nothing for a GPU that is not in the table,
// such as a MIG slice, and for a precision that its matrix units lack: an MFU against a guessed
// peak would be worse than none.
std::optional<Peak> peak_flops(std::string_view gpu_name, std::string_view precision);

// Returns bytes per second of the GPU's memory, or nothing where the table has no number for it.
std::optional<Peak> peak_memory_bandwidth(std::string_view gpu_name);

// Returns bytes per second, one way, of all NVLinks of the GPU; nothing for one without, and for
// cards that bridges join in pairs.
std::optional<Peak> peak_nvlink(std::string_view gpu_name);

// --- A device may compute wrong bits (--checks replay). The rule is in METRICS.md, "The same
// bits".

enum class BitsOutcome {
  kSame,    // the same as all others of its method, or there are none
  kWrong,   // unlike its own first round or session, or unlike most of at least three
  kDiffer,  // others of its method have other bits, and it is unknown which are right
  kNotDone  // there are no bits: out of memory, or interrupted
};

struct JudgedReplay {
  const ReplayRecord* replay = nullptr;
  BitsOutcome outcome = BitsOutcome::kSame;
  std::string why;  // one sentence without the device's name; empty for kSame
};

// Judges the results in their order. A device is identified by its uuid, else by host, device and
// rank. Several records of one device count once among those of its method, and do not count if
// they differ from each other.
std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays);

// Returns one finding per device, work and precision: wrong_bits or bits_differ. Work that was not
// done has none.
std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays);

}  // namespace scalemark::reporting
