// `write-events FOLDER` writes FOLDER/run/events.out.tfevents.*, made-up scalars and histograms,
// and the values of each histogram beside them, as floats in FOLDER/values/TAG.STEP (a dot for each
// slash): for comparing what TensorBoard reads with what was counted, and for viewing.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/live/tensorboard/events.h"
#include "core/live/tensorboard/histogram.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark::tensorboard;
namespace fs = std::filesystem;

constexpr double kStarted = 1767323045;
using Floats = std::vector<float>;

Floats normal(double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution(0, deviation);
  Floats values(100'003);
  for (float& value : values) value = static_cast<float>(distribution(random));
  return values;
}

Floats of_every_kind() {
  using Limits = std::numeric_limits<float>;
  return {0,   -0.0F, Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),      -1,
          0.5, 3,     Limits::infinity(),   -Limits::infinity(),   Limits::quiet_NaN()};
}

class Writer {
 public:
  explicit Writer(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_ / "run");
    fs::create_directories(folder_ / "values");
    events_.begin(kStarted);
  }
  ~Writer() {
    std::ofstream(folder_ / "run" / event_file_name(kStarted), std::ios::binary) << events_.bytes();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Events& events() { return events_; }
  void histogram(const std::string& tag, int step, const Floats& values) {
    events_.histogram(tag, step, kStarted + step, count_values(values));
    std::string name = tag + "." + std::to_string(step);
    name.replace(name.find('/'), 1, ".");
    std::ofstream(folder_ / "values" / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }

 private:
  fs::path folder_;
  Events events_;
};

}  // namespace

int scalemark::commands::write_events(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write-events FOLDER\n");
    return 64;
  }
  Writer writer{fs::path(argv[1])};
  constexpr int kSteps = 12;
  for (int step = 1; step <= kSteps; ++step) {
    writer.events().scalar("Summary/loss", step, kStarted + step, 2.3 * std::exp(-step / 5.0));
    writer.histogram("weights/conv1", step, normal(0.02 * std::sqrt(step), 1));
    writer.histogram("gradients/conv1", step, normal(0.1 / step, 2));
  }
  writer.histogram("special/zeros", 1, Floats(5));
  writer.histogram("special/kinds", 1, of_every_kind());
  writer.histogram("special/one", 1, {-2.5F});
  writer.histogram("special/none", 1, {});
  return 0;
}
