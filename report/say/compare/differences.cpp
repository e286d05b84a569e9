// Finds what differs between the sides of a comparison besides their points: machine, versions,
// settings, and what the machines do by themselves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/statistics/compare.h"
#include "report/record/finding_kinds.h"
#include "report/say/compare/compare.h"
#include "report/say/table/table.h"

namespace scalemark::reporting {
namespace {

using Facts = std::map<std::string, std::set<std::string>>;  // fact -> its values on one side

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

// Settings for where results go and what is printed affect no number.
bool matters(const std::string& setting) {
  static const std::set<std::string> kAside{"output",  "run_id",     "resume",      "overwrite",
                                            "quiet",   "verbose",    "no_progress", "log_format",
                                            "fail_on", "tensorboard"};
  return !kAside.contains(setting);
}

// Sorts a list, since its order is that in which points came, and carries no meaning.
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

// Adds facts of a point that the name of its group may not contain.
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

// Returns the facts of the points on one side.
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

namespace {

// Values can be compared where their records are equal in these members. Hosts may differ.
using Key = std::tuple<MachineRate, std::string, std::string, int, std::string, std::string>;

// One measurement on one side, by all hosts in all its reports.
struct MeasuredRate {
  FingerprintRecord example;
  std::vector<double> logarithms;
  double low = 0, high = 0;  // the lowest and the highest end of all intervals

  double rate() const {
    double sum = 0;
    for (const double logarithm : logarithms) sum += logarithm;
    return std::exp(sum / static_cast<double>(logarithms.size()));
  }
};
using Fingerprint = std::map<Key, MeasuredRate>;

// A machine that throttles by itself is compared, since that is how fast it is.
bool was_shared(const FingerprintRecord& record) {
  return record.value &&
         std::ranges::count(record.disturbed_by, std::string(finding_kinds::shared.code)) > 0;
}

void add(Fingerprint& fingerprint, const FingerprintRecord& record) {
  if (was_shared(record)) return;
  if (!record.value || !(*record.value > 0) || !record.ci95) return;
  const Key key{record.what,    record.device, record.precision,
                record.threads, record.method, record.unit};
  const auto [found, is_new] =
      fingerprint.try_emplace(key, MeasuredRate{record, {}, *record.ci95.low, *record.ci95.high});
  MeasuredRate& measured = found->second;
  measured.logarithms.push_back(std::log(*record.value));
  measured.low = std::min(measured.low, *record.ci95.low);
  measured.high = std::max(measured.high, *record.ci95.high);
}

Fingerprint fingerprint_of(const ComparedSide& side) {
  Fingerprint fingerprint;
  for (const NamedReport& named : side) {
    for (const FingerprintRecord& record : named.report.fingerprint) add(fingerprint, record);
  }
  return fingerprint;
}

std::string rate_with_interval(const MeasuredRate& measured) {
  FingerprintRecord shown = measured.example;
  shown.value = measured.rate();
  shown.ci95 = {measured.low, measured.high};
  return rate_text(*shown.value, shown.unit) + " (" + rate_interval_text(shown) + ")";
}

bool differs(const MeasuredRate& before, const MeasuredRate& after, double threshold) {
  const bool disjoint = before.high < after.low || after.high < before.low;
  return disjoint && statistics::change_counts(std::log(after.rate() / before.rate()), threshold);
}

std::string sentence(const MeasuredRate& before, const MeasuredRate& after,
                     const std::string& machine) {
  const double change = after.rate() / before.rate() - 1;
  return name_in_words(after.example) + " on the " + machine + " machine is " +
         percent(std::abs(change)) + (change < 0 ? " slower: " : " faster: ") +
         rate_with_interval(after) + " against " + rate_with_interval(before);
}

std::string agreement(int common, double threshold) {
  return "what was measured of the machines by themselves agrees (" +
         counted(common, "measurement") + "): within its intervals or " + percent(threshold);
}

std::string left_out(std::span<const ComparedSide> sides) {
  std::size_t count = 0;
  for (const ComparedSide& side : sides) {
    for (const NamedReport& named : side) {
      count +=
          static_cast<std::size_t>(std::ranges::count_if(named.report.fingerprint, was_shared));
    }
  }
  if (count == 0) return "";
  return counted(count, "measurement") +
         " of the machines by themselves left out: something else used the machine meanwhile; "
         "measure again";
}

}  // namespace

std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold) {
  std::vector<std::string> found;
  int common = 0;
  const Fingerprint first = fingerprint_of(sides.front());
  for (std::size_t side = 1; side < sides.size(); ++side) {
    const std::string machine = sides.size() == 2 ? "new" : "side " + std::to_string(side + 1);
    for (const auto& [key, after] : fingerprint_of(sides[side])) {
      const auto before = first.find(key);
      if (before == first.end()) continue;
      ++common;
      if (!differs(before->second, after, threshold)) continue;
      found.push_back(sentence(before->second, after, machine));
    }
  }
  if (common > 0 && found.empty()) found.push_back(agreement(common, threshold));
  if (std::string text = left_out(sides); !text.empty()) found.push_back(std::move(text));
  return found;
}

bool are_fingerprints_alone(std::span<const ComparedSide> sides) {
  return std::ranges::all_of(sides, [](const ComparedSide& side) {
    return std::ranges::all_of(side, [](const NamedReport& named) {
      return named.report.points.empty() && !named.report.fingerprint.empty();
    });
  });
}

}  // namespace scalemark::reporting
