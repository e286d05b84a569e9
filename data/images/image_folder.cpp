#include "data/images/image_folder.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/resize.h"

namespace scalemark::data {
namespace {

// `full_box` is a part of the whole image; the region was decoded to cover it.
RealBox inside_region(const Box& full_box, const DecodedRegion& region) {
  const double scale = region.eighths / 8.0;
  return {.left = full_box.left * scale - region.left,
          .top = full_box.top * scale - region.top,
          .width = full_box.width * scale,
          .height = full_box.height * scale};
}

void write_random_crop(ImageDecoder& image, const SampleKey& key, int size, std::uint8_t* target) {
  SampleRandom random(key);
  const Box box = random_crop_box(image.size(), random);
  const bool flip = random.uniform() < 0.5;
  write_crop(image, box, scale_that_covers(box, {size, size}), flip, size, target);
}

class ImageFolder : public Dataset {
 public:
  ImageFolder(std::string root, std::vector<ImageFile> files, ImageTransform transform, int size)
      : root_(std::move(root)), files_(std::move(files)), transform_(transform), size_(size) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(files_.size()); }

  std::vector<FieldSpec> fields() const override {
    return {{.name = "image", .dtype = DType::kUint8, .shape = {size_, size_, 3}},
            {.name = "label", .dtype = DType::kInt64, .shape = {}}};
  }

  void load(const SampleKey& key, SampleSlot slot) const override {
    const ImageFile& file = files_.at(static_cast<std::size_t>(key.index));
    const std::string path = name_of(key.index);
    const std::vector<std::uint8_t> bytes = read_image_file(path);
    const std::unique_ptr<ImageDecoder> image = open_image(bytes, path);
    write_sample(*image, key, transform_, size_, reinterpret_cast<std::uint8_t*>(slot[0].data()));
    std::memcpy(slot[1].data(), &file.label, sizeof file.label);
  }

  std::string name_of(std::int64_t index) const override {
    return root_ + '/' + files_.at(static_cast<std::size_t>(index)).path;
  }

  std::string identity() const override { return identity_of(root_, files_); }

 private:
  std::string root_;
  std::vector<ImageFile> files_;
  ImageTransform transform_;
  int size_;
};

}  // namespace

void write_crop(ImageDecoder& image, const Box& box, int eighths, bool flip, int size,
                std::uint8_t* target) {
  const DecodedRegion region = image.decode(box, eighths);
  resize(region.pixels,
         {.box = inside_region(box, region),
          .full = {size, size},
          .window = {.width = size, .height = size},
          .flip = flip},
         target);
}

void write_sample(ImageDecoder& image, const SampleKey& key, ImageTransform transform, int size,
                  std::uint8_t* target) {
  const ImageSize whole = image.size();
  switch (transform) {
    case ImageTransform::kTrain:
      return write_random_crop(image, key, size, target);
    case ImageTransform::kEvaluate:
      return resize(image.decode_whole(), evaluation_plan(whole, size), target);
    case ImageTransform::kNone:
      return resize(image.decode_whole(),
                    {.box = {.width = static_cast<double>(whole.width),
                             .height = static_cast<double>(whole.height)},
                     .full = {size, size},
                     .window = {.width = size, .height = size}},
                    target);
  }
  throw bug("unknown image transform");
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
  if (files.empty()) {
    throw bad_data(tree.root + " has no image for " + (train ? "training" : "evaluation"),
                   "a val/ folder, or classes of at least 2 images to hold some out");
  }
  return std::make_unique<ImageFolder>(tree.root, files, options.transform, options.image_size);
}

std::unique_ptr<Dataset> open_image_folder(const ImageFolderOptions& options) {
  return open_image_folder(scan_image_tree(options.root), options);
}

}  // namespace scalemark::data
