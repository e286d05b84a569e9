#include "data/packed/verify.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "data/images/image_folder.h"
#include "data/packed/index.h"
#include "data/packed/ordered_work.h"
#include "data/packed/shard_file.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using namespace packed;
using Faults = std::vector<std::string>;

// A fault is what a reader would be told; anything else ends the verification.
std::optional<std::string> fault_of(const Error& error) {
  const ExitCode code = error.record().exit_code;
  if (code != ExitCode::kBadData && code != ExitCode::kNoInput) throw error;
  return error.record().what;
}

// Which samples of a cut shard are lost.
void add_lost_samples(const Index& index, const ShardEntry& shard, Faults& faults) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(index.shard_path(shard), failed);
  for (const SampleEntry& sample : index.samples().subspan(shard.first, shard.samples)) {
    if (!failed && sample.offset + sample.bytes <= bytes) continue;
    faults.push_back(index.name_of(sample) + ": its bytes are not there");
  }
}

// Reads a shard once from its begin to its end, comparing the samples on the way.
class ShardCheck {
 public:
  ShardCheck(const Index& index, const ShardEntry& shard)
      : index_(index), shard_(shard), file_(index, shard, false) {}

  Faults run() {
    for (const SampleEntry& sample : index_.samples().subspan(shard_.first, shard_.samples)) {
      if (sample.offset < at_) {
        faults_.push_back(index_.name_of(sample) + ": it overlaps the sample before");
        continue;
      }
      read_on(sample.offset - at_);
      if (digest_of(read_on(sample.bytes)) != sample.checksum) {
        faults_.push_back(index_.name_of(sample) + ": its bytes do not match their checksum");
      }
    }
    compare_entries(read_on(shard_.bytes - at_));
    if (faults_.empty() && whole_.digest() != shard_.checksum) {
      faults_.push_back(index_.shard_path(shard_).string() +
                        ": its bytes outside the samples do not match their checksum");
    }
    return std::move(faults_);
  }

 private:
  // The shard ends with the entries of its samples, as it was given them.
  void compare_entries(std::span<const std::byte> tail) {
    const auto samples = index_.samples().subspan(shard_.first, shard_.samples);
    if (tail.size() < samples.size_bytes() + sizeof(ShardEnd)) return;  // its checksum will differ
    tail = tail.last(samples.size_bytes() + sizeof(ShardEnd));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      SampleEntry expected = samples[i];
      expected.shard = 0;
      const auto written = tail.subspan(i * sizeof expected, sizeof expected);
      if (std::memcmp(written.data(), &expected, sizeof expected) == 0) continue;
      faults_.push_back(index_.name_of(samples[i]) + ": index and shard do not say the same of it");
    }
  }

  std::span<const std::byte> read_on(std::uint64_t bytes) {
    buffer_.resize(bytes);
    file_.read(at_, buffer_);
    whole_.add(buffer_);
    at_ += bytes;
    return buffer_;
  }

  const Index& index_;
  const ShardEntry& shard_;
  ShardFile file_;
  Hash128 whole_;
  std::uint64_t at_ = 0;
  std::vector<std::byte> buffer_;
  Faults faults_;
};

Faults check_shard(const Index& index, const ShardEntry& shard) {
  try {
    return ShardCheck(index, shard).run();
  } catch (const Error& error) {
    Faults faults{*fault_of(error)};
    add_lost_samples(index, shard, faults);
    return faults;
  }
}

void append(Faults& to, Faults from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

VerifyReport verify_packed(const VerifyOptions& options) {
  VerifyReport report{.packed = true};
  std::optional<Index> index;
  try {
    index.emplace(options.path);
  } catch (const Error& error) {
    if (!fs::exists(fs::path(options.path) / kIndexName)) throw;
    report.faults.push_back(*fault_of(error));
    return report;
  }
  const auto shards = index->shards();
  std::int64_t all = 0;
  for (const ShardEntry& shard : shards) all += static_cast<std::int64_t>(shard.bytes);
  make_in_order<Faults>(
      0, shards.size(), options.threads,
      [&](std::size_t i) { return check_shard(*index, shards[i]); },
      [&](std::size_t i, Faults faults) {
        append(report.faults, std::move(faults));
        report.bytes += static_cast<std::int64_t>(shards[i].bytes);
        if (options.progress) options.progress(report.bytes, all);
      });
  report.samples = std::ssize(index->samples());
  report.shards = std::ssize(shards);
  return report;
}

std::optional<std::string> check_file(const std::string& path) {
  try {
    const auto bytes = read_image_file(path);
    open_image(bytes, path)->decode_whole();
    return std::nullopt;
  } catch (const Error& error) {
    return fault_of(error);
  }
}

VerifyReport verify_tree(const VerifyOptions& options) {
  const ImageTree tree = scan_image_tree(options.path);
  std::vector<ImageFile> files = tree.train;
  files.insert(files.end(), tree.evaluate.begin(), tree.evaluate.end());
  VerifyReport report{.samples = std::ssize(files)};
  make_in_order<std::optional<std::string>>(
      0, files.size(), options.threads,
      [&](std::size_t i) { return check_file(tree.root + '/' + files[i].path); },
      [&](std::size_t i, std::optional<std::string> fault) {
        if (fault) report.faults.push_back(*std::move(fault));
        if (options.progress) options.progress(static_cast<std::int64_t>(i) + 1, report.samples);
      });
  return report;
}

}  // namespace

VerifyReport verify_images(const VerifyOptions& options) {
  return is_packed(options.path) ? verify_packed(options) : verify_tree(options);
}

}  // namespace scalemark::data
