// scalemark data: generate, tokenize, bench, and show, a contact sheet of what the network sees.
// data/ does the work; this file prints the results.

#include <algorithm>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/libraries.h"
#include "apps/scalemark/loading_values.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/settings/reader.h"
#include "data/data_api.h"

namespace scalemark::cli {
namespace {

using settings::ToolValues;

data::Augmentation augmentation_of(const settings::ToolValues& values) {
  return {.augment = find_word<data::Augment>(*values.text("augment")).value(),
          .random_erasing = *values.number("random_erasing"),
          .mixing = {.mixup = *values.number("mixup"), .cutmix = *values.number("cutmix")}};
}

std::string next_step(const std::string& command) { return "train on it: " + command + "\n"; }

void note_unused(const ToolValues& values, const char* what,
                 std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!values.given(name)) continue;
    print_note(settings::option_flag(name) + " has no effect on " + what);
  }
}

ExitCode generate_images(const std::string& dir, const ToolValues& values) {
  data::GenerateImagesOptions options{.dir = dir,
                                      .seed = static_cast<std::uint64_t>(*values.count("seed")),
                                      .threads = threads_of(values),
                                      .overwrite = values.on("overwrite")};
  options.classes = static_cast<int>(*values.count("classes"));
  if (const auto samples = values.count("samples")) options.samples = *samples;
  if (const auto size = values.count("image_size")) options.size = static_cast<int>(*size);
  const data::GeneratedImages made = load_data_library().generate_images(options);
  return print_result(std::to_string(made.train) + " images for training and " +
                      std::to_string(made.val) + " for evaluation, " +
                      std::to_string(options.classes) + " classes, " + size_text(made.bytes) +
                      ", in " + dir + "\n" +
                      next_step("scalemark train --workload resnet50 --data " + shell_word(dir) +
                                " --image-size 64 --epochs 3"));
}

ExitCode generate_text(const std::string& dir, const ToolValues& values) {
  note_unused(values, "text", {"classes", "image_size", "workers"});
  data::GenerateTextOptions options{.dir = dir,
                                    .seed = static_cast<std::uint64_t>(*values.count("seed")),
                                    .overwrite = values.on("overwrite")};
  if (const auto samples = values.count("samples")) options.samples = *samples;
  const data::GeneratedText made = load_data_library().generate_text(options);
  return print_result(
      std::to_string(made.documents) + " documents, " + std::to_string(made.sentences) +
      " sentences, " + size_text(made.bytes) + ", " + std::to_string(made.vocabulary) +
      " entries in the vocabulary, in " + dir + "\n" +
      next_step("scalemark train --workload bert-mini --data " + shell_word(made.corpus.string()) +
                " --vocab " + shell_word(made.vocab.string())));
}

std::string beside(const std::string& text) {
  const std::size_t end = text.find_last_not_of('/');
  return text.substr(0, end == std::string::npos ? 0 : end + 1) + ".tokens";
}

// The output is made beside the text by default, which a pipe or /dev/stdin does not allow.
std::string output_of(const std::string& text, const ToolValues& values) {
  if (const auto output = values.text("output")) return *output;
  if (const std::string special = read_once_kind(text); !special.empty()) {
    throw usage("--output is not given and '" + text + "' is " + special,
                "the token file to write is expected");
  }
  return beside(text);
}

// Says how much of the text did not become tokens.
std::string lost_text(const data::TokenizeReport& made) {
  std::string lines;
  if (made.replaced_bytes > 0) {
    lines = counted(made.replaced_bytes, "byte") +
            (made.replaced_bytes == 1 ? " was no UTF-8 and was replaced"
                                      : " were no UTF-8 and were replaced") +
            " by U+FFFD, which is no token\n";
  }
  return lines + (made.left_out.empty() ? "" : made.left_out + "\n");
}

data::LoaderBenchOptions bench_options(const ToolValues& values) {
  data::LoaderBenchOptions options;
  options.loader.batch_size = values.count("batch_size").value_or(32);
  options.loader.workers = static_cast<int>(*values.count("workers"));
  options.loader.on_bad_sample = on_bad_sample_of(values);
  options.loader.batches_ahead = static_cast<int>(*values.count("prefetch"));
  options.loader.seed = static_cast<std::uint64_t>(*values.count("seed"));
  return options;
}

std::string bench_text(const data::BenchedData& benched, const data::LoaderOptions& loader) {
  const data::LoaderBenchResult& result = benched.result;
  std::string text = readable(result.samples_per_sec) + " " + benched.kind + "/s with " +
                     counted(loader.workers, "worker") + ", batch size " +
                     std::to_string(loader.batch_size) + ": " + grouped(result.samples) + " " +
                     benched.kind + " (" + grouped(benched.data_size) + " of them, " +
                     counted(result.epochs, "time") + "), " + duration_text(result.wall_s) + ", " +
                     rate_text(result.bytes_per_sec, "B/s") + " of batches\n";
  return text + skipped_text(result.skipped);
}

// Seconds of one core for one image: in all, and by stage.
struct CoreTime {
  data::ImageStages stages;
  double all;

  CoreTime(const data::ImageStages& timed, const data::LoaderBenchResult& result)
      : stages(timed),
        all(std::max(result.cpu_s / static_cast<double>(result.samples),
                     timed.total_s() / static_cast<double>(timed.images))) {}
};

std::string shares_text(const CoreTime& time) {
  const data::ImageStages& stages = time.stages;
  const double all = time.all * static_cast<double>(stages.images);
  const auto share = [all](const char* stage, double seconds) {
    return std::string(stage) + " " + percent(seconds / all);
  };
  std::string text = share("read", stages.read_s);
  if (stages.checksum_s > 0) text += ", " + share("checksum", stages.checksum_s);
  if (stages.entropy_s > 0) {  // raw pixels need no decoding
    text += ", " + share("entropy decoding", stages.entropy_s) + ", " +
            share("inverse DCT", stages.idct_s) + ", " + share("colour", stages.colour_s);
  }
  if (stages.other_s > 0) text += ", " + share("PNG and other decoding", stages.other_s);
  return text + ", " + share("resize", stages.resize_s) + ", " + share("flip", stages.flip_s) +
         ", " + share("the rest", std::max(0.0, all - stages.total_s()));
}

// Says where a core's time goes. The loader's time is the CPU time of all its threads; each stage
// is timed by itself, so that a rest remains, which no stage explains.
std::string stages_text(const data::ImageStages& stages, const data::LoaderBenchResult& result,
                        std::int64_t gpu_rate) {
  if (stages.images == 0) return "";
  const CoreTime time(stages, result);
  return "one core: " + duration_text(time.all) + " an image (" + readable(1 / time.all) +
         " images/s), of which " + shares_text(time) + " (" + counted(stages.images, "image") +
         ", from the file cache)\n" + "a GPU that trains " + std::to_string(gpu_rate) +
         " images/s needs " + with_decimals(static_cast<double>(gpu_rate) * time.all, 1) +
         " such cores (--gpu-rate is for another)\n";
}

}  // namespace

ExitCode data_generate_command(const Invocation& invocation) {
  const auto& words = exactly(invocation, 2, "`images DIR` or `text DIR`");
  if (words[0] != "images" && words[0] != "text") {
    throw usage("'" + words[0] + "' cannot be generated", "images or text is expected");
  }
  const ToolValues values = read_tool_values(invocation);
  return words[0] == "images" ? generate_images(words[1], values) : generate_text(words[1], values);
}

ExitCode data_tokenize_command(const Invocation& invocation) {
  const std::string& text = exactly(invocation, 1, "one text file or folder").front();
  const ToolValues values = read_tool_values(invocation);
  const auto vocab = values.text("vocab");
  if (!vocab) throw usage("--vocab is not given", "the vocab.txt to tokenize with is expected");
  const std::string output = output_of(text, values);
  const data::TokenizeReport made =
      load_data_library().tokenize_corpus({.input = text,
                                           .vocab = *vocab,
                                           .output = output,
                                           .cased = values.on("cased"),
                                           .overwrite = values.on("overwrite"),
                                           .threads = threads_of(values)});
  const double unknown = static_cast<double>(made.unknown_tokens) /
                         static_cast<double>(std::max<std::int64_t>(1, made.tokens));
  return print_result(
      std::to_string(made.tokens) + " tokens (" + percent(unknown) + " unknown), " +
      std::to_string(made.sentences) + " sentences, " + std::to_string(made.documents) +
      " documents, " + size_text(made.file_bytes) + ", in " + output + "\n" + lost_text(made) +
      next_step("scalemark train --workload bert-mini --data " + shell_word(output) + " --vocab " +
                shell_word(*vocab) + (values.on("cased") ? " --cased" : "")));
}

ExitCode data_bench_command(const Invocation& invocation) {
  exactly(invocation, 0, "nothing but options, like --data PATH,");
  const ToolValues values = read_tool_values(invocation);
  if (values.text("data") == "synthetic") {
    throw usage("--data is not given", "files to load are expected: --data PATH",
                "`scalemark data generate images DIR` makes some");
  }
  data::BenchSource source{.path = *values.text("data"),
                           .vocab = values.text("vocab").value_or(""),
                           .cased = values.on("cased"),
                           .augmentation = augmentation_of(values)};
  source.image_decoding = decoding_of(values);
  if (const auto size = values.count("image_size")) source.image_size = static_cast<int>(*size);
  if (const auto length = values.count("sequence_length")) source.sequence_length = *length;
  const StopLine stopped("data bench was stopped", "");
  const data::LoaderBenchOptions options = bench_options(values);
  const data::BenchedData benched = load_data_library().bench(source, options);
  print_notes(benched.notes);
  std::string text = bench_text(benched, options.loader);
  if (benched.stages)
    text += stages_text(*benched.stages, benched.result, *values.count("gpu_rate"));
  return print_result(text);
}

namespace {

data::ShowOptions show_options(const settings::ToolValues& values) {
  const auto data = values.text("data"), output = values.text("output");
  if (data == "synthetic") throw usage("--data is not given", "an image folder is expected");
  if (!output) throw usage("--output is not given", "the name of a PNG file is expected");
  data::ShowOptions options{.data = *data,
                            .output = *output,
                            .overwrite = values.on("overwrite"),
                            .seed = static_cast<std::uint64_t>(*values.count("seed")),
                            .decoding = decoding_of(values),
                            .on_bad_sample = on_bad_sample_of(values),
                            .augmentation = augmentation_of(values),
                            .columns = static_cast<int>(*values.count("columns"))};
  if (const auto size = values.count("image_size")) options.image_size = static_cast<int>(*size);
  if (const auto samples = values.count("samples")) options.samples = *samples;
  return options;
}

}  // namespace

ExitCode data_show_command(const Invocation& invocation) {
  exactly(invocation, 0, "nothing but options, like --data DIR --output sheet.png,");
  const data::ShowOptions options = show_options(read_tool_values(invocation));
  Inputs inputs(invocation);
  inputs.add_data(options.data);
  inputs.refuse("--output", options.output);
  const data::ShownImages shown = load_data_library().show(options);
  print_notes(shown.notes);
  return print_result(std::to_string(shown.samples) + " of " + std::to_string(shown.data_size) +
                      " images, " + std::to_string(shown.sheet.width) + " x " +
                      std::to_string(shown.sheet.height) + " pixels, in " +
                      options.output.string() + "\n" + skipped_text(shown.skipped));
}

}  // namespace scalemark::cli
