#include "core/settings/table/table.h"

namespace scalemark::settings::table {
namespace {

constexpr Group kGroup = Group::kRecipe;

std::vector<Option> optimizer_options() {
  return {
      {.name = "optimizer",
       .kind = Kind::kChoice,
       .group = kGroup,
       .help = "how parameters follow gradients",
       .choices = {"sgd", "adam", "adamw", "lamb", "lars"}},
      {.name = "learning_rate",
       .kind = Kind::kNumber,
       .group = kGroup,
       .help = "peak learning rate, before --lr-scaling",
       .value_name = "X",
       .range = kAboveZero,
       .aliases = {"lr"}},
      {.name = "lr_schedule",
       .kind = Kind::kChoice,
       .group = kGroup,
       .help = "course of the learning rate after the warm-up",
       .choices = {"constant", "cosine", "step", "linear", "polynomial", "cyclic"}},
      {.name = "lr_warmup_steps",
       .kind = Kind::kCount,
       .group = kGroup,
       .help = "steps over which the learning rate rises to its peak",
       .value_name = "N",
       .range = kFromZero},
      {.name = "lr_scaling",
       .kind = Kind::kChoice,
       .group = kGroup,
       .default_text = "none",
       .help = "linear: learning rate x global batch size / the recipe's reference batch",
       .choices = {"none", "linear"}},
      {.name = "momentum",
       .kind = Kind::kNumber,
       .group = kGroup,
       .help = "of sgd and lars",
       .value_name = "X",
       .range = kShare},
      {.name = "nesterov", .kind = Kind::kFlag, .group = kGroup, .help = "Nesterov momentum (sgd)"},
      {.name = "weight_decay",
       .kind = Kind::kNumber,
       .group = kGroup,
       .help = "weight decay of the optimizer's own kind",
       .value_name = "X",
       .range = kFromZero},
      {.name = "adam_betas",
       .kind = Kind::kBetas,
       .group = kGroup,
       .help = "of adam, adamw and lamb",
       .value_name = "B1,B2"},
      {.name = "eps",
       .kind = Kind::kNumber,
       .group = kGroup,
       .help = "of adam, adamw and lamb",
       .value_name = "X",
       .range = kAboveZero},
      {.name = "clip_grad_norm",
       .kind = Kind::kNumber,
       .group = kGroup,
       .default_text = "none",
       .help = "largest global norm of the gradients",
       .value_name = "X|none",
       .words = {"none"},
       .range = kAboveZero},
  };
}

std::vector<Option> model_options() {
  return {
      {.name = "label_smoothing",
       .kind = Kind::kNumber,
       .group = kGroup,
       .help = "share of the target spread over all classes (resnet50)",
       .value_name = "X",
       .range = kShare},
      {.name = "zero_init_residual",
       .kind = Kind::kFlag,
       .group = kGroup,
       .default_text = "off",
       .help = "start the last batch norm of each residual block at 0 (resnet50)"},
      {.name = "seed",
       .kind = Kind::kCount,
       .group = kGroup,
       .commands = kRuns | kDataGenerate | kDataBench,
       .default_text = "0",
       .help = "of parameters, shuffling, augmentation and masking",
       .value_name = "N",
       .range = kFromZero},
      {.name = "deterministic",
       .kind = Kind::kFlag,
       .group = kGroup,
       .default_text = "off",
       .help = "only kernels that give the same bits every time; slower"},
      {.name = "init_from",
       .kind = Kind::kPath,
       .group = kGroup,
       .help = "start from these weights (safetensors)",
       .value_name = "FILE"},
      {.name = "save",
       .kind = Kind::kPath,
       .group = kGroup,
       .commands = kTrain,
       .help = "write the trained weights (safetensors)",
       .value_name = "FILE"},
  };
}

}  // namespace

std::vector<Option> recipe_options() {
  std::vector<Option> options = optimizer_options();
  for (Option& option : model_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace scalemark::settings::table
