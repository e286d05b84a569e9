// The plan of a packing is a file in its folder, by which a repeated call knows whether it may
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

  std::string text() const;  // one line for each member
  // Excludes the handling of bad samples, which the user may still change until a sample has been
  // left out.
  Digest digest() const;
};

// A folder into which this process packs, until the object is destroyed.
class PackingFolder {
 public:
  // Makes the folder, or checks that it holds only packed data, which must be unfinished unless
  // `overwrite`. Errors: as for pack_images().
  PackingFolder(std::filesystem::path path, bool overwrite);

  // Writes the plan, or checks that the unfinished work follows the same plan.
  void begin(const Plan& plan);

  // Removes the folders that it made when nothing was packed into them.
  ~PackingFolder();
  PackingFolder(const PackingFolder&) = delete;
  PackingFolder& operator=(const PackingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void lock();
  void refuse_finished() const;

  std::filesystem::path path_;
  bool overwrite_;
  std::vector<std::filesystem::path> made_;  // the folder itself, then its parents
  Descriptor lock_;
};

}  // namespace scalemark::data::packed
