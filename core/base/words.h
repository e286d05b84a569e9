// Names and what they stand for: the words of an enumeration, the keys of a map, and files that the
// program holds as text.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace scalemark {

// Closed words: an enumeration whose values are typed and printed by name. Its one table of names
// is declared beside it, as words_of(E):
//   enum class Precision { kFp32, kTf32 };
//   constexpr auto words_of(Precision) {
//     return std::to_array<Word<Precision>>({{Precision::kFp32, "fp32"}, ...});
//   }
[[noreturn]] void throw_unnamed_value();  // bug()

template <class E>
struct Word {
  E value;
  std::string_view name;
};

template <class E>
concept ClosedWord = requires(E e) {
  words_of(e);
};

template <ClosedWord E>
constexpr std::string_view name_of(E value) {
  for (const Word<E>& word : words_of(E())) {
    if (word.value == value) return word.name;
  }
  throw_unnamed_value();
}

template <ClosedWord E>
constexpr std::optional<E> find_word(std::string_view name) {
  for (const Word<E>& word : words_of(E())) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

// The names in the order of the table, `first` before them: {"auto", "cpu", "cuda"}.
template <ClosedWord E>
std::vector<std::string_view> names_of(std::vector<std::string_view> first = {}) {
  for (const Word<E>& word : words_of(E())) first.push_back(word.name);
  return first;
}

// The value of a `key` that may be missing, or `otherwise`.
template <class Map, class Key>
typename Map::mapped_type value_at(const Map& map, const Key& key,
                                   typename Map::mapped_type otherwise = {}) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

// A file that the program holds as text; cmake/embed_text.cmake makes lists of them.
struct NamedText {
  std::string_view name;  // its path below the folder, without the ending
  std::string_view text;
};

}  // namespace scalemark
