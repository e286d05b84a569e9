#include "core/launching/field_reader.h"

#include "core/launching/parse.h"

namespace scalemark::launching {

std::optional<std::string> FieldReader::text(const std::string& name) const {
  const auto found = environment_.find(name);
  if (found == environment_.end() || found->second.empty()) return {};
  return found->second;
}

std::optional<std::string> FieldReader::string(const std::string& field,
                                               std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = text(name)) {
      detected_from_[field] = name;
      return value;
    }
  }
  return {};
}

std::optional<int> FieldReader::number(const std::string& field,
                                       std::initializer_list<const char*> names) {
  const auto value = string(field, names);
  if (!value) return {};
  const auto parsed = parse_whole(*value);
  if (!parsed) refuse(detected_from_[field] + "=" + *value, "a whole number from 0 up");
  return parsed;
}

int FieldReader::required(const std::string& field, std::initializer_list<const char*> names,
                          int otherwise) {
  if (!string(field, names)) {
    std::string list;
    for (const char* name : names) list += (list.empty() ? "" : " or ") + std::string(name);
    refuse(list + " is not set", "this launcher sets it");
    return otherwise;
  }
  return number(field, names).value_or(otherwise);
}

std::string FieldReader::named(const std::string& field, int value) const {
  const auto source = detected_from_.find(field);
  const bool variable = source != detected_from_.end() && environment_.contains(source->second);
  const bool option = source != detected_from_.end() && source->second.starts_with("--");
  if (variable) return source->second + "=" + std::to_string(value);
  if (option) return source->second + " " + std::to_string(value);
  return field + " " + std::to_string(value);
}

void FieldReader::refuse(std::string what, std::string expected, std::string hint) {
  auto record = configuration(std::move(what), std::move(expected), std::move(hint)).record();
  record.code = "E_LAUNCH";
  record.domain = ErrorDomain::kLaunch;
  problems_.push_back(std::move(record));
}

void FieldReader::refuse_usage(std::string what, std::string expected, std::string hint) {
  auto record = usage(std::move(what), std::move(expected), std::move(hint)).record();
  record.domain = ErrorDomain::kLaunch;
  problems_.push_back(std::move(record));
}

}  // namespace scalemark::launching
