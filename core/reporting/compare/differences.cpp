#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/reporting/compare/parts.h"

namespace scalemark::reporting {
namespace {

using Facts = std::map<std::string, std::set<std::string>>;  // what -> its values on one side

void add(Facts& facts, const std::string& what, const std::string& value) {
  if (!value.empty()) facts[what].insert(value);
}

std::string gpus_of(const monitoring::Host& host) {
  std::map<std::string, int> counts;
  for (const auto& gpu : host.gpus) ++counts[gpu.name];
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : " + ") + std::to_string(count) + " x " + name;
  }
  return text.empty() ? "none" : text;
}

void add_rdma(Facts& facts, const monitoring::Host& host) {
  for (const auto& port : host.rdma) {
    const std::string rate =
        port.rate_Gbit_per_s ? " " + significant(*port.rate_Gbit_per_s, 4) + " Gbit/s" : "";
    add(facts, "RDMA port", port.link_layer + rate + ", " + port.state);
  }
}

void add_host(Facts& facts, const monitoring::Host& host) {
  add(facts, "host", host.hostname);
  add(facts, "CPU", host.cpu);
  add(facts, "cores",
      std::to_string(host.cores.usable) + " of " + std::to_string(host.cores.logical) + " usable");
  add(facts, "GPUs", gpus_of(host));
  add_rdma(facts, host);
  for (const auto& gpu : host.gpus) {
    add(facts, "driver", gpu.driver);
    if (gpu.power_limit_W) {
      add(facts, "GPU power limit", std::to_string(static_cast<int>(*gpu.power_limit_W)) + " W");
    }
  }
  add(facts, "operating system", host.os);
  add(facts, "kernel", host.kernel);
}

void add_tool(Facts& facts, const Tool& tool) {
  add(facts, "scalemark",
      tool.version + " (" + tool.git_commit + (tool.git_dirty ? ", changed)" : ")"));
  add(facts, "build", tool.build_type + ", " + tool.compiler);
  for (const auto& [name, version] : tool.libraries) {
    add(facts, name, version.running_with.value_or(version.built_with.value_or("")));
  }
}

// Settings that choose where results go and what is printed change no number.
bool matters(const std::string& setting) {
  static const std::set<std::string> kAside{"output",  "run_id",     "resume",      "overwrite",
                                            "quiet",   "verbose",    "no_progress", "log_format",
                                            "fail_on", "tensorboard"};
  return !kAside.contains(setting);
}

// A list says which values there were, in whatever order its points came.
std::string value_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  nlohmann::json sorted = value;
  if (sorted.is_array()) std::sort(sorted.begin(), sorted.end());
  return sorted.dump();
}

void add_settings(Facts& facts, const std::string& settings_json) {
  const auto settings = nlohmann::json::parse(settings_json, nullptr, false);
  if (!settings.is_object()) return;
  for (const auto& [name, value] : settings.items()) {
    if (!matters(name)) continue;
    add(facts, "setting " + name, value_text(value));
  }
}

// Adds the facts of a point that its group's name may leave out.
void add_point(Facts& facts, const PointRecord& point) {
  const std::string of = " of " + point.group;
  const auto number = [&](const std::string& what, std::optional<std::int64_t> value) {
    if (value) add(facts, what + of, std::to_string(*value));
  };
  add(facts, "workload" + of, point.workload);
  add(facts, "strategy" + of, point.strategy);
  add(facts, "backend" + of, point.backend);
  add(facts, "device" + of, point.device_name.empty() ? point.device : point.device_name);
  add(facts, "precision" + of, point.precision);
  add(facts, "memory format" + of, point.memory_format);
  add(facts, "data" + of, point.data);
  add(facts, "overlap" + of, point.overlap ? "on" : "off");
  number("threads", point.threads);
  number("ranks", point.world_size);
  number("nodes", point.nodes);
  number("batch size", point.batch_size);
  number("accumulation", point.gradient_accumulation_steps);
  number("image size", point.image_size);
  number("sequence length", point.sequence_length);
}

void add_collective(Facts& facts, const CollectiveRecord& run) {
  const std::string of = " of " + run.group;
  add(facts, "backend" + of, run.backend);
  add(facts, "device" + of, run.device);
  add(facts, "nodes" + of, std::to_string(run.nodes));
}

Facts machine_facts(const ComparedSide& side) {
  Facts facts;
  for (const NamedReport& named : side) {
    for (const auto& host : named.report.environment.hosts) add_host(facts, host);
    add_tool(facts, named.report.tool);
    for (const auto& [name, value] : named.report.environment.variables) {
      add(facts, "variable " + name, value);
    }
  }
  return facts;
}

Facts setting_facts(const ComparedSide& side) {
  Facts facts;
  for (const NamedReport& named : side) {
    add_settings(facts, named.report.invocation.settings_json);
  }
  return facts;
}

// Facts of the points that every side has.
Facts point_facts(const ComparedSide& side) {
  Facts facts;
  for (const NamedReport& named : side) {
    for (const PointRecord& point : named.report.points) add_point(facts, point);
    for (const CollectiveRecord& run : named.report.collectives) add_collective(facts, run);
  }
  return facts;
}

std::string known_values(const Facts& facts, const std::string& what) {
  const auto found = facts.find(what);
  return found == facts.end() ? "-" : joined(found->second, ", ");
}

bool known_everywhere(std::span<const Facts> sides, const std::string& what) {
  return std::ranges::all_of(sides, [&](const Facts& facts) { return facts.contains(what); });
}

void append_differences(std::vector<Difference>& differences, std::span<const Facts> sides,
                        bool only_what_all_know) {
  std::set<std::string> names;
  for (const Facts& facts : sides) {
    for (const auto& [name, values] : facts) names.insert(name);
  }
  for (const std::string& name : names) {
    if (only_what_all_know && !known_everywhere(sides, name)) continue;
    Difference difference{.what = name};
    for (const Facts& facts : sides) difference.values.push_back(known_values(facts, name));
    const bool differs = std::ranges::any_of(
        difference.values, [&](const auto& value) { return value != difference.values.front(); });
    if (differs) differences.push_back(std::move(difference));
  }
}

}  // namespace

std::vector<Difference> find_differences(std::span<const ComparedSide> sides) {
  std::vector<Difference> differences;
  struct Kind {
    Facts (*facts_of)(const ComparedSide&);
    bool only_what_all_know;
  };
  for (const auto& [facts_of, only_what_all_know] :
       {Kind{machine_facts, false}, Kind{setting_facts, false}, Kind{point_facts, true}}) {
    std::vector<Facts> facts;
    for (const ComparedSide& side : sides) facts.push_back(facts_of(side));
    append_differences(differences, facts, only_what_all_know);
  }
  return differences;
}

}  // namespace scalemark::reporting
