#include "data/packed/shard_writer.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "data/mapped_file.h"

namespace scalemark::data::packed {
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

// The shard's last bytes, whose magic shows that it was written to its end.
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
