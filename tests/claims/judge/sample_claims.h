// Reports of ResNet-50 on A100, the rows that claim as much, and what is judged of both.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "claims/judge/claims.h"
#include "tests/report/sample_report.h"

namespace scalemark::claims {

using Texts = std::vector<std::string>;

// Groups of resnet50 on one and eight A100, five runs each.
inline reporting::Report a100_report(double one, double eight) {
  reporting::Report report;
  const auto add = [&](int ranks, double rate, const char* strategy) {
    reporting::PointRecord point = reporting::sample_point(ranks);
    point.id = "p" + std::to_string(ranks) + "/r0";
    point.group = "p" + std::to_string(ranks);
    point.workload = "resnet50";
    point.precision = "amp-fp16";
    point.strategy = strategy;
    point.world_size = ranks;
    point.batch_size = 256;
    point.gradient_accumulation_steps = 1;
    point.device = "cuda";
    point.device_name = "NVIDIA A100-SXM4-80GB";
    report.points.push_back(point);
    report.groups.push_back({.group = point.group,
                             .n = 5,
                             .samples_per_sec = rate,
                             .ci95 = {0.99 * rate, 1.01 * rate}});
  };
  add(1, one, "none");
  add(8, eight, "ddp");
  return report;
}

inline std::vector<published::Row> a100_rows() {
  published::Row row{.id = "x-1",
                     .group = "g",
                     .repo = "o/r",
                     .path = "p",
                     .framework = "PyTorch",
                     .system = "8x A100 80GB",
                     .workload = "resnet50",
                     .precision = "amp_fp16"};
  row.gpus = 1;
  row.batch_per_gpu = 256;
  row.throughput = 2470;
  row.unit = "img/s";
  published::Row eight = row;
  eight.id = "x-2";
  eight.gpus = 8;
  eight.throughput = 16621;
  return {row, eight};
}

inline Texts verdicts(const std::vector<published::Row>& rows, const reporting::Report& report) {
  Texts all;
  for (const reporting::ClaimRecord& claim : judge(published::tables_of(rows), {&report, 1})) {
    all.push_back(claim.row + " " + claim.metric + " " + std::string(name_of(claim.verdict)));
  }
  return all;
}

}  // namespace scalemark::claims
