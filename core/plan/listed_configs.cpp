#include "core/plan/listed_configs.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_words.h"
#include "core/base/words.h"
#include "core/plan/collectives/collective_plan.h"
#include "core/plan/collectives/make_collective_plan.h"
#include "core/plan/estimates.h"
#include "core/plan/make_plan.h"
#include "core/settings/config_file.h"
#include "core/settings/resolve.h"

namespace scalemark::planning {
namespace {

using settings::RawSettings;

constexpr double kSurely = 1.25;  // the estimate of memory may be so far off

std::vector<int> on_one_node(int ranks) {
  return std::vector<int>(static_cast<std::size_t>(std::max(1, ranks)), 0);
}

RawSettings with_ranks(RawSettings raw, int ranks) {
  raw.try_emplace("nproc_per_node", settings::RawValue{std::to_string(ranks), "default"});
  return raw;
}

std::optional<std::uint64_t> memory_of_a_rank(const settings::Settings& settings, int ranks,
                                              const Surveyed& surveyed) {
  AvailableMemory there = surveyed.memory;
  there.ranks = std::max(1, ranks);
  return least_memory_available(settings.parallel, std::max(1, ranks), there);
}

double share_of(std::uint64_t needed, std::optional<std::uint64_t> there) {
  if (!there || *there == 0) return 0;
  return kSurely * static_cast<double>(needed) / static_cast<double>(*there);
}

Forecast of_sweep(const RawSettings& raw, const Surveyed& surveyed) {
  const settings::SweepRequest asked = settings::read_sweep(raw);
  const int ranks = ranks_wanted(asked, surveyed.machine);
  const settings::Settings process =
      settings::resolve(with_ranks(asked.common, ranks), {.machine = surveyed.machine}).settings;
  const auto there = memory_of_a_rank(process, ranks, surveyed);
  const PlanAnswer answer = make_plan({.asked = asked,
                                       .machine = surveyed.machine,
                                       .node_of_rank = on_one_node(ranks),
                                       .memory_available_bytes = there});
  Forecast found{.problems = answer.problems, .estimated_s = answer.plan.estimated_s};
  // A plan with problems has an estimate only where a preset cannot hold its time.
  found.breaks_preset = found.estimated_s > 0 && !found.problems.empty();
  if (found.breaks_preset) found.problems.clear();
  for (const PlannedPoint& point : answer.plan.points) {
    if (point.skipped) continue;
    ++found.runs;
    found.memory_share = std::max(found.memory_share, share_of(point.memory_estimate_bytes, there));
  }
  return found;
}

RawSettings process_of(const settings::CommRequest& asked, int ranks) {
  RawSettings raw = with_ranks(asked.common, ranks);
  raw["backend"] = {"gloo", "default"};
  return raw;
}

Forecast of_comm(const RawSettings& raw, const Surveyed& surveyed) {
  const settings::CommRequest asked = settings::read_comm(raw);
  const int ranks = ranks_wanted(asked, surveyed.machine);
  const settings::Resolution process =
      settings::resolve(process_of(asked, ranks), {.machine = surveyed.machine});
  Forecast found{.problems = asked.problems};
  found.problems.insert(found.problems.end(), process.problems.begin(), process.problems.end());
  if (!found.problems.empty()) return found;
  const CollectivePlanAnswer answer = make_collective_plan(
      {.asked = asked,
       .device = process.settings.parallel.device,
       .gpus_per_node = static_cast<int>(surveyed.machine.gpus.size()),
       .node_of_rank = on_one_node(ranks),
       .missing_backends = surveyed.missing_backends,
       .memory_available_bytes = memory_of_a_rank(process.settings, ranks, surveyed)});
  found.problems = answer.problems;
  found.estimated_s = estimated_s(answer.plan);
  found.backends = used_backends(answer.plan);
  return found;
}

Forecast of_train(const RawSettings& raw, const Surveyed& surveyed) {
  const settings::Resolution resolved = settings::resolve(raw, {.machine = surveyed.machine});
  Forecast found{.problems = resolved.problems};
  if (!found.problems.empty()) return found;
  const settings::Settings& settings = resolved.settings;
  const int ranks = settings.launch.nproc_per_node * settings.launch.nnodes;
  found.estimated_s = estimated_train_s(settings, ranks);
  found.memory_share =
      share_of(estimated_memory_bytes(settings, ranks),
               memory_of_a_rank(settings, settings.launch.nproc_per_node, surveyed));
  return found;
}

}  // namespace

Forecast forecast(settings::Command command, const RawSettings& raw, const Surveyed& surveyed) {
  switch (command) {
    case settings::kSweep:
      return of_sweep(raw, surveyed);
    case settings::kComm:
      return of_comm(raw, surveyed);
    default:
      return of_train(raw, surveyed);
  }
}

namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

// It has instructions for bf16, as processors since 2020 do.
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
      "- `scalemark sweep --config rtx4090-mlp`\n"
      "- `scalemark sweep --config rtx4090-mlp --scale-down`: minutes, on any machine; shows "
      "the method, not the number\n"
      "- `scalemark configs`: this list, with the times here\n"
      "- `scalemark configs rtx4090-mlp > mine.json`: one of them, to be changed\n\n"
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
