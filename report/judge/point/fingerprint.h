// Devices are judged by themselves: from timed calls to the rates of a machine's fingerprint, what
// datasheets say a GPU does at most, how much of either a point reached, and which devices computed
// other bits than they should have. Pure; knows no clock and no device.
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

// Calls that were timed in blocks of equally many.
struct TimedCalls {
  std::vector<double> call_s;  // one for each block: mean seconds of a call
  std::int64_t calls_per_block = 1;
};

// Sets value, ci95, n and seconds: value = work of a call / mean call, ci95 from the batch means of
// the blocks (statistics::batch_means_interval; absent for fewer than ten blocks). Where no time
// passed there is a reason instead. Source: docs/METRICS.md, "The machine's fingerprint".
void set_rate(FingerprintRecord& record, const TimedCalls& calls, double work_per_call);

// Marks the values of a report of `doctor --measure` with what throttled or shared the machine
// meanwhile, by its telemetry, and adds a finding for each kind.
void mark_disturbed(Report& report);

// A product of two square matrices of `size` takes 2 size^3, a multiply-add counted as two.
double matrix_product_flops(std::int64_t size);

// The number format of a point's matrix products: "amp-bf16" -> "bf16", "fp32" -> "fp32".
std::string number_format(std::string_view precision);

// X F / sum over its ranks of the matrix product measured on the rank's host: of the same device
// kind and number format and, on a CPU, as many threads as the point's. Absent unless every rank
// has one that nothing disturbed. Source: docs/METRICS.md, "MFU".
std::optional<double> mfu_of_measured_gemm(const PointRecord& point,
                                           std::span<const FingerprintRecord> fingerprint);

// A GPU can do this much at most: dense matrix throughput and memory bandwidth from NVIDIA's
// datasheets.
struct Peak {
  double per_sec;      // FLOP/s or B/s
  std::string source;  // datasheet, and of FLOP/s the number format
};

// `gpu_name` as the driver says it ("NVIDIA H200"), `precision` as in settings (fp32, tf32,
// amp-fp16, amp-bf16) or as a format of numbers (fp16, bf16). Absent for a GPU that is not in the
// table, MIG slices among them, and for a precision its matrix units lack: an MFU against a guessed
// peak would be worse than none.
std::optional<Peak> peak_flops(std::string_view gpu_name, std::string_view precision);

// Bytes per second of the GPU's memory. Absent for a GPU or a number that is not in the table.
std::optional<Peak> peak_memory_bandwidth(std::string_view gpu_name);

// --- Devices may compute other bits than they should have (--checks replay). docs/METRICS.md, "The
// same bits", has the rule.

enum class BitsOutcome {
  kSame,    // nothing speaks against it: the others of its method are equal, or there are none
  kWrong,   // other bits than its own first round or session, or than more than half of three
  kDiffer,  // others of its method have other bits, and which are right cannot be told
  kNotDone  // there are no bits: out of memory, or it was interrupted
};

struct JudgedReplay {
  const ReplayRecord* replay = nullptr;
  BitsOutcome outcome = BitsOutcome::kSame;
  std::string why;  // unless kSame: one sentence without the device's name
};

// Judges what was done, in its order. Devices are told apart by uuid, else by host, device and
// rank: several records of one device count once in its class, and where they differ from each
// other not at all.
std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays);

// One per device, work and precision: wrong_bits, or bits_differ. Nothing of what was not done.
std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays);

}  // namespace scalemark::reporting
