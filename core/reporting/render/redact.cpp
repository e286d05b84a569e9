#include "core/reporting/render/redact.h"

#include <arpa/inet.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/reporting/report_json.h"

namespace scalemark::reporting {
namespace {

using Json = nlohmann::ordered_json;

const std::set<std::string> kDropped = {"serial", "uuid", "pci"};  // optional in the schema
// Settings and options whose value is a place, even without a slash in it.
const std::set<std::string> kPlaces = {"data",  "vocab",  "output",     "init_from", "save",
                                       "torch", "config", "rendezvous", "topology"};

constexpr const char* kOrigins = "origins";

// Fields that hold words of ours, or versions and times: a host that is called "ok" changes none.
const std::set<std::string> kKept = {
    "schema",      "status",      "severity", "code",       "domain",        "verdict",
    "kind",        "basis",       "workload", "task",       "strategy",      "device",
    "backend",     "precision",   "started",  "finished",   "memory_format", "gradient_compression",
    "compiler",    "git_commit",  "version",  "build_type", "device_name",   "stop_reason",
    "phase",       "relative_to", "launcher", "metric",     "driver",        "built_with",
    "running_with"};
constexpr std::size_t kShortestSecret = 4;  // shorter ones are parts of everything

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80);
}

// `name` where it stands as a word of its own.
std::string with_word(std::string text, const std::string& name, const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, name.size(), instead);
    at += whole ? instead.size() : 1;
  }
  return text;
}

// Without a digit it may be a name of C++, as in "a::b".
bool is_long_address(const std::string& word) {
  in6_addr ignored{};
  return word.find_first_of("0123456789") != std::string::npos &&
         inet_pton(AF_INET6, word.c_str(), &ignored) == 1;
}

// IPv6 addresses, with their zone ("fe80::1%eth0").
std::string without_long_addresses(const std::string& text) {
  constexpr const char* kSigns = "0123456789abcdefABCDEF:.";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_of(kSigns, at), text.size());
    const std::size_t end = std::min(text.find_first_not_of(kSigns, begin), text.size());
    std::string word = text.substr(begin, end - begin);
    std::string after;  // the end of a sentence
    if (word.ends_with('.') || (word.ends_with(':') && !word.ends_with("::"))) {
      after = word.back();
      word.pop_back();
    }
    const bool whole =
        (begin == 0 || !is_word(text[begin - 1])) && (end == text.size() || !is_word(text[end]));
    result.append(text, at, begin - at);
    at = end;
    if (!whole || !is_long_address(word)) {
      result += word + after;
      continue;
    }
    result += "<address>" + after;
    if (at < text.size() && text[at] == '%' && after.empty()) {
      do ++at;
      while (at < text.size() && is_word(text[at]));
    }
  }
  return result;
}

class Redactor {
 public:
  explicit Redactor(const Report& report) {
    for (const auto& host : report.environment.hosts) {
      add_host(host.hostname);
      for (const auto& gpu : host.gpus) {
        for (const auto& secret : {gpu.uuid, gpu.pci, gpu.serial}) add(secret, "<device>");
        for (const auto& instance : gpu.mig_instances) add(instance.uuid, "<device>");
      }
    }
    for (const auto& session : report.sessions) add_host(session.hostname);
    for (const auto& point : report.points) {
      for (const auto& rank : point.ranks) add_host(rank.host);
    }
    for (const auto& straggler : report.stragglers) add_host(straggler.host);
    for (const auto& error : report.errors) add_host(error.host);
    add_users(report);
  }

  void walk(Json& json, const std::string& key) const {
    if (json.is_string()) {
      json = cleaned(json.get<std::string>(), key);
    } else if (json.is_array()) {
      for (Json& element : json) walk(element, key);
    } else if (json.is_object()) {
      for (const auto& dropped : kDropped) json.erase(dropped);
      // Of "origins" the keys name options, and the values only say where each came from.
      for (auto& [name, value] : json.items()) walk(value, key == kOrigins ? key : name);
    }
  }

 private:
  void add(const std::string& secret, const std::string& instead) {
    if (secret.size() >= kShortestSecret || (!secret.empty() && instead.starts_with("host-")))
      names_.try_emplace(secret, instead);
  }

  // n7.cluster.example is known by its short name too.
  void add_host(const std::string& name) {
    if (name.empty() || names_.contains(name)) return;
    const std::string instead = "host-" + std::to_string(++hosts_);
    add(name, instead);
    const std::string first = name.substr(0, name.find('.'));
    if (first.size() > 2) add(first, instead);
  }

  // Names under /home and the like.
  void add_users(const Report& report) {
    static const std::regex kHome(R"(/(?:home|users|Users)/([^/\s"',:;]+))");
    const std::string text = report.invocation.command_line + " " + report.invocation.settings_json;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kHome);
         it != std::sregex_iterator(); ++it) {
      if ((*it)[1].length() > 1) add((*it)[1], "<user>");
    }
  }

  std::string cleaned(std::string text, const std::string& key) const {
    if (kKept.contains(key)) return text;
    if (kPlaces.contains(key) && !text.empty() && text != "synthetic") return "<path>";
    if (key == kOrigins && text.starts_with("config ")) return "config <path>";
    for (const auto& [name, instead] : names_) text = with_word(std::move(text), name, instead);
    if (key == "group" || key == "id" || key == "point" || key == "points" ||
        key == "baseline_points" || key == "left_out" || key == "real_group" ||
        key == "synthetic_group") {
      return text;  // names of ours: slashes part group and repetition
    }
    return without_addresses(without_paths(without_places(std::move(text))));
  }

  // --data photos: the value of an option that is a place.
  static std::string without_places(const std::string& text) {
    static const std::regex kOption(
        R"((--(?:data|vocab|output|init[-_]from|save|torch|config|rendezvous|topology)(?:=|\s+))(?!synthetic\b)(?:"[^"]*"|'[^']*'|\S+))");
    return std::regex_replace(text, kOption, "$1<path>");
  }

  // Words that begin at the root, at home or here, or hold two slashes: not "samples/s".
  static std::string without_paths(const std::string& text) {
    static const std::regex kPath(
        R"((^|[\s"'=:,(])((?:~|\.{1,2})?/[^\s"',:;)]+|[\w.-]+/[\w.-]+/[^\s"',:;)]*))");
    return std::regex_replace(text, kPath, "$1<path>");
  }

  static std::string without_addresses(const std::string& text) {
    static const std::regex kAddress(R"(\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b)");
    static const std::regex kLogin(R"([\w.-]+@[\w.-]+)");
    const std::string without_logins = std::regex_replace(text, kLogin, "<user>");
    return std::regex_replace(without_long_addresses(without_logins), kAddress, "<address>");
  }

  // Longest first: a host's name may be the beginning of another's.
  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::map<std::string, std::string, LongestFirst> names_;
  int hosts_ = 0;
};

}  // namespace

Report redacted(const Report& report) {
  const std::string text = to_json(report);  // repairs text that is not UTF-8
  const Redactor redactor(report_from_json(text, "report"));
  Json json = Json::parse(text);
  redactor.walk(json, "");
  return report_from_json(json.dump(), "redacted report");
}

}  // namespace scalemark::reporting
