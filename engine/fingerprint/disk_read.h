// How fast a file is read from the disk below a folder, past the system's cache. Linux only; knows
// no data set.
#pragma once

#include <filesystem>

#include "core/reporting/record/records.h"

namespace scalemark::fingerprint {

// Makes a file of up to 256 MiB, removed again, and reads it 1 MiB at a time, one request after the
// other: with O_DIRECT, else dropping the file from the cache (posix_fadvise) before each pass. Has
// a reason instead of a value where the folder is in memory (tmpfs). Throws io_error() (74).
reporting::FingerprintRecord disk_read(const std::filesystem::path& folder, double seconds);

}  // namespace scalemark::fingerprint
