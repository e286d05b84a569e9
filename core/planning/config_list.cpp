#include "core/planning/config_list.h"

#include <algorithm>

#include "core/base/number_words.h"
#include "core/base/words.h"
#include "core/settings/builtin_configs.h"

namespace scalemark::planning {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

// With instructions for bf16, as processors since 2020 have them.
settings::Machine laptop() { return {.cpu_flags = "avx512_bf16", .cores = 2}; }

settings::Machine node_of_8_gpus() {
  settings::Machine machine{.cpu_flags = "avx512_bf16", .cores = 96};
  machine.gpus.resize(8, {.name = "H100", .capability = settings::ComputeCapability{9, 0}});
  return machine;
}

std::string takes(settings::Command command, const settings::RawSettings& raw,
                  const Surveyed& surveyed) {
  if (value_at(raw, "device").text == "cuda" && surveyed.machine.gpus.empty()) return "needs a GPU";
  const Forecast found = forecast(command, raw, surveyed);
  if (!found.problems.empty()) return "refused: " + found.problems.front().allowed;
  return rough_duration(found.estimated_s) + (found.fits_memory() ? "" : ", too little memory");
}

}  // namespace

std::vector<ListedConfig> listed_configs(const Surveyed& surveyed) {
  std::vector<ListedConfig> list;
  for (const NamedText& config : settings::builtin_configs()) {
    const settings::ConfigFacts facts = settings::facts_of(config.text);
    const auto command = settings::find_command(facts.command).value_or(settings::kSweep);
    settings::Sources sources;
    sources.config_files.push_back({std::string(config.name), std::string(config.text)});
    const settings::Layers layers = settings::merge_layers(sources, command);
    list.push_back({std::string(config.name), facts.command, facts.about,
                    takes(command, layers.raw, surveyed)});
  }
  return list;
}

std::string configs_page() {
  const auto small = listed_configs({.machine = laptop(), .memory = {.host_bytes = 16 * kGiB}});
  const auto large =
      listed_configs({.machine = node_of_8_gpus(), .memory = {.host_bytes = 1024 * kGiB}});
  std::string text =
      "# Configurations\n\n"
      "Each is an experiment that one command runs; the program has them built in:\n\n"
      "    scalemark sweep --config rtx4090-mlp\n"
      "    scalemark sweep --config rtx4090-mlp --scale-down   # minutes, on any machine: shows "
      "the method, not the number\n"
      "    scalemark configs                                   # this list, with the times here\n"
      "    scalemark configs rtx4090-mlp > mine.json           # one of them, to be changed\n\n"
      "Times are planned ones, within a factor of 3. This page is generated: `core_tool "
      "write-configs-page configs`.\n\n"
      "| name | command | 2 cores | 8 GPUs | what it shows |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < small.size(); ++i) {
    text += "| " + small[i].name + " | " + small[i].command + " | " + small[i].takes + " | " +
            large[i].takes + " | " + small[i].about + " |\n";
  }
  return text;
}

}  // namespace scalemark::planning
