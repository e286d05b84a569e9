// Augmentations on a string, for oracles in Python: as tests/data/data_dump.cpp, one request a line
// on stdin, one answer on stdout.
#include <filesystem>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "data/augment/augmented_dataset.h"
#include "data/augment/mixing.h"
#include "data/augment/policies.h"
#include "data/images/decode.h"
#include "tests/data/answers.h"
#include "tools/programs/commands.h"

namespace scalemark::data {
namespace {

// apply OPERATION magnitude path
Answer apply_one(std::istream& in) {
  std::string operation, path;
  Change change;
  in >> operation >> change.magnitude;
  change.operation = find_word<Operation>(operation).value();
  std::getline(in >> std::ws, path);
  const auto bytes = read_image_file(path);
  Pixels pixels = open_image(bytes, path)->decode_whole();
  apply(change, {pixels.row(0), pixels.width, pixels.height}, load_opencv());
  const std::string size = std::to_string(pixels.width) + ' ' + std::to_string(pixels.height);
  return {.header = "image " + size, .pixels = std::move(pixels)};
}

// changes AUGMENT width height count seed: OPERATION magnitude ..., a '|' behind each image's.
Answer changes(std::istream& in) {
  std::string name;
  ImageSize size;
  int count = 0;
  std::uint64_t seed = 0;
  in >> name >> size.width >> size.height >> count >> seed;
  std::ostringstream out;
  out.precision(17);
  for (int i = 0; i < count; ++i) {
    SampleRandom random(SampleKey{.seed = seed, .index = i});
    for (const Change& change : draw_changes(find_word<Augment>(name).value(), size, random)) {
      out << name_of(change.operation) << ' ' << change.magnitude << ' ';
    }
    out << "| ";
  }
  return {.header = "text " + out.str()};
}

// erased P width height count seed: top left height width ..., or "none"
Answer erased(std::istream& in) {
  double probability = 0;
  ImageSize size;
  int count = 0;
  std::uint64_t seed = 0;
  in >> probability >> size.width >> size.height >> count >> seed;
  std::string line;
  for (int i = 0; i < count; ++i) {
    SampleRandom random(SampleKey{.seed = seed, .index = i});
    const auto box = draw_erased(probability, size, random);
    if (!box) line += "none ";
    if (!box) continue;
    for (const int v : {box->top, box->left, box->height, box->width})
      line += std::to_string(v) + ' ';
  }
  return {.header = "text " + line};
}

// mixing MIXUP CUTMIX width height count seed: six numbers each
Answer mixing(std::istream& in) {
  MixingOptions options;
  ImageSize size;
  int count = 0;
  std::uint64_t seed = 0;
  in >> options.mixup >> options.cutmix >> size.width >> size.height >> count >> seed;
  std::ostringstream out;
  out.precision(9);
  for (int i = 0; i < count; ++i) {
    SampleRandom random(SampleKey{.seed = seed, .index = i});
    for (const float v : draw_mixing(options, size, random)) out << v << ' ';
  }
  return {.header = "text " + out.str()};
}

Answer threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return {.header = "text " + std::to_string(std::distance(begin(tasks), end(tasks)))};
}

Answer augment_answer(const std::string& request) {
  std::istringstream in(request);
  std::string what;
  in >> what;
  if (what == "apply") return apply_one(in);
  if (what == "changes") return changes(in);
  if (what == "erased") return erased(in);
  if (what == "mixing") return mixing(in);
  if (what == "threads") return threads();
  throw usage("unknown request '" + what + "'");
}

}  // namespace
}  // namespace scalemark::data

int scalemark::commands::augment_dump(int, char**) {
  data::answer_requests(data::augment_answer);
  return 0;
}
