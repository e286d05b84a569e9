#include "data/packed/verify.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/images/image_folder.h"
#include "data/packed/index.h"
#include "data/packed/ordered_work.h"
#include "data/packed/shard_file.h"

namespace scalemark::data::packed {
namespace {

// Reads a shard once, from beginning to end.
class ShardCheck {
 public:
  ShardCheck(const Index& index, const ShardEntry& shard)
      : index_(index),
        shard_(shard),
        samples_(index.samples().subspan(shard.first, shard.samples)),
        file_(index, shard) {}

  std::vector<std::string> run() {
    note([&] { file_.check_length(shard_); });
    there_ = std::min(file_.length(), shard_.bytes);
    if (there_ >= sizeof(ShardHeader)) note([&] { file_.check_header(index_, shard_); });
    read_on(std::min<std::uint64_t>(sizeof(ShardHeader), there_));
    for (const SampleEntry& sample : samples_) check(sample);
    if (there_ == shard_.bytes) check_end();
    if (faults_.empty() && whole_.digest() != shard_.checksum) {
      add("its bytes do not match their checksum");
    }
    return std::move(faults_);
  }

 private:
  template <class Check>
  void note(const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      if (error.record().exit_code != ExitCode::kBadData) throw;
      faults_.push_back(error.record().what);
    }
  }

  void add(const std::string& fault) {
    faults_.push_back("shard " + index_.shard_path(shard_).string() + ": " + fault);
  }

  void add(const SampleEntry& sample, const std::string& fault) {
    faults_.push_back(index_.name_of(sample) + ": " + fault);
  }

  void check(const SampleEntry& sample) {
    if (sample.offset < at_) return add(sample, "it overlaps what is before");
    if (sample.offset + sample.bytes > there_) return add(sample, "its bytes are not there");
    check_zeros(sample.offset);
    if (digest_of(read_on(sample.bytes)) != sample.checksum) {
      add(sample, "its bytes do not match their checksum");
    }
  }

  void check_zeros(std::uint64_t end) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    bool zeros = true;
    while (at_ < end) {
      const auto gap = read_on(std::min(kPiece, end - at_));
      zeros = zeros && std::all_of(gap.begin(), gap.end(), is_zero);
    }
    if (zeros) return;
    add("its bytes before " + std::to_string(end) + ", which belong to no sample, are not 0");
  }

  // Checks the entries of its samples against the index, and the end.
  void check_end() {
    const std::uint64_t bytes = samples_.size_bytes() + sizeof(ShardEnd);
    if (shard_.bytes - at_ < bytes) return add("there is no room for its list of samples");
    check_zeros(shard_.bytes - bytes);
    const auto tail = read_on(bytes);
    std::vector<SampleEntry> written(samples_.size());
    std::memcpy(written.data(), tail.data(), samples_.size_bytes());
    ShardEnd end;
    std::memcpy(&end, tail.data() + samples_.size_bytes(), sizeof end);
    const ShardHeader header{
        .split = shard_.split, .number = shard_.number, .plan = index_.header().plan};
    if (std::memcmp(end.magic, ShardEnd().magic, sizeof end.magic) != 0 ||
        end.samples != samples_.size() || digest_of_entries(header, written, end) != end.entries) {
      add("its list of samples does not match its checksum");
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) compare(written[i], samples_[i]);
  }

  // A shard does not know its own number in the index.
  void compare(const SampleEntry& written, SampleEntry expected) {
    const std::uint32_t shard = std::exchange(expected.shard, 0);
    if (std::memcmp(&written, &expected, sizeof expected) == 0) return;
    expected.shard = shard;
    add(expected, "index and shard do not say the same of it");
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
  const std::span<const SampleEntry> samples_;
  const ShardFile file_;
  Hash128 whole_;
  std::uint64_t at_ = 0;
  std::uint64_t there_ = 0;  // bytes of the file that the index accounts for
  std::vector<std::byte> buffer_;
  std::vector<std::string> faults_;
};

// Returns a line for each fault, in the order of the places in the shard. Each names the shard, and
// the sample where the fault is in one. A missing shard is a fault; throws io_error (74) when
// reading fails.
std::vector<std::string> faults_of(const Index& index, const ShardEntry& shard) {
  try {
    return ShardCheck(index, shard).run();
  } catch (const Error& error) {
    if (error.record().exit_code != ExitCode::kNoInput) throw;
    std::vector<std::string> faults{error.record().what};
    for (const SampleEntry& sample : index.samples().subspan(shard.first, shard.samples)) {
      faults.push_back(index.name_of(sample) + ": its shard is missing");
    }
    return faults;
  }
}

}  // namespace
}  // namespace scalemark::data::packed

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using namespace packed;
using Faults = std::vector<std::string>;

// Returns the fault that a reader would report; any other error ends the verification.
std::optional<std::string> fault_of(const Error& error) {
  const ExitCode code = error.record().exit_code;
  if (code != ExitCode::kBadData && code != ExitCode::kNoInput) throw error;
  return error.record().what;
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
  make_in_order<Faults>(
      0, shards.size(), options.threads,
      [&](std::size_t i) { return faults_of(*index, shards[i]); },
      [&](std::size_t i, Faults faults) {
        append(report.faults, std::move(faults));
        report.bytes += static_cast<std::int64_t>(shards[i].bytes);
        report.samples += static_cast<std::int64_t>(shards[i].samples);
        if (options.progress) options.progress(report.samples, std::ssize(index->samples()));
      });
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
  VerifyReport report{.samples = std::ssize(files), .faults = {}, .notes = tree.notes};
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
