// The plan of a packing is a file in its folder: a repeated call reads it and knows whether it may
// continue. This unit also locks the folder and knows which files may be removed from it. Knows
// nothing of images.
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
  // Leaves out what is done with bad samples: the user may still choose that until one has been
  // left out.
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
