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
  kSame,    // as far as can be told: as the others of its method, or there are none
  kWrong,   // other bits than its own first round or session, or than more than half of three
  kDiffer,  // others of its method have other bits, and which are right cannot be told
  kNotDone  // there are no bits: out of memory, or it was interrupted
};

struct JudgedReplay {
  const ReplayRecord* replay = nullptr;
  BitsVerdict verdict = BitsVerdict::kSame;
  std::string why;  // unless kSame: one sentence without the device's name
};

// Judges what was done, in its order. Devices are told apart by uuid, else by host, device and
// rank: several records of one device count once in its class, and where they differ from each
// other not at all.
std::vector<JudgedReplay> judge_replays(std::span<const ReplayRecord* const> replays);

// One per device, work and precision: wrong_bits, or bits_differ. Nothing of what was not done.
std::vector<Finding> findings_of_replays(std::span<const ReplayRecord> replays);

}  // namespace scalemark::reporting
