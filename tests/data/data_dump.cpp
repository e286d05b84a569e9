// The data module on a string, for oracles in Python: one request a line on stdin, one answer each
// on stdout, either "text <line>", "image <width> <height> ..." and the RGB bytes, or "error
// <line>".
#include <fstream>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/generate.h"
#include "data/images/image_folder.h"
#include "data/images/image_view.h"
#include "data/load/sampler.h"
#include "tests/data/answers.h"
#include "tests/data/images/made_jpeg.h"
#include "tools/programs/commands.h"

namespace scalemark::data {
namespace {

Answer text(const std::string& line) { return {.header = "text " + line}; }

Answer image(Pixels pixels) {
  const std::string header =
      "image " + std::to_string(pixels.width) + ' ' + std::to_string(pixels.height);
  return {.header = header, .pixels = std::move(pixels)};
}

Answer sampler(std::istream& in) {
  SamplerOptions options;
  std::int64_t epoch = 0;
  in >> options.dataset_size >> options.world_size >> options.rank >> options.seed >> epoch >>
      options.shuffle >> options.drop_last;
  std::string line;
  for (const auto& [index, padding] : sample_indices(options, epoch)) {
    line += std::to_string(index) + (padding ? "p " : " ");
  }
  return text(line);
}

Answer permutation_start(std::istream& in) {
  std::int64_t n = 0;
  std::uint64_t seed = 0;
  in >> n >> seed;
  const auto order = torch_randperm(n, seed);
  std::string line;
  for (std::size_t i = 0; i < 20 && i < order.size(); ++i) line += std::to_string(order[i]) + ' ';
  return text(line);
}

Answer crops(std::istream& in) {
  ImageSize size;
  int count = 0;
  std::uint64_t seed = 0;
  in >> size.width >> size.height >> count >> seed;
  std::string line;
  for (int i = 0; i < count; ++i) {
    SampleRandom random(SampleKey{.seed = seed, .index = i});
    const Box box = random_crop_box(size, random);
    for (const int v : {box.left, box.top, box.width, box.height}) line += std::to_string(v) + ' ';
  }
  return text(line);
}

Pixels with_path(std::istream& in, const auto& use) {
  std::string path;
  std::getline(in >> std::ws, path);
  const auto bytes = read_image_file(path);
  return use(*open_image(bytes, path));
}

Answer decode(std::istream& in) {
  return image(with_path(in, [](ImageDecoder& file) { return file.decode_whole(); }));
}

// region left top width height eighths path: the header continues with left and top of what came.
Answer region(std::istream& in) {
  Box box;
  int eighths = 8;
  in >> box.left >> box.top >> box.width >> box.height >> eighths;
  DecodedRegion decoded;
  with_path(in, [&](ImageDecoder& file) {
    decoded = file.decode(box, eighths);
    return Pixels();
  });
  Answer reply = image(std::move(decoded.pixels));
  reply.header += ' ' + std::to_string(decoded.left) + ' ' + std::to_string(decoded.top);
  return reply;
}

// "full": exact, never reduced while decoding; "exact" and "fast": as in training.
Pixels shown(ImageDecoder& file, ImageView view, const std::string& how) {
  if (how == "full") view.scaled = false;
  ImageWorkspace workspace;
  Pixels result(view.plan.window.width, view.plan.window.height);
  write_view(file, view, how == "fast" ? ImageDecoding::kFast : ImageDecoding::kExact, workspace,
             result.row(0));
  return result;
}

// evaluate size how path
Answer evaluate(std::istream& in) {
  int size = 0;
  std::string how;
  in >> size >> how;
  return image(with_path(in, [&](ImageDecoder& file) {
    return shown(file, view_of(file.size(), {}, ImageTransform::kEvaluate, size), how);
  }));
}

// crop_resize left top width height size flip how path
Answer crop_resize(std::istream& in) {
  Box box;
  int size = 0;
  bool flip = false;
  std::string how;
  in >> box.left >> box.top >> box.width >> box.height >> size >> flip >> how;
  return image(with_path(
      in, [&](ImageDecoder& file) { return shown(file, crop_view(box, size, flip), how); }));
}

// generate classes samples size(0: photo sizes) seed threads dir
Answer generate(std::istream& in) {
  GenerateImagesOptions options;
  int size = 0;
  in >> options.classes >> options.samples >> size >> options.seed >> options.threads;
  if (size > 0) options.size = size;
  std::getline(in >> std::ws, options.dir);
  const GeneratedImages made = generate_images(options);
  return text(std::to_string(made.train) + ' ' + std::to_string(made.val) + ' ' +
              std::to_string(made.bytes));
}

// jpeg width height colours progressive separate restart components across down ... path: writes a
// file.
Answer write_jpeg(std::istream& in) {
  JpegForm form;
  int stored = 0;
  std::size_t components = 0;
  in >> form.width >> form.height >> stored >> form.progressive >> form.separate >> form.restart >>
      components;
  form.stored = static_cast<J_COLOR_SPACE>(stored);
  form.factors.resize(components);
  for (auto& [across, down] : form.factors) in >> across >> down;
  form.noise = 40;
  std::string path;
  std::getline(in >> std::ws, path);
  const Bytes file = jpeg_of(form);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), std::ssize(file));
  return text("written");
}

// tree path: each image of the tree with the number of its class, one after the other; then notes.
Answer tree(std::istream& in) {
  std::string path, line;
  std::getline(in >> std::ws, path);
  const ImageTree tree = scan_image_tree(path);
  for (const auto* files : {&tree.train, &tree.evaluate}) {
    for (const ImageFile& file : *files) {
      line += std::to_string(file.label) + '\t' + file.path + '\t';
    }
  }
  for (const std::string& note : tree.notes) line += "note\t" + note + '\t';
  return text(line);
}

Answer data_answer(const std::string& request) {
  std::istringstream in(request);
  std::string what;
  in >> what;
  if (what == "sampler") return sampler(in);
  if (what == "permutation") return permutation_start(in);
  if (what == "crops") return crops(in);
  if (what == "decode") return decode(in);
  if (what == "region") return region(in);
  if (what == "evaluate") return evaluate(in);
  if (what == "crop_resize") return crop_resize(in);
  if (what == "generate") return generate(in);
  if (what == "jpeg") return write_jpeg(in);
  if (what == "tree") return tree(in);
  throw usage("unknown request '" + what + "'");
}

}  // namespace
}  // namespace scalemark::data

int scalemark::commands::data_dump(int, char**) {
  data::answer_requests(data::data_answer);
  return 0;
}
