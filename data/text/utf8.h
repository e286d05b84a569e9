// Text in UTF-8: its code points, the white space at its ends, and the traits of code points for
// BERT's tokenizer. Knows nothing of a text's meaning; the only user of utf8proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace scalemark::data {

// --- UTF-8 bytes to code points, like Python's bytes.decode("utf-8", errors="replace").

inline constexpr char32_t kReplacement = 0xFFFD;

// Returns the code point that starts at bytes[at], and moves `at` after it. A broken sequence gives
// one U+FFFD for each maximal subpart (Unicode 15, section 3.9, table 3-8). `at` < bytes.size().
char32_t next_code_point(std::string_view bytes, std::size_t& at);

// Returns how many bytes of `text` belong to broken sequences, or are NUL; readers lose these.
std::int64_t broken_bytes(std::string_view text);

// Returns `text` without white space at both ends, like Python's str.strip(), which includes
// U+00A0, U+3000, U+2028 and the separators U+001C to U+001F.
std::string_view stripped(std::string_view text);

// Returns the length in bytes of one such character at the beginning of `text`, or 0.
std::size_t first_space(std::string_view text);

// Strips white space at the end, like Rust's str::trim_end(), which Hugging Face tokenizers call
// for files: the separators stay.
std::string_view trimmed_end(std::string_view text);

// The traits of each code point for BERT's tokenizer, as in Hugging Face `tokenizers`: a byte of
// bits for each. It is made once, since 1.1 million look-ups take tens of ms and a corpus has
// billions.
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

  static const UnicodeTraits& get();  // made on first use, then constant

  std::uint8_t operator[](char32_t c) const { return bits_[c]; }

 private:
  UnicodeTraits();
  std::vector<std::uint8_t> bits_;
};

// Returns the canonical combining class of a code point.
int combining_class(char32_t c);

// The full canonical decomposition of one code point, not reordered. At most 4 code points.
struct Decomposition {
  char32_t code_points[4];
  int size;
};
Decomposition decompose(char32_t c);

// Returns the lower case of one code point, without context; "i" + U+0307 for U+0130.
Decomposition to_lower(char32_t c);

}  // namespace scalemark::data
