#include "core/settings/settings_json.h"

#include <nlohmann/json.hpp>

#include "core/settings/comm_settings.h"
#include "core/settings/layers.h"
#include "core/settings/option.h"

namespace scalemark::settings {
namespace {

using nlohmann::json;

// Puts the values of a field into an object: one key for most, two for values
// with a part by rank or by phase, none for what is absent.
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
  void operator()(const std::vector<FieldValue>& list) {
    json one;
    for (const FieldValue& element : list) {
      std::visit(Writer{one, name}, element);
      object[name].push_back(one[name]);
    }
  }
  template <class T>
  void operator()(const T& value) {
    object[name] = value;
  }
};

// The fields of the wanted rows that `Owner` has a member for.
template <class Owner, class Wanted>
json to_object(const Owner& owner, Wanted wanted) {
  json object = json::object();
  for (const Option& row : all_rows()) {
    const Field<Owner>& field = field_of<Owner>(row);
    if (field && wanted(row)) std::visit(Writer{object, std::string(row.name)}, field.get(owner));
  }
  return object;
}

bool is_any(const Option&) { return true; }

json to_object(const Settings& settings) {
  json object = to_object(settings, is_any);
  object["command"] = settings.command;
  return object;
}

json to_object(const CommSettings& comm) {
  return to_object(comm,
                   [&](const Option& row) { return comm.pairs || !row.name.starts_with("pair"); });
}

json to_object(const Settings& process, const CommSettings& comm) {
  json object = to_object(process, [](const Option& row) {
    // Where comm has a field of its own, such as "backend", that of the process belongs to
    // training.
    return takes(kComm, row) && !field_of<CommSettings>(row);
  });
  object["command"] = process.command;
  object.update(to_object(comm));
  return object;
}

std::map<std::string, std::string> flat(const json& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.items()) texts[name] = value.dump();
  return texts;
}

}  // namespace

std::string to_json(const Settings& settings) { return to_object(settings).dump(2); }

std::string texts_to_json(const std::map<std::string, std::string>& texts) {
  return json(texts).dump(2);
}

std::string to_json(const SweepSettings& sweep) {
  return to_object(sweep, [](const Option& row) { return !row.one_start; }).dump();
}

std::string to_json(const CommSettings& comm) { return to_object(comm).dump(); }

std::string to_json(const Settings& process, const CommSettings& comm) {
  return to_object(process, comm).dump();
}

std::map<std::string, std::string> flat_settings(const Settings& settings) {
  return flat(to_object(settings));
}

std::map<std::string, std::string> flat_settings(const Settings& process,
                                                 const CommSettings& comm) {
  return flat(to_object(process, comm));
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
