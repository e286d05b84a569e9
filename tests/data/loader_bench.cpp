// loader_bench DIR SIZE [WORKERS [SECONDS]]: images/s of the training loader over an image tree,
// for bench scripts and by hand. Not a test.
#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "data/bench.h"
#include "data/images/image_folder.h"

int main(int argc, char** argv) {
  namespace data = scalemark::data;
  if (argc < 3) return 64;
  try {
    const auto dataset =
        data::open_image_folder({.root = argv[1], .image_size = std::atoi(argv[2])});
    data::LoaderBenchOptions options{
        .loader = {.batch_size = 20, .workers = argc > 3 ? std::atoi(argv[3]) : 0},
        .min_seconds = argc > 4 ? std::atof(argv[4]) : 2.0};
    const auto result = data::bench_loader(*dataset, options);
    std::printf("%.1f images/s (%lld images in %.2f s)\n", result.samples_per_sec,
                static_cast<long long>(result.samples), result.wall_s);
  } catch (const scalemark::Error& error) {
    std::fprintf(stderr, "%s\n", scalemark::format_error_line(error.record()).c_str());
    return static_cast<int>(error.record().exit_code);
  }
}
