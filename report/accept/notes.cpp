// Notes on a fleet as a whole. Failed devices may have something in common: a hint at a cause
// beyond the single device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/summary.h"
#include "report/accept/acceptance.h"
#include "report/accept/forms.h"
#include "report/accept/inventory.h"
#include "report/judge/judge.h"
#include "report/record/finding_kinds.h"

namespace scalemark::acceptance {
namespace {

constexpr double kRare = 0.1;  // a smaller share of the others has what is rare

using Values = std::map<std::string, std::string>;  // values of one attribute by the part's key

struct Attribute {
  std::string name;
  Values values;
};

std::vector<Attribute> attributes_of(const std::vector<CheckResult>& results,
                                     std::span<const NamedReport> reports) {
  std::vector<Attribute> all{{"place in the node", {}}};
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kDevice) continue;
    all.front().values[result.part.key()] = result.part.device;
  }
  for (const auto& [metric, name] :
       {std::pair(Metric::kDriver, "driver"), std::pair(Metric::kPowerLimit, "power limit"),
        std::pair(Metric::kPcieWidth, "PCIe width")}) {
    Attribute& attribute = all.emplace_back();
    attribute.name = name;
    for (const Series& series : read_series({.metric = metric}, reports)) {
      attribute.values[series.part.key()] = series.starts.back().fact;
    }
  }
  return all;
}

std::string value_of(const Attribute& attribute, const std::string& part) {
  const auto found = attribute.values.find(part);
  return found == attribute.values.end() ? "" : found->second;
}

// Two products in one fleet are two fleets.
std::string kinds_text(const std::vector<CheckedClass>& classes) {
  std::set<std::string> chips;
  for (const CheckedClass& one : classes) {
    if (one.of == PartKind::kDevice) chips.insert(one.of_class.substr(0, one.of_class.find(", ")));
  }
  if (chips.size() < 2) return "";
  return "the fleet has " + counted(chips.size(), "kind") +
         " of device, each judged by itself: " + joined(chips, "; ");
}

// "driver 570.10 (node000), 580.65 (7 nodes)"
std::string versions_text(const std::string& name,
                          const std::map<std::string, std::set<std::string>>& hosts) {
  std::vector<std::string> texts;
  for (const auto& [version, on] : hosts) {
    texts.push_back(version + " (" + (on.size() == 1 ? *on.begin() : counted(on.size(), "node")) +
                    ")");
  }
  return name + " " + listed(texts, 3);
}

// Two sets of versions in one fleet are two fleets, too.
void add_versions(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> hosts;  // by name, version
  for (const NamedReport& one : reports) {
    if (reporting::measures_collectives(one.report)) continue;
    for (const auto& host : one.report.environment.hosts) {
      for (const auto& [name, version] : versions_of(software_of(one.report, host.hostname))) {
        hosts[name][version].insert(host.hostname);
      }
    }
  }
  std::vector<std::string> differing;
  for (const auto& [name, versions] : hosts) {
    if (versions.size() > 1) differing.push_back(versions_text(name, versions));
  }
  if (differing.empty()) return;
  texts.push_back("versions differ, and each set is judged by itself: " + listed(differing, 2));
}

// Merged, two machines of one name are judged as one.
void add_namesakes(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  struct Session {
    std::string boot, started, finished;
  };
  std::map<std::string, std::vector<Session>> sessions;  // by host
  std::set<std::string> namesakes;
  for (const NamedReport& one : reports) {
    const reporting::Report& report = one.report;
    for (const auto& host : report.environment.hosts) {
      // A report that was resumed names the hosts of its last session.
      const Session own{host.boot_id,
                        report.sessions.empty() ? report.started : report.sessions.back().started,
                        report.finished};
      std::vector<Session>& others = sessions[host.hostname];
      const auto at_once = [&](const Session& other) {
        return !own.boot.empty() && !other.boot.empty() && own.boot != other.boot &&
               own.started < other.finished && other.started < own.finished;
      };
      if (std::ranges::any_of(others, at_once)) namesakes.insert(host.hostname);
      others.push_back(own);
    }
  }
  if (namesakes.empty()) return;
  texts.push_back("two machines at once, judged as one, call themselves " + listed(namesakes, 3) +
                  ": give each a name of its own");
}

// Equal reasons stand in one line.
void add_not_in_baseline(const std::vector<CheckedClass>& classes,
                         std::vector<std::string>& texts) {
  std::map<std::string, std::set<std::string>> checks;  // by reason
  for (const CheckedClass& one : classes) {
    if (!one.not_in_baseline.empty()) checks[one.not_in_baseline].insert(one.check);
  }
  for (const auto& [why, names] : checks) {
    texts.push_back("not by the baseline (" + why +
                    "), but by the fleet itself: " + listed_checks(names, 3));
  }
}

void add_without_most(const WithoutMost& chips, std::vector<std::string>& texts) {
  for (const auto& [chip, metrics] : chips) {
    if (chip == kLinksOfUnknownPorts) {
      texts.push_back(chip + ": whether they carry what they could is not judged");
      continue;
    }
    texts.push_back("no figure of a datasheet or of its links for " + chip +
                    ": whether its speed can be true is not judged (" +
                    joined(std::vector(metrics.begin(), metrics.end()), ", ") + ")");
  }
}

// Sockets have no limit of their own, since the CPU decides what they carry: their share of the
// ports is reported only.
void add_sockets(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  std::vector<double> shares;
  std::pair<double, std::string> slowest;
  for (const Series& series : read_series({.metric = Metric::kLinkBandwidth}, reports)) {
    const auto most = series.at_most.find(LimitOf::kSockets);
    if (most == series.at_most.end()) continue;
    shares.push_back(series.starts.back().value / most->second.per_sec);
    if (shares.size() == 1 || shares.back() <= slowest.first)
      slowest = {shares.back(), series.part.name()};
  }
  if (shares.empty()) return;
  texts.push_back("links over sockets carry " + percent(statistics::median(shares), 0) +
                  " of what their ports have for each rank, the slowest " +
                  percent(slowest.first, 0) + " (" + slowest.second + "): not judged");
}

// Whatever a rule judges, a reader wants to know how far the network carries all nodes at once.
void add_full_load(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  std::vector<std::string> divisions;
  bool judged = false;
  for (const Series& series : read_series({.metric = Metric::kFleetAllReduce}, reports)) {
    const Start& last = series.starts.back();
    if (!std::isfinite(last.value)) continue;
    judged = judged || series.at_most.contains(LimitOf::kExpected);
    divisions.push_back(series.of_class + " " + significant(last.value, 3) + " GB/s");
  }
  if (divisions.empty()) return;
  texts.push_back("all-reduce under full load, the slowest part of each division: " +
                  listed(divisions, 3) + (judged ? "" : "; not judged between CPU ranks"));
}

std::string percent_with_interval(const Start& one) {
  return percent(one.value / 100) + " (" + percent_text(*one.low / 100) + " to " +
         percent_text(*one.high / 100) + ")";
}

// A rule judges one workload; the others ask more or less of the network, and are reported.
void add_efficiencies(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  std::map<std::string, std::string> of_group;
  for (const auto& [metric, before, after] :
       {std::tuple(Metric::kScalingEfficiency, " at ", " of what they reach by themselves"),
        std::tuple(Metric::kMfu, " with an MFU of ", "")}) {
    for (const Series& series : read_series({.metric = metric}, reports)) {
      const Start& last = series.starts.back();
      if (!std::isfinite(last.value)) continue;
      std::string& text = of_group[series.of_class];
      text += (text.empty() ? "" : ",") + (before + percent_with_interval(last)) + after;
    }
  }
  for (const auto& [group, text] : of_group) {
    texts.push_back("all nodes train " + group + text);
  }
}

// The speed of a GPU that waits for its host is the host's, and varies with it.
void add_waiting(std::span<const NamedReport> reports, std::vector<std::string>& texts) {
  std::set<std::string> points;  // without the repetition
  for (const NamedReport& one : reports) {
    for (const auto& finding : one.report.findings) {
      if (finding.code != reporting::finding_kinds::gpu_waits.code) continue;
      points.insert(finding.point.substr(0, finding.point.rfind("/r")));
    }
  }
  if (points.empty()) return;
  texts.push_back(
      "GPUs waited for their hosts (gpu_waits), so that training measures hosts, too: "
      "measure with a larger --batch-size: " +
      listed(points, 2));
}

// "node003 cuda:1", "node003", "node001 to node006": what a finding blames.
std::string blamed_name(const reporting::Finding& finding) {
  const auto& place = finding.place;
  if (!place) return "";
  if (!place->link.empty()) return place->link;
  return place->device.empty() ? place->host : place->host + " " + place->device;
}

// A report compares few ranks or links, by a test that is meant to point at something and not to
// reject it. What it names is listed, and fails only by its own values. Up to version 0.8 it failed
// at once.
void add_informing(std::span<const NamedReport> reports, const std::vector<CheckResult>& results,
                   std::vector<std::string>& texts) {
  namespace kinds = reporting::finding_kinds;
  std::set<std::string> failed;
  for (const CheckResult& result : results) {
    if (result.outcome == Outcome::kFailed) failed.insert(result.part.name());
  }
  for (const auto& [codes, what] :
       {std::pair(
            std::set<std::string_view>{kinds::straggler.code, kinds::straggler_intermittent.code},
            "slow rank"),
        std::pair(std::set<std::string_view>{kinds::slow_node.code}, "slow node"),
        std::pair(std::set<std::string_view>{kinds::slow_link.code}, "slow link")}) {
    std::set<std::string> names;
    for (const NamedReport& one : reports) {
      if (reporting::groundless(one.report).contains(reporting::kWholeReport)) continue;
      for (const auto& finding : one.report.findings) {
        const std::string name = codes.contains(finding.code) ? blamed_name(finding) : "";
        if (!name.empty() && !failed.contains(name)) names.insert(name);
      }
    }
    if (names.empty()) continue;
    texts.push_back(
        std::string(what) + " informs since 0.9: " + counted(names.size(), "part") +
        " that it alone would have failed, judged by their own values: " + listed(names, 3));
  }
}

// Either these measure something else than the others, or all others are slow.
void add_kept_out(const std::vector<CheckedClass>& classes, std::vector<std::string>& texts) {
  for (const CheckedClass& one : classes) {
    if (one.kept_out.empty()) continue;
    texts.push_back(one.check +
                    ": faster than all others by more than the tolerance, and kept out of " +
                    "the reference: " + listed(one.kept_out, 3));
  }
}

// A list with a misprint would drain machines that nobody asked about.
void add_not_in_list(const Acceptance& acceptance, const Expected& expected,
                     std::vector<std::string>& texts) {
  if (expected.nodes.empty()) return;
  std::vector<std::string> names;
  for (const NodeResult& node : acceptance.nodes) {
    const auto is_it = [&](const std::string& name) { return is_named(node.node, name); };
    if (std::ranges::none_of(expected.nodes, is_it)) names.push_back(node.node.host);
  }
  if (names.empty()) return;
  texts.push_back("not in --nodes, though there are reports: " + listed(names, 3));
}

}  // namespace

std::vector<std::string> notes_of(const Acceptance& acceptance, const Expected& expected,
                                  std::span<const NamedReport> reports,
                                  const WithoutMost& without_most) {
  const std::vector<CheckResult>& results = acceptance.results;
  std::vector<std::string> texts;
  add_not_in_list(acceptance, expected, texts);
  add_not_in_baseline(acceptance.classes, texts);
  if (std::string kinds = kinds_text(acceptance.classes); !kinds.empty()) texts.push_back(kinds);
  add_versions(reports, texts);
  add_namesakes(reports, texts);
  add_without_most(without_most, texts);
  add_sockets(reports, texts);
  add_full_load(reports, texts);
  add_efficiencies(reports, texts);
  add_waiting(reports, texts);
  add_informing(reports, results, texts);
  add_kept_out(acceptance.classes, texts);
  std::set<std::string> failed, others;
  for (const CheckResult& result : results) {
    if (result.part.kind != PartKind::kDevice) continue;
    (result.outcome == Outcome::kFailed ? failed : others).insert(result.part.key());
  }
  for (const std::string& part : failed) others.erase(part);
  if (failed.size() < 2 || others.empty()) return texts;
  for (const Attribute& attribute : attributes_of(results, reports)) {
    const std::string value = value_of(attribute, *failed.begin());
    const auto has_it = [&](const std::string& part) { return value_of(attribute, part) == value; };
    if (value.empty() || !std::ranges::all_of(failed, has_it)) continue;
    const auto with = static_cast<double>(std::ranges::count_if(others, has_it));
    if (with >= kRare * static_cast<double>(others.size())) continue;
    texts.push_back("all " + std::to_string(failed.size()) + " failed devices share one " +
                    attribute.name + " (" + value + "), few others have it");
  }
  return texts;
}

}  // namespace scalemark::acceptance
