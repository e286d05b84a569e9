#include "data/packed/shard_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "data/mapped_file.h"

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

namespace {

namespace fs = std::filesystem;

std::uint64_t aligned(std::uint64_t at) { return (at + kAlignment - 1) / kAlignment * kAlignment; }

fs::path path_of(const fs::path& folder, const ShardHeader& header) {
  return folder / shard_name(header.split, header.number);
}

Error damaged(const fs::path& path, const std::string& what) {
  return bad_data(path.string() + ": " + what, {},
                  "pack the tree again with `scalemark data pack --overwrite`");
}

// Returns the shard's last bytes, whose magic shows that it was written completely.
ShardEnd read_end(const fs::path& path, std::span<const std::byte> image) {
  ShardEnd end;
  const ShardEnd expected;
  if (image.size() < sizeof(ShardHeader) + sizeof end) throw damaged(path, "it is cut short");
  std::memcpy(&end, image.data() + image.size() - sizeof end, sizeof end);
  if (std::memcmp(end.magic, expected.magic, sizeof end.magic) != 0) {
    throw damaged(path, "it is cut short or overwritten: it has no end");
  }
  const std::size_t room = image.size() - sizeof(ShardHeader) - sizeof end;
  if (end.samples > room / sizeof(SampleEntry)) throw damaged(path, "its end is damaged");
  return end;
}

}  // namespace

Digest digest_of_entries(const ShardHeader& header, std::span<const SampleEntry> entries,
                         const ShardEnd& end) {
  Hash128 hash;
  hash.add(bytes_of(header));
  hash.add(std::as_bytes(entries));
  hash.add(bytes_of(end.samples));
  hash.add(bytes_of(end.next));
  return hash.digest();
}

ShardWriter::ShardWriter(const fs::path& folder, const ShardHeader& header)
    : header_(header), file_(path_of(folder, header), folder / kPartName) {
  append(bytes_of(header_));
}

std::uint64_t ShardWriter::bytes_with(std::uint64_t sample) const {
  return aligned(aligned(bytes_) + sample) + (entries_.size() + 1) * sizeof(SampleEntry) +
         sizeof(ShardEnd);
}

void ShardWriter::append(std::span<const std::byte> bytes) {
  file_.append(bytes);
  hash_.add(bytes);
  bytes_ += bytes.size();
}

void ShardWriter::add(SampleEntry entry, std::span<const std::byte> bytes) {
  entry.offset = bytes_;
  entry.bytes = bytes.size();
  append(bytes);
  const std::byte zeros[kAlignment] = {};
  append(std::span(zeros).first(aligned(bytes_) - bytes_));
  entries_.push_back(entry);
}

FinishedShard ShardWriter::finish(std::uint64_t next) {
  ShardEnd end{.samples = entries_.size(), .next = next};
  end.entries = digest_of_entries(header_, entries_, end);
  append(std::as_bytes(std::span(entries_)));
  append(bytes_of(end));
  file_.commit();
  return {.shard = {.split = header_.split,
                    .number = header_.number,
                    .bytes = bytes_,
                    .samples = entries_.size(),
                    .checksum = hash_.digest()},
          .samples = std::move(entries_),
          .next = next};
}

std::optional<FinishedShard> read_finished_shard(const fs::path& folder,
                                                 const ShardHeader& expected) {
  const fs::path path = path_of(folder, expected);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const MappedFile file(path, "shard");
  const auto image = file.bytes();
  const ShardEnd end = read_end(path, image);
  if (std::memcmp(image.data(), &expected, sizeof expected) != 0) {
    throw damaged(path, "it belongs to another packing, or its header is damaged");
  }
  FinishedShard shard{.shard = {.split = expected.split,
                                .number = expected.number,
                                .bytes = image.size(),
                                .samples = end.samples,
                                .checksum = digest_of(image)},
                      .next = end.next};
  shard.samples.resize(end.samples);
  const std::size_t entry_bytes = end.samples * sizeof(SampleEntry);
  std::memcpy(shard.samples.data(), image.data() + image.size() - sizeof end - entry_bytes,
              entry_bytes);
  if (digest_of_entries(expected, shard.samples, end) != end.entries) {
    throw damaged(path, "its list of samples does not match its checksum");
  }
  return shard;
}

}  // namespace scalemark::data::packed
