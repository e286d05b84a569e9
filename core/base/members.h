// Counts the members of a record and those that its list of fields (field.h) visits, so that a
// member without a field does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "core/base/field.h"

namespace scalemark {

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

namespace members {

// Counts different members: one that is visited twice is no second one.
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

}  // namespace scalemark
