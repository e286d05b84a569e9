#include "core/settings/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/strict_json.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"

namespace scalemark::settings {
namespace {

using nlohmann::json;

// The parser quotes the bytes it stumbled over; an error line must stay readable text.
std::string readable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return text;
}

// Receives the parser's events, because a parsed json value has already lost what must be refused:
// duplicate keys, and the digits of numbers that fit no type.
class FlatObjectReader : public nlohmann::json_sax<json> {
 public:
  FlatObjectReader(std::string origin, bool lists) : origin_(std::move(origin)), lists_(lists) {}

  bool null() override {
    bad_list_ = true;
    return refuse("null", "leave the key out for the default");
  }
  bool boolean(bool value) override { return take(value ? "on" : "off"); }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& digits) override { return take(digits); }
  bool string(string_t& value) override { return take(value); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (depth_++ == 0) return true;
    if (in_list_) return nested();
    if (depth_ == 2 && key_ == kVariableOption) {
      return refuse("{...}", "a config file is flat: write \"env.NAME\": \"VALUE\"");
    }
    return depth_ > 2 || refuse("{...}", "a config file is flat: one value per key");
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override {
    if (depth_++ == 0) return not_an_object();
    if (in_list_) return nested();
    in_list_ = lists_ && depth_ == 2;
    list_.reset();
    bad_list_ = false;
    return in_list_ || depth_ > 2 || refuse("[...]", "one value per key; lists make a sweep");
  }
  bool end_array() override {
    --depth_;
    if (!in_list_ || depth_ != 1) return true;
    in_list_ = false;
    if (bad_list_) return true;
    if (!list_) return refuse("[]", "a list names at least one value");
    return take(std::move(*list_));
  }

  bool key(string_t& name) override {
    if (depth_ > 1) return true;
    key_ = normalised(name);
    if (!seen_.insert(key_).second) {
      result_.problems.push_back(
          {name, "", "the key occurs twice in the file; keep one of them", origin_, ""});
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    result_.problems.push_back({"", without_library_name(readable(error.what())),
                                "a config file is strict JSON: one object, no comments", origin_,
                                ""});
    return false;
  }

  ConfigValues take_result() { return std::move(result_); }

 private:
  bool take(std::string value) {
    if (depth_ == 0) return not_an_object();
    if (depth_ == 1) result_.values.emplace_back(key_, std::move(value));
    if (in_list_ && depth_ == 2) return take_element(value);
    return true;  // deeper values belong to something that is refused already
  }
  bool nested() {
    bad_list_ = true;
    result_.problems.push_back({key_, "", "a list holds plain values", origin_, ""});
    return true;
  }
  bool take_element(const std::string& value) {
    const bool may_hold_commas = is_variable_key(key_);
    if (value.find(',') != std::string::npos && !may_hold_commas) {
      refuse(value, "a value within a list holds no comma");
    }
    const std::string element = may_hold_commas ? element_of(value) : value;
    list_ = list_ ? *list_ + "," + element : element;
    return true;
  }
  bool refuse(const std::string& found, const std::string& allowed) {
    if (depth_ > 2) return true;
    result_.problems.push_back({key_, found, allowed, origin_, ""});
    return true;
  }
  bool not_an_object() {
    result_.problems.push_back(
        {"", "no object", "a config file is one JSON object: {\"workload\": ...}", origin_, ""});
    return false;
  }

  std::string origin_;
  std::string key_;
  std::set<std::string> seen_;
  int depth_ = 0;
  bool lists_;
  bool in_list_ = false;
  bool bad_list_ = false;
  std::optional<std::string> list_;  // the elements so far, commas between
  ConfigValues result_;
};

Problem unknown_key(const std::string& key, Command command, const std::string& origin) {
  if (auto hint = replacement_hint(key, command)) return {key, "", "unknown key", origin, *hint};
  auto names = option_names(command);
  names.push_back("command");
  names.push_back("about");
  names.push_back("claims");
  return {key, "", "unknown key", origin, did_you_mean(key, names)};
}

// Empty when the key is allowed in a file of `command`.
std::vector<Problem> check_key(const std::string& key, const std::string& value, Command command,
                               const std::string& origin) {
  if (key == "about" || key == "claims") return {};
  if (key == "command") {
    if (value == command_name(command)) return {};
    return {{key, value,
             "this file is for another command than " + std::string(command_name(command)), origin,
             ""}};
  }
  const Option* option = find_option(key, command);
  if (!option) return {unknown_key(key, command, origin)};
  if (option->layer && !is_variable_key(key))
    return {{key, "", "is not allowed in a config file", origin, ""}};
  if (!takes(command, *option)) {
    return {{key, "", std::string(command_name(command)) + " has no such option", origin, ""}};
  }
  return {};
}

}  // namespace

ConfigValues parse_config(const ConfigFile& file, Command command) {
  const std::string origin = "config " + file.path;
  if (const std::string encoding = wide_encoding_of(file.text); !encoding.empty()) {
    return {.values = {},
            .about = {},
            .problems = {{"", encoding, "a config file is in UTF-8", origin, utf8_hint(encoding)}}};
  }
  FlatObjectReader reader(origin, (command & kTakesLists) != 0);
  json::sax_parse(file.text, &reader);
  ConfigValues read = reader.take_result();

  ConfigValues result{.values = {}, .about = {}, .problems = std::move(read.problems)};
  for (auto& [key, value] : read.values) {
    const auto problems = check_key(key, value, command, origin);
    result.problems.insert(result.problems.end(), problems.begin(), problems.end());
    if (key == "about") result.about = value;
    if (problems.empty() && key != "about" && key != "claims" && key != "command") {
      const std::string name =
          is_variable_key(key) ? key : std::string(find_option(key, command)->name);
      result.values.emplace_back(name, std::move(value));
    }
  }
  return result;
}

std::string read_text_file(const std::string& path) {
  if (std::filesystem::is_directory(path))
    throw no_input("'" + path + "' is a folder", "a JSON file is expected");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw no_input("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.bad() || !text) throw no_input("cannot read '" + path + "'");
  return text.str();
}

namespace {

using NamedTexts = std::span<const NamedText>;

// Texts that the program holds, and the option that takes their names.
struct BuiltIn {
  const char *option, *what;
  NamedTexts texts;
};
BuiltIn built_in_configs() { return {"--config", "configuration", builtin_configs()}; }
BuiltIn built_in_rules() { return {"--rules", "rules", acceptance_rules()}; }

// "acceptance/rules/smoke" is also "rules/smoke" and "smoke".
std::optional<NamedText> find_named(NamedTexts texts, const std::string& name) {
  auto found = std::ranges::find(texts, name, &NamedText::name);
  if (found == texts.end() && !name.empty())
    found = std::ranges::find_if(
        texts, [&](const NamedText& one) { return one.name.ends_with("/" + name); });
  return found == texts.end() ? std::nullopt : std::optional(*found);
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

// The file that was meant may be built in under its name.
std::string hint_for_path(const BuiltIn& kind, const std::string& path) {
  const auto found = find_named(kind.texts, std::filesystem::path(path).stem().string());
  return found ? std::string(kind.what) + " of this name: " + kind.option + " " +
                     std::string(found->name) + ", which is built in"
               : "";
}

Error unknown_name(const std::string& name, const std::string& what,
                   std::initializer_list<NamedTexts> known) {
  std::vector<std::string_view> names;
  std::string hint;
  for (const NamedText& one : known | std::views::join) {
    names.push_back(one.name);
    names.push_back(one.name.substr(one.name.rfind('/') + 1));
    if (one.name.starts_with(name + "/")) hint.append(hint.empty() ? "" : ", ").append(one.name);
  }
  if (hint.empty()) hint = did_you_mean(name, names);
  if (hint.empty()) hint = "`scalemark configs` lists them";
  return no_input("'" + name + "' is no " + what, "", std::move(hint));
}

ConfigFile read_file_or(const BuiltIn& kind, const std::string& path_or_name,
                        std::vector<std::string>& notes) {
  const auto builtin = find_named(kind.texts, path_or_name);
  std::error_code none;
  const bool is_there = std::filesystem::exists(path_or_name, none) &&
                        !(builtin && std::filesystem::is_directory(path_or_name, none));
  if (is_there) {
    if (builtin) {
      notes.push_back(std::string(kind.option) + " " + path_or_name +
                      ": the file here is read, not the built-in " + kind.what + " of that name");
    }
    return {path_or_name, read_text_file(path_or_name)};
  }
  if (builtin) return {path_or_name, std::string(builtin->text)};
  if (!is_path(path_or_name))
    throw unknown_name(path_or_name, std::string("file and no built-in ") + kind.what,
                       {kind.texts});
  if (const std::string hint = hint_for_path(kind, path_or_name); !hint.empty()) {
    throw no_input("there is no '" + path_or_name + "'", "a JSON file is expected", hint);
  }
  return {path_or_name, read_text_file(path_or_name)};  // says why it cannot be read
}

}  // namespace

ConfigFile read_config(const std::string& path_or_name, std::vector<std::string>& notes) {
  return read_file_or(built_in_configs(), path_or_name, notes);
}

ConfigFile read_rules(const std::string& path_or_name, std::vector<std::string>& notes) {
  return read_file_or(built_in_rules(), path_or_name, notes);
}

std::string_view builtin_config(const std::string& name) {
  for (const NamedTexts texts : {builtin_configs(), acceptance_rules()}) {
    if (const auto found = find_named(texts, name)) return found->text;
  }
  throw unknown_name(name, "built-in configuration",
                     {builtin_configs(), acceptance_rules(), job_scripts()});
}

ConfigFacts facts_of(std::string_view text) {
  const auto json = nlohmann::json::parse(text);
  return {json.value("command", ""), json.value("about", ""),
          json.value("claims", std::vector<std::string>())};
}

}  // namespace scalemark::settings
