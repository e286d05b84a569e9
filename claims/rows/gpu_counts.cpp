#include "claims/rows/gpu_counts.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "claims/rows/mapping.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"

namespace scalemark::tables {
namespace {

constexpr std::size_t kLongest = 200;  // bytes; a longer text names no machine
constexpr std::size_t kMostDigits = 6;

enum class Kind { kNumber, kTimes, kGpu, kNode, kChip, kMaker, kCompares, kSign, kWord };

struct Token {
  Kind kind = Kind::kWord;
  std::string text;  // lower case
  double number = 0;
  std::size_t begin = 0, end = 0;  // bytes of the text
};

bool is_one_of(std::string_view word, std::initializer_list<const char*> words) {
  return std::ranges::find(words, word) != words.end();
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

Kind kind_of_word(std::string_view word) {
  const std::size_t digits = word.find_first_not_of("0123456789");
  const std::size_t x = word.rfind('x');
  const bool counted = (digits != std::string_view::npos && digits > 0 && word[digits] == 'x') ||
                       (x != std::string_view::npos && all_digits(word.substr(x + 1)));
  if (counted) return Kind::kWord;
  if (is_one_of(word, {"gpu", "gpus", "card", "cards", "accelerator", "accelerators", "ngpu",
                       "ngpus", "device", "devices", "rank", "ranks"}))
    return Kind::kGpu;
  if (is_one_of(word, {"node", "nodes", "server", "servers", "host", "hosts", "machine", "machines",
                       "dgx", "hgx"}))
    return Kind::kNode;
  if (is_one_of(word, {"nvidia", "amd", "tesla", "geforce", "rtx", "gtx", "quadro", "instinct",
                       "intel", "titan"}))
    return Kind::kMaker;
  if (is_one_of(word, {"over", "vs", "versus", "to", "than", "per", "against", "from", "between"}))
    return Kind::kCompares;
  if (published::chip_in(word) ||
      is_one_of(word, {"k40",   "m40",    "m60",  "p4",   "p40",    "h20",    "h800",   "a800",
                       "l20",   "b100",   "mi50", "mi60", "mi100",  "mi210",  "mi250",  "mi250x",
                       "mi300", "mi300x", "1060", "1070", "1080",   "1080ti", "2080",   "2080ti",
                       "3080",  "4080",   "5090", "tpu",  "gaudi2", "gaudi3", "mi325x", "mi355x"}))
    return Kind::kChip;
  return word == "x" ? Kind::kTimes : Kind::kWord;
}

// Splits "8xa100", "2x8", "x4", "8gpus" and "a100x8" into several tokens. Every other run of
// letters and digits is one token.
void add_run(const std::string& run, std::size_t begin, std::vector<Token>& tokens) {
  const auto add = [&](Kind kind, std::size_t from, std::size_t to) {
    Token token{kind, run.substr(from, to - from), 0, begin + from, begin + to};
    if (kind == Kind::kNumber) token.number = std::stod(token.text);
    tokens.push_back(std::move(token));
  };
  const std::size_t digits = std::min(run.find_first_not_of("0123456789"), run.size());
  const Kind whole = kind_of_word(run);
  if (whole != Kind::kWord || digits > kMostDigits) {
    add(whole, 0, run.size());
    return;
  }
  if (digits == run.size()) {
    add(Kind::kNumber, 0, digits);
    return;
  }
  const auto is_known = [](std::string_view word) {
    const Kind kind = kind_of_word(word);
    return kind != Kind::kWord || (all_digits(word) && word.size() <= kMostDigits);
  };
  const std::string_view rest = std::string_view(run).substr(digits);
  const std::size_t x = run.rfind('x');
  if (digits > 0 && kind_of_word(rest) != Kind::kWord) {
    add(Kind::kNumber, 0, digits);
    add(kind_of_word(rest), digits, run.size());
  } else if (digits > 0 && rest == "x") {
    add(Kind::kNumber, 0, digits);
    add(Kind::kTimes, digits, run.size());
  } else if (digits > 0 && rest.starts_with('x') &&
             (is_known(rest.substr(1)) || rest.find('x', 1) != std::string_view::npos)) {
    add(Kind::kNumber, 0, digits);
    add(Kind::kTimes, digits, digits + 1);
    add_run(run.substr(digits + 1), begin + digits + 1, tokens);
  } else if (x != std::string::npos && x + 1 < run.size() && is_known(run.substr(x + 1)) &&
             (x == 0 || kind_of_word(run.substr(0, x)) == Kind::kChip)) {
    if (x > 0) add(Kind::kChip, 0, x);
    add(Kind::kTimes, x, x + 1);
    add_run(run.substr(x + 1), begin + x + 1, tokens);
  } else {
    add(Kind::kWord, 0, run.size());
  }
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = i;
    std::string run;
    const auto byte = [&] { return static_cast<unsigned char>(text[i]); };
    while (i < text.size() && (std::isalnum(byte()) || text[i] == '.' || groups_digits(text, i))) {
      if (text[i] != ',') run += static_cast<char>(std::tolower(byte()));
      ++i;
    }
    if (!run.empty()) {
      const std::size_t before = tokens.size();
      add_run(run, begin, tokens);
      if (run.size() != i - begin) tokens.resize(before + 1), tokens.back().end = i;
    } else if (text.substr(i).starts_with("\xC3\x97") || text[i] == '*') {
      const std::size_t length = text[i] == '*' ? 1 : 2;
      tokens.push_back({Kind::kTimes, "x", 0, i, i + length});
      i += length;
    } else {
      if (text[i] != ' ' && text[i] != '_' && byte() < 128)
        tokens.push_back({Kind::kSign, std::string(1, text[i]), 0, i, i + 1});
      ++i;
    }
  }
  // A star of Markdown is no multiplication sign.
  std::erase_if(tokens, [&](const Token& one) {
    const bool star = one.kind == Kind::kTimes && text[one.begin] == '*';
    const bool doubled =
        (one.begin > 0 && text[one.begin - 1] == '*') || text.substr(one.end).starts_with('*');
    return star && (doubled || one.begin == 0 || one.end == text.size());
  });
  // Reads "Single GPU", "two nodes".
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    const Kind next = tokens[t + 1].kind == Kind::kSign && t + 2 < tokens.size()
                          ? tokens[t + 2].kind
                          : tokens[t + 1].kind;
    if (next != Kind::kGpu && next != Kind::kNode) continue;
    for (const auto& [word, number] :
         {std::pair("one", 1), std::pair("single", 1), std::pair("two", 2), std::pair("dual", 2),
          std::pair("four", 4), std::pair("eight", 8)}) {
      if (tokens[t].text != word) continue;
      tokens[t].kind = Kind::kNumber;
      tokens[t].number = number;
    }
  }
  return tokens;
}

struct Match {
  std::optional<double> gpus, nodes;
  std::size_t first = 0, end = 0;  // indices of tokens
};

class Matcher {
 public:
  Matcher(std::vector<Token> tokens, bool counts) : tokens_(std::move(tokens)), counts_(counts) {}

  std::optional<Match> one() const {
    std::optional<Match> found;
    const auto is_against = [](const Token& one) { return is_one_of(one.text, {"vs", "versus"}); };
    if (std::ranges::any_of(tokens_, is_against)) return std::nullopt;
    for (std::size_t i = 0; i < tokens_.size();) {
      const auto match = at(i);
      if (!match) {
        ++i;
        continue;
      }
      if (is_compared(*match)) return std::nullopt;
      const bool first = !found || (!found->gpus && match->gpus);
      if (!first && match->gpus && match->gpus != found->gpus) return std::nullopt;
      if (!first && !match->gpus && !found->gpus && match->nodes != found->nodes)
        return std::nullopt;
      if (first) found = match;
      i = match->end;
    }
    return found;
  }

  // Whether any words of a chip are left beside the match.
  bool names_a_chip() const {
    return std::ranges::any_of(tokens_, [](const Token& one) {
      return one.kind == Kind::kChip || one.kind == Kind::kMaker || one.text == "dgx" ||
             one.text == "hgx";
    });
  }
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  bool is(std::size_t i, Kind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }
  bool sign(std::size_t i, const char* text) const {
    return is(i, Kind::kSign) && tokens_[i].text == text;
  }
  double number(std::size_t i) const { return tokens_[i].number; }

  // Returns the index behind the words of a chip that begin at `i`, or `i` where none do. These
  // words stay in the text that is left, so the match ends before them.
  bool chip_at(std::size_t i) const {
    bool maker = false;
    while (is(i, Kind::kMaker)) maker = true, ++i;
    return is(i, Kind::kChip) ||
           (maker && i < tokens_.size() &&
            tokens_[i].text.find_first_of("0123456789") != std::string::npos) ||
           (maker && tokens_[i - 1].text == "titan");
  }

  std::optional<Match> at(std::size_t i) const {
    if (is(i, Kind::kNumber) && number(i) > 0) return from_number(i);
    if (is(i, Kind::kTimes) && is(i + 1, Kind::kNumber) && chip_before(i))
      return Match{number(i + 1), {}, i, i + 2};
    // Reads "gpus=8", "n = 8", "GPUs: 8", "Number of GPUs 8". "GPU 1" is the name of one GPU.
    const bool count =
        is(i, Kind::kGpu) ||
        (i < tokens_.size() && is_one_of(tokens_[i].text, {"n", "np", "p"}) && sign(i + 1, "="));
    if (!count) return std::nullopt;
    const bool equals = sign(i + 1, "=") || sign(i + 1, ":") || is(i + 1, Kind::kTimes);
    const bool plural = tokens_[i].text.ends_with('s') && is(i + 1, Kind::kNumber);
    if (equals && is(i + 2, Kind::kNumber)) return Match{number(i + 2), {}, i, i + 3};
    if (plural) return Match{number(i + 1), {}, i, i + 2};
    return std::nullopt;
  }

  bool chip_before(std::size_t i) const {
    return std::any_of(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(i),
                       [](const Token& one) { return one.kind == Kind::kChip; });
  }

  std::optional<Match> from_number(std::size_t i) const {
    std::size_t k = i + 1;
    const bool times = is(k, Kind::kTimes);
    if (times) ++k;
    if (!times && sign(k, "-")) ++k;
    if (is(k, Kind::kGpu)) return Match{number(i), {}, i, k + 1};
    if (is(k, Kind::kNode)) return from_nodes(i, k + 1);
    // Reads "2x8 V100".
    const bool product = times && is(k, Kind::kNumber) && number(k) > 0;
    if (product) {
      const std::size_t after = is(k + 1, Kind::kTimes) ? k + 2 : k + 1;
      const bool told = is(after, Kind::kGpu) || chip_at(after);
      const bool bare = counts_ && i == 0 && k + 1 >= tokens_.size();
      if (told || bare)
        return Match{number(i) * number(k), number(i), i,
                     is(after, Kind::kGpu) ? after + 1 : after};
      return std::nullopt;
    }
    if (chip_at(k)) return Match{number(i), {}, i, k};
    // Reads "Multi-GPU (2x)".
    const bool alone = times && i > 1 && sign(i - 1, "(") && sign(k, ")");
    if (alone && is(i - 2, Kind::kGpu)) return Match{number(i), {}, i, k};
    return std::nullopt;
  }

  // Reads "1 node x 8 H100", "2 nodes (16 GPUs)", "2 nodes of 8 GPUs each".
  std::optional<Match> from_nodes(std::size_t i, std::size_t k) const {
    const bool times = is(k, Kind::kTimes);
    const bool gap =
        times || (k < tokens_.size() && is_one_of(tokens_[k].text, {"(", ",", "of", "with", "/"}));
    const std::size_t n = gap ? k + 1 : k;
    if (!is(n, Kind::kNumber)) return Match{{}, number(i), i, k};
    const bool gpus = is(n + 1, Kind::kGpu);
    const bool chips = gpus || chip_at(n + 1) || (is(n + 1, Kind::kTimes) && chip_at(n + 2));
    const std::size_t end = gpus ? n + 2 : n + 1;
    const bool each =
        times || (end < tokens_.size() && is_one_of(tokens_[end].text, {"each", "per", "/"}));
    if (!chips && !times) return Match{{}, number(i), i, k};
    return Match{each ? number(i) * number(n) : number(n), number(i), i,
                 each && !times ? std::min(end + 2, tokens_.size()) : end};
  }

  // "over 1 GPU", "1-8 GPUs", "-3 GPUs" and "8 GPUs per node" are not the count of a row.
  bool is_compared(const Match& match) const {
    const std::size_t i = match.first;
    if (i > 0 && is(i - 1, Kind::kCompares)) return true;
    const bool negative = i == 1 && sign(0, "-") && tokens_[0].end == tokens_[1].begin;
    if (negative) return true;
    const bool range =
        i > 1 && is(i - 2, Kind::kNumber) &&
        (sign(i - 1, "-") || sign(i - 1, "/") || sign(i - 1, ",") || sign(i - 1, "+"));
    const bool per_node =
        (sign(match.end, "/") || is(match.end, Kind::kCompares)) && is(match.end + 1, Kind::kNode);
    return range || per_node;
  }

  std::vector<Token> tokens_;
  bool counts_;
};

// Removes what enclosed the count: "(img/s)" -> "img/s".
std::string without_edges(std::string text) {
  const auto strip = [&](std::string_view signs) {
    const std::size_t first = text.find_first_not_of(signs);
    if (first == std::string::npos) {
      text.clear();
      return;
    }
    text = text.substr(first, text.find_last_not_of(signs) - first + 1);
  };
  for (const char* empty : {"()", "( )", "[]"}) {
    if (const std::size_t at = text.find(empty); at != std::string::npos)
      text.erase(at, std::string_view(empty).size());
  }
  strip(" -,:;|@x*\t");
  const bool one_pair = text.starts_with('(') && text.find(')') == text.size() - 1;
  if (one_pair) text = text.substr(1, text.size() - 2);
  const auto pairs = [&](char c) { return std::ranges::count(text, c); };
  if (pairs('(') != pairs(')')) strip("()");
  return trimmed(text);
}

// Removes a second count: "2x DGX A100 (16 GPUs)" names a DGX A100, too.
std::string without_count(const std::string& text) {
  const std::size_t x = text.find_first_not_of("0123456789 ");
  const bool counted =
      x != std::string::npos && x > 0 && text[x] == 'x' && text.substr(x + 1).starts_with(' ');
  return counted ? trimmed(text.substr(x + 1)) : text;
}

std::optional<Machines> read(std::string_view text, bool counts) {
  if (text.size() > kLongest) return std::nullopt;
  const Matcher matcher(tokens_of(text), counts);
  const auto match = matcher.one();
  if (!match) return std::nullopt;
  const auto& tokens = matcher.tokens();
  std::string rest(text.substr(0, tokens[match->first].begin));
  rest += text.substr(tokens[match->end - 1].end);
  rest = without_count(without_edges(rest));
  // "Multi-GPU (4x)" and "Single GPU" are of one series.
  if (lower_case(rest).starts_with("multi") && rest.size() <= 9) rest.clear();
  return Machines{match->gpus, match->nodes, matcher.names_a_chip() ? rest : "",
                  matcher.names_a_chip() ? "" : rest};
}

}  // namespace

std::optional<Machines> machines_in(std::string_view text) { return read(text, false); }

std::optional<Machines> machines_in_count(std::string_view text) {
  if (auto found = read(text, true)) return found;
  std::size_t at = 0;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
  if (at == 0 || at > kMostDigits) return std::nullopt;
  const double count = std::stod(std::string(text.substr(0, at)));
  std::string rest = trimmed(text.substr(at));
  for (const std::string_view times : {"x", "X", "*", "\xC3\x97"}) {
    if (!rest.starts_with(times)) continue;
    rest = trimmed(std::string_view(rest).substr(times.size()));
    if (!rest.empty() && count > 0) return Machines{count, {}, rest, ""};
  }
  return std::nullopt;
}

}  // namespace scalemark::tables
