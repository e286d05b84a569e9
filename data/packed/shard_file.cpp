#include "data/packed/shard_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace scalemark::data::packed {
namespace {

constexpr const char* kHint = "copy it anew, or pack the tree again with `scalemark data pack`";

}  // namespace

ShardFile::ShardFile(const Index& index, const ShardEntry& shard)
    : path_(index.shard_path(shard).string()), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_.open()) {
    const std::string what = "shard " + path_ + ": " + std::strerror(errno);
    throw errno == ENOENT ? no_input(what, "the shards that the index names", kHint)
                          : io_error(what);
  }
}

ShardFile::ShardFile(const Index& index, const ShardEntry& shard, bool mapped)
    : ShardFile(index, shard) {
  check_length(shard);
  check_header(index, shard);
  if (mapped) map_ = std::make_unique<MappedFile>(path_, "shard");
}

std::uint64_t ShardFile::length() const {
  struct stat info = {};
  if (::fstat(file_.get(), &info) != 0) {
    throw io_error("looking at shard " + path_ + ": " + std::strerror(errno));
  }
  return static_cast<std::uint64_t>(info.st_size);
}

void ShardFile::check_length(const ShardEntry& shard) const {
  const std::uint64_t bytes = length();
  if (bytes == shard.bytes) return;
  throw bad_data("shard " + path_ + " has " + std::to_string(bytes) + " bytes of " +
                     std::to_string(shard.bytes),
                 {}, kHint);
}

void ShardFile::check_header(const Index& index, const ShardEntry& shard) const {
  const ShardHeader expected{
      .split = shard.split, .number = shard.number, .plan = index.header().plan};
  ShardHeader header;
  read(0, std::as_writable_bytes(std::span(&header, 1)));
  if (std::memcmp(&header, &expected, sizeof header) == 0) return;
  throw bad_data("shard " + path_ + " does not belong to the index beside it",
                 "the shards that were packed with it", kHint);
}

void ShardFile::read(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t n =
        ::pread(file_.get(), target.data(), target.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error("reading shard " + path_ + ": " + std::strerror(errno));
    if (n == 0) throw io_error("reading shard " + path_ + ": it was cut short since it was opened");
    target = target.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

std::span<const std::byte> ShardFile::mapped_bytes(const SampleEntry& sample) const {
  return map_->bytes().subspan(sample.offset, sample.bytes);
}

void ShardFile::expect(const SampleEntry& sample) const noexcept {
  ::posix_fadvise(file_.get(), static_cast<off_t>(sample.offset), static_cast<off_t>(sample.bytes),
                  POSIX_FADV_WILLNEED);
}

}  // namespace scalemark::data::packed
