#include "core/settings/defaults.h"

#include <algorithm>

#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

bool uses(const catalogue::Workload& workload, std::string_view option) {
  return std::ranges::count(workload.options, option) > 0;
}

void add_optimizer(const catalogue::Recipe& recipe, RawSettings& raw) {
  const auto put = [&](std::string_view name, std::string text) {
    raw[std::string(name)] = {std::move(text), "recipe"};
  };
  put("optimizer", recipe.optimizer);
  put("learning_rate", to_text(recipe.learning_rate));
  put("lr_schedule", recipe.lr_schedule);
  put("lr_warmup_steps", std::to_string(recipe.lr_warmup_steps));
  put("lr_warmup_share", to_text(recipe.lr_warmup_share));
  put("momentum", to_text(recipe.momentum));
  put("nesterov", recipe.nesterov ? "on" : "off");
  put("weight_decay", to_text(recipe.weight_decay));
  put("decay_norms_and_biases", recipe.decay_norms_and_biases ? "on" : "off");
  put("adam_betas", to_text(recipe.adam_beta1) + "," + to_text(recipe.adam_beta2));
  put("eps", to_text(recipe.eps));
  if (recipe.clip_grad_norm) put("clip_grad_norm", to_text(*recipe.clip_grad_norm));
  put("label_smoothing", to_text(recipe.label_smoothing));
}

}  // namespace

RawSettings recipe_values(const catalogue::Workload& workload) {
  RawSettings raw;
  add_optimizer(workload.recipe, raw);
  if (uses(workload, "image_size")) {
    raw["image_size"] = {std::to_string(workload.default_shape.image_size), "recipe"};
  }
  if (uses(workload, "sequence_length")) {
    raw["sequence_length"] = {std::to_string(workload.default_shape.sequence_length), "recipe"};
  }
  return raw;
}

RawSettings default_values(Command command) {
  RawSettings raw;
  for (const Option& option : all_options()) {
    if (!takes(command, option) || option.default_text.empty()) continue;
    raw[std::string(option.name)] = {std::string(option.default_text), "default"};
  }
  return raw;
}

}  // namespace scalemark::settings
