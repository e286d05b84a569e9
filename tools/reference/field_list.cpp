#include "tools/reference/field_list.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/live/rates.h"
#include "core/live/status.h"
#include "report/record/report_fields.h"

namespace scalemark::reporting {
namespace {

// Walks the lists of fields (core/base/field.h) on records that hold nothing: only names and types
// count.
class FieldLister {
 public:
  template <class T>
  using Field = const T;

  FieldLister(std::vector<RecordEntry>& all, std::size_t mine) : all_(all), mine_(mine) {}

  void record(const char* name, const char* meaning) {
    all_[mine_].name = name;
    all_[mine_].meaning = meaning;
  }
  bool measured(const auto&, auto) {
    presence_ = Presence::kWhenOk;
    return true;
  }

  template <class T>
  void operator()(const char* key, const T&, const About& about) {
    add(typed<T>(entry(key, about)));
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>&, const About& about) {
    add(typed<T>(about.always ? entry(key, about) : optional_entry(key, about)));
  }
  void text(const char* key, const std::string&, const About& about) {
    add(optional_entry(key, about));
  }
  void time(const char* key, const std::string&, const About& about) {
    add(of_kind(FieldKind::kTime, entry(key, about)));
  }
  void time_if_any(const char* key, const std::string&, const About& about) {
    add(of_kind(FieldKind::kTime, optional_entry(key, about)));
  }
  void constant(const char* key, const char* value, const About& about) {
    FieldEntry field = of_kind(FieldKind::kConstant, entry(key, about));
    field.words = {value};
    add(std::move(field));
  }
  void word(const char* key, const std::string&, std::initializer_list<const char*> words,
            const About& about) {
    FieldEntry field = of_kind(FieldKind::kWord, entry(key, about));
    field.words.assign(words.begin(), words.end());
    add(std::move(field));
  }
  template <ClosedWord E>
  void choice(const char* key, const E&, const About& about) {
    FieldEntry field = of_kind(FieldKind::kWord, entry(key, about));
    for (const std::string_view name : names_of<E>()) field.words.emplace_back(name);
    add(std::move(field));
  }
  template <class Container>
  void list(const char* key, const Container&, const About& about) {
    add(typed<Container>(optional_entry(key, about)));
  }
  void pair(const char* key, const std::optional<double>&, const std::optional<double>&,
            const About& about) {
    add(of_kind(FieldKind::kPair, optional_entry(key, about)));
  }
  void embedded(const char* key, const std::string&, const About& about) {
    add(of_kind(FieldKind::kFree, entry(key, about)));
  }
  void pair(const char* key, const auto& bounds, const About& about) {
    pair(key, bounds.low, bounds.high, about);
  }
  template <class T, class Body>
  void part(const T&, Body body) {
    body(*this);
  }
  // An object is written when it holds something: always, when one of its fields is always written.
  template <class Body>
  void object(const char* key, Body body, const About& about) {
    const std::size_t place = place_of(key, about);
    const std::string name = listed([&](FieldLister& inner) { body(inner); });
    const auto& inner = std::ranges::find(all_, name, &RecordEntry::name)->fields;
    const bool always = std::ranges::any_of(
        inner, [](const auto& field) { return field.presence == Presence::kAlways; });
    FieldEntry& field = all_[mine_].fields[place];
    field.kind = FieldKind::kRecord;
    field.record = name;
    if (!always) field.presence = Presence::kMayBeAbsent;
  }

  // The name of the record that `walk` lists; its entry is added once.
  template <class Walk>
  std::string listed(Walk walk) {
    const std::size_t at = all_.size();
    all_.emplace_back();
    FieldLister inner(all_, at);
    walk(inner);
    const std::string name = all_[at].name;
    const auto first = std::ranges::find(all_, name, &RecordEntry::name);
    if (first - all_.begin() < static_cast<std::ptrdiff_t>(at)) all_.resize(at);
    return name;
  }
  template <class T>
  std::string listed_record() {
    const T example{};
    return listed([&](FieldLister& inner) { fields(inner, example); });
  }

 private:
  FieldEntry entry(const char* key, const About& about) const {
    return {.name = key,
            .presence = presence_,
            .meaning = about.meaning,
            .unit = about.unit.name,
            .least = about.least,
            .holds = about.unit.holds};
  }
  FieldEntry optional_entry(const char* key, const About& about) const {
    FieldEntry field = entry(key, about);
    field.presence = Presence::kMayBeAbsent;
    return field;
  }
  static FieldEntry of_kind(FieldKind kind, FieldEntry field) {
    field.kind = kind;
    return field;
  }
  void add(FieldEntry field) { all_[mine_].fields.push_back(std::move(field)); }
  std::size_t place_of(const char* key, const About& about) {
    add(entry(key, about));
    return all_[mine_].fields.size() - 1;
  }

  template <class T>
  FieldEntry typed(FieldEntry field) {
    if constexpr (IsVector<T>::value) {
      field.nesting = Nesting::kList;
      return typed<typename T::value_type>(std::move(field));
    } else if constexpr (kIsMap<T>) {
      field.nesting = Nesting::kMap;
      return typed<typename T::mapped_type>(std::move(field));
    } else if constexpr (std::is_same_v<T, bool>) {
      return of_kind(FieldKind::kTruth, std::move(field));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      return of_kind(FieldKind::kWhole, std::move(field));
    } else if constexpr (std::is_floating_point_v<T>) {
      return of_kind(FieldKind::kNumber, std::move(field));
    } else if constexpr (kIsRecord<T>) {
      field.record = listed_record<T>();
      return of_kind(FieldKind::kRecord, std::move(field));
    } else {
      return of_kind(FieldKind::kText, std::move(field));
    }
  }

  std::vector<RecordEntry>& all_;
  std::size_t mine_;
  Presence presence_ = Presence::kAlways;
};

}  // namespace

std::vector<RecordEntry> published_records() {
  std::vector<RecordEntry> all;
  FieldLister(all, 0).listed_record<published::Row>();
  return all;
}

std::vector<RecordEntry> status_records() {
  std::vector<RecordEntry> all;
  FieldLister(all, 0).listed_record<live::Status>();
  return all;
}

std::vector<RecordEntry> top_records() {
  std::vector<RecordEntry> all;
  FieldLister(all, 0).listed_record<live::RunNow>();
  return all;
}

std::vector<RecordEntry> report_records() {
  std::vector<RecordEntry> all;
  FieldLister(all, 0).listed_record<Report>();
  for (const RecordEntry& record : all) {
    for (const FieldEntry& field : record.fields) {
      const bool may_name = field.kind == FieldKind::kText || field.nesting == Nesting::kMap;
      if (may_name && field.holds == Holds::kNothing)
        throw bug("field '" + field.name + "' of record '" + record.name +
                  "' does not say what it holds: Holds in core/base/field.h");
    }
  }
  return all;
}

}  // namespace scalemark::reporting
