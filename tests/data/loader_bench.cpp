// Images/s of the training loader over an image tree or packed data, and of its floor:
// libjpeg-turbo decoding the same files to an eighth of their size, where little but entropy
// decoding is left. For scripts/bench_against_python and by hand. Not a test.
//
//   loader_bench DIR SIZE [WORKERS [SECONDS [exact|fast [cold]]]]
//   loader_bench DIR floor [SECONDS]
//
// cold: each pass begins with none of the files in the system's cache.
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

#include "core/base/descriptor.h"
#include "core/base/durations.h"
#include "core/base/error.h"
#include "data/bench.h"
#include "data/images/image_folder.h"
#include "data/loader.h"
#include "data/packed/packed_images.h"
#include "data/sampler.h"

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

void drop_from_cache(const std::vector<fs::path>& files) {
  for (const auto& file : files) {
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (::fdatasync(opened.get()) != 0 ||
        ::posix_fadvise(opened.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) {
      throw io_error("cannot drop " + file.string() + " from the cache", "a file of a local disk");
    }
  }
}

void bench_cold(const Dataset& dataset, const fs::path& root, int workers, double min_seconds) {
  const auto files = jpeg_files(root);
  std::int64_t images = 0;
  double seconds = 0;
  for (std::int64_t epoch = 0; seconds < min_seconds; ++epoch) {
    drop_from_cache(files);
    const auto start = std::chrono::steady_clock::now();
    Loader loader(dataset, sample_indices({.dataset_size = dataset.size()}, epoch), epoch,
                  {.batch_size = 20, .workers = workers});
    while (const auto loaded = loader.next()) images += loaded->batch.samples;
    seconds += seconds_since(start);
  }
  std::printf("%.1f images/s (%lld images in %.2f s)\n", static_cast<double>(images) / seconds,
              static_cast<long long>(images), seconds);
}

void bench(const std::string& root, int size, int workers, double min_seconds,
           ImageDecoding decoding, bool cold) {
  const auto dataset = open_images({.root = root, .image_size = size, .decoding = decoding});
  if (cold) return bench_cold(*dataset, root, workers, min_seconds);
  const auto result = bench_loader(
      *dataset, {.loader = {.batch_size = 20, .workers = workers}, .min_seconds = min_seconds});
  std::printf("%.1f images/s (%lld images in %.2f s)\n", result.samples_per_sec,
              static_cast<long long>(result.samples), result.wall_s);
}

}  // namespace
}  // namespace scalemark::data

int main(int argc, char** argv) {
  namespace data = scalemark::data;
  if (argc < 3) return 64;
  try {
    if (argv[2] == std::string_view("floor")) {
      data::bench_floor(argv[1], argc > 3 ? std::atof(argv[3]) : 2.0);
    } else {
      data::bench(argv[1], std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 0,
                  argc > 4 ? std::atof(argv[4]) : 2.0,
                  argc > 5 && argv[5] == std::string_view("fast") ? data::ImageDecoding::kFast
                                                                  : data::ImageDecoding::kExact,
                  argc > 6);
    }
  } catch (const scalemark::Error& error) {
    std::fprintf(stderr, "%s\n", scalemark::format_error_line(error.record()).c_str());
    return static_cast<int>(error.record().exit_code);
  }
}
