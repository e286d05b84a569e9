#include "data/images/image_source.h"

#include <string>
#include <vector>

namespace scalemark::data {
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
