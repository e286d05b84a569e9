#include "core/settings/settings_json.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/settings/option.h"
#include "core/settings/variables.h"

namespace scalemark::settings {
namespace {

using nlohmann::json;

// Puts the values of a field into an object: one key for most, two for values with a part by rank
// or by phase, none for what is absent.
struct Writer {
  json& object;
  const std::string name;

  void operator()(std::monostate) {}
  void operator()(const Betas& betas) { object[name] = {betas.first, betas.second}; }
  void operator()(const Timeouts& timeouts) {
    object[name] = timeouts.every_s;
    if (!timeouts.phase_s.empty()) object[name + "_by_phase"] = timeouts.phase_s;
  }
  void operator()(const MemoryLimits& limits) {
    if (limits.every_bytes) object[name] = *limits.every_bytes;
    for (const auto& [rank, bytes] : limits.bytes_of_rank) {
      object[name + "_by_rank"][std::to_string(rank)] = bytes;
    }
  }
  void operator()(const Variables& variables) {
    for (const auto& [variable, value] : variables) object[variable_key(variable)] = value;
  }
  template <class T>
  void operator()(const T& value) {
    object[name] = value;
  }
};

// Fetches the values of a field out of an object; the keys that remain there are unknown.
class Reader {
 public:
  explicit Reader(json parsed) : object(std::move(parsed)) {}

  std::optional<json> take(const std::string& name) {
    const auto found = object.find(name);
    if (found == object.end()) return std::nullopt;
    json value = *found;
    object.erase(found);
    return value;
  }
  FieldValue value_of(const Option& row) {
    const std::string name(row.name);
    if (row.kind == Kind::kTimeouts) return timeouts(name);
    if (row.kind == Kind::kMemoryLimit) return memory_limits(name);
    if (row.kind == Kind::kVariable) return variables();
    const auto value = take(name);
    return value ? plain(*value, row.kind) : FieldValue();
  }

  json object;

 private:
  static FieldValue plain(const json& value, Kind kind) {
    if (kind == Kind::kCount) return value.get<std::int64_t>();
    if (kind == Kind::kSwitch || kind == Kind::kFlag) return value.get<bool>();
    if (kind == Kind::kBetas) return Betas{value.at(0).get<double>(), value.at(1).get<double>()};
    if (value.is_number()) return value.get<double>();
    return value.get<std::string>();
  }
  FieldValue timeouts(const std::string& name) {
    Timeouts timeouts;
    if (const auto every = take(name)) every->get_to(timeouts.every_s);
    if (const auto by_phase = take(name + "_by_phase")) by_phase->get_to(timeouts.phase_s);
    return timeouts;
  }
  FieldValue variables() {
    Variables variables;
    for (const auto& [key, value] : object.items()) {
      if (is_variable_key(key)) value.get_to(variables[std::string(variable_in(key))]);
    }
    for (const auto& [variable, value] : variables) object.erase(variable_key(variable));
    return variables;
  }
  FieldValue memory_limits(const std::string& name) {
    MemoryLimits limits;
    if (const auto every = take(name)) limits.every_bytes = every->get<std::int64_t>();
    const auto by_rank = take(name + "_by_rank").value_or(json::object());
    for (const auto& [rank, bytes] : by_rank.items()) {
      limits.bytes_of_rank[std::stoi(rank)] = bytes.get<std::int64_t>();
    }
    return limits;
  }
};

json to_object(const Settings& settings, bool (*wanted)(const Option&)) {
  json object = json::object();
  for (const Option& row : all_rows()) {
    if (!row.field || !wanted(row)) continue;
    std::visit(Writer{object, std::string(row.name)}, row.field.get(settings));
  }
  return object;
}

json to_object(const Settings& settings) {
  json object = to_object(settings, [](const Option&) { return true; });
  object["command"] = settings.command;
  return object;
}

std::map<std::string, std::string> flat(const json& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.items()) texts[name] = value.dump();
  return texts;
}

}  // namespace

std::string to_json(const Settings& settings) { return to_object(settings).dump(2); }

std::string origins_to_json(const Settings& settings) { return json(settings.origins).dump(2); }

std::string to_json(const SweepSettings& sweep) {
  json object = json::object();
  for (const Option& row : all_rows()) {
    if (!row.sweep_field || row.one_start) continue;
    std::visit(Writer{object, std::string(row.name)}, row.sweep_field.get(sweep));
  }
  return object.dump();
}

Settings from_json(std::string_view text) {
  try {
    Reader reader(json::parse(text));
    Settings settings;
    if (const auto command = reader.take("command")) command->get_to(settings.command);
    for (const Option& row : all_rows()) {
      if (!row.field) continue;
      const FieldValue value = reader.value_of(row);
      if (!std::holds_alternative<std::monostate>(value)) row.field.set(settings, value);
    }
    if (!reader.object.empty()) {
      throw configuration("unknown setting '" + reader.object.begin().key() + "'",
                          "settings as to_json writes them");
    }
    return settings;
  } catch (const json::exception& error) {
    throw configuration(std::string("settings cannot be read: ") + error.what());
  } catch (const std::bad_variant_access&) {
    throw configuration("settings cannot be read: a value has the wrong type");
  }
}

std::map<std::string, std::string> flat_settings(const Settings& settings) {
  return flat(to_object(settings));
}

std::map<std::string, std::string> identity_settings(const Settings& settings) {
  return flat(
      to_object(settings, [](const Option& row) { return row.identity != Identity::kNone; }));
}

bool may_differ_between_ranks(std::string_view name) {
  const Option* option = find_option(name);
  return option && option->across_ranks == AcrossRanks::kMayDiffer;
}

}  // namespace scalemark::settings
