#include "core/reporting/redact/redact.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/planning/group_names.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/redact/names.h"
#include "core/reporting/redact/paths.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 16'384;  // longer ones are no message of ours

const std::set<std::string> kDropped = {"serial", "uuid", "pci",
                                        "boot_id"};  // optional in the schema

// Fields that hold words of ours, or versions and times: a host that is called "ok" changes none.
const std::set<std::string> kKept = {
    "schema",    "status",       "severity",  "code",       "domain",        "verdict",
    "kind",      "basis",        "workload",  "task",       "strategy",      "device",
    "backend",   "precision",    "started",   "finished",   "memory_format", "gradient_compression",
    "compiler",  "git_commit",   "version",   "build_type", "device_name",   "stop_reason",
    "phase",     "relative_to",  "launcher",  "metric",     "driver",        "built_with",
    "predictor", "running_with", "axis",      "source",     "collective",    "via",
    "dtype",     "staging",      "placement", "level",      "counter"};
// Names that the plan gave: slashes part group and repetition.
const std::set<std::string> kIds = {
    "group",           "id",       "point",         "points",
    "baseline_points", "left_out", "real_group",    "synthetic_group",
    "groups",          "file",     "not_told_apart"};

// Calls `see(text, key, of)` for each text: `key` is its field, `of` the field that contains it.
using Seen = std::function<void(std::string& text, const std::string& key, const std::string& of)>;
void visit(Json& json, const Seen& see, const std::string& key = {}, const std::string& of = {}) {
  if (json.is_string()) {
    see(json.get_ref<std::string&>(), key, of);
  } else if (json.is_array()) {
    for (Json& element : json) visit(element, see, key, of);
  } else if (json.is_object()) {
    for (auto& [name, value] : json.items()) visit(value, see, name, key);
  }
}

// Words and units of ours. "what" of an error may hold anything.
bool is_of_fingerprint(const std::string& key, const std::string& of) {
  if (of == "replays") return key != "host" && key != "reason";
  return of == "fingerprint" && (key == "what" || key == "unit" || key == "method");
}

bool is_origin_file(const std::string& text, const std::string& of) {
  return of == "origins" && text.starts_with("config ");
}

// A variable whose value is a path, several paths or addresses: it must not be published.
bool is_place_of_variable(const std::string& text, const std::string& of) {
  return (of == "variables" || of == "env") && text.find('/') != std::string::npos;
}

// "enx00e04c680001": systemd names such a network card by its hardware address.
bool is_named_by_address(const std::string& text) {
  return text.size() == 15 && text.starts_with("enx") &&
         text.find_first_not_of("0123456789abcdef", 3) == std::string::npos;
}

class Redactor {
 public:
  Redactor(const Report& report, Json& json) {
    visit(json, [this](std::string& text, const std::string& key, const std::string& of) {
      learn_places(text, key, of);
      if (key == "hostname" || key == "host" || key == "scheduler_node") names_.add_host(text);
      if (of == "links" && (key == "a" || key == "b") && !text.starts_with("rank "))
        names_.add_host(text);
      if (kDropped.contains(key) || is_named_by_address(text)) names_.add_device(text);
    });
    visit(json, [this](std::string& text, const std::string&, const std::string&) {
      if (text.size() <= kLongestText) names_.learn_from(text);
    });
    for (const auto& point : report.points) rename(point);
  }

  void clean(Json& json) const {
    drop(json);
    visit(json, [this](std::string& text, const std::string& key, const std::string& of) {
      text = cleaned(text, key, of);
    });
  }

 private:
  void learn_places(const std::string& text, const std::string& key, const std::string& of) {
    if (key == "data") {
      paths_.add_data(text);
    } else if ((key == "rendezvous" || key == "master_addr") && !text.starts_with("file:")) {
      names_.add_host(text.substr(0, text.rfind(':')));
    } else if (of == "env" && is_place_of_variable(text, of)) {
      paths_.add(text);  // it stands among options as well
    } else if (of != "origins" && (is_place(key) || (of == "skipped" && key == "name"))) {
      paths_.add(text);
    } else if (is_origin_file(text, of)) {
      paths_.add(text.substr(text.find(' ') + 1));
    }
  }

  // Groups are named after the last part of a folder: "...-data-photos" becomes "...-data-1".
  void rename(const PointRecord& point) {
    std::string group = point.group;
    for (const auto& [option, value] : point.varying) {
      const bool is_of_variable = option.starts_with("env.") && value.find('/') != value.npos;
      if ((!is_place(option) && !is_of_variable) || value == "synthetic") continue;
      std::string label = is_of_variable ? option.substr(option.find('.') + 1) : option;
      if (!is_of_variable) std::ranges::replace(label, '_', '-');
      const std::string part = "-" + label + "-" + planning::plain_value(value);
      auto& numbers = numbers_[option];
      const auto number = numbers.try_emplace(value, numbers.size() + 1).first->second;
      const std::size_t at = group.find(part);
      const std::string instead = "-" + label + "-" + std::to_string(number);
      if (at != std::string::npos) group.replace(at, part.size(), instead);
    }
    if (group != point.group) groups_.emplace(point.group, group);
  }

  void drop(Json& json) const {
    if (json.is_object()) {
      for (const auto& dropped : kDropped) json.erase(dropped);
    }
    if (json.is_structured()) {
      for (Json& value : json) drop(value);
    }
  }

  std::string cleaned(std::string text, const std::string& key, const std::string& of) const {
    // The fields of "origins" name options, and the texts only say where each came from.
    if (of == "origins") return is_origin_file(text, of) ? "config <path>" : text;
    if (kKept.contains(key) && !is_named_by_address(text)) return text;
    if (is_of_fingerprint(key, of)) return text;
    if (is_place(key)) return paths_.instead_of(text);
    if (text.size() > kLongestText) return "<text>";
    if (of == "skipped" && key == "name") return kCoveredPath;
    if (is_place_of_variable(text, of)) return kCoveredPath;
    for (const auto& [group, instead] : groups_) text = with_word(std::move(text), group, instead);
    if (kIds.contains(key)) return names_.covered(text);
    if (key == "command_line") return names_.covered(paths_.command_line(text));
    return names_.covered(paths_.covered(std::move(text)));
  }

  KnownNames names_;
  KnownPaths paths_;
  std::map<std::string, std::map<std::string, std::size_t>> numbers_;  // option -> value -> number
  std::map<std::string, std::string, LongestFirst> groups_;
};

}  // namespace

Report redacted(const Report& report) {
  Json json = Json::parse(to_json(report));  // repairs text that is not UTF-8
  const Redactor redactor(report_from_json(json.dump(), "report"), json);
  redactor.clean(json);
  return report_from_json(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                          "redacted report");
}

}  // namespace scalemark::reporting
