#include "core/settings/settings_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/settings/fields.h"
#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

using nlohmann::json;

class FieldWriter {
 public:
  void operator()(const char* name, const std::string& field) {
    if (!field.empty()) object[name] = field;
  }
  template <class T>
  void operator()(const char* name, const T& field) {
    object[name] = field;
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& field) {
    if (field) object[name] = *field;
  }
  void operator()(const char* name, double first, double second) { object[name] = {first, second}; }
  void timeouts(const char* name, double every, const std::map<std::string, double>& by_phase) {
    object[name] = every;
    if (!by_phase.empty()) object[std::string(name) + "_by_phase"] = by_phase;
  }
  void memory_limits(const char* name, const std::optional<std::int64_t>& every,
                     const std::map<int, std::int64_t>& by_rank) {
    (*this)(name, every);
    for (const auto& [rank, bytes] : by_rank) {
      object[std::string(name) + "_by_rank"][std::to_string(rank)] = bytes;
    }
  }
  void inverted(const char* name, bool field) { object[name] = !field; }

  json object = json::object();
};

// Takes what it reads out of the object, so that what is left over is unknown.
class FieldReader {
 public:
  explicit FieldReader(json parsed) : object(std::move(parsed)) {}

  template <class T>
  void operator()(const char* name, T& field) {
    if (auto value = take(name)) field = value->template get<T>();
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& field) {
    if (auto value = take(name)) field = value->template get<T>();
  }
  void operator()(const char* name, double& first, double& second) {
    const auto value = take(name);
    if (!value) return;
    first = value->at(0).get<double>();
    second = value->at(1).get<double>();
  }
  void timeouts(const char* name, double& every, std::map<std::string, double>& by_phase) {
    (*this)(name, every);
    (*this)((std::string(name) + "_by_phase").c_str(), by_phase);
  }
  void memory_limits(const char* name, std::optional<std::int64_t>& every,
                     std::map<int, std::int64_t>& by_rank) {
    (*this)(name, every);
    std::map<std::string, std::int64_t> named;
    (*this)((std::string(name) + "_by_rank").c_str(), named);
    for (const auto& [rank, bytes] : named) by_rank[std::stoi(rank)] = bytes;
  }
  void inverted(const char* name, bool& field) {
    bool opposite = !field;
    (*this)(name, opposite);
    field = !opposite;
  }

  std::optional<json> take(const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) return std::nullopt;
    json value = *found;
    object.erase(found);
    return value;
  }

  json object;
};

json to_object(const Settings& settings) {
  FieldWriter writer;
  writer("command", settings.command);
  visit_fields(settings, writer);
  return std::move(writer.object);
}

}  // namespace

std::string to_json(const Settings& settings) { return to_object(settings).dump(2); }

std::string origins_to_json(const Settings& settings) { return json(settings.origins).dump(2); }

Settings from_json(std::string_view text) {
  try {
    FieldReader reader(json::parse(text));
    Settings settings;
    reader("command", settings.command);
    visit_fields(settings, reader);
    if (!reader.object.empty()) {
      throw configuration("unknown setting '" + reader.object.begin().key() + "'",
                          "settings as to_json writes them");
    }
    return settings;
  } catch (const json::exception& error) {
    throw configuration(std::string("settings cannot be read: ") + error.what());
  }
}

std::map<std::string, std::string> flat_settings(const Settings& settings) {
  std::map<std::string, std::string> flat;
  const json object = to_object(settings);
  for (const auto& [name, value] : object.items()) flat[name] = value.dump();
  return flat;
}

bool may_differ_between_ranks(std::string_view name) {
  const Option* option = find_option(name);
  return option && option->across_ranks == AcrossRanks::kMayDiffer;
}

}  // namespace scalemark::settings
