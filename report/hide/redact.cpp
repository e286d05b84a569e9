#include "report/hide/redact.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/machine/survey.h"
#include "core/plan/plan.h"
#include "core/settings/layers.h"
#include "core/settings/option.h"
#include "report/hide/names.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_fields.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

using std::string;
using std::string_view;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShortestSerial = 4;  // shorter ones are common numbers in texts

bool is_known_variable(const string& name) {
  const string entry = name + "=";
  const char* const one = entry.c_str();
  return !monitoring::allowed_variables({&one, 1}).empty();
}

// Returns the name of a machine without its domain.
string machine(const string& host) {
  const string first = small(host.substr(0, host.find('.')));
  return first.find_first_not_of("0123456789") == string::npos ? small(host) : first;
}

// Quotes a word so that a shell reads it as one, except for what replaces a path.
string as_word(const string& word) {
  string plain = word;
  for (const char* instead : {kSomePath, kSomeAddress, kSomeHost, kSomeValue}) {
    if (plain.ends_with(instead)) plain.resize(plain.size() - string_view(instead).size());
  }
  const bool is_plain = plain.empty() ? !word.empty() : shell_word(plain) == plain;
  return is_plain ? word : shell_word(word);
}

// An archive (field.h) that walks a report twice: it learns all names, then it replaces them. In
// the first walk its functions return the text itself, in the second what replaces it.
class Redactor {
 public:
  template <class T>
  using Field = T;

  void redact(Report& report) {
    fields(*this, report);
    assign_replacements(report);
    fields(*this, report);
    // The verdict's reasons are taken from the findings as they are now.
    const auto verdict = report.verdict ? verdict_of(report) : std::nullopt;
    if (!verdict) return;
    for (VerdictReason& reason : report.verdict->reasons) {
      const auto same = std::ranges::find(verdict->reasons, reason.code, &VerdictReason::code);
      if (same != verdict->reasons.end()) reason = *same;
    }
  }

  void record(const char*, const char*) {}
  bool measured(const auto&, auto) { return true; }
  void constant(const char*, const char*, const About&) {}
  void time(const char*, const string&, const About&) {}
  void time_if_any(const char*, const string&, const About&) {}
  void word(const char*, const string&, std::initializer_list<const char*>, const About&) {}
  void choice(const char*, const auto&, const About&) {}
  void pair(const char*, const auto&, const auto&, const About&) {}
  void pair(const char*, const auto&, const About&) {}
  void part(auto&, auto body) { body(*this); }
  void object(const char*, auto body, const About&) { body(*this); }
  void text(const char* key, string& text, const About& about) { (*this)(key, text, about); }
  void list(const char* key, auto& list, const About& about) { (*this)(key, list, about); }
  void embedded(const char*, string& text, const About&) {
    if (text.empty()) return;
    Json json = Json::parse(text);
    settings_in(json, "");
    text = json.dump();
  }

  void operator()(const char* key, string& text, const About& about) {
    text = shown(key, text, about.unit.holds);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value, const About& about) {
    if (value) (*this)(key, *value, about);
  }
  template <class T>
  void operator()(const char* key, std::vector<T>& values, const About& about) {
    for (T& value : values) (*this)(key, value, about);
  }
  template <class T>
  void operator()(const char* name, std::map<string, T>& map, const About& about) {
    std::map<string, T> result;
    for (auto& [key, value] : map) {
      if constexpr (std::is_same_v<T, string>) {
        value = of_map(key, value, about.unit.holds);
      } else {
        (*this)(name, value, about);
      }
      result.emplace(key_of_map(key, about.unit.holds), std::move(value));
    }
    map = std::move(result);
  }
  template <class T>
  void operator()(const char*, T& value, const About&) {
    if constexpr (kIsRecord<T>) fields(*this, value);
  }
  // A text that was made of the finding's values is made again of the new ones.
  void operator()(const char*, Finding& finding, const About&) { make_again(finding); }
  void operator()(const char*, CauseRecord& cause, const About&) {
    const FindingKind* const kind = find_finding_kind(cause.code);
    const bool is_made = kind && Wording(cause).filled(kind->remedy) == cause.remedy;
    make_again(cause);
    if (is_made) cause.remedy = Wording(cause).filled(kind->remedy).value_or(kSomeText);
  }

 private:
  void make_again(auto& made) {
    const FindingKind* const kind = find_finding_kind(made.code);
    const bool is_made = kind && Wording(made).filled(kind->text) == made.text;
    fields(*this, made);
    if (is_made) made.text = Wording(made).filled(kind->text).value_or(kSomeText);
  }

  string shown(const char* key, const string& text, Holds holds) {
    switch (holds) {
      case Holds::kHost:
        return host(text);
      case Holds::kPath:
        return path(key, text);
      case Holds::kOption:
        return option(option_ = text);
      case Holds::kValue:
        return value(option_, text);
      case Holds::kCommand:
        return command(text);
      case Holds::kLauncher:
        return learns_ ? text : "";
      case Holds::kWord:
        return text;
      case Holds::kId:
        return id(text);
      case Holds::kSerial:
        if (learns_ && text.size() >= kShortestSerial) names_.add(text, kSomeDevice);
        return learns_ ? text : "";
      default:
        return free(text);
    }
  }
  string of_map(const string& key, const string& text, Holds holds) {
    constexpr string_view kFile = "config ";
    if (holds == Holds::kOptions) return value(key, text);
    if (holds == Holds::kVariables) return value(settings::variable_key(key), text);
    if (holds != Holds::kOrigins) return free(text);
    return !text.starts_with(kFile) ? text : string(kFile) + path("", text.substr(kFile.size()));
  }
  string key_of_map(const string& key, Holds holds) {
    if (holds == Holds::kVariables) return variable(key);
    if (holds == Holds::kText) return free(key);
    return holds == Holds::kOptions || holds == Holds::kOrigins ? option(key) : key;
  }

  string free(const string& text, const char* left_out = kSomeText) const {
    return learns_ ? text : names_.cleaned(text, left_out);
  }
  string id(const string& text) {
    if (learns_) ids_.insert(text);
    return learns_ ? text : of_ids_.replaced(text);
  }
  string host(const string& text) {
    if (text.empty() || text.starts_with("rank ")) return text;
    if (learns_) hosts_.insert(small(text));
    const string name = numbered("host-", machine(text), kSomeHost);
    return learns_ ? text : name;
  }
  // "data-1": the texts of a kind are numbered by their first occurrence. A text without a number
  // becomes `instead`.
  string numbered(const string& kind, const string& text, const string& instead) {
    auto& all = numbers_[kind];
    if (learns_ && counts_) all.try_emplace(text, std::to_string(all.size() + 1));
    const auto found = all.find(text);
    return found == all.end() ? instead : kind + found->second;
  }

  string option(const string& name) {
    if (!settings::is_variable_key(name)) return name;
    return settings::variable_key(variable(string(settings::variable_in(name))));
  }
  string variable(const string& name) {
    const string instead = is_known_variable(name) ? name : numbered("VARIABLE_", name, kSomeValue);
    return learns_ ? name : instead;
  }

  // The option's table shows what kind of value it has.
  string value(const string& option, const string& text) {
    const settings::Option* const row = settings::find_row(option);
    if (settings::is_variable_key(option)) return value_of_variable(option, text);
    if (row && row->kind == settings::Kind::kPath) return path(option, text);
    if (row && row->value_name.find("HOST") != string::npos) return address(*row, text);
    const bool is_free =
        !row || row->kind == settings::Kind::kText || row->kind == settings::Kind::kVariable;
    return is_free ? free(text, kSomeValue) : text;
  }
  string path(const string& option, const string& text) {
    const settings::Option* const row = settings::find_row(option);
    if (text.empty() || text == kSomePath || (row && text == row->default_text)) return text;
    const string name = numbered(option + "-", text, kSomePath);
    if (learns_) learn_path(text);
    return learns_ ? text : option == "data" ? name : kSomePath;
  }
  string address(const settings::Option& row, const string& text) {
    if (text.find_first_not_of("0123456789") == string::npos ||
        row.value_name.ends_with("|" + text))
      return text;
    if (learns_ && text.starts_with("file:")) {
      learn_path(text.substr(text.find(':') + 1));
    } else if (learns_ && text != kSomeAddress) {
      hosts_.insert(small(text.substr(0, text.rfind(':'))));
    }
    return learns_ ? text : kSomeAddress;
  }
  string value_of_variable(const string& key, const string& text) {
    if (text == settings::kUnset) return text;
    const bool is_known = is_known_variable(string(settings::variable_in(key)));
    if (learns_ && !is_known) learn(text, kSomeValue);
    if (learns_ && text.find('/') != string::npos) {
      for (const string_view path : parts_of(text, ":,;")) learn_path(string(path));
    }
    const string name = numbered(key + "-", text, kSomeValue);
    if (learns_ || (is_known && free(text) == text)) return text;
    return name == kSomeValue ? name : "value" + name.substr(name.rfind('-'));
  }
  void learn(const string& name, const char* instead) {
    const bool has_slash = name.find('/') != string::npos;
    if (has_slash ? name.find_first_not_of("/.") != string::npos : !is_uninformative(name))
      names_.add(name, instead);
  }
  // Learns the path, the folders that contain it, and the name of each.
  void learn_path(const string& text) {
    learn(text, kSomePath);
    std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    for (; path.has_relative_path(); path = path.parent_path()) {
      learn(path.string(), kSomePath);
      learn(path.filename().string(), kSomePath);
    }
  }

  void settings_in(Json& json, const string& name) {
    if (json.is_string()) json = value(name, json.get<string>());
    if (json.is_array()) {
      for (Json& element : json) settings_in(element, name);
    }
    if (!json.is_object()) return;
    Json result = Json::object();
    for (auto& [key, element] : json.items()) {
      settings_in(element, name.empty() ? key : name);
      result[option(key)] = std::move(element);
    }
    json = std::move(result);
  }

  // Replaces names word by word. A list of values is replaced as a whole or not at all.
  string command(const string& line) {
    const auto words = shell_words(line);
    if (words.empty()) return line.empty() || learns_ ? line : kSomePath;
    counts_ = false;
    string result, option;  // option: the one whose value comes next
    for (const string& word : words) {
      // The value begins here.
      std::size_t begin = 0;
      if (word.starts_with("--")) {
        begin = std::min(word.find('='), word.size() - 1) + 1;
        const auto* const row =
            settings::find_option(word.substr(2, word.find('=') - 2), settings::kSweep);
        option = row && row->kind != settings::Kind::kFlag ? row->name : "";
      }
      string clean = word.substr(0, begin);
      if (begin < word.size()) clean += typed(std::exchange(option, ""), word.substr(begin));
      result += (result.empty() ? "" : " ") + as_word(clean);
    }
    counts_ = true;
    return learns_ ? line : result;
  }
  // Replaces a value behind its option as typed. Without an option it may be anything.
  string typed(const string& option, const string& text) {
    if (option.empty()) return free(text, kSomePath);
    const bool is_set = option == "set";
    const std::size_t equals = text.find('=');
    if (equals == string::npos || (!is_set && option != settings::kVariableOption))
      return value(option, text);
    const string name = settings::normalised(text.substr(0, equals));
    const string key = is_set ? name : settings::variable_key(text.substr(0, equals));
    const string shown = is_set ? this->option(key) : variable(text.substr(0, equals));
    return shown + "=" + typed(key, text.substr(equals + 1));
  }

  // Runs between the two walks, when all names are known: each gets its replacement.
  void assign_replacements(const Report& report) {
    learns_ = false;
    for (const auto& [name, number] : numbers_["VARIABLE_"]) names_.add(name, variable(name));
    for (const string& whole : hosts_) {
      const string first = machine(whole), domain = whole.substr(whole.find('.') + 1);
      const string stem = first.substr(0, first.find_last_not_of("0123456789-_") + 1);
      if (stem.size() > 3 && !begins_word_of_ours(stem)) add_host(stem, kSomeHost);
      if (first.size() < whole.size() &&
          (domain.find('.') != string::npos || !is_uninformative(domain)))
        add_host(domain, kSomeHost);
    }
    for (const string& whole : hosts_) {
      for (const string& name : {machine(whole), whole})
        add_host(name, numbered("host-", machine(whole), kSomeHost));
    }
    for (const PointRecord& point : report.points) of_ids_.add(point.group, renamed(point));
    for (const string& id : ids_) names_.add(id, of_ids_.replaced(id));
  }
  void add_host(const string& name, const string& instead) {
    names_.add(name, instead);
    of_ids_.add(name, instead);
  }
  // Groups are named by the options that vary: "...-data-photos" becomes "...-data-1".
  string renamed(const PointRecord& point) {
    string group = point.group;
    for (const auto& [option, value] : point.varying) {
      const string part = planning::name_part(option, value);
      const string name = numbered(option + "-", value, "");
      const std::size_t at = group.find(part);
      if (at == string::npos || name.empty() || this->value(option, value) == value) continue;
      group.replace(at, part.size(),
                    planning::name_part(this->option(option), name.substr(name.rfind('-') + 1)));
    }
    return of_ids_.replaced(group);
  }

  bool learns_ = true;
  bool counts_ = true;  // false: texts get no numbers
  string option_;       // the option that a text named last
  std::set<string> hosts_, ids_;
  Names names_, of_ids_;                                // of_ids_: names that ids of points contain
  std::map<string, std::map<string, string>> numbers_;  // kind -> text -> number
};

}  // namespace

Report redacted(const Report& report) {
  Report result = report;
  Redactor().redact(result);
  return result;
}

}  // namespace scalemark::reporting
