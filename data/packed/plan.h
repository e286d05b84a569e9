// What a packing is about, as a file in its folder: by it a repeated call knows whether it may go
// on. Also the folder's lock and what may be removed of it. Knows nothing of images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/descriptor.h"
#include "data/packed/format.h"

namespace scalemark::data::packed {

struct Plan {
  Form form = Form::kJpeg;
  std::int64_t shard_bytes = 0;
  bool skip_bad_samples = false;
  std::string tree;  // hash of the tree's paths and sizes

  std::string text() const;  // a line for each
  Digest digest() const;     // of the text
};

// A folder that this process packs into, until it is destroyed.
class PackingFolder {
 public:
  // Makes the folder, or checks that it holds nothing but this plan's unfinished work; writes the
  // plan. Errors: as pack_images().
  PackingFolder(std::filesystem::path path, const Plan& plan, bool overwrite);

  const std::filesystem::path& path() const { return path_; }

 private:
  void lock();
  void begin(const Plan& plan, bool overwrite);

  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace scalemark::data::packed
