// The fingerprint of one machine: everything that one process measures of it by itself. Knows no
// peers; compute.h measures what needs them, too.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

using reporting::FingerprintRecord;

struct MachineOptions {
  // Compute threads: matrix products are measured with each number, everything else with the
  // largest. Afterwards the process has the last of them.
  std::vector<int> threads{1};
  std::filesystem::path folder;                           // where files are made, read and removed
  double seconds = 2;                                     // for each measurement
  std::function<bool()> continues = [] { return true; };  // asked before each measurement
};

// Measures `host`, which this process runs on. A measurement that fails has its reason and no
// value; the others are made. On a GPU `device` is the one that is measured.
std::vector<FingerprintRecord> measure_machine(device::Device& device, const monitoring::Host& host,
                                               const MachineOptions& options);

// The same of `device` alone: products of each precision, copies within its memory and to it.
std::vector<FingerprintRecord> measure_device(device::Device& device, const monitoring::Host& host,
                                              const MachineOptions& options);

// Products of the fastest precision that `device` has, held for options.seconds; none where
// options.continues() ends it before.
std::vector<FingerprintRecord> hold_products(device::Device& device, const monitoring::Host& host,
                                             const MachineOptions& options);

// The precisions that `device` has, in the order of --precision's choices.
std::vector<settings::Precision> precisions_of(const device::Device& device,
                                               const monitoring::Host& host);

// The first line: torch's texts go on with a backtrace.
std::string reason_of(const std::exception& error);

// The error that `measure` throws is the reason of `record`: other measurements are made all the
// same.
template <class Record>
void measure_or_say_why(Record& record, const std::function<void()>& measure) {
  try {
    measure();
  } catch (const std::exception& error) {
    record.reason = reason_of(error);
  }
}

// Model of the CPU, or of the GPU that `device` is.
std::string device_name(const device::Device& device, const monitoring::Host& host);

// Gives the size of each of the two arrays of a memory copy: beyond every cache, and at most a
// sixteenth of the memory that the process may use.
std::int64_t copied_bytes(const monitoring::Host& host);

}  // namespace scalemark::fingerprint
