// BERT's tokenizer: bytes of text to token ids, equal to Hugging Face `tokenizers`
// (BertWordPieceTokenizer without added [CLS] and [SEP]) token for token. Knows no files, sentences
// or networks.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "data/text/vocabulary.h"

namespace scalemark::data {

class WordPiece {
 public:
  // Uncased: accents are removed and letters lower-cased; cased: neither.
  WordPiece(std::shared_ptr<const Vocabulary> vocabulary, bool cased);

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  bool cased() const { return cased_; }

  // Appends the ids of `text`. Broken UTF-8 is read like Python's errors="replace"; the names of
  // the five special tokens in the text become those tokens, as in Hugging Face's tokenizer.
  // Several threads may call it at once.
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  bool cased_;
};

inline constexpr int kMaxWordCharacters = 100;  // a longer word becomes [UNK]

}  // namespace scalemark::data
