#include "engine/fingerprint/disk_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/images/generate.h"
#include "data/images/image_folder.h"
#include "data/load/loader.h"
#include "data/load/sampler.h"
#include "engine/device/device.h"
#include "engine/fingerprint/compute.h"

namespace scalemark::fingerprint {
namespace {

namespace fs = std::filesystem;

fs::path nearest_that_exists(const fs::path& path) {
  std::error_code unknown;
  fs::path folder = fs::absolute(path, unknown);
  while (!fs::is_directory(folder, unknown) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::string pattern = nearest_that_exists(parent) / ".scalemark-measure-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw cannot_create("cannot make " + pattern + ": " + std::strerror(errno),
                        "a folder that can be written to", "name one with --output");
  }
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

using reporting::FingerprintRecord;

constexpr std::int64_t kRequest = 1 << 20;
constexpr std::int64_t kMostRequests = 256, kFewestRequests = 16;
constexpr double kWritingShare = 2;       // writing may take this many times the seconds of reading
constexpr std::size_t kAlignment = 4096;  // O_DIRECT needs memory that is aligned to this.
constexpr long kTmpfs = 0x01021994, kRamfs = 0x858458f6;  // see statfs(2)

struct FileSystem {
  long type;
  const char* name;
};
constexpr std::array kFileSystems = {
    FileSystem{0xef53, "ext4"},        FileSystem{0x58465342, "xfs"},
    FileSystem{0x9123683e, "btrfs"},   FileSystem{0x2fc12fc1, "zfs"},
    FileSystem{0x794c7630, "overlay"}, FileSystem{0x6969, "nfs"},
    FileSystem{0x0bd00bd0, "lustre"},  FileSystem{0x47504653, "gpfs"},
    FileSystem{0x65735546, "fuse"},    FileSystem{0x01021997, "9p"},
    FileSystem{kTmpfs, "tmpfs"},       FileSystem{kRamfs, "ramfs"}};

struct Free {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Buffer = std::unique_ptr<std::byte, Free>;

Error failed(const char* what) {
  return io_error(std::string(what) + " a file of the disk measurement: " + std::strerror(errno));
}

// The file has no name, so it vanishes however the process ends.
Descriptor open_nameless(const std::filesystem::path& folder) {
  std::string pattern = folder / "disk-XXXXXX";
  Descriptor file(mkstemp(pattern.data()));
  if (!file.open()) throw failed("cannot make");
  if (unlink(pattern.c_str()) != 0) throw failed("cannot unlink");
  return file;
}

// Fills it with random bytes, different ones in each request, which no disk can compress.
void fill(const Buffer& buffer, std::mt19937_64& random) {
  for (std::int64_t at = 0; at < kRequest; at += 8) {
    const std::uint64_t bits = random();
    std::memcpy(buffer.get() + at, &bits, sizeof bits);
  }
}

// Returns how many requests the file holds: as many as were written within the time.
std::int64_t write_requests(const Descriptor& file, const Buffer& buffer, double seconds) {
  const auto begun = std::chrono::steady_clock::now();
  std::mt19937_64 random(1);
  std::int64_t count = 0;
  while (count < kMostRequests &&
         (count < kFewestRequests || seconds_since(begun) < kWritingShare * seconds)) {
    fill(buffer, random);
    if (pwrite(file.get(), buffer.get(), kRequest, count * kRequest) != kRequest) {
      throw failed("cannot write");
    }
    ++count;
  }
  if (fsync(file.get()) != 0) throw failed("cannot sync");
  return count;
}

bool reads_past_cache(const Descriptor& file, const Buffer& buffer) {
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags | O_DIRECT) != 0) return false;
  if (pread(file.get(), buffer.get(), kRequest, 0) == kRequest) return true;
  if (fcntl(file.get(), F_SETFL, flags) != 0) throw failed("cannot change");
  return false;
}

long file_system_of(const Descriptor& file) {
  struct statfs facts {};
  if (fstatfs(file.get(), &facts) != 0) throw failed("cannot look at");
  return static_cast<long>(facts.f_type);
}

std::string name_of_file_system(long type) {
  for (const auto& [known, name] : kFileSystems) {
    if (known == type) return name;
  }
  return "a file system of type " + std::to_string(type);
}

}  // namespace

FingerprintRecord disk_read(const std::filesystem::path& folder, double seconds) {
  FingerprintRecord record;
  record.device = "cpu";
  record.what = reporting::MachineRate::kDiskRead;
  record.unit = "B/s";
  const Descriptor file = open_nameless(folder);
  const long type = file_system_of(file);
  if (type == kTmpfs || type == kRamfs) {
    record.reason = "the folder is in memory (tmpfs): --output names one on a disk";
    return record;
  }
  const Buffer buffer(static_cast<std::byte*>(std::aligned_alloc(kAlignment, kRequest)));
  if (!buffer) throw std::bad_alloc();
  const std::int64_t requests = write_requests(file, buffer, seconds);
  const bool direct = reads_past_cache(file, buffer);
  std::int64_t next = 0;
  const auto read_next = [&] {
    if (next == 0 && !direct) posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (pread(file.get(), buffer.get(), kRequest, next * kRequest) != kRequest) {
      throw failed("cannot read");
    }
    next = (next + 1) % requests;
  };
  record.method =
      std::string(direct ? "O_DIRECT" : "posix_fadvise") + ", 1 MiB, " + name_of_file_system(type);
  set_rate(record, time_calls(*device::make_cpu_device(), seconds, read_next), kRequest);
  return record;
}

namespace {

constexpr std::int64_t kImages = 128, kBatch = 8;

// Returns batches without end, epoch after epoch.
class Batches {
 public:
  explicit Batches(const data::Dataset& dataset) : dataset_(dataset) { begin_epoch(); }

  void next() {
    if (loader_->next()) return;
    ++epoch_;
    begin_epoch();
    if (!loader_->next()) throw bug("an epoch without a batch");
  }

 private:
  void begin_epoch() {
    loader_.emplace(dataset_, data::sample_indices({.dataset_size = dataset_.size()}, epoch_),
                    epoch_, data::LoaderOptions{.batch_size = kBatch});
  }

  const data::Dataset& dataset_;
  std::int64_t epoch_ = 0;
  std::optional<data::Loader> loader_;
};

std::unique_ptr<data::Dataset> make_images(const std::filesystem::path& folder, int threads) {
  data::GenerateImagesOptions options{.dir = folder / "images"};
  options.samples = kImages;
  options.val_samples = options.classes;
  options.threads = threads;
  data::generate_images(options);
  return data::open_image_folder({.root = options.dir,
                                  .split = data::ImageSplit::kTrain,
                                  .transform = data::ImageTransform::kTrain});
}

}  // namespace

reporting::FingerprintRecord image_loader(const std::filesystem::path& folder, int threads,
                                          double seconds) {
  reporting::FingerprintRecord record;
  record.device = "cpu";
  record.what = reporting::MachineRate::kImageLoader;
  record.unit = "images/s";
  record.method = "500 x 375 JPEG to 224 x 224";
  const auto dataset = make_images(folder, threads);
  Batches batches(*dataset);
  set_rate(record, time_calls(*device::make_cpu_device(), seconds, [&] { batches.next(); }),
           kBatch);
  return record;
}

}  // namespace scalemark::fingerprint
