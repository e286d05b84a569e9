#include "core/settings/table/table.h"

namespace scalemark::settings::table {

std::vector<Option> what_options() {
  constexpr Range kPixels{.low = 8, .high = 4096};
  constexpr Range kTokens{.low = 8, .high = 512};  // BERT's position table ends at 512
  return {
      {.name = "workload",
       .kind = Kind::kText,  // its values are the catalogue, checked in resolve.cpp
       .field = kField<&TaskSettings::workload>,
       .identity = Identity::kAxis,
       .default_text = "mlp",
       .help = "what is trained",
       .value_name = "NAME"},
      {.name = "task",
       .kind = Kind::kChoice,
       .field = kField<&TaskSettings::task>,
       .identity = Identity::kAxis,
       .default_text = "pretrain",
       .help = "what BERT is trained for",
       .choices = {"pretrain"}},
      {.name = "data",
       .kind = Kind::kPath,
       .commands = kDataBench | kDataShow,
       .field = kField<&TaskSettings::data>,
       .identity = Identity::kAxis,
       .default_text = "synthetic",
       .help =
           "synthetic, an image folder (train/<class>/*.JPEG) or packed data (`data pack`), or a "
           "text file, folder or token file",
       .value_name = "synthetic|PATH"},
      {.name = "vocab",
       .kind = Kind::kPath,
       .commands = kDataTokenize | kDataBench,
       .field = kField<&TaskSettings::vocab>,
       .identity = Identity::kPoint,
       .help = "vocab.txt of the WordPiece tokenizer, one entry a line"},
      {.name = "cased",
       .kind = Kind::kFlag,
       .commands = kDataTokenize | kDataBench,
       .field = kField<&TaskSettings::cased>,
       .identity = Identity::kAxis,
       .default_text = "off",
       .help = "tokenize as BERT cased does: keep case and accents"},
      {.name = "image_size",
       .kind = Kind::kCount,
       .commands = kDataBench | kDataGenerate | kDataShow,
       .field = kField<&TaskSettings::image_size>,
       .identity = Identity::kAxis,
       .help = "side of the square that the network sees",
       .own_help = {{kDataGenerate,
                     "side of the images made, in pixels (default: sizes as in ImageNet)"}},
       .range = kPixels,
       .unit = "pixels"},
      {.name = "sequence_length",
       .kind = Kind::kCount,
       .commands = kDataBench,
       .field = kField<&TaskSettings::sequence_length>,
       .identity = Identity::kAxis,
       .help = "tokens per sequence, padding included",
       .range = kTokens,
       .unit = "tokens"},
  };
}

}  // namespace scalemark::settings::table
