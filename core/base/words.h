// Closed words: an enumeration whose values are typed and printed by name. Its one table of names
// is declared beside it, as words_of(E):
//   enum class Precision { kFp32, kTf32 };
//   constexpr auto words_of(Precision) {
//     return std::to_array<Word<Precision>>({{Precision::kFp32, "fp32"}, ...});
//   }
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace scalemark {

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

}  // namespace scalemark
