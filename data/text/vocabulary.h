// A WordPiece vocabulary (vocab.txt: one token per line, whose number is its id). Finds the longest
// piece; knows nothing of normalisation or corpora.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace scalemark::data {

// Ids of the five tokens without which BERT's inputs cannot be built.
struct SpecialTokens {
  std::int32_t pad = 0, unknown = 0, classify = 0, separate = 0, mask = 0;
};

class Vocabulary {
 public:
  // Refuses (66) a missing file, and (65) one without [PAD] [UNK] [CLS] [SEP] [MASK], with a
  // repeated word, with a byte order mark at its beginning, or with invalid UTF-8. Of repeated
  // blank lines and [unused...] the last one counts; blank lines at the end are dropped.
  static Vocabulary read(const std::filesystem::path& path);
  explicit Vocabulary(std::vector<std::string> tokens);
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;  // ids_ views the original's tokens
  Vocabulary& operator=(const Vocabulary&) = delete;

  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  const SpecialTokens& special() const { return special_; }
  const std::string& token(std::int32_t id) const {
    return tokens_.at(static_cast<std::size_t>(id));
  }
  std::optional<std::int32_t> find(std::string_view token) const;

  // Returns the XXH3-128 of the tokens in order, as 32 hex digits.
  const std::string& hash() const { return hash_; }

  struct Match {
    std::int32_t id;
    std::size_t length;  // bytes of the word; 0: nothing matches
  };
  // Returns the longest token with which `word` starts; inside a word (`continues`), the longest
  // "##" piece.
  Match longest(std::string_view word, bool continues) const;

 private:
  // The tokens are a tree of bytes whose edges are in one open-addressed table, so that a word is
  // walked once however many of its prefixes are tokens.
  struct Edge {
    std::uint32_t key = kFree;  // node * 256 + byte
    std::uint32_t node = 0;
  };
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  void build_tree();
  std::uint32_t step(std::uint32_t node, unsigned char byte) const;  // 0: no such edge
  void add_edge(std::uint32_t node, unsigned char byte, std::uint32_t to);
  std::size_t slot_of(std::uint32_t key) const { return (key * 0x9E3779B1u) >> shift_; }

  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // views of tokens_
  SpecialTokens special_;
  std::string hash_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> id_at_node_;  // -1: no token ends here
  int shift_ = 0;
  std::uint32_t continuation_root_ = 0;  // 0: no "##" pieces
};

}  // namespace scalemark::data
