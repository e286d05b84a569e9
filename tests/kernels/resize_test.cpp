// Both passes of every instruction set against the sums written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Filter {
  std::vector<ResizeTaps> taps;
  std::vector<std::vector<std::int16_t>> weights;
};

// `count` targets with 1 to 7 taps each among `size` elements; weights sum to one.
Filter random_filter(int count, int size, std::mt19937& random) {
  Filter filter;
  for (int i = 0; i < count; ++i) {
    const int taps = std::min(size, 1 + static_cast<int>(random() % 7));
    std::vector<std::int16_t> weights(static_cast<std::size_t>(taps + 1) / 2 * 2);
    int left = 1 << kResizeWeightBits;
    for (int k = 0; k < taps; ++k) {
      const int weight = k + 1 == taps ? left : static_cast<int>(random()) % (left / 2 + 1);
      weights[static_cast<std::size_t>(k)] = static_cast<std::int16_t>(std::abs(weight));
      left -= std::abs(weight);
    }
    filter.weights.push_back(std::move(weights));
    filter.taps.push_back(
        {.first = static_cast<int>(random() % static_cast<unsigned>(size - taps + 1)),
         .count = taps});
  }
  for (std::size_t i = 0; i < filter.taps.size(); ++i) {
    filter.taps[i].weights = filter.weights[i].data();
  }
  return filter;
}

struct Case {
  int width = 0;  // pixels of the source
  int height = 0;
  int target_width = 0;
  int lines = 0;
  BandColour colour = BandColour::kRgb;
  bool flip = false;
};

struct Made {
  int channels = 1;            // channels lie behind each other
  std::vector<Bytes> sources;  // one or three
  std::vector<Filter> down;
  std::vector<Filter> across;
};

Made make(const Case& c, std::mt19937& random) {
  Made made{.channels = c.colour == BandColour::kRgb ? 3 : 1};
  const bool planes = c.colour == BandColour::kYcc || c.colour == BandColour::kKept;
  for (int i = 0; i < (planes ? 3 : 1); ++i) {
    Bytes bytes(static_cast<std::size_t>(c.width * c.height * made.channels));
    for (auto& b : bytes)
      b = static_cast<std::uint8_t>(random() % 4 == 0 ? 255 * (random() % 2) : random());
    made.sources.push_back(std::move(bytes));
    made.down.push_back(random_filter(c.lines, c.height, random));
    made.across.push_back(random_filter(c.target_width, c.width, random));
  }
  return made;
}

int middle_value(const Made& made, const Case& c, std::size_t source, int line, int element) {
  const ResizeTaps& taps = made.down[source].taps[static_cast<std::size_t>(line)];
  int sum = 64;
  for (int k = 0; k < taps.count; ++k) {
    sum += taps.weights[k] * made.sources[source][static_cast<std::size_t>(
                                 (taps.first + k) * c.width * made.channels + element)];
  }
  return sum >> 7;
}

int value(const Made& made, const Case& c, std::size_t source, int line, int place, int channel,
          int shift) {
  const ResizeTaps& taps = made.across[source].taps[static_cast<std::size_t>(place)];
  int sum = 1 << (shift - 1);
  for (int k = 0; k < taps.count; ++k) {
    sum += taps.weights[k] *
           middle_value(made, c, source, line, (taps.first + k) * made.channels + channel);
  }
  return sum >> shift;
}

// JFIF in double, of values in 1/64 of a level.
double of_ycc(const int (&ycc)[3], int channel) {
  const double y = ycc[0] / 64.0;
  const double cb = ycc[1] / 64.0 - 128;
  const double cr = ycc[2] / 64.0 - 128;
  const double rgb[] = {y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb};
  return std::clamp(rgb[channel], 0.0, 255.0);
}

Bytes written(const Made& made, const Case& c, InstructionSet set) {
  const ResizeKernels& kernels = resize_kernels(set);
  const std::size_t pitch = 3 * static_cast<std::size_t>(c.target_width) + 5;
  Bytes target(pitch * static_cast<std::size_t>(c.lines), 0xcd);
  BandPixels pixels{.colour = c.colour,
                    .width = c.target_width,
                    .lines = c.lines,
                    .flip = c.flip,
                    .target = target.data(),
                    .target_pitch = pitch};
  std::vector<std::vector<std::int16_t>> middles;
  for (std::size_t i = 0; i < made.sources.size(); ++i) {
    const auto width = static_cast<std::size_t>(c.width * made.channels);
    middles.emplace_back(width * static_cast<std::size_t>(kernels.lines), -1);
    // A copy that ends with the pixels: AddressSanitizer sees what is read beyond.
    const Bytes source(made.sources[i]);
    kernels.rows({.source = source.data(),
                  .stride = width,
                  .width = width,
                  .taps = made.down[i].taps.data(),
                  .lines = c.lines,
                  .middle = middles[i].data()});
  }
  for (std::size_t i = 0; i < middles.size(); ++i) {
    pixels.channels[i] = {.middle = middles[i].data(), .taps = made.across[i].taps.data()};
  }
  kernels.pixels(pixels);
  return target;
}

void check_against_sums(const Made& made, const Case& c, const Bytes& target) {
  const std::size_t pitch = 3 * static_cast<std::size_t>(c.target_width) + 5;
  for (int line = 0; line < c.lines; ++line) {
    for (int x = 0; x < c.target_width; ++x) {
      const int place = c.flip ? c.target_width - 1 - x : x;
      for (int channel = 0; channel < 3; ++channel) {
        const int got = target[static_cast<std::size_t>(line) * pitch +
                               static_cast<std::size_t>(3 * x + channel)];
        if (c.colour == BandColour::kYcc) {
          const int ycc[] = {value(made, c, 0, line, place, 0, 15),
                             value(made, c, 1, line, place, 0, 15),
                             value(made, c, 2, line, place, 0, 15)};
          ASSERT_NEAR(got, of_ycc(ycc, channel), 0.55) << line << ' ' << x << ' ' << channel;
        } else {
          const int own = c.colour == BandColour::kRgb ? channel : 0;
          const std::size_t source =
              c.colour == BandColour::kKept ? static_cast<std::size_t>(channel) : 0;
          ASSERT_EQ(got, std::clamp(value(made, c, source, line, place, own, 21), 0, 255))
              << line << ' ' << x << ' ' << channel;
        }
      }
    }
    for (std::size_t i = 0; i < 5; ++i) {  // nothing behind the line's end
      ASSERT_EQ(target[static_cast<std::size_t>(line) * pitch + pitch - 5 + i], 0xcd);
    }
  }
}

std::vector<InstructionSet> sets() {
  std::vector<InstructionSet> found;
  for (const auto set :
       {InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (runs(set)) found.push_back(set);
  }
  return found;
}

TEST(Resize, AllInstructionSetsWriteTheSumsThatAreWrittenOut) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 150; ++trial) {
    const auto up_to = [&](unsigned n) { return 1 + static_cast<int>(random() % n); };
    const Case c{.width = up_to(trial % 5 == 0 ? 9 : 90),
                 .height = up_to(40),
                 .target_width = up_to(70),
                 .lines = up_to(8),  // fits the narrowest
                 .colour = static_cast<BandColour>(trial % 4),
                 .flip = random() % 2 == 0};
    const Made made = make(c, random);
    for (const InstructionSet set : sets()) {
      SCOPED_TRACE(name_of(set));
      ASSERT_NO_FATAL_FAILURE(check_against_sums(made, c, written(made, c, set)));
    }
    ASSERT_EQ(written(made, c, sets().back()), written(made, c, InstructionSet::kPortable));
  }
}

TEST(Resize, WidestBandsAreFull) {
  std::mt19937 random(8);
  for (const InstructionSet set : sets()) {
    for (const auto colour :
         {BandColour::kRgb, BandColour::kGrey, BandColour::kYcc, BandColour::kKept}) {
      const Case c{.width = 131,
                   .height = 60,
                   .target_width = 48,
                   .lines = resize_kernels(set).lines,
                   .colour = colour};
      const Made made = make(c, random);
      SCOPED_TRACE(name_of(set));
      ASSERT_NO_FATAL_FAILURE(check_against_sums(made, c, written(made, c, set)));
    }
  }
}

}  // namespace
}  // namespace scalemark::kernels
