// How many JPEG images one core decodes and crops for training, through the loader of the data
// part. Knows no data set of a user's.
#pragma once

#include <filesystem>

#include "core/reporting/record/records.h"

namespace scalemark::fingerprint {

// Makes images below `folder` (`threads` draw them; ImageNet's sizes, around 500 x 375), then loads
// batches on one thread: read from the system's cache, decode, random crop to 224 x 224. Throws
// what making and loading images throw.
reporting::FingerprintRecord image_loader(const std::filesystem::path& folder, int threads,
                                          double seconds);

}  // namespace scalemark::fingerprint
