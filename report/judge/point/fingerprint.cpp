#include "report/judge/point/fingerprint.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/base/number_words.h"
#include "core/statistics/summary.h"
#include "report/judge/point/disturbances.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

// "cuda:0" and "cuda:1" are of one kind, so the first rank's GPU represents those of its host.
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

namespace {

// TFLOP/s without sparsity; 0: not offered. Datasheets print most tensor-core numbers with 2:4
// sparsity, and these are halved here. fp16 and bf16 are with fp32 accumulation, as training uses
// them. Left out are numbers that could not be traced to a datasheet, and H20, H800 and H100 with
// 96 GB (SXM5), which have none of NVIDIA's own.
struct Chip {
  std::string_view name;  // exact, without the leading "NVIDIA " or "Tesla "
  double fp32, tf32, half;
  double GB_per_s;  // memory bandwidth; 0: two sheets of NVIDIA's differ
  bool bf16;
  std::string_view datasheet;
};

constexpr std::string_view kA100 = "NVIDIA A100 datasheet (1758950-r4)";
constexpr std::string_view kH100 = "NVIDIA H100 datasheet (2023)";
constexpr std::string_view kH200 = "NVIDIA H200 datasheet (2024)";
constexpr std::string_view kGraceHopper = "NVIDIA GH200 Grace Hopper Superchip datasheet (2023)";
constexpr std::string_view kBlackwell = "NVIDIA HGX B200 and B300 specifications (2025), by 8 GPUs";
constexpr std::string_view kGraceBlackwell = "NVIDIA GB200 NVL72 specifications (2025), by 72 GPUs";
constexpr std::string_view kBlackwellUltra = "NVIDIA Blackwell Ultra datasheet (2025), one GPU";
constexpr std::string_view kV100 = "NVIDIA V100 datasheet (1165301-r5)";
constexpr std::string_view kAda = "NVIDIA Ada GPU architecture whitepaper (2023)";
constexpr std::string_view kAdaPro =
    "NVIDIA Ada Lovelace professional GPU architecture whitepaper (2023)";
constexpr std::string_view kBlackwellPro =
    "NVIDIA RTX Blackwell PRO GPU architecture whitepaper (2025)";
constexpr std::string_view kPro6000 = "NVIDIA RTX PRO 6000 Blackwell datasheets (2025)";
constexpr std::string_view kTuring = "NVIDIA Turing GPU architecture whitepaper (WP-09183-001)";
constexpr std::string_view kAmpere = "NVIDIA Ampere GA102 GPU architecture whitepaper (2021)";

constexpr std::array kChips = {
    Chip{"A100-SXM4-40GB", 19.5, 156, 312, 1555, true, kA100},
    Chip{"A100-SXM4-80GB", 19.5, 156, 312, 2039, true, kA100},
    Chip{"A100-PCIE-40GB", 19.5, 156, 312, 1555, true, kA100},
    Chip{"A100-PCIE-80GB", 19.5, 156, 312, 1935, true, kA100},
    Chip{"A100 80GB PCIe", 19.5, 156, 312, 1935, true, kA100},
    Chip{"H100 80GB HBM3", 67, 494.5, 989.5, 3350, true, kH100},  // SXM5
    Chip{"H100 PCIe", 51, 378, 756.5, 2000, true, kH100},
    Chip{"H100 NVL", 60, 417.5, 835.5, 3900, true, kH100},
    Chip{"H200", 67, 494.5, 989.5, 4800, true, kH200},
    Chip{"GH200 480GB", 67, 494.5, 989.5, 4000, true, kGraceHopper},
    Chip{"GH200 144G HBM3e", 67, 494.5, 989.5, 4900, true, kGraceHopper},
    Chip{"B200", 75, 1125, 2250, 0, true, kBlackwell},
    Chip{"B300 SXM6 AC", 75, 1125, 2250, 0, true, kBlackwell},
    Chip{"GB200", 80, 1250, 2500, 8000, true, kGraceBlackwell},
    Chip{"GB300", 80, 1250, 2500, 8000, true, kBlackwellUltra},
    Chip{"V100-SXM2-16GB", 15.7, 0, 125, 900, false, kV100},
    Chip{"V100-SXM2-32GB", 15.7, 0, 125, 900, false, kV100},
    Chip{"V100-PCIE-16GB", 14, 0, 112, 900, false, kV100},
    Chip{"V100-PCIE-32GB", 14, 0, 112, 900, false, kV100},
    Chip{"V100S-PCIE-32GB", 16.4, 0, 130, 1134, false, kV100},
    Chip{"T4", 8.1, 0, 65, 300, false, "NVIDIA T4 datasheet (951643)"},
    Chip{"A10G", 35, 35, 70, 600, true, "NVIDIA A10G datasheet for AWS (2022)"},
    Chip{"A10", 31.2, 62.5, 125, 600, true, "NVIDIA A10 datasheet (2021)"},
    Chip{"A30", 10.3, 82, 165, 933, true, "NVIDIA A30 datasheet (2021)"},
    Chip{"A40", 37.4, 74.8, 149.7, 696, true, "NVIDIA A40 datasheet (2021)"},
    Chip{"L4", 30.3, 60, 121, 300, true, "NVIDIA L4 datasheet (2023)"},
    Chip{"L40", 90.5, 90.5, 181.05, 864, true, "NVIDIA L40 datasheet (2022)"},
    Chip{"L40S", 91.6, 183, 362.05, 864, true, "NVIDIA L40S datasheet (2023)"},
    Chip{"Quadro RTX 8000", 16.3, 0, 130.5, 672, false, kTuring},
    Chip{"RTX A5000", 27.8, 0, 111.1, 768, true, "NVIDIA RTX A5000 datasheet (2021)"},
    Chip{"RTX A6000", 38.7, 77.4, 154.8, 768, true, kAmpere},
    Chip{"RTX 6000 Ada Generation", 91.1, 182.1, 364.2, 960, true, kAdaPro},
    Chip{"RTX PRO 6000 Blackwell Workstation Edition", 125, 251.9, 503.8, 1792, true,
         kBlackwellPro},
    Chip{"RTX PRO 6000 Blackwell Max-Q Workstation Edition", 110, 0, 0, 1792, true, kPro6000},
    Chip{"RTX PRO 6000 Blackwell Server Edition", 120, 0, 0, 1597, true, kPro6000},
    Chip{"GeForce RTX 3090", 35.6, 35.6, 71, 936, true, kAmpere},
    Chip{"GeForce RTX 4090", 82.6, 82.6, 165.2, 1008, true, kAda},
};

std::string_view bare(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name;
}

double teraflops(const Chip& chip, std::string_view precision) {
  const std::string format = number_format(precision);
  if (format == "fp32") return chip.fp32;
  if (format == "tf32") return chip.tf32;
  if (format == "fp16" || (format == "bf16" && chip.bf16)) return chip.half;
  return 0;
}

const Chip* find_chip(std::string_view gpu_name) {
  const auto found = std::ranges::find(kChips, bare(gpu_name), &Chip::name);
  return found == kChips.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Peak> peak_flops(std::string_view gpu_name, std::string_view precision) {
  const Chip* chip = find_chip(gpu_name);
  const double peak = chip == nullptr ? 0 : teraflops(*chip, precision);
  if (peak == 0) return std::nullopt;
  return Peak{peak * 1e12, std::string(chip->datasheet) + ", dense, " + std::string(precision)};
}

std::optional<Peak> peak_memory_bandwidth(std::string_view gpu_name) {
  const Chip* chip = find_chip(gpu_name);
  if (chip == nullptr || chip->GB_per_s == 0) return std::nullopt;
  return Peak{chip->GB_per_s * 1e9, std::string(chip->datasheet)};
}

std::optional<Peak> peak_nvlink(std::string_view gpu_name) {
  // GB/s one way: half of what the datasheet sums over both.
  static constexpr std::pair<std::string_view, double> kLinks[] = {
      {"A100-SXM4-40GB", 300}, {"A100-SXM4-80GB", 300}, {"H100 80GB HBM3", 450}, {"H200", 450},
      {"B200", 900},           {"B300 SXM6 AC", 900},   {"GB200", 900},          {"GB300", 900},
      {"V100-SXM2-16GB", 150}, {"V100-SXM2-32GB", 150}};
  const Chip* chip = find_chip(gpu_name);
  if (!chip) return std::nullopt;
  const auto found =
      std::ranges::find(kLinks, chip->name, [](const auto& one) { return one.first; });
  if (found == std::end(kLinks)) return std::nullopt;
  return Peak{found->second * 1e9, std::string(chip->datasheet)};
}

namespace {

constexpr std::size_t kDevicesToBlame = 3;

std::string device_key(const ReplayRecord& replay) {
  if (!replay.uuid.empty()) return replay.uuid;
  return replay.host + "\n" + replay.device + "\n" + std::to_string(replay.rank);
}

std::string class_key(const ReplayRecord& replay) {
  return replay.work + "\n" + replay.precision + "\n" + replay.method;
}

// The results of all devices that used one method.
struct BitsOfMethod {
  std::map<std::string, std::set<std::string>> by_device;  // device -> its digests
  std::map<std::string, std::size_t> votes;                // digest -> devices with no other digest
  std::size_t all = 0;                                     // the sum of `votes`

  std::size_t alike(const std::string& digest) const { return value_at(votes, digest); }
  bool is_majority(const std::string& digest) const { return 2 * alike(digest) > all; }
};

using Methods = std::map<std::string, BitsOfMethod>;

Methods by_method(std::span<const ReplayRecord* const> replays) {
  Methods methods;
  for (const ReplayRecord* replay : replays) {
    if (replay->digest.empty()) continue;
    methods[class_key(*replay)].by_device[device_key(*replay)].insert(replay->digest);
  }
  for (auto& [key, bits] : methods) {
    for (const auto& [device, digests] : bits.by_device) {
      if (digests.size() > 1) continue;
      ++bits.votes[*digests.begin()];
      ++bits.all;
    }
  }
  return methods;
}

// Compares a result with other devices, and with the same device in other sessions.
void compare(JudgedReplay& judged, const BitsOfMethod& bits) {
  const ReplayRecord& replay = *judged.replay;
  const bool contradicts = bits.by_device.at(device_key(replay)).size() > 1;
  if (bits.is_majority(replay.digest)) return;
  if (contradicts) {
    judged.outcome = BitsOutcome::kWrong;
    judged.why = "other bits in another session";
    return;
  }
  const bool majority =
      std::ranges::any_of(bits.votes, [&](const auto& one) { return bits.is_majority(one.first); });
  const bool told = majority && bits.all >= kDevicesToBlame;
  judged.outcome = told ? BitsOutcome::kWrong : BitsOutcome::kDiffer;
  const std::string of_all = std::to_string(bits.all) + " devices";
  judged.why = told ? "other bits than most of " + of_all
                    : of_all + " differ, which is right cannot be told";
}

JudgedReplay judge(const ReplayRecord& replay, const Methods& methods) {
  JudgedReplay judged{.replay = &replay};
  if (replay.wrong > 0) {
    judged.outcome = BitsOutcome::kWrong;
    judged.why = grouped(replay.wrong) + " of " + grouped(replay.rounds) +
                 " rounds gave other bits than the first (" + replay.first_wrong + ")";
  } else if (replay.digest.empty()) {
    judged.outcome = BitsOutcome::kNotDone;
    judged.why = replay.reason.empty() ? "not done" : replay.reason;
  } else {
    compare(judged, methods.at(class_key(replay)));
  }
  if (!judged.why.empty()) judged.why = replay.precision + " " + replay.work + ": " + judged.why;
  return judged;
}

}  // namespace

std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays) {
  const Methods methods = by_method(replays);
  std::vector<JudgedReplay> judged;
  for (const ReplayRecord* replay : replays) judged.push_back(judge(*replay, methods));
  return judged;
}

std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays) {
  std::vector<const ReplayRecord*> all;
  for (const ReplayRecord& replay : replays) all.push_back(&replay);
  std::vector<Finding> findings;
  for (const JudgedReplay& judged : judge_replays(all)) {
    if (judged.outcome == BitsOutcome::kSame || judged.outcome == BitsOutcome::kNotDone) continue;
    const ReplayRecord& replay = *judged.replay;
    const bool wrong = judged.outcome == BitsOutcome::kWrong;
    findings.push_back(make_finding(
        wrong ? finding_kinds::wrong_bits : finding_kinds::bits_differ, "", {{"why", judged.why}},
        FindingPlace{.rank = replay.rank, .host = replay.host, .device = replay.device}));
  }
  return findings;
}

}  // namespace scalemark::reporting
