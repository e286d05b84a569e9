// Which devices computed other bits than they should have (--checks replay). Pure.
// docs/METRICS.md, "The same bits", has the rule.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

enum class BitsVerdict {
  kSame,   // as far as can be told: as the others of its method, or there are none
  kWrong,  // other bits than its own first round, or than more than half of three or more
  kDiffer  // others of its method have other bits, and which are right cannot be told
};

struct JudgedReplay {
  const ReplayRecord* replay = nullptr;
  BitsVerdict verdict = BitsVerdict::kSame;
  std::string why;  // unless kSame: one sentence without the device's name
};

// Judges what was done, in its order. Devices are told apart by uuid, else by host, device and
// rank: several records of one device count once in its class.
std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays);

// One per device, work and precision: wrong_bits, or bits_differ.
std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays);

// `rounds` equal rounds exclude, at 95 %, a device that is wrong in a larger share of them:
// 3 / rounds ("rule of three": (1 - p)^n = 0.05).
double excluded_wrong_share(std::int64_t rounds);

}  // namespace scalemark::reporting
