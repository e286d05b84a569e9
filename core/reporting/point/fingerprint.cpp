#include "core/reporting/point/fingerprint.h"

#include <algorithm>

#include "core/reporting/point/disturbances.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

// "cuda:0" and "cuda:1" are of one kind: the first rank's GPU stands for those of its host.
bool same_kind(std::string_view device, std::string_view other) {
  return device.substr(0, device.find(':')) == other.substr(0, other.find(':'));
}

std::optional<double> measured_gemm(const PointRecord& point, const RankRecord& rank,
                                    std::span<const FingerprintRecord> fingerprint) {
  const bool on_cpu = point.device == "cpu";
  const std::string format = number_format(point.precision);
  const auto found = std::ranges::find_if(fingerprint, [&](const FingerprintRecord& record) {
    return record.what == MachineRate::kMatrixProduct && record.disturbed.empty() &&
           record.host == rank.host && same_kind(record.device, point.device) &&
           record.precision == format && (!on_cpu || record.threads == point.threads);
  });
  return found == fingerprint.end() ? std::nullopt : found->value;
}

}  // namespace

void set_rate(FingerprintRecord& record, const TimedCalls& calls, double work_per_call) {
  const double call_s = calls.call_s.empty() ? 0 : statistics::mean(calls.call_s);
  if (!(call_s > 0)) {
    record.reason = "no time passed";
    return;
  }
  record.n = static_cast<std::int64_t>(calls.call_s.size()) * calls.calls_per_block;
  record.seconds = call_s * static_cast<double>(record.n);
  record.value = work_per_call / call_s;
  const auto interval = statistics::batch_means_interval(calls.call_s);
  if (!interval || !(interval->low > 0)) return;
  record.ci95 = {work_per_call / interval->high, work_per_call / interval->low};
}

void mark_disturbed(Report& report) {
  const auto found = disturbances_of(report.telemetry, report.environment.hosts);
  for (FingerprintRecord& record : report.fingerprint) {
    if (!record.value) continue;
    record.disturbed = in_words(found);
    record.disturbed_by = codes_of(found);
  }
  report.findings.insert(report.findings.end(), found.begin(), found.end());
}

double matrix_product_flops(std::int64_t size) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

std::string number_format(std::string_view precision) {
  constexpr std::string_view kAutocast = "amp-";
  if (precision.starts_with(kAutocast)) precision.remove_prefix(kAutocast.size());
  return std::string(precision);
}

std::optional<double> mfu_of_measured_gemm(const PointRecord& point,
                                           std::span<const FingerprintRecord> fingerprint) {
  if (point.status != PointStatus::kOk || !(point.flops_per_sample > 0)) return std::nullopt;
  double flops_per_s = 0;
  for (const RankRecord& rank : point.ranks) {
    const auto gemm = measured_gemm(point, rank, fingerprint);
    if (!gemm) return std::nullopt;
    flops_per_s += *gemm;
  }
  if (!(flops_per_s > 0)) return std::nullopt;
  return point.samples_per_sec * point.flops_per_sample / flops_per_s;
}

}  // namespace scalemark::reporting
