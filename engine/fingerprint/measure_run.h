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

// `scalemark doctor --measure` asks this of the engine, and gets an answer.
struct MeasureRequest {
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  int threads = 1;
  std::string torch;           // folder of torch
  std::string library_folder;  // where libscalemark_cuda.so stands
  std::string folder;          // where files are made, read and removed
  double seconds = 2;          // for each measurement
};

struct MeasuredMachine {
  std::vector<reporting::FingerprintRecord> records;
  reporting::RankReadings readings;  // the machine was read meanwhile
  std::optional<ErrorRecord> error;  // why nothing could be measured
};

// Never throws. The all-reduce is named with its reason: one process has no peer.
MeasuredMachine measure(const MeasureRequest& request) noexcept;

}  // namespace scalemark::fingerprint
