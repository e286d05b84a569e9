// scalemark comm: from options to a plan, and from there to the engine.
#include "apps/scalemark/comm_command.h"

#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/memory_there.h"
#include "apps/scalemark/mpi_ranks.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/error.h"
#include "core/catalogue/backends.h"
#include "core/planning/collectives/collective_plan.h"
#include "core/planning/collectives/make_collective_plan.h"
#include "core/settings/resolve.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

// The processes need these values. Which backends are used is the plan's matter: a process that
// trained would be refused NCCL for more ranks than GPUs, where comm skips its points.
settings::RawSettings launch_values(const settings::CommRequest& asked) {
  settings::RawSettings raw = asked.common;
  raw["backend"] = {std::string(catalogue::default_backend(false)), "default"};
  raw.try_emplace("output", settings::RawValue{"results/runs/comm-{date}", "default"});
  return raw;
}

// "[\"gloo\",\"mpi\"]" -> "gloo,mpi", "[true,false]" -> "on,off"
std::string list_text(const std::string& json) {
  if (!json.starts_with('[')) return plain(json);
  std::string text, word;
  for (const char c : json.substr(1)) {
    if (c != ',' && c != ']') {
      word += c;
      continue;
    }
    text += (text.empty() ? "" : ",") + plain(word);
    word.clear();
  }
  return text;
}

// Only options of comm: the process's settings also hold those of a training.
void keep_own_origins(const settings::CommRequest& asked, settings::Settings& settings) {
  std::erase_if(settings.origins, [](const auto& entry) {
    const settings::Option* option = settings::find_option(entry.first);
    return !option || !takes(settings::kComm, *option);
  });
  settings.origins.erase("backend");
  for (const auto& [name, value] : asked.own) settings.origins[name] = value.origin;
  for (const char* decided : {"backend", "world_sizes", "in_place"}) {
    settings.origins.try_emplace(decided, "default");
  }
  settings.origins.try_emplace("sizes", "derived");  // from sizes_of
}

void describe(const settings::CommRequest& asked, ResolvedComm& resolved) {
  settings::Settings& process = resolved.base.settings;
  process.command = settings::command_name(settings::kComm);
  keep_own_origins(asked, process);
  resolved.settings_json = settings::to_json(process, resolved.comm);
  const auto flat = settings::flat_settings(process, resolved.comm);
  for (const auto& [name, value] : flat) {
    if (!settings::may_differ_between_ranks(name)) resolved.common[name] = value;
  }
  resolved.common["comm.plan"] = planning::plan_fingerprint(resolved.plan);
  for (const auto& [name, origin] : process.origins) {
    const auto value = flat.find(name);
    const bool is_list = value != flat.end() && value->second.starts_with('[');
    resolved.texts[name] =
        is_list ? list_text(value->second) : shown_value(flat, *settings::find_option(name), name);
  }
  if (resolved.comm.in_place.empty()) resolved.texts["in_place"] = "as training calls each";
}

class CommCommand : public RankCommand {
 public:
  ResolvedCommand& base() override { return resolved_.base; }

  FirstLook read(const settings::RawSettings& raw, const settings::Machine& machine,
                 std::vector<settings::Problem>& problems) override {
    asked_ = settings::read_comm(raw);
    fill_in_ranks(asked_.common, planning::ranks_wanted(asked_, machine));
    add_problems(problems, asked_.problems);
    return {.values = launch_values(asked_)};
  }

  std::vector<std::string> resolve(const settings::Surroundings& around,
                                   std::vector<settings::Problem>& problems) override {
    ResolvedCommand& base = resolved_.base;
    settings::Resolution process = settings::resolve(launch_values(asked_), around);
    add_problems(problems, process.problems);
    base.settings = std::move(process.settings);
    if (!problems.empty()) return {};
    auto answer = planning::make_collective_plan(
        {.asked = asked_,
         .device = base.settings.parallel.device,
         .gpus_per_node = static_cast<int>(around.machine.gpus.size()),
         .node_of_rank = node_of_rank(base.ranks),
         .seed = base.settings.recipe.seed,
         .missing_backends = missing_backends(base),
         .memory_available_bytes = memory_available(base)});
    add_problems(problems, answer.problems);
    resolved_.plan = std::move(answer.plan);
    resolved_.comm = std::move(answer.comm);
    return resolved_.plan.notes;
  }

  void complete() override { describe(asked_, resolved_); }

  void refuse_files(Inputs inputs) const override {
    const settings::GeneralSettings& general = resolved_.base.settings.general;
    inputs.refuse_folder("--output", general.output);
  }

  std::vector<settings::Variables> environments() const override {
    return {resolved_.base.settings.launch.environment};
  }

  std::string plan_text(bool json) const override {
    return json ? collective_plan_document(resolved_) : collective_plan_table(resolved_);
  }

  std::string shorter_hint() const override {
    return "--scale-down, fewer values or --repetitions; or --yes";
  }

  std::optional<double> unlimited_s() const override {
    return planning::estimated_s(resolved_.plan);
  }

  reporting::ExistingFolder existing_folder() const override {
    return resolved_.base.settings.general.overwrite ? reporting::ExistingFolder::kOverwrite
                                                     : reporting::ExistingFolder::kRefuse;
  }

  std::vector<std::string> backends() const override {
    return planning::used_backends(resolved_.plan);
  }

  ExitCode run(const api::EngineApi& engine, process::RunRequest request) override {
    request.settings.common = std::move(resolved_.common);
    request.settings.json = resolved_.settings_json;
    return engine.comm({.run = std::move(request),
                        .plan = std::move(resolved_.plan),
                        .settings_json = std::move(resolved_.settings_json)});
  }

 private:
  settings::CommRequest asked_;
  ResolvedComm resolved_;
};

}  // namespace

const HelpPage comm_page = {
    "",
    "Measures collectives by themselves, without training: time, bandwidth as nccl-tests counts\n"
    "it, and latency, of every combination of the lists, repeated in blocks of random order. What\n"
    "was received is checked outside the timed calls. Options of collectives take lists, sizes\n"
    "ranges, too: 1KiB..64MiBx4 or 1MiB..8MiB+1MiB. `scalemark comm` alone measures the\n"
    "all-reduce over every backend that serves the device, on 2 ranks or on all GPUs "
    "(docs/COMM.md).",
    "  scalemark comm --dry-run                                   the plan, and nothing else\n"
    "  scalemark comm --collectives all-reduce,all-gather --dtypes fp32,bf16\n"
    "  scalemark comm --sizes 1Ki:elem,1Mi:elem --world-sizes 2,4 --repetitions 10\n"
    "  scalemark comm --sizes-of resnet50                         what training it exchanges\n"
    "  scalemark comm --backends gloo --overlap-compute on,off    what computing beside it costs\n"
    "  srun --nodes 4 scalemark comm --pairs                      which node or link is slow\n",
    {{"collectives", ""},
     {"sizes", "bytes, or elements: 4KiB,1MB,1Mi:elem [1KiB..64MiBx4]"},
     {"sizes_of", "the sizes that training of this workload exchanges"},
     {"backend", "[all that serve the device]"},
     {"world_sizes", "numbers of ranks [all that there are]"},
     {"nproc_per_node", "ranks that are started here [2, on cuda one per GPU]"},
     {"nnodes", ""},
     {"node_rank", ""},
     {"rendezvous", ""},
     {"pairs", "every link between two nodes, and which is slow"},
     {"pair_by", "with --pairs: of nodes, or of each rank [node]"},
     {"repetitions", "runs of each point [5]"},
     {"config", "options from a JSON file, or a built-in one by name"},
     {"output", "folder of the report [results/runs/comm-{date}]"},
     {"dry_run", "the plan, and nothing else"}}};

ExitCode comm_command(const Invocation& invocation) {
  CommCommand command;
  return run_rank_command(invocation, command);
}

}  // namespace scalemark::cli
