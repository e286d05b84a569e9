// How what a rank read of its machine looks in JSON on its way to rank 0. For .cpp files only: it
// brings nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/monitoring/telemetry/source.h"

// What nlohmann/json 3.11 does not know by itself: an absent value is null.
namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& value) {
    to = value ? json(*value) : json(nullptr);
  }
  static void from_json(const json& from, std::optional<T>& value) {
    value = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};
}  // namespace nlohmann

// A field list, so that reading and writing cannot drift apart.
namespace scalemark::monitoring {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceSummary, source, device, n, mean, min, max, first, last,
                                   total, observed_s)
}  // namespace scalemark::monitoring
