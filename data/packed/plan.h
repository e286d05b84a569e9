// What a packing is about, as a file in its folder: by it a repeated call knows whether it may go
// on. Also the folder's lock and what may be removed of it. Knows nothing of images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "data/packed/format.h"

namespace scalemark::data::packed {

struct Plan {
  Form form = Form::kJpeg;
  std::int64_t shard_bytes = 0;
  bool skip_bad_samples = false;
  std::string tree;  // hash of the tree's paths and sizes

  std::string text() const;  // a line for each
  // Of the text but for what is done with bad samples: where none has been left out yet, the user
  // may still choose.
  Digest digest() const;
};

// A folder that this process packs into, until it is destroyed.
class PackingFolder {
 public:
  // Makes the folder, or checks that it holds nothing but packed data, unfinished unless
  // `overwrite`. Errors: as pack_images().
  PackingFolder(std::filesystem::path path, bool overwrite);

  // Writes the plan, or checks that the unfinished work is of this one.
  void begin(const Plan& plan);

  // Removes the folders that have been made when nothing was packed into them.
  ~PackingFolder();
  PackingFolder(const PackingFolder&) = delete;
  PackingFolder& operator=(const PackingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void lock();
  void refuse_finished() const;

  std::filesystem::path path_;
  bool overwrite_;
  std::vector<std::filesystem::path> made_;  // itself, then those above it
  Descriptor lock_;
};

}  // namespace scalemark::data::packed
