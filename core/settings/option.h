// The options of the program as data: one table that the command line, config files, the
// environment, --help, the settings, plans and the report all read. Knows neither how values are
// read nor where they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/settings/command.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct Settings;
struct SweepSettings;
struct CommSettings;

// A field holds one of these, whatever its type, or several in a list; monostate: absent.
struct FieldValue : std::variant<std::monostate, bool, std::int64_t, double, std::string, Betas,
                                 Timeouts, MemoryLimits, Variables, std::vector<FieldValue>> {
  using variant::variant;
};

// A member of settings. It is bug() to give it what it cannot hold; a list takes a value as one
// more element, unless it has that element already.
template <class Owner>
struct Field {
  FieldValue (*get)(const Owner&) = nullptr;
  void (*set)(Owner&, const FieldValue&) = nullptr;
  bool is_list = false;
  explicit operator bool() const { return get != nullptr; }
};

using Fields = std::tuple<Field<Settings>, Field<SweepSettings>, Field<CommSettings>>;

enum class Kind {
  kText,
  kPath,
  kChoice,       // one of `choices`
  kChoices,      // some of `choices`, comma between
  kSwitch,       // on | off, value required
  kFlag,         // on | off, given alone it means on
  kCount,        // whole number
  kNumber,       // decimal number
  kSeconds,      // decimal number with an optional unit ms, s, m, h
  kStepsOrTime,  // a whole number of steps, or seconds, minutes, hours: 100steps, 10m
  kTimeouts,     // SECONDS | PHASE=SECONDS,...
  kMemoryLimit,  // SIZE | RANK=SIZE,...
  kBetas,        // two numbers in [0, 1), comma between
  kShare,        // decimal number, or a percentage: 0.02 or 2%
  kMessageSize,  // bytes or elements: 4KiB, 4096, 1Mi:elem
  kVariable,     // NAME=VALUE of the environment; layers.h
};

// Which numbers are allowed. Absent bounds mean "any that the type holds".
struct Range {
  std::optional<double> low;
  std::optional<double> high;
  bool low_excluded = false;
  bool high_excluded = false;
};

// Whether the ranks of one run may differ in an option and still compute the same thing.
enum class AcrossRanks { kEqual, kMayDiffer };

// How two runs that differ only in an option are related.
enum class Identity {
  kNone,   // runs of the same point
  kPoint,  // runs of two points; a sweep has one value for all its points
  kAxis,   // runs of two points; in a sweep the option takes a list
};

struct Option {
  std::string_view name;  // its JSON key, with underscores
  Kind kind = Kind::kText;
  OptionGroup group = OptionGroup::kGeneral;  // option.cpp fills in the group of its list in table/
  unsigned commands = 0;  // commands that take it besides those that take its group
  unsigned without = 0;   // commands that take its group, and not this option
  Fields field = {};      // all empty: read by a command itself, or by resolve.cpp
  Identity identity = Identity::kNone;
  std::string_view default_text = {};  // empty: none; a recipe or a rule may still supply one
  std::string_view help = {};
  // Commands to which the option is another thing, and their help on it, which names the default.
  std::vector<std::pair<unsigned, std::string_view>> own_help = {};
  // --help shows this as the value: "DIR". Empty: "N" of a count and the like, "|auto" behind it
  // where that is a word.
  std::string value_name = {};
  std::vector<std::string_view> choices = {};  // kChoice, kChoices
  std::vector<std::string_view> words =
      {};  // accepted beside the kind's own values: "auto", "none"
  Range range = {};
  std::string_view unit = {};
  char letter = 0;                             // -b
  std::vector<std::string_view> aliases = {};  // other names, with underscores
  AcrossRanks across_ranks = AcrossRanks::kEqual;
  bool one_start = false;             // concerns one start of a sweep, not what the sweep measures
  std::string_view tune_values = {};  // list that --tune tries, its default first
  bool layer = false;  // names a source of values (--config, --set) and is no value itself
};

template <class Owner>
const Field<Owner>& field_of(const Option& option) {
  return std::get<Field<Owner>>(option.field);
}

// All options, in the order of --help.
std::span<const Option> all_options();

// The options, and what only a recipe sets: every row that may have a field.
std::span<const Option> all_rows();

// The row that a key of printed settings belongs to ("memory_limit_by_rank": memory_limit's);
// nullptr when there is none. "env.NAME" belongs to the row of --env, here and in find_option().
const Option* find_row(std::string_view key);

// Finds an option by name or alias, '-' and '_' alike; nullptr when unknown.
const Option* find_option(std::string_view name);
// The same among the names that `command` knows: where it takes lists the plural of an axis, too.
const Option* find_option(std::string_view name, Command command);

// Whether the option takes a list in a sweep.
inline bool is_axis(const Option& option) { return option.identity == Identity::kAxis; }

// Whether a sweep compares the option's values with each other: not the workload (other work), and
// not the world size, which scaling tables are for.
inline bool is_compared(const Option& option) {
  return is_axis(option) && option.name != "workload" && option.name != "world_sizes";
}

// "precision" -> "precisions", "strategy" -> "strategies"; empty for what is no axis or ends in s.
std::string plural(const Option& option);

// "batch_size" -> "--batch-size", "env.NCCL_ALGO" -> "--env NCCL_ALGO"
std::string option_flag(const Option& option);
std::string option_flag(std::string_view name);

// "-" -> "_", lower case untouched.
std::string normalised(std::string_view name);

// The phases that --timeout knows; the watchdog uses the same words.
const std::vector<std::string_view>& timeout_phases();

bool takes(Command command, const Option& option);

// Names of `command`'s options (for near matches).
std::vector<std::string_view> option_names(Command command);

}  // namespace scalemark::settings
