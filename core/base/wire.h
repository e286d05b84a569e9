// Records as bytes that the processes of one run send each other: every member that its list of
// fields (field.h) visits, one after the other, each bit as it was. Names, absent texts and limits
// of numbers do not matter here. No file format: both ends are the same build.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/field.h"

namespace scalemark {

class WireWriter : public UnnamedFields<WireWriter> {
 public:
  template <class T>
  using Field = const T;

  explicit WireWriter(std::string& bytes) : bytes_(bytes) {}

  template <class T>
  void value(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (kIsRecord<T>) {
      fields(*this, all_members_of(value));
    } else {
      this->value(static_cast<std::uint64_t>(value.size()));
      for (const auto& element : value) this->value(element);
    }
  }
  void value(const std::string& text) {
    value(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  template <class T>
  void value(const std::optional<T>& value) {
    this->value(value.has_value());
    if (value) this->value(*value);
  }
  template <class K, class T>
  void value(const std::pair<K, T>& entry) {
    value(entry.first);
    value(entry.second);
  }

 private:
  std::string& bytes_;
};

class WireReader : public UnnamedFields<WireReader> {
 public:
  template <class T>
  using Field = T;

  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  template <class T>
  void value(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      std::memcpy(&value, next(sizeof value).data(), sizeof value);
      if constexpr (ClosedWord<T>) name_of(value);
    } else {
      fields(*this, all_members_of(value));
    }
  }
  void value(bool& truth) {
    char byte = 0;
    value(byte);
    if (byte != 0 && byte != 1) throw unreadable();
    truth = byte == 1;
  }
  void value(std::string& text) { text = next(size()); }
  template <class T>
  void value(std::optional<T>& value) {
    bool there = false;
    this->value(there);
    value.reset();
    if (there) this->value(value.emplace());
  }
  template <class T>
  void value(std::vector<T>& all) {
    all.clear();
    for (std::size_t left = size(); left > 0; --left) value(all.emplace_back());
  }
  template <class K, class T>
  void value(std::pair<K, T>& entry) {
    value(entry.first);
    value(entry.second);
  }
  template <class K, class T>
  void value(std::map<K, T>& all) {
    all.clear();
    for (std::size_t left = size(); left > 0; --left) {
      std::pair<K, T> entry;
      value(entry);
      all.insert(std::move(entry));
    }
  }

 private:
  static Error unreadable() { return bug("bytes from another process that cannot be read"); }

  // Every element takes a byte at least.
  std::size_t size() {
    std::uint64_t size = 0;
    value(size);
    if (size > bytes_.size()) throw unreadable();
    return size;
  }
  std::string_view next(std::size_t count) {
    if (count > bytes_.size()) throw unreadable();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

// T is a record, a number, a text, or an optional, pair, vector or map of them.
template <class T>
std::string to_wire(const T& value) {
  std::string bytes;
  WireWriter(bytes).value(value);
  return bytes;
}

// Throws bug() for bytes that to_wire() did not make of a T.
template <class T>
T from_wire(std::string_view bytes) {
  T value{};
  WireReader reader(bytes);
  reader.value(value);
  if (!reader.at_end()) throw bug("more bytes from another process than a record has");
  return value;
}

// Returns nothing for such bytes: a process of another version, which joined by mistake, may have
// written them.
template <class T>
std::optional<T> try_from_wire(std::string_view bytes) try {
  return from_wire<T>(bytes);
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace scalemark
