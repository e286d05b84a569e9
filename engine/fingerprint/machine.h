// The fingerprint of one machine: all that one process measures of it by itself. Knows no peers;
// what needs peers is in compute.h.
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
  // Compute threads: matrix products are measured with each number, everything else with the last
  // and largest, which the process keeps afterwards.
  std::vector<int> threads{1};
  std::filesystem::path folder;                           // files are made, read and removed there
  double seconds = 2;                                     // duration of each measurement
  std::function<bool()> continues = [] { return true; };  // asked before each measurement
};

// Measures `host`, on which this process runs. A measurement that fails has its reason and no
// value; the others continue. On a GPU `device` is the one that is measured.
std::vector<FingerprintRecord> measure_machine(device::Device& device, const monitoring::Host& host,
                                               const MachineOptions& options);

// Measures `device` alone: products of each precision, copies within its memory and to it.
std::vector<FingerprintRecord> measure_device(device::Device& device, const monitoring::Host& host,
                                              const MachineOptions& options);

// Measures products of the fastest precision that `device` has, held for options.seconds. Empty
// where options.continues() ends it before.
std::vector<FingerprintRecord> hold_products(device::Device& device, const monitoring::Host& host,
                                             const MachineOptions& options);

// Returns the precisions that `device` has, in the order of --precision's choices.
std::vector<settings::Precision> precisions_of(const device::Device& device,
                                               const monitoring::Host& host);

// Returns the first line, as a backtrace follows in torch's texts.
std::string reason_of(const std::exception& error);

// Runs `measure`, and makes its error the reason of `record`, so that other measurements continue.
template <class Record>
void measure_or_say_why(Record& record, const std::function<void()>& measure) {
  try {
    measure();
  } catch (const std::exception& error) {
    record.reason = reason_of(error);
  }
}

// Returns the model of the CPU, or of the GPU that `device` is.
std::string device_name(const device::Device& device, const monitoring::Host& host);

// Returns the size of each of the two arrays of a memory copy: larger than every cache, and at most
// a sixteenth of the memory that the process may use.
std::int64_t copied_bytes(const monitoring::Host& host);

}  // namespace scalemark::fingerprint
