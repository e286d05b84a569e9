// One value as text, and what it means for an option. Pure. Numbers are never wrapped, truncated or
// clamped: what does not fit is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/settings/option.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// Whole numbers in decimal digits with an optional sign. Absent for anything else: "32.7", "1e3",
// " 4", "", and what int64 does not hold.
std::optional<std::int64_t> parse_count(std::string_view text);

// Decimal numbers ("0.1", "1e-4"). Absent for anything else, for inf and nan, and for what a double
// does not hold ("1e400") or holds only as zero ("1e-400").
std::optional<double> parse_number(std::string_view text);

// "2", "2s", "500ms", "5m", "1h" -> seconds.
std::optional<double> parse_seconds(std::string_view text);

struct StepsOrTime {
  std::optional<std::int64_t> steps;
  std::optional<double> seconds;
};

// "100steps", "90s", "10m", "1h". Absent without a unit, and for a number that is not above 0.
std::optional<StepsOrTime> parse_steps_or_time(std::string_view text);

// "on"/"off"; "true"/"false" as JSON writes it; "1"/"0" as environments do.
std::optional<bool> parse_switch(std::string_view text);

// "300" or "rendezvous=60,window=900" or both ("300,window=900"). Absent when a part is not above
// 0, names an unknown phase, or comes twice. Phases without a deadline keep the usual one.
std::optional<Timeouts> parse_timeouts(std::string_view text);

// "0.02" or "2%" -> 0.02
std::optional<double> parse_share(std::string_view text);

// "2GiB" or "0=2GiB,3=512MiB" or both ("2GiB,3=512MiB"). Absent when a part is none of these, or a
// rank or the whole comes twice.
std::optional<MemoryLimits> parse_memory_limits(std::string_view text);

std::optional<Betas> parse_betas(std::string_view text);  // "0.9,0.999"

// Whether the command line takes the option without a value, or with "=VALUE" behind it.
bool has_optional_value(const Option& option);

// Reads `text` as a value of `option`, by its kind, choices, words and range, for the field of its
// row. Absent where it is none. This alone makes typed values of raw texts.
std::optional<FieldValue> read(const Option& option, std::string_view text);

// Says in words what an option takes: "a whole number from 1 on, or auto". For a value `refused` it
// also says which limit that exceeds, or that it is not UTF-8.
std::string allowed_text(const Option& option, std::string_view refused = {});

// The shortest decimal text that reads back as the same double.
std::string to_text(double value);

}  // namespace scalemark::settings
