// `scalemark data pack`: writes an image tree as shards and an index. Knows nothing of loading.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/packed/format.h"

namespace scalemark::data {

struct PackOptions {
  std::string tree;
  std::string output;
  packed::Form form = packed::Form::kJpeg;
  std::int64_t shard_bytes = std::int64_t{1} << 30;
  // Leaves out files that do not decode (kJpeg256, kRaw256) or cannot be read.
  bool skip_bad_samples = false;
  int threads = 1;         // the result does not depend on it
  bool overwrite = false;  // replaces existing packed data
  // Called on the calling thread with the samples done, of all; at first those of an earlier call.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct PackReport {
  std::int64_t train = 0;
  std::int64_t evaluate = 0;
  std::int64_t shards = 0;
  std::int64_t shards_found = 0;  // shards finished by an earlier call
  std::int64_t bytes = 0;         // shards and index together
  std::int64_t indexed = 0;       // samples with a table of access points
  std::vector<std::string> left_out;
  std::vector<std::string> kept_undecodable;  // kept by kJpeg in this call
  std::string identity;
  std::vector<std::string> notes;  // ImageTree::notes
};

// Packs the samples of `tree` in its order, train and evaluation, held-out images included. If it
// is interrupted, the same call later continues after the last complete shard; the index is written
// last. The same tree and options give the same bytes. Errors: what scanning the tree throws; 73
// for an output that holds anything else, finished packed data (unless `overwrite`), or is locked
// by another packing process; 78 for one that was begun with another tree or other options; 65 for
// a file that does not decode (kJpeg stores it unchanged) or is no file; 74 for failing writes.
PackReport pack_images(const PackOptions& options);

}  // namespace scalemark::data
