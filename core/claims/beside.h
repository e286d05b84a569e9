// Published throughputs of the very runs that reports hold: shown beside each other, judged by
// nobody. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/published/row.h"
#include "core/reporting/record/report.h"

namespace scalemark::claims {

// For each of `rows` with the same chip, count of GPUs, network, precision and batch as a group of
// some report: "resnet50, amp_fp16, 8 GPUs: 19300 img/s published (dle-resnet50-a100, pub-0289),
// 18900 to 19100 here in 4 reports".
std::vector<std::string> published_beside(std::span<const published::Row> rows,
                                          const std::vector<const reporting::Report*>& reports);

}  // namespace scalemark::claims
