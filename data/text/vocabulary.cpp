#include "data/text/vocabulary.h"

#include <algorithm>
#include <bit>
#include <fstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "data/hash128.h"
#include "data/text/no_text.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Reads in one pass, since the file may be a pipe.
std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw no_input("vocabulary " + path.string() + " cannot be read", "a vocab.txt file");
  }
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string content;
  while (file && content.size() <= kMostBytes) {
    const std::size_t before = content.size();
    content.resize(before + kPiece);
    file.read(content.data() + before, kPiece);
    content.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw io_error("reading vocabulary " + path.string() + " failed");
  if (content.size() > kMostBytes) throw bad_data("it has more than 64 MiB", "below 16 MiB");
  return content;
}

void refuse_no_text(std::string_view content) {
  if (content.starts_with("\xEF\xBB\xBF")) {
    throw bad_data("it begins with a byte order mark (BOM)", "UTF-8 without one",
                   "save it again without: tail -c +4 VOCAB");
  }
  if (broken_bytes(content) == 0) return;
  if (const auto no_text = no_text_of(content)) {
    const bool is_text = no_text->what.starts_with("text in");
    throw bad_data("it is " + no_text->what + no_text->detail, "a vocab.txt file in UTF-8",
                   is_text ? no_text->hint : "give a BERT vocab.txt with --vocab");
  }
}

// Reads tokens like Hugging Face, without the white space after a token. Blank lines at the end are
// no tokens; others keep their ids.
std::vector<std::string> lines_of(std::string_view content) {
  std::vector<std::string> tokens;
  for (const std::string_view line : split(content, "\n")) tokens.emplace_back(trimmed_end(line));
  while (!tokens.empty() && tokens.back().empty()) tokens.pop_back();
  return tokens;
}

// Accepts lines that stand for no word: [unused7] and the like, and blank ones.
bool may_be_repeated(std::string_view token) {
  return token.empty() || token.starts_with("[unused") || token.starts_with("[UNUSED") ||
         token.starts_with("<unused");
}

}  // namespace

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  try {
    const std::string content = content_of(path);
    refuse_no_text(content);
    return Vocabulary(lines_of(content));
  } catch (const Error& error) {
    if (error.record().exit_code != ExitCode::kBadData) throw;
    throw bad_data("vocabulary " + path.string() + ": " + error.record().what,
                   error.record().expected, error.record().hint);
  }
}

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  Hash128 hash;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& token = tokens_[i];
    const std::string line = "line " + std::to_string(i + 1);
    if (broken_bytes(token) != 0) throw bad_data(line + " is not UTF-8");
    const auto id = static_cast<std::int32_t>(i);
    if (const auto [known, is_new] = ids_.emplace(token, id); !is_new) {
      if (!may_be_repeated(token)) {
        throw bad_data(line + " repeats the token '" + token + "'", "every token once");
      }
      known->second = id;  // the last one counts, as in Hugging Face
    }
    hash.add(token);
    hash.add("\n");
  }
  hash_ = to_hex(hash.digest());
  const auto required = [this](const char* name) {
    if (const auto id = find(name)) return *id;
    throw bad_data(std::string("the token ") + name + " is missing",
                   "[PAD], [UNK], [CLS], [SEP] and [MASK]", "give a BERT vocab.txt with --vocab");
  };
  special_ = {.pad = required("[PAD]"),
              .unknown = required("[UNK]"),
              .classify = required("[CLS]"),
              .separate = required("[SEP]"),
              .mask = required("[MASK]")};
  build_tree();
}

std::optional<std::int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

void Vocabulary::build_tree() {
  std::size_t bytes = 0;
  for (const std::string& token : tokens_) bytes += token.size();
  if (bytes >= (1u << 24)) {
    throw bad_data("it has " + size_text(bytes), "below 16 MiB");
  }
  edges_.resize(std::bit_ceil(2 * bytes + 2));
  shift_ = 32 - std::countr_zero(edges_.size());
  id_at_node_.assign(2, -1);  // node 0 stands for "no node", node 1 is the root
  for (std::size_t id = 0; id < tokens_.size(); ++id) {
    std::uint32_t node = 1;
    for (const char c : tokens_[id]) {
      const auto byte = static_cast<unsigned char>(c);
      std::uint32_t to = step(node, byte);
      if (to == 0) {
        to = static_cast<std::uint32_t>(id_at_node_.size());
        id_at_node_.push_back(-1);
        add_edge(node, byte, to);
      }
      node = to;
    }
    id_at_node_[node] = static_cast<std::int32_t>(id);
  }
  const std::uint32_t first_hash = step(1, '#');
  continuation_root_ = first_hash == 0 ? 0 : step(first_hash, '#');
}

void Vocabulary::add_edge(std::uint32_t node, unsigned char byte, std::uint32_t to) {
  const std::uint32_t key = node * 256 + byte;
  std::size_t slot = slot_of(key);
  while (edges_[slot].key != kFree) slot = (slot + 1) & (edges_.size() - 1);
  edges_[slot] = {key, to};
}

std::uint32_t Vocabulary::step(std::uint32_t node, unsigned char byte) const {
  const std::uint32_t key = node * 256 + byte;
  for (std::size_t slot = slot_of(key);; slot = (slot + 1) & (edges_.size() - 1)) {
    if (edges_[slot].key == key) return edges_[slot].node;
    if (edges_[slot].key == kFree) return 0;
  }
}

Vocabulary::Match Vocabulary::longest(std::string_view word, bool continues) const {
  Match best{-1, 0};
  std::uint32_t node = continues ? continuation_root_ : 1;
  for (std::size_t i = 0; i < word.size() && node != 0; ++i) {
    node = step(node, static_cast<unsigned char>(word[i]));
    if (node != 0 && id_at_node_[node] >= 0) best = {id_at_node_[node], i + 1};
  }
  return best;
}

}  // namespace scalemark::data
