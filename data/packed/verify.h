// `scalemark data verify`: whether every byte of packed data is as it was written, or every file of
// an image tree decodes. Finds all faults, not only the first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scalemark::data {

struct VerifyOptions {
  std::string path;  // packed data or an image tree
  int threads = 1;
  // Called from one thread at a time with the samples done, of all; for packed data after each
  // shard.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct VerifyReport {
  bool packed = false;
  std::int64_t samples = 0;
  std::int64_t shards = 0;
  std::int64_t bytes = 0;           // checked bytes of packed data
  std::vector<std::string> faults;  // sorted by shard and sample; each names its place
  std::vector<std::string> notes;   // ImageTree::notes
};

// For packed data, checks the index by its checksum, the length of each shard, each sample by its
// checksum, and all of each shard by its own. Errors: 66 there is neither a tree nor packed data;
// 65 packing was interrupted, or the tree has no images; 74. All else is a fault in the report.
VerifyReport verify_images(const VerifyOptions& options);

}  // namespace scalemark::data
