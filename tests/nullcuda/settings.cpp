#include "settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "refuse.h"

namespace nullcuda {
namespace {

std::uint64_t number(std::string_view name, std::string_view text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') refuse(std::string(name) + "=" + std::string(text) + ": not a number");
    value = 10 * value + static_cast<std::uint64_t>(c - '0');
  }
  if (text.empty()) refuse(std::string(name) + " is empty");
  return value;
}

Fault fault(std::string_view name, std::string_view text, std::uint64_t times) {
  const auto colon = text.find(':');
  if (colon == text.npos) return {number(name, text), times};
  return {number(name, text.substr(0, colon)), number(name, text.substr(colon + 1))};
}

unsigned late_queries(std::string_view name, std::string_view text) {
  if (text == "late") return 3;
  if (!text.starts_with("late:")) refuse(std::string(name) + ": late or late:N");
  return static_cast<unsigned>(number(name, text.substr(5)));
}

void apply_health(Settings& s, std::string_view name, std::string_view text) {
  constexpr std::string_view kKnown = ",ecc_uncorrected,rows_remapped,nvlink_replays,xid,";
  const auto comma = std::min(text.find(','), text.size());
  s.growing_device = static_cast<int>(number(name, text.substr(0, comma)));
  for (text.remove_prefix(comma); !text.empty();) {
    text.remove_prefix(1);
    const auto one = text.substr(0, std::min(text.find(','), text.size()));
    const auto equals = std::min(one.find('='), one.size());
    const std::string counter(one.substr(0, equals));
    if (equals == one.size() || kKnown.find("," + counter + ",") == kKnown.npos) {
      refuse(std::string(name) + "=..." + std::string(one) + ": no counter=number");
    }
    s.growth[counter] = number(name, one.substr(equals + 1));
    text.remove_prefix(one.size());
  }
}

void apply(Settings& s, std::string_view name, std::string_view text) {
  if (name == "NULLCUDA_DEVICES") {
    s.devices = static_cast<int>(number(name, text));
  } else if (name == "NULLCUDA_MEMORY") {
    s.memory_bytes = number(name, text);
  } else if (name == "NULLCUDA_DRIVER") {
    s.driver_version = static_cast<int>(number(name, text));
  } else if (name == "NULLCUDA_COMPUTE") {
    const auto capability = static_cast<int>(number(name, text));
    s.compute_major = capability / 10;
    s.compute_minor = capability % 10;
  } else if (name == "NULLCUDA_COPIES") {
    if (text != "deferred" && text != "immediate") refuse("NULLCUDA_COPIES: deferred or immediate");
    s.deferred_copies = text == "deferred";
  } else if (name == "NULLCUDA_EVENTS") {
    s.late_queries = late_queries(name, text);
  } else if (name == "NULLCUDA_FAIL_ALLOCATION") {
    s.allocation = fault(name, text, 3);
  } else if (name == "NULLCUDA_FAIL_UNJOINED") {
    s.unjoined = fault(name, text, 1);
  } else if (name == "NULLCUDA_FAIL_PINNED") {
    s.pinned = fault(name, text, 1);
  } else if (name == "NULLCUDA_FAIL_LAUNCH") {
    s.launch = fault(name, text, 1);
  } else if (name == "NULLCUDA_TIMELINE") {
    if (text != "on") refuse("NULLCUDA_TIMELINE: on");
    s.timeline = true;
  } else if (name == "NULLCUDA_HEALTH") {
    apply_health(s, name, text);
  } else if (name == "NULLCUDA_COUNTS") {
    s.counts_file = text;
  } else if (name != "NULLCUDA_FAULT_RANK") {
    refuse(std::string(name) + " is no setting of the null device");
  }
}

// Reads the rank that torchrun and similar launchers set, or else that of scalemark's launcher.
std::string own_rank() {
  if (const char* rank = std::getenv("RANK")) return rank;
  const char* specification = std::getenv("SCALEMARK_RANK_SPEC");
  if (!specification) return "0";
  constexpr std::string_view kKey = "\"rank\":";
  const std::string_view text = specification;
  for (auto at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    const auto digits = text.substr(at + kKey.size());
    const auto end = digits.find_first_not_of("0123456789");
    if (end > 0 && end != digits.npos) return std::string(digits.substr(0, end));
  }
  return "0";
}

Settings read() {
  Settings s;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with("NULLCUDA_") && equals != text.npos) {
      apply(s, text.substr(0, equals), text.substr(equals + 1));
    }
  }
  s.rank = own_rank();
  const char* wanted = std::getenv("NULLCUDA_FAULT_RANK");
  if (wanted && s.rank != wanted) s.allocation = s.unjoined = s.pinned = s.launch = {};
  return s;
}

}  // namespace

const Settings& settings() {
  static const Settings& value = *new Settings(read());  // never destroyed: used until the very end
  return value;
}

}  // namespace nullcuda
