// From timed calls to the rates of a machine's fingerprint, and how much of a measured matrix
// product a point reached. Pure; knows no clock and no device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/reporting/record/records.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// Calls that were timed in blocks of equally many.
struct TimedCalls {
  std::vector<double> call_s;  // of each block: mean seconds of a call
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

}  // namespace scalemark::reporting
