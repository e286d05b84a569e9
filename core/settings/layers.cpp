#include "core/settings/layers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "core/base/characters.h"
#include "core/base/renamed_variables.h"
#include "core/base/words.h"
#include "core/settings/problem.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

constexpr std::string_view kVariablePrefix = "SCALEMARK_";

void add_config(const ConfigFile& file, Command command, Layers& layers) {
  ConfigValues config = parse_config(file, command);
  if (!config.about.empty()) layers.about = std::move(config.about);
  for (auto& [name, text] : config.values) {
    if (is_variable_key(name)) {
      add_variable(variable_in(name), text, "config " + file.path, layers);
      continue;
    }
    layers.raw[name] = {std::move(text), "config " + file.path};
  }
  layers.problems.insert(layers.problems.end(), config.problems.begin(), config.problems.end());
}

// PORT_80_TCP, PORT_80_TCP_ADDR: the port of a Service, and what Kubernetes says of it.
bool is_port_of_service(std::string_view words) {
  constexpr std::string_view kPort = "PORT_", kDigits = "0123456789";
  if (!words.starts_with(kPort)) return false;
  words.remove_prefix(kPort.size());
  const std::size_t digits = std::min(words.find_first_not_of(kDigits), words.size());
  if (digits == 0) return false;
  words.remove_prefix(digits);
  for (const std::string_view protocol : {"_TCP", "_UDP", "_SCTP"}) {
    if (!words.starts_with(protocol)) continue;
    const std::string_view what = words.substr(protocol.size());
    return what.empty() || what == "_PROTO" || what == "_PORT" || what == "_ADDR";
  }
  return false;
}

bool is_word_of_service(std::string_view words) {
  return words == "SERVICE_HOST" || words == "SERVICE_PORT" || words.starts_with("SERVICE_PORT_") ||
         is_port_of_service(words);
}

// Kubernetes sets variables in each container for every Service of its namespace. Those of a
// Service named scalemark or scalemark-metrics begin with our prefix, and are no options
// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables). An
// option's own variable may have such a name (SCALEMARK_METRICS_PORT), and never such a value.
bool is_service_link(std::string_view variable, std::string_view text) {
  const auto begins = [&](std::string_view scheme) { return text.starts_with(scheme); };
  if (variable.ends_with("_PORT") && (begins("tcp://") || begins("udp://") || begins("sctp://")))
    return true;
  // The words of a Service follow its name, which may be of several words itself.
  for (std::size_t at = kVariablePrefix.size(); at < variable.size();) {
    if (is_word_of_service(variable.substr(at))) return true;
    const std::size_t end = variable.find('_', at);
    at = end == std::string_view::npos ? variable.size() : end + 1;
  }
  return false;
}

void add_note_on_service_links(const std::vector<std::string>& variables, Layers& layers) {
  if (variables.empty()) return;
  const std::size_t others = variables.size() - 1;
  const std::string more = others == 0 ? " is" : " and " + std::to_string(others) + " more are";
  layers.notes.push_back(variables.front() + more +
                         " of a Kubernetes Service and not read; enableServiceLinks: false in the "
                         "pod's spec leaves such variables out");
}

std::string option_name_of(std::string_view variable) {
  return lower_case(variable.substr(kVariablePrefix.size()));
}

void add_option_variable(const std::string& variable, const std::string& text, Command command,
                         Layers& layers) {
  if (is_internal_variable(variable)) return;
  const std::string name = option_name_of(variable);
  const Option* option = find_option(name, command);
  if (!option || option->layer) {
    std::string hint = unknown_option_hint(name, command);
    layers.problems.push_back(
        {variable, text, "no option has this name", "environment", std::move(hint)});
  } else if (takes(command, *option)) {
    layers.raw[std::string(option->name)] = {text, "environment"};
  } else if (name != "torch") {  // --torch is about the machine, whatever the command
    layers.notes.push_back(variable + " has no meaning for " + std::string(command_name(command)));
  }
}

void add_pair(const std::string& pair, Command command, Layers& layers) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string::npos || equals == 0) {
    layers.problems.push_back({"--set", pair, "KEY=VALUE is expected", "set", ""});
    return;
  }
  const std::string name = normalised(std::string_view(pair).substr(0, equals));
  const Option* option = find_option(name, command);
  if (is_variable_key(name) && takes(command, *option)) {
    return add_variable(variable_in(name), pair.substr(equals + 1), "set", layers);
  }
  if (!option || option->layer || !takes(command, *option)) {
    layers.problems.push_back(
        {"--set", pair, "unknown key '" + name + "'", "set", unknown_option_hint(name, command)});
    return;
  }
  layers.raw[std::string(option->name)] = {pair.substr(equals + 1), "set"};
}

void add_assignments(const std::vector<std::string>& assignments, Layers& layers) {
  std::set<std::string, std::less<>> seen;
  for (const std::string& assignment : assignments) {
    const std::string name = assignment.substr(0, assignment.find('='));
    if (name.size() == assignment.size()) {
      layers.problems.push_back({"--env", assignment, "NAME=VALUE is expected", "option",
                                 "NAME= starts the ranks without the variable"});
    } else if (!seen.insert(name).second) {
      layers.problems.push_back({variable_key(name), assignment.substr(name.size() + 1),
                                 "is given twice", "option", "put its values into one list"});
    } else {
      add_variable(name, std::string_view(assignment).substr(name.size() + 1), "option", layers);
    }
  }
}

}  // namespace

bool is_internal_variable(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kInternal{
      "SCALEMARK_RANK_SPEC",   "SCALEMARK_SAME_SESSION", "SCALEMARK_START_DATE",
      "SCALEMARK_TORCH_TRIAL", "SCALEMARK_TEST_DATA",    "SCALEMARK_SOURCE_DIR",
      "SCALEMARK_BINARY_DIR",  "SCALEMARK_PYTHON",       "SCALEMARK_CUDA",
      "SCALEMARK_TORCH_DIR"};
  return std::ranges::count(kInternal, name) > 0;
}

Layers merge_layers(const Sources& sources, Command command) {
  Layers layers;
  for (const ConfigFile& file : sources.config_files) add_config(file, command, layers);
  std::vector<std::string> service_links;
  for (const auto& [variable, text] : sources.environment) {
    if (!variable.starts_with(kVariablePrefix)) continue;
    if (is_service_link(variable, text)) {
      service_links.push_back(variable);
    } else {
      add_option_variable(variable, text, command, layers);
    }
  }
  add_note_on_service_links(service_links, layers);
  for (const auto& [name, text] : sources.options) {
    const Option* option = find_option(name);
    if (option && !option->layer) layers.raw[std::string(option->name)] = {text, "option"};
  }
  add_assignments(sources.variables, layers);
  for (const std::string& pair : sources.set) add_pair(pair, command, layers);
  return layers;
}

Problem problem_of(const RawSettings& raw, const std::string& option, std::string allowed,
                   std::string hint) {
  const RawValue value = value_at(raw, option);
  return {option, value.text, std::move(allowed), value.origin, std::move(hint)};
}

bool is_unasked(std::string_view origin) {
  constexpr std::string_view kOurs[] = {"default", "recipe", "derived", "search", "plan"};
  return std::ranges::find(kOurs, origin) != std::end(kOurs);
}

bool given_by_a_person(const RawSettings& raw, std::string_view option) {
  const auto found = raw.find(option);
  if (found == raw.end()) return false;
  const std::string& origin = found->second.origin;
  return !is_unasked(origin) && origin != "quick" && origin != "scale_down";
}

namespace {

constexpr std::string_view kPrefix = "env.";

struct RefusedVariable {
  std::string_view name, instead;
};

constexpr auto kRefused = std::to_array<RefusedVariable>({
#define SCALEMARK_REFUSED_VARIABLE(name, instead) {name, instead},
#include "core/settings/refused_variables.inc"
#undef SCALEMARK_REFUSED_VARIABLE
});

bool is_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_'); };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, fits);
}

bool is_meant(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

// Says what to do instead of setting that variable; empty: nothing is wrong with it.
std::string_view instead_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      kRefused, [&](const RefusedVariable& refused) { return is_meant(refused.name, name); });
  return found == kRefused.end() ? std::string_view() : found->instead;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace

bool is_variable_key(std::string_view key) {
  return key.starts_with(kPrefix) && key.size() > kPrefix.size();
}

std::string_view variable_in(std::string_view key) { return key.substr(kPrefix.size()); }

std::string variable_key(std::string_view variable) {
  return std::string(kPrefix) + std::string(variable);
}

std::string value_of_variable(std::string_view element) {
  return element.empty() ? kUnset : replaced(std::string(element), "\\,", ",");
}

std::string element_of(std::string_view value) { return replaced(std::string(value), ",", "\\,"); }

void add_variable(std::string_view name, std::string_view text, const std::string& origin,
                  Layers& layers) {
  const std::string key = variable_key(name);
  const std::string_view instead = instead_of(name);
  if (!is_name(name)) {
    layers.problems.push_back({"--env", std::string(name),
                               "a variable's name is of letters, digits and underscores", origin,
                               "--env NAME=VALUE"});
  } else if (!instead.empty()) {
    layers.problems.push_back(
        {key, std::string(text), "is no variable of --env", origin, std::string(instead)});
  } else {
    layers.raw[key] = {text.empty() ? kUnset : std::string(text), origin};
  }
  if (std::string told = note_on_variable(name); !told.empty()) {
    layers.notes.push_back("--env: " + std::move(told));
  }
}

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
