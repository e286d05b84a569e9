#include "data/images/image_folder.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/image_view.h"

namespace scalemark::data {
namespace {

class ImageFolder : public Dataset {
 public:
  ImageFolder(std::string root, std::vector<ImageFile> files, const ImageFolderOptions& options)
      : root_(std::move(root)),
        files_(std::move(files)),
        transform_(options.transform),
        decoding_(options.decoding),
        size_(options.image_size) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(files_.size()); }

  std::vector<FieldSpec> fields() const override { return image_fields(size_); }

  void load(const SampleKey& key, SampleSlot slot) const override {
    const ImageFile& file = files_.at(static_cast<std::size_t>(key.index));
    const std::string path = name_of(key.index);
    const WorkspacePool::Lease workspace(workspaces_);
    read_image_file(path, workspace->file);
    const std::unique_ptr<ImageDecoder> image =
        open_image(workspace->file, path, &workspace->decoder);
    write_view(*image, view_of(image->size(), key, transform_, size_), decoding_, *workspace,
               reinterpret_cast<std::uint8_t*>(slot[0].data()));
    std::memcpy(slot[1].data(), &file.label, sizeof file.label);
  }

  void expect(std::int64_t index) const noexcept override {
    read_ahead((root_ + '/' + files_[static_cast<std::size_t>(index)].path).c_str());
  }

  std::string name_of(std::int64_t index) const override {
    return root_ + '/' + files_.at(static_cast<std::size_t>(index)).path;
  }

  std::string identity() const override { return identity_of(root_, files_); }

 private:
  std::string root_;
  std::vector<ImageFile> files_;
  ImageTransform transform_;
  ImageDecoding decoding_;
  int size_;
  mutable WorkspacePool workspaces_;  // several threads call load()
};

}  // namespace

std::vector<FieldSpec> image_fields(int size) {
  return {{.name = "image", .dtype = DType::kUint8, .shape = {size, size, 3}},
          {.name = "label", .dtype = DType::kInt64, .shape = {}}};
}

void refuse_empty_split(const std::string& root, ImageSplit split) {
  throw bad_data(
      root + " has no image for " + (split == ImageSplit::kTrain ? "training" : "evaluation"),
      "a tree with a val/ folder, or classes of at least 2 images to hold some out");
}

void refuse_odd_image_size(int size) {
  constexpr int kLargestSize = 8192;
  if (size >= 1 && size <= kLargestSize) return;
  throw configuration("image_size is " + std::to_string(size),
                      "1 to " + std::to_string(kLargestSize));
}

std::unique_ptr<Dataset> open_image_folder(const ImageTree& tree,
                                           const ImageFolderOptions& options) {
  refuse_odd_image_size(options.image_size);
  const bool train = options.split == ImageSplit::kTrain;
  const std::vector<ImageFile>& files = train ? tree.train : tree.evaluate;
  if (files.empty()) refuse_empty_split(tree.root, options.split);
  return std::make_unique<ImageFolder>(tree.root, files, options);
}

std::unique_ptr<Dataset> open_image_folder(const ImageFolderOptions& options) {
  return open_image_folder(scan_image_tree(options.root), options);
}

namespace {

class TreeSource : public ImageSource {
 public:
  explicit TreeSource(const ImageTree& tree) : tree_(tree) {}

  std::int64_t size() const override { return std::ssize(tree_.train); }

  bool read(std::int64_t index) override {
    path_ = tree_.root + '/' + tree_.train.at(static_cast<std::size_t>(index)).path;
    read_image_file(path_, file_);
    return true;
  }

  std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const override {
    return open_image(file_, path_, &memory);
  }

 private:
  const ImageTree& tree_;
  std::string path_;
  std::vector<std::uint8_t> file_;
};

}  // namespace

std::unique_ptr<ImageSource> source_of(const ImageTree& tree) {
  return std::make_unique<TreeSource>(tree);
}

}  // namespace scalemark::data
