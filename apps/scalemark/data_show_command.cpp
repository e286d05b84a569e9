// scalemark data show: a contact sheet of what the network sees.
#include "apps/scalemark/augmentation_values.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/data_library.h"
#include "apps/scalemark/loading_values.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"

namespace scalemark::cli {
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

const HelpPage data_show_page = {
    "",
    "Writes a PNG file with the first images of an epoch as training sees them: cropped, flipped,\n"
    "augmented, erased, mixed; below each its class, of mixed ones both with their shares.",
    "  scalemark data show --data DIR --output sheet.png --augment trivial\n"
    "  scalemark data show --data DIR --output sheet.png --mixup 0.2 --cutmix 1 --columns 8\n"};

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
