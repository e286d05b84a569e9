// Samples that are announced to a data set must be in the system's cache soon after, though nobody
// reads them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/atomic_file.h"
#include "tests/data/packed/packed_tree.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using packed::Form;

// A part of a file, of which it can be asked how much is in the cache.
class CachedPart {
 public:
  CachedPart(const fs::path& path, std::uint64_t offset, std::uint64_t bytes)
      : file_(path, path.string()), opened_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    first_ = offset / page * page;
    bytes_ = offset + bytes - first_;
    pages_.resize((bytes_ + page - 1) / page);
  }

  void drop() const {
    EXPECT_EQ(::fdatasync(opened_.get()), 0);
    EXPECT_EQ(::posix_fadvise(opened_.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  }

  std::ptrdiff_t pages() const { return std::ssize(pages_); }

  std::ptrdiff_t cached() {
    auto* const begin = const_cast<std::byte*>(file_.bytes().data()) + first_;
    EXPECT_EQ(::mincore(begin, bytes_, pages_.data()), 0);
    return std::count_if(pages_.begin(), pages_.end(), [](auto page) { return (page & 1) != 0; });
  }

 private:
  MappedFile file_;
  Descriptor opened_;
  std::uint64_t first_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<unsigned char> pages_;
};

// False where the file system keeps its cache (one in memory).
bool expected_is_read(const Dataset& dataset, std::int64_t index, CachedPart part) {
  part.drop();
  if (part.cached() == part.pages()) return false;
  dataset.expect(index);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (part.cached() < part.pages() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(part.cached(), part.pages());
  return true;
}

TEST(ReadAhead, OfATree) {
  const TemporaryFolder folder;
  const ImageTree tree = scan_image_tree(small_tree(folder, 12, 0));
  const auto dataset = open_image_folder(tree, {});
  const fs::path file = dataset->name_of(7);
  if (!expected_is_read(*dataset, 7, {file, 0, fs::file_size(file)})) {
    GTEST_SKIP() << "files here are always in memory";
  }
}

TEST(ReadAhead, OfEachFormOfPackedData) {
  const TemporaryFolder folder;
  const std::string tree = small_tree(folder, 12, 0);
  for (const Form form : {Form::kJpeg, Form::kJpeg256, Form::kRaw256}) {
    const auto output = folder / std::string(name_of(form));
    pack_images({.tree = tree, .output = output.string(), .form = form});
    const auto data = open_packed_data(output.string());
    const auto dataset = open_packed_images(data, {});
    const packed::Index& index = data->index();
    const packed::SampleEntry& sample = index.split(packed::kTrain)[7];
    const fs::path shard = index.shard_path(index.shards()[sample.shard]);
    if (!expected_is_read(*dataset, 7, {shard, sample.offset, sample.bytes})) {
      GTEST_SKIP() << "files here are always in memory";
    }
  }
}

}  // namespace
}  // namespace scalemark::data
