// A record has a list of fields: a function fields(archive, record) that visits each member.
// Archives walk it: JSON in both directions, the columns of CSV, report.schema.json,
// REPORT.md, and what processes send each other (wire.h). A member that is in no field does
// not compile (all_members_of()). Only wire.h knows values() and stays(): a record that has them
// has no JSON.
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

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark {

inline constexpr double kAnyNumber = -std::numeric_limits<double>::infinity();

// A text may reveal who measured, and where: this mark says what report/hide makes of it. Each text
// of a report has one, or a test fails. The mark of a map holds for its keys as well.
enum class Holds {
  kNothing,    // no text
  kWord,       // one out of a list, a version, a model, a unit: names nobody
  kId,         // a point's id: made of what varies, and so of names of folders
  kHost,       // a machine
  kSerial,     // an id that distinguishes one device or boot from all others
  kPath,       // a file or folder, or "synthetic"
  kOption,     // the name of an option
  kValue,      // a value of the option that the record names before it
  kOptions,    // a map of options to values
  kOrigins,    // a map of options to where their values come from
  kVariables,  // a map of environment variables to values
  kCommand,    // a command line
  kLauncher,   // the words of a launcher, which may be anything
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
  double least = 0;              // the least number that is allowed; kAnyNumber: may be negative
  const char* column = nullptr;  // its name in CSV; null: the field's name; "": it has no column
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

// An archive without names derives from this: each field is one value, however it is written in
// JSON. `Self` takes them by value(T&).
template <class Self>
class UnnamedFields {
 public:
  constexpr void record(const char*, const char*) {}
  constexpr bool measured(const auto&, auto) { return true; }  // nothing is left out
  constexpr void constant(const char*, const char*, const About&) {}

  template <class T>
  constexpr void operator()(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class... T>
  constexpr void values(T&... all) {
    (self().value(all), ...);
  }
  template <class... T>
  constexpr void stays(const T&...) {}
  template <class T>
  constexpr void text(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void time(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void time_if_any(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void word(const char*, T& value, std::initializer_list<const char*>, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void list(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void choice(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void embedded(const char*, T& value, const About&) {
    self().value(value);
  }
  template <class T>
  constexpr void pair(const char*, T& low, T& high, const About&) {
    values(low, high);
  }
  template <class T>
  constexpr void pair(const char*, T& bounds, const About&) {
    self().value(bounds);
  }
  template <class T, class Body>
  constexpr void part(T& value, Body) {
    self().value(value);
  }
  template <class Body>
  constexpr void object(const char*, Body body, const About&) {
    body(self());
  }

 private:
  constexpr Self& self() { return static_cast<Self&>(*this); }
};

// The members of a record and those that its list of fields visits are counted, so that a member
// without a field does not compile.
namespace members {

// Counts different members: one that is visited twice counts once.
class Counter : public UnnamedFields<Counter> {
 public:
  template <class T>
  using Field = const T;
  constexpr void value(const auto& member) {
    const void* const place = &member;
    for (std::size_t i = 0; i < count; ++i) {
      if (places_[i] == place) return;
    }
    places_[count++] = place;
  }
  constexpr void stays(const auto&... all) { (value(all), ...); }
  std::size_t count = 0;

 private:
  std::array<const void*, 128> places_{};  // more members than any record has
};

template <class T>
extern const T kExample;  // never defined: only its members' addresses are taken

template <class T>
constexpr std::size_t with_field() {
  Counter counter;
  fields(counter, kExample<T>);
  return counter.count;
}

struct Any {
  template <class T>
  operator T() const;  // never defined
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Any{})...}; };
}

// Aggregates are initialised by as many values as they have members, or fewer.
template <class T, std::size_t N>
inline constexpr bool kAreAll = takes<T>(std::make_index_sequence<N>()) &&
                                !takes<T>(std::make_index_sequence<N + 1>());

}  // namespace members

// Returns the record, and does not compile where its list of fields leaves a member out.
template <class T>
constexpr T& all_members_of(T& record) {
  using Record = std::remove_const_t<T>;
  static_assert(members::kAreAll<Record, members::with_field<Record>()>,
                "its list of fields does not visit each member");
  return record;
}

// The keys that a record has in JSON: what else stands in a document that a person wrote is a
// mistake.
class RecordKeys {
 public:
  template <class T>
  using Field = T;

  void record(const char*, const char*) {}
  void constant(const char* key, const char*, const About&) { names_.emplace_back(key); }
  void operator()(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void text(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void time(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void choice(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void list(const char* key, const auto&, const About&) { names_.emplace_back(key); }

  // The keys of T, in the order of its list.
  template <class T>
  static std::vector<std::string_view> of() {
    T record{};
    RecordKeys keys;
    fields(keys, record);
    return keys.names_;
  }

 private:
  std::vector<std::string_view> names_;
};

// The fields of errors[].
template <class A>
constexpr void fields(A& a, typename A::template Field<HungRank>& r) {
  a.record("hung_rank", "How a rank stood in a run that made no progress");
  a("rank", r.rank, {"its number"});
  a.text("host", r.host, {"its machine", Holds::kHost});
  a.choice("state", r.state, {"of its process, by the system's word"});
  a.choice("kind", r.kind,
           {"what kept it: it waited for others, was stopped from outside, read data, slept in a "
            "file system or in the driver, was busy elsewhere, gone, or did not answer"});
  a.text("phase", r.phase, {"what it was doing: warmup, window, ...", Holds::kWord});
  a("step", r.step, {"the last optimizer step that it ended"});
  a("collectives", r.collectives, {"that it had begun in the group in use"});
  a.text("stack", r.stack, {"the innermost functions of its main thread", Holds::kText});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<Hang>& h) {
  a.record("hang", "How the ranks stood in a run that made no progress");
  a.text("folder", h.folder, {"where the stacks of all threads are", Holds::kPath});
  a.list("ranks", h.ranks, {"those that are known"});
}

template <class A>
constexpr void fields(A& a, typename A::template Field<ErrorRecord>& e) {
  a.record("error", "Something that failed, as the run's last line on stderr says it");
  a("code", e.code,
    {"names the error for scripts: E_..., listed in FAULTS.md; never changes", Holds::kWord});
  a("exit_code", e.exit_code, {"the program's exit code for this error"});
  a.choice("domain", e.domain, {"where to look for the cause"});
  a("what", e.what, {"what was seen", Holds::kText});
  a.text("expected", e.expected, {"what is allowed or was expected", Holds::kText});
  a.text("suggestion", e.hint, {"what to do", Holds::kText});
  a("rank", e.rank, {"the rank that failed"});
  a.text("host", e.host, {"the machine it ran on", Holds::kHost});
  a.text("phase", e.phase,
         {"what the rank was doing: rendezvous, warmup, window, ...", Holds::kWord});
  a.text("point", e.point, {"id of the point that was running", Holds::kId});
  a("step", e.step, {"the optimizer step that was running"});
  a("hang", e.hang, {"how the ranks stood; only of a run that made no progress"});
}

}  // namespace scalemark
