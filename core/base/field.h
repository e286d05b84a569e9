// A record has a list of fields: a function fields(archive, record) that visits each member.
// Archives walk it: JSON in both directions, the columns of CSV, report.schema.json,
// docs/REPORT.md, and what processes send each other (wire.h). A member that is in no field does
// not compile (members.h). Only wire.h knows values() and stays(): a record that has them has no
// JSON.
//
// clang-format off
//   a.record("oom", "Which rank did not get ...");    the record itself: once, first
//   a("rank", o.rank, {"its number"});                any value; absent when the optional is empty
//   a.text("host", e.host, {...});                    text that is absent when empty
//   a.time("started", p.started, {...});              RFC 3339, UTC; time_if_any: absent when empty
//   a.word("kind", t.kind, {"weak", ...}, {...});     text out of a closed list
//   a.choice("status", p.status, {...});              an enumeration, through its names
//   a.list("varying", p.varying, {...});              a list or map that is absent when empty
//   a.pair("ci95", g.ci95_low, g.ci95_high, {...});   [low, high]; absent when either is. Of a
//   a.pair("ci95", g.ci95, {...});                    record, its members low and high
//   a.object("loss", [&](auto& inner) {...}, {...});  an object that the record has no struct for
//   a.part(t.values, [&](auto& a) {...});             fields of a record within, as its own
//   a.embedded("settings", i.settings_json, {...});   an object whose keys are data
//   a.constant("schema", kSchema, {...});             the same text in every report
//   if (!a.measured(p.status, kOk)) return;           fields after it exist when the point is ok
//   a.values(b.block, b.number);                      members that only travel, in this order
//   a.stays(m.series);                                a member that does not travel
// clang-format on
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace scalemark {

inline constexpr double kAnyNumber = -std::numeric_limits<double>::infinity();

// A text may tell who measured, and where: this mark says what core/reporting/redact makes of it.
// Each text of a report has one, or a test fails. The mark of a map holds for its keys as well.
enum class Holds {
  kNothing,    // no text
  kWord,       // one out of a list, a version, a model, a unit: names nobody
  kId,         // of points: made of what varies, and so of names of folders
  kHost,       // a machine
  kSerial,     // what tells one device or boot from all others
  kPath,       // a file or folder, or "synthetic"
  kOption,     // the name of an option
  kValue,      // of the option that the record named before
  kOptions,    // a map of options to values
  kOrigins,    // a map of options to where their values come from
  kVariables,  // a map of environment variables to values
  kCommand,    // a command line
  kText        // anything
};

struct About {
  // Either a unit or a mark: no text has a unit.
  struct Unit {
    constexpr Unit(const char* text = "") : name(text) {}
    constexpr Unit(Holds mark) : holds(mark) {}
    const char* name = "";
    Holds holds = Holds::kNothing;
  };
  const char* meaning = "";
  Unit unit;                     // "s", "bytes"; "" for words, flags and counts
  double least = 0;              // of numbers; kAnyNumber: may be negative
  const char* column = nullptr;  // in CSV; null: the field's name; "": none
  bool always = false;           // an optional that every report sets
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
inline constexpr bool kIsMap = requires {
  typename T::mapped_type;
};

// A struct with a list of fields of its own.
template <class T>
inline constexpr bool kIsRecord =
    std::is_class_v<T> && !std::is_same_v<T, std::string> && !IsVector<T>::value && !kIsMap<T>;

}  // namespace scalemark
