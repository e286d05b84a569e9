#include "report/judge/collectives/words.h"

#include <algorithm>

#include "core/base/number_words.h"
#include "core/base/words.h"

namespace scalemark::reporting {
namespace {

std::string on_or_off(bool value) { return value ? "on" : "off"; }

// Names only the unusual traits, so that a line stays short.
std::string unusual(const CollectiveRecord& run) {
  std::string text;
  if (run.via != collectives::Via::kC10d) text += " via " + std::string(name_of(run.via));
  if (!run.in_place) text += " out of place";
  if (run.overlap_compute) text += " beside compute";
  if (run.congestion) text += " with congestion";
  return text;
}

std::string measured(const CollectiveRecord& run) {
  std::string text = "  " + duration_text(run.time_s);
  if (run.busbw_GBps) text += "  " + bandwidth_text(*run.busbw_GBps);
  return text;
}

bool differs_in(const std::string& trait, const std::string& value,
                const std::vector<Traits>& all) {
  return std::ranges::any_of(all, [&](const Traits& other) {
    const auto found = other.find(trait);
    return found == other.end() || found->second != value;
  });
}

}  // namespace

Traits traits_of(const CollectiveRecord& run) {
  Traits traits{{"collective", std::string(name_of(run.collective))},
                {"backend", run.backend},
                {"via", std::string(name_of(run.via))},
                {"dtype", std::string(name_of(run.dtype))},
                {"device", run.device},
                {"bytes", std::to_string(run.bytes)},
                {"world_size", std::to_string(run.world_size)},
                {"in_place", on_or_off(run.in_place)},
                {"overlap_compute", on_or_off(run.overlap_compute)},
                {"congestion", on_or_off(run.congestion)}};
  if (!run.placement.empty()) traits["placement"] = run.placement;
  return traits;
}

std::string trait_text(const std::string& trait, const std::string& value) {
  if (trait == "world_size") return value + (value == "1" ? " rank" : " ranks");
  if (trait == "bytes") {  // a report may hold any text here
    const auto bytes = whole_number<std::int64_t>(value);
    return bytes ? size_text(*bytes) : value;
  }
  if (trait == "in_place") return value == "on" ? "in place" : "out of place";
  if (trait == "via" || trait == "placement") return trait + " " + value;
  if (trait == "overlap_compute") return "beside compute " + value;
  if (trait == "congestion") return "congestion " + value;
  return value;
}

std::string series_text(const Traits& fixed, const std::vector<Traits>& all) {
  std::string text = value_at(fixed, "collective");
  const bool has_data = text != name_of(collectives::Collective::kBarrier);
  if (has_data) text += ", " + value_at(fixed, "dtype");
  text += ", " + trait_text("world_size", value_at(fixed, "world_size"));
  for (const auto& [trait, value] : fixed) {
    if (trait == "collective" || trait == "dtype" || trait == "world_size") continue;
    if (trait == "in_place" && !has_data) continue;
    if (differs_in(trait, value, all)) text += ", " + trait_text(trait, value);
  }
  return text;
}

std::string line_of(const CollectiveRecord& run) {
  std::string text(name_of(run.collective));
  if (run.bytes > 0) text += " " + size_text(run.bytes) + " " + std::string(name_of(run.dtype));
  text += " " + run.backend + " " + trait_text("world_size", std::to_string(run.world_size)) +
          unusual(run);
  if (run.status == PointStatus::kOk) return text + measured(run);
  return text + "  " + std::string(name_of(run.status)) +
         (run.reason.empty() ? "" : ": " + run.reason);
}

}  // namespace scalemark::reporting
