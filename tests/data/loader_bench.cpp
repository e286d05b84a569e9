// Images/s of the training loader over an image tree or packed data, and of its floor:
// libjpeg-turbo decoding the same files to an eighth of their size, where little but entropy
// decoding is left. For scripts/bench_against_python and by hand. Not a test.
//
//   loader-bench DIR SIZE [WORKERS [SECONDS [WORD...]]]
//   loader-bench DIR floor [SECONDS]
//
// WORD: exact or fast, as --image-decoding; a word of --augment; erasing=P, as --random-erasing;
// cold: each pass begins with none of the files in the system's cache. Behind the rate stands the
// most memory that the process had at once, mapped files included.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/augment/augmented_dataset.h"
#include "data/images/image_folder.h"
#include "data/load/loader.h"
#include "data/load/sampler.h"
#include "data/packed/packed_images.h"
#include "tools/programs/commands.h"

// After <cstdio>: jpeglib.h uses FILE and size_t without including them.
#include <jpeglib.h>

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> jpeg_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension == ".JPEG" || extension == ".jpg" || extension == ".jpeg") {
      files.push_back(entry.path());
    }
  }
  return files;
}

// Any error ends the program: libjpeg's own handler.
void decode_to_an_eighth(const fs::path& file, std::vector<unsigned char>& row) {
  std::vector<char> bytes(fs::file_size(file));
  std::ifstream(file, std::ios::binary).read(bytes.data(), std::ssize(bytes));
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  info.scale_num = 1;
  info.scale_denom = 8;
  jpeg_start_decompress(&info);
  row.resize(static_cast<std::size_t>(info.output_width) * 4);
  JSAMPROW target = row.data();
  while (info.output_scanline < info.output_height) jpeg_read_scanlines(&info, &target, 1);
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
}

void bench_floor(const fs::path& root, double min_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto files = jpeg_files(root);
  if (files.empty()) throw no_input("no JPEG files under " + root.string());
  std::vector<unsigned char> row;
  for (const auto& file : files) decode_to_an_eighth(file, row);  // warms the file cache
  long long images = 0;
  double seconds = 0;
  const auto start = Clock::now();
  while (seconds < min_seconds) {
    for (const auto& file : files) decode_to_an_eighth(file, row);
    images += std::ssize(files);
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::printf("%.1f images/s (%lld images in %.2f s)\n", static_cast<double>(images) / seconds,
              images, seconds);
}

struct Wanted {
  std::string root;
  int size = 224;
  int workers = 0;
  double min_seconds = 2;
  ImageDecoding decoding = ImageDecoding::kExact;
  Augmentation augmentation;
  bool cold = false;
};

constexpr std::int64_t kBatchSize = 20;

std::unique_ptr<Dataset> open_wanted(const Wanted& wanted) {
  return augmented(
      open_images({.root = wanted.root, .image_size = wanted.size, .decoding = wanted.decoding}),
      wanted.augmentation);
}

void drop_from_cache(const fs::path& root) {
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const Descriptor opened(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (::fdatasync(opened.get()) != 0 ||
        ::posix_fadvise(opened.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) {
      throw io_error("cannot drop " + entry.path().string() + " from the cache",
                     "a file of a local disk");
    }
  }
}

struct Loaded {
  std::int64_t images = 0;
  double seconds = 0;
};

// The data set is opened anew for each pass, since what is mapped cannot be dropped.
Loaded bench_cold(const Wanted& wanted) {
  Loaded all;
  for (std::int64_t epoch = 0; all.seconds < wanted.min_seconds; ++epoch) {
    drop_from_cache(wanted.root);
    const auto dataset = open_wanted(wanted);
    const auto start = std::chrono::steady_clock::now();
    Loader loader(*dataset, sample_indices({.dataset_size = dataset->size()}, epoch), epoch,
                  {.batch_size = kBatchSize, .workers = wanted.workers});
    while (const auto loaded = loader.next()) all.images += loaded->batch.samples;
    all.seconds += seconds_since(start);
  }
  return all;
}

// Many epochs as one: an epoch of few images has little for many workers to do between its begin
// and its end.
class Repeated : public Dataset {
 public:
  Repeated(std::unique_ptr<Dataset> once, std::int64_t times)
      : once_(std::move(once)), times_(times) {}

  std::int64_t size() const override { return times_ * once_->size(); }
  std::vector<FieldSpec> fields() const override { return once_->fields(); }
  void load(const SampleKey& key, SampleSlot slot) const override {
    const std::int64_t epoch = key.epoch * times_ + key.index / once_->size();
    once_->load({.seed = key.seed, .epoch = epoch, .index = key.index % once_->size()}, slot);
  }
  void expect(std::int64_t index) const noexcept override { once_->expect(index % once_->size()); }
  std::string name_of(std::int64_t i) const override { return once_->name_of(i % once_->size()); }
  std::string identity() const override { return once_->identity(); }

  std::vector<SampledIndex> indices() const {
    std::vector<SampledIndex> all;
    for (std::int64_t epoch = 0; epoch < times_; ++epoch) {
      for (const auto one : sample_indices({.dataset_size = once_->size()}, epoch)) {
        all.push_back({.index = epoch * once_->size() + one.index});
      }
    }
    return all;
  }

 private:
  std::unique_ptr<Dataset> once_;
  std::int64_t times_;
};

// Measures from the end of the first epoch on, which warms the system's cache.
Loaded bench_warm(const Wanted& wanted) {
  auto once = open_wanted(wanted);
  std::int64_t to_warm = once->size();
  const Repeated dataset(std::move(once), 200);
  auto start = std::chrono::steady_clock::now();
  Loaded all;
  for (std::int64_t pass = 0; all.seconds < wanted.min_seconds; ++pass) {
    Loader loader(dataset, dataset.indices(), pass,
                  {.batch_size = kBatchSize, .workers = wanted.workers});
    while (all.seconds < wanted.min_seconds) {
      const auto loaded = loader.next();
      if (!loaded) break;
      const bool warm = to_warm <= 0;
      to_warm -= loaded->batch.samples;
      if (warm) {
        all.images += loaded->batch.samples;
        all.seconds = seconds_since(start);
      } else {
        start = std::chrono::steady_clock::now();
      }
    }
  }
  return all;
}

// Reads /proc, since getrusage() also counts what the process was before it became this program.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  }
  throw io_error("/proc/self/status has no VmHWM");
}

void bench(const Wanted& wanted) {
  const Loaded all = wanted.cold ? bench_cold(wanted) : bench_warm(wanted);
  std::printf("%.1f images/s (%lld images in %.2f s, at most %.1f MiB of memory)\n",
              static_cast<double>(all.images) / all.seconds, static_cast<long long>(all.images),
              all.seconds, peak_mib());
}

void read_word(std::string_view word, Wanted& wanted) {
  constexpr std::string_view kErasing = "erasing=";
  if (word == "cold") {
    wanted.cold = true;
  } else if (word == "fast" || word == "exact") {
    wanted.decoding = word == "fast" ? ImageDecoding::kFast : ImageDecoding::kExact;
  } else if (word.starts_with(kErasing)) {
    wanted.augmentation.random_erasing = std::atof(word.data() + kErasing.size());
  } else if (const auto augment = find_word<Augment>(word)) {
    wanted.augmentation.augment = *augment;
  } else {
    throw usage("'" + std::string(word) + "' is no word of loader-bench");
  }
}

Wanted read_words(int argc, char** argv) {
  Wanted wanted{.root = argv[1], .size = std::atoi(argv[2])};
  if (argc > 3) wanted.workers = std::atoi(argv[3]);
  if (argc > 4) wanted.min_seconds = std::atof(argv[4]);
  for (int i = 5; i < argc; ++i) read_word(argv[i], wanted);
  return wanted;
}

}  // namespace
}  // namespace scalemark::data

int scalemark::commands::loader_bench(int argc, char** argv) {
  namespace data = scalemark::data;
  if (argc < 3) return 64;
  try {
    if (argv[2] == std::string_view("floor")) {
      data::bench_floor(argv[1], argc > 3 ? std::atof(argv[3]) : 2.0);
    } else {
      data::bench(data::read_words(argc, argv));
    }
  } catch (const scalemark::Error& error) {
    std::fprintf(stderr, "%s\n", scalemark::format_error_line(error.record()).c_str());
    return static_cast<int>(error.record().exit_code);
  }
  return 0;
}
