#include "engine/process/machines.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/durations.h"
#include "core/base/error.h"
#include "core/base/wire.h"
#include "core/machine/process_reading.h"
#include "core/machine/survey.h"
#include "core/machine/telemetry/gpu_probes.h"
#include "core/machine/telemetry/host_probes.h"
#include "report/judge/point/disturbances.h"
#include "report/record/report_fields.h"

namespace scalemark::process {
namespace {

std::optional<double> value_of(const Latest& latest, std::string_view source) {
  const auto found =
      std::ranges::find_if(latest, [&](const auto& one) { return one.name.source == source; });
  return found == latest.end() ? std::nullopt : std::optional(found->value);
}

template <class Record, class Numbers>
void fill(Record& record, const Numbers& numbers, const Latest& latest) {
  for (const auto& one : numbers) {
    if (*one.is.source) record.*one.value = value_of(latest, one.is.source);
  }
}

}  // namespace

std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context,
                                                    std::chrono::milliseconds period) {
  auto probes = monitoring::process_probes(context.compute_threads());
  device::Device& device = context.device();
  if (device.torch_device().is_cuda()) {
    std::ranges::move(
        monitoring::gpu_probes(device.identity(), device.name(), context.ranks_on_gpu()),
        std::back_inserter(probes));
  }
  auto sampler =
      std::make_unique<monitoring::Sampler>(std::move(probes), period, monitoring::host_probes());
  sampler->read_shared(leads_node(context));
  return sampler;
}

monitoring::Sampler& fresh_telemetry(RankContext& context, bool leads_node) {
  context.set_compute_threads(at::get_num_threads());
  monitoring::Sampler& sampler = context.telemetry();
  sampler.end();  // a measurement that failed has left its stretch open
  sampler.clear();
  sampler.read_shared(leads_node);
  return sampler;
}

double least_watched_s(int ranks) {
  constexpr double kMargin = 1.1;
  // At least half of the CPUs are physical cores.
  const double cores = monitoring::usable_cores() / 2.0;
  const double free = std::max(0.0, cores - static_cast<double>(ranks) * at::get_num_threads());
  return kMargin *
         reporting::least_observed_s(static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), free);
}

void wait_until_watched(int ranks, std::chrono::steady_clock::time_point since, double most_s) {
  const double missing_s = std::min(most_s, least_watched_s(ranks) - seconds_since(since));
  if (missing_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(missing_s));
}

reporting::RankReadings readings(RankContext& context) {
  return {.rank = context.world().rank,
          .host = context.host(),
          .machine = monitoring::machine_id(),
          .cpu_group = monitoring::cpu_group_id(),
          .sources = context.telemetry().summaries()};
}

std::optional<live::GpuStatus> latest_of_gpu(const Latest& latest) {
  if (!value_of(latest, monitoring::kSmClock)) return std::nullopt;
  live::GpuStatus gpu;
  fill(gpu, live::kGpuNumbers, latest);
  for (const char* reason : monitoring::clock_reasons()) {
    if (value_of(latest, reason).value_or(0) > 0) gpu.held_down_by.emplace_back(reason);
  }
  return gpu;
}

live::NodeStatus latest_of_node(const Latest& latest, double clock_s, double sampler_cpu_s) {
  live::NodeStatus node{.clock_s = clock_s};
  fill(node, live::kNodeNumbers, latest);
  node.sampler_cpu_s = sampler_cpu_s;
  node.cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  for (const auto& [name, value] : latest) {
    for (const auto& one : live::kInterfaceNumbers) {
      if (name.source != one.is.source) continue;
      auto found = std::ranges::find(node.interfaces, name.device, &live::InterfaceStatus::name);
      if (found == node.interfaces.end()) {
        node.interfaces.push_back({.name = name.device});
        found = std::prev(node.interfaces.end());
      }
      (*found).*one.value = value;
    }
  }
  return node;
}

std::string HealthWatch::snapshot() {
  device::Device& device = context_.device();
  if (!is_opened_ && device.torch_device().is_cuda()) {
    gpu_ = monitoring::GpuHealth::open(device.identity(), device.name());
  }
  is_opened_ = true;
  reporting::HealthSnapshot snapshot{.host = context_.host(), .counters = {}};
  if (gpu_) snapshot.counters = gpu_->read();
  if (leads_node(context_)) {
    for (auto& counter : monitoring::machine_health())
      snapshot.counters.push_back(std::move(counter));
  }
  return to_wire(snapshot);
}

void HealthCollector::collect() {
  if (!options_.wanted) return;
  loop_.link().enter("wait");
  const auto now = loop_.link().clock().now();
  std::vector<reporting::HealthSnapshot> snapshots;
  for (const auto& [rank, text] : loop_.ask_all(options_.task, options_.read)) {
    snapshots.push_back(from_wire<reporting::HealthSnapshot>(text));
  }
  std::optional<double> seconds;
  if (first_) seconds = std::chrono::duration<double>(now - *first_).count();
  if (!first_) first_ = now;
  reporting::add_snapshots(rows_, snapshots, seconds);
  options_.keep(rows_);
}

std::vector<monitoring::Host> survey_hosts(RankContext& context) {
  std::vector<monitoring::Host> hosts;
  std::set<std::pair<std::string, std::string>> known;
  const auto mine = leads_node(context) ? std::optional(monitoring::survey_host()) : std::nullopt;
  for (auto& host : distributed::gathered(context.control(), mine)) {
    if (host && known.emplace(host->hostname, host->boot_id).second)
      hosts.push_back(*std::move(host));
  }
  return hosts;
}

namespace {

using CpusAndMachine = std::pair<std::string, std::string>;

// Names the first two ranks of a machine that may use different CPUs; empty: there are none.
std::string bound_apart(const std::vector<CpusAndMachine>& of_ranks) {
  std::map<std::string, std::pair<int, std::string>> first_of_machine;  // rank and CPUs
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const auto& [cpus, machine] = of_ranks[rank];
    const auto [found, is_first] =
        first_of_machine.try_emplace(machine, static_cast<int>(rank), cpus);
    if (is_first || found->second.second == cpus) continue;
    return machine.substr(0, machine.find('/')) + " already: rank " +
           std::to_string(found->second.first) + " may use CPUs " + found->second.second +
           ", rank " + std::to_string(rank) + " CPUs " + cpus;
  }
  return {};
}

}  // namespace

void refuse_bound_by_launcher(RankContext& context, const std::string& given_cpus) {
  if (given_cpus.empty()) return;
  const std::string apart = distributed::answered(
      context.control(), CpusAndMachine(given_cpus, context.machine()), bound_apart);
  if (apart.empty()) return;
  throw configuration("--bind: something has bound the ranks of " + apart,
                      "ranks of a machine that may all use the same CPUs",
                      "leave --bind out, or start them unbound: mpirun --bind-to none, srun "
                      "--cpu-bind=none");
}

bool leads_node(const RankContext& context) {
  const auto& nodes = context.node_of_rank();
  const auto first = std::ranges::find(nodes, context.world().node);
  return first - nodes.begin() == context.world().rank;
}

}  // namespace scalemark::process
