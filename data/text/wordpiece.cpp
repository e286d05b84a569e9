#include "data/text/wordpiece.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/characters.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

using Traits = UnicodeTraits;

// Collects the characters of a word and appends its pieces when it ends.
class WordCollector {
 public:
  WordCollector(const Vocabulary& vocabulary, std::vector<std::int32_t>& ids)
      : vocabulary_(vocabulary), ids_(ids) {}

  void add(char32_t c) {
    if (characters_ >= kMaxWordCharacters) {
      ++characters_;  // it will be [UNK], so its letters no longer matter
      return;
    }
    append_utf8(c, word_);
    ++characters_;
  }

  void end_word() {
    if (characters_ == 0) return;
    append_pieces();
    word_.clear();
    characters_ = 0;
  }

 private:
  // Finds the greedy longest matches; when any part of the word matches nothing, the whole word is
  // [UNK].
  void append_pieces() {
    const std::size_t before = ids_.size();
    std::string_view rest = word_;
    if (characters_ > kMaxWordCharacters) rest = {};
    while (!rest.empty()) {
      const auto match = vocabulary_.longest(rest, rest.size() < word_.size());
      if (match.length == 0) break;
      ids_.push_back(match.id);
      rest.remove_prefix(match.length);
    }
    if (!rest.empty() || ids_.size() == before) {
      ids_.resize(before);
      ids_.push_back(vocabulary_.special().unknown);
    }
  }

  const Vocabulary& vocabulary_;
  std::vector<std::int32_t>& ids_;
  std::string word_;
  std::int64_t characters_ = 0;
};

// Cleans the text, puts spaces around ideographs, applies NFD, removes marks and lower-cases (where
// uncased), and splits at white space and around punctuation: in one pass, one code point at a
// time.
class Normalizer {
 public:
  Normalizer(WordCollector& words, bool cased)
      : traits_(Traits::get()), words_(words), cased_(cased) {}

  void add(char32_t c) {
    const auto bits = traits_[c];
    if (bits & Traits::kRemoved) return;
    if (bits & (Traits::kSpace | Traits::kIdeograph)) {
      flush_and_end_word();
      if (bits & Traits::kSpace) return;
    }
    if (cased_) {
      emit(c);
    } else if (bits & Traits::kDecomposes) {
      const Decomposition parts = decompose(c);
      for (int i = 0; i < parts.size; ++i) add_decomposed(parts.code_points[i]);
    } else {
      add_decomposed(c);
    }
    if (bits & Traits::kIdeograph) flush_and_end_word();
  }

  void flush_and_end_word() {
    flush_combining();
    words_.end_word();
  }

 private:
  // Canonical order means that combining characters between two starters are sorted by their class.
  void add_decomposed(char32_t c) {
    const auto bits = traits_[c];
    if (bits & Traits::kNonStarter) {
      if (!(bits & Traits::kMark)) combining_.emplace_back(combining_class(c), c);
      return;
    }
    flush_combining();
    if (!(bits & Traits::kMark)) emit_lower(c);
  }

  void flush_combining() {
    if (combining_.empty()) return;
    std::stable_sort(combining_.begin(), combining_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [order, c] : combining_) emit_lower(c);
    combining_.clear();
  }

  void emit_lower(char32_t c) {
    if (!(traits_[c] & Traits::kHasLower)) return emit(c);
    const Decomposition lower = to_lower(c);
    for (int i = 0; i < lower.size; ++i) emit(lower.code_points[i]);
  }

  void emit(char32_t c) {
    const auto bits = traits_[c];
    if (bits & Traits::kSpace) return words_.end_word();
    if (bits & Traits::kPunctuation) words_.end_word();
    words_.add(c);
    if (bits & Traits::kPunctuation) words_.end_word();
  }

  const Traits& traits_;
  WordCollector& words_;
  bool cased_;
  std::vector<std::pair<int, char32_t>> combining_;
};

struct NamedSpecial {
  std::string_view name;
  std::int32_t id;
};

std::array<NamedSpecial, 5> named_specials(const SpecialTokens& special) {
  return {{{"[UNK]", special.unknown},
           {"[SEP]", special.separate},
           {"[CLS]", special.classify},
           {"[PAD]", special.pad},
           {"[MASK]", special.mask}}};
}

}  // namespace

WordPiece::WordPiece(std::shared_ptr<const Vocabulary> vocabulary, bool cased)
    : vocabulary_(std::move(vocabulary)), cased_(cased) {}

void WordPiece::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  WordCollector words(*vocabulary_, ids);
  Normalizer normalizer(words, cased_);
  const auto specials = named_specials(vocabulary_->special());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      const auto found = std::find_if(specials.begin(), specials.end(), [&](const auto& special) {
        return text.substr(at).starts_with(special.name);
      });
      if (found != specials.end()) {
        normalizer.flush_and_end_word();
        ids.push_back(found->id);
        at += found->name.size();
        continue;
      }
    }
    normalizer.add(next_code_point(text, at));
  }
  normalizer.flush_and_end_word();
}

}  // namespace scalemark::data
