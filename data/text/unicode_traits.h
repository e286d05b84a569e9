// What BERT's tokenizer needs to know of a code point, as in Hugging Face `tokenizers`. Knows no
// text, words or vocabulary; the only user of utf8proc.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::data {

// One byte of bits per code point, made once: 1.1 million look-ups take tens of ms, and a corpus
// has billions.
class UnicodeTraits {
 public:
  enum Bit : std::uint8_t {
    kRemoved = 1,      // clean text: NUL, U+FFFD, control, format and private-use characters
    kSpace = 2,        // becomes a space in cleaned text, separates words
    kPunctuation = 4,  // a word of its own
    kIdeograph = 8,    // gets spaces around it (the blocks that BERT calls Chinese)
    kMark = 16,        // nonspacing mark: dropped with the accents
    kNonStarter = 32,  // canonical combining class above 0
    kDecomposes = 64,  // NFD changes it
    kHasLower = 128,   // lower-casing changes it
  };

  static const UnicodeTraits& get();  // made on first use, never changes

  std::uint8_t operator[](char32_t c) const { return bits_[c]; }

 private:
  UnicodeTraits();
  std::vector<std::uint8_t> bits_;
};

// Canonical combining class of a code point.
int combining_class(char32_t c);

// Full canonical decomposition of one code point, not reordered. At most 4 code points.
struct Decomposition {
  char32_t code_points[4];
  int size;
};
Decomposition decompose(char32_t c);

// Lower case of one code point, without context; "i" + U+0307 for U+0130.
Decomposition to_lower(char32_t c);

}  // namespace scalemark::data
