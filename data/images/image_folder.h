// ImageFolder trees: their files and labels, and the data set of one split. Knows nothing of ranks,
// threads or how a file is decoded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/images/decode.h"
#include "data/images/image_view.h"
#include "data/load/dataset.h"
#include "data/long_work.h"

namespace scalemark::data {

struct ImageFile {
  std::string path;  // relative to the tree's root: "train/n01440764/tench.JPEG"
  std::int64_t label = 0;
};

template <class A>
constexpr void fields(A& a, typename A::template Field<ImageFile>& f) {
  a.values(f.path, f.label);
}

struct ImageTree {
  std::string root;
  std::vector<std::string> classes;  // sorted; a label is an index into it
  std::vector<ImageFile> train;      // sorted by class, then by path
  std::vector<ImageFile> evaluate;
  bool held_out = false;           // there is no val/: `evaluate` was taken from train/
  std::vector<std::string> notes;  // notes for people: files and folders that are not read
  std::map<std::string, std::int64_t> left_out;  // unread files by suffix: ".tif" -> 2
};

template <class A>
constexpr void fields(A& a, typename A::template Field<ImageTree>& t) {
  a.values(t.root, t.classes, t.train, t.evaluate, t.held_out, t.notes, t.left_out);
}

// Reads root/train/<class>/** (is_image_name() of tree_notes.h) and root/val/ likewise. Without
// val/ the last held_out_of() files of each class are held out. Errors: 66 when root or root/train
// does not exist or has no class; 65 for a class without images, for a class in val/ that train/
// lacks, and for circular links. `progress` is called after each folder entry.
ImageTree scan_image_tree(const std::string& root, const Progress& progress = {});

// Returns Dataset::identity() of a split: a hash of paths and sizes. A missing or irregular file
// has no size; loading it will fail. `progress` is called after each file. Throws no_input() (66)
// when the system refuses to return a size.
std::string identity_of(const std::string& root, const std::vector<ImageFile>& files,
                        const Progress& progress = {});

// Returns a hash of train/ and up to `most` files, spread evenly: their paths, inodes, sizes and
// times of change (ctime). Two ranks with the same one read one file system: nobody can set the
// ctime of a copy, while fresh disks that were filled alike may have the same inodes.
std::string mark_of(const ImageTree& tree, std::size_t most, const Progress& progress = {});

// Returns how many of a class's `files` are held out: a tenth, rounded down, but at least 1 of 2 or
// more.
std::int64_t held_out_of(std::int64_t files);

enum class ImageSplit { kTrain, kEvaluate };

struct ImageFolderOptions {
  std::string root;
  ImageSplit split = ImageSplit::kTrain;
  ImageTransform transform = ImageTransform::kTrain;
  int image_size = 224;
  ImageDecoding decoding = ImageDecoding::kExact;
};

// Every data set of images has these fields: "image" u8 [size, size, 3] (RGB), "label" i64.
std::vector<FieldSpec> image_fields(int size);

// Throws configuration() (78) for a size to which no image can be resized.
void refuse_odd_image_size(int size);

// Throws bad_data() (65): `root` has no image for this split.
[[noreturn]] void refuse_empty_split(const std::string& root, ImageSplit split);

// The fields are image_fields(). Refuses a split without images (65).
std::unique_ptr<Dataset> open_image_folder(const ImageFolderOptions& options);

// Does the same for a tree that has been scanned already; `options.root` is ignored.
std::unique_ptr<Dataset> open_image_folder(const ImageTree& tree,
                                           const ImageFolderOptions& options);

// The encoded images of a data set, for measuring the single steps of loading. read() comes first;
// the other functions then handle the image that was read last. They throw what loading the image
// would.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  virtual std::int64_t size() const = 0;

  // Copies the bytes of image `index` to where its decoder reads them; false where loading copies
  // none.
  virtual bool read(std::int64_t index) = 0;

  // Verifies the checksum of these bytes; false where loading does not.
  virtual bool check() const { return false; }

  // `memory` must outlive the decoder.
  virtual std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const = 0;
};

// Returns the training images of a tree, which must outlive the source.
std::unique_ptr<ImageSource> source_of(const ImageTree& tree);

}  // namespace scalemark::data
