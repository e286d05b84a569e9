#include "data/text/vocabulary.h"

#include <bit>
#include <fstream>

#include "core/base/error.h"
#include "data/hash128.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

bool is_utf8(std::string_view bytes) {
  constexpr std::string_view kWrittenOut = "\xEF\xBF\xBD";  // U+FFFD itself is no error
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t start = at;
    if (next_code_point(bytes, at) == kReplacement &&
        bytes.substr(start, at - start) != kWrittenOut) {
      return false;
    }
  }
  return true;
}

// Hugging Face trims white space behind a token.
std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(" \t\r\n\v\f") + 1);
  return line;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw no_input("vocabulary " + path.string() + " cannot be read", "a vocab.txt file");
  }
  std::vector<std::string> tokens;
  for (std::string line; std::getline(file, line);) tokens.push_back(trimmed(std::move(line)));
  if (file.bad()) throw io_error("reading vocabulary " + path.string() + " failed");
  return tokens;
}

}  // namespace

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  try {
    return Vocabulary(read_lines(path));
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
    if (!is_utf8(token)) throw bad_data(line + " is not UTF-8");
    if (!ids_.emplace(token, static_cast<std::int32_t>(i)).second) {
      throw bad_data(line + " repeats the token '" + token + "'", "every token once");
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
    throw bad_data("it has " + std::to_string(bytes) + " bytes", "below 16 MiB");
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
