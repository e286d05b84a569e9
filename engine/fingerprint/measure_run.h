// doctor --measure: the fingerprint of this machine, in a process that has set nothing up yet. The
// header is torch-free.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/settings/settings.h"
#include "report/judge/point/telemetry.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

// The program's request to the engine for `scalemark doctor --measure`, and the answer.
struct MeasureRequest {
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  int threads = 1;
  std::string torch;           // torch's folder
  std::string library_folder;  // holds libscalemark_cuda
  std::string folder;          // files are made, read and removed there
  double seconds = 2;          // duration of each measurement
};

struct MeasuredMachine {
  std::vector<reporting::FingerprintRecord> records;
  reporting::RankReadings readings;  // the machine's readings meanwhile
  std::optional<ErrorRecord> error;  // why nothing could be measured
};

// Never throws. The all-reduce has only a reason: one process has no peer.
MeasuredMachine measure(const MeasureRequest& request) noexcept;

}  // namespace scalemark::fingerprint
