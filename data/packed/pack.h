// `scalemark data pack`: an image tree as shards and an index. Knows nothing of how they are
// loaded.
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
  // Leave out what does not decode (kJpeg256, kRaw256) or cannot be read as a file.
  bool skip_bad_samples = false;
  int threads = 1;         // the result does not depend on it
  bool overwrite = false;  // replace packed data that is there
  // Called from the calling thread: samples done, of all; at first those of an earlier call.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct PackReport {
  std::int64_t train = 0;
  std::int64_t evaluate = 0;
  std::int64_t shards = 0;
  std::int64_t shards_found = 0;  // an earlier call had finished so many of them
  std::int64_t bytes = 0;         // shards and index together
  std::int64_t indexed = 0;       // samples with a table of access points
  std::vector<std::string> left_out;
  std::vector<std::string> kept_undecodable;  // by kJpeg, in this call
  std::string identity;
  std::vector<std::string> notes;  // ImageTree::notes
};

// The samples of `tree` in its order, train and evaluation, held-out images as well. Interrupted at
// any moment, the same call goes on behind the last shard that is complete; the index is written
// last. The same tree and options give the same bytes. Errors: what scanning the tree throws; 73
// for an output that holds anything else, finished packed data (unless `overwrite`), or is being
// packed into by another process; 78 for one that was begun with another tree or other options; 65
// for a file that does not decode (kJpeg stores it as it is) or is none; 74 for failing writes.
PackReport pack_images(const PackOptions& options);

}  // namespace scalemark::data
