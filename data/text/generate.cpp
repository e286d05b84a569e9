#include "data/text/generate.h"

#include <array>
#include <cctype>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "data/load/dataset.h"
#include "data/long_work.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr int kTopics = 10;
constexpr std::size_t kNouns = 12, kVerbs = 8, kAdjectives = 6;  // words of each topic
constexpr std::array<std::string_view, 8> kFunctionWords = {"the", "a",    "of",   "in",
                                                            "and", "with", "near", "often"};
constexpr std::string_view kPunctuation = ".,!?-'";
constexpr double kFavourite = 0.8;  // share of favourite verbs, and of repeated last nouns
constexpr double kRareWord = 0.01;  // share of words spelled by letters, some with an accent

struct Topic {
  std::vector<std::string> nouns, verbs, adjectives;
};

std::string make_word(SampleRandom& random, int syllables) {
  constexpr std::string_view kConsonants = "bdfgklmnprtvz", kVowels = "aeiou";
  std::string word;
  for (int i = 0; i < syllables; ++i) {
    word += kConsonants[static_cast<std::size_t>(random.below(kConsonants.size()))];
    word += kVowels[static_cast<std::size_t>(random.below(kVowels.size()))];
  }
  return word;
}

std::vector<Topic> make_topics(SampleRandom& random) {
  std::set<std::string> taken;
  const auto fill = [&](std::size_t count) {
    std::vector<std::string> words;
    while (words.size() < count) {
      std::string word = make_word(random, 2 + static_cast<int>(random.below(2)));
      if (taken.insert(word).second) words.push_back(std::move(word));
    }
    return words;
  };
  std::vector<Topic> topics(kTopics);
  for (Topic& topic : topics) topic = {fill(kNouns), fill(kVerbs), fill(kAdjectives)};
  return topics;
}

std::string make_vocabulary(const std::vector<Topic>& topics, std::int64_t& count) {
  std::string text;
  const auto add = [&](std::string_view token) {
    text.append(token) += '\n';
    ++count;
  };
  for (const auto* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) add(token);
  for (const char c : kPunctuation) add(std::string_view(&c, 1));
  for (const char* before : {"", "##"}) {
    for (char c = 'a'; c <= 'z'; ++c) {
      if (std::string_view(before).empty() && c == 'a') continue;  // "a" is a function word.
      add(std::string(before) + c);
    }
  }
  for (const char* suffix : {"##ed", "##ly"}) add(suffix);
  for (const auto word : kFunctionWords) add(word);
  for (const Topic& topic : topics) {
    for (const auto* words : {&topic.nouns, &topic.verbs, &topic.adjectives}) {
      for (const auto& word : *words) add(word);
    }
  }
  return text;
}

// Writes sentences of one topic, and remembers the noun that the next one may repeat.
class Speaker {
 public:
  Speaker(const Topic& topic, SampleRandom& random)
      : topic_(topic), random_(random), noun_(any(kNouns)) {}

  std::string sentence() {
    const std::size_t subject = likely() ? noun_ : any(kNouns);
    const std::string verb =
        topic_.verbs[likely() ? subject % kVerbs : any(kVerbs)] + (random_.below(2) ? "s" : "ed");
    noun_ = any(kNouns);
    std::string text;
    switch (random_.below(3)) {
      case 0:
        text = "The " + adjective() + " " + noun(subject) + " " + verb + " the " + noun(noun_);
        break;
      case 1:
        text = "The " + noun(subject) + " of a " + noun(any(kNouns)) + " often " + verb +
               " near the " + adjective() + " " + noun(noun_);
        break;
      default:
        text = "In the " + adjective() + " " + noun(any(kNouns)) + ", a " + noun(subject) + " " +
               verb + " with the " + noun(noun_);
    }
    return text + ".";
  }

 private:
  std::size_t any(std::size_t count) {
    return static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(count)));
  }
  bool likely() { return random_.uniform() < kFavourite; }
  std::string adjective() { return topic_.adjectives[any(kAdjectives)]; }
  std::string noun(std::size_t index) {
    if (random_.uniform() >= kRareWord) return topic_.nouns[index];
    return make_word(random_, 3) + "\u00e9";
  }

  const Topic& topic_;
  SampleRandom& random_;
  std::size_t noun_;
};

std::string make_document(const std::vector<Topic>& topics, SampleRandom random,
                          std::int64_t& sentences) {
  Speaker speaker(topics[static_cast<std::size_t>(random.below(kTopics))], random);
  const std::int64_t count = 8 + random.below(13);
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += speaker.sentence() + '\n';
  sentences += count;
  return text;
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(text)), 0);
  file.commit();
}

std::string line_of(std::istream& text) {
  std::string line;
  std::getline(text, line);
  return line;
}

// Whether each word of the corpus's first line is in one of our vocabularies (which begins with
// `head`), with a verb's ending, or spelled by letters.
bool is_made_here(const GeneratedText& made, std::string_view head) {
  std::ifstream vocab(made.vocab, std::ios::binary), corpus(made.corpus, std::ios::binary);
  std::set<std::string> known;
  std::string begin;
  while (vocab) {
    const std::string token = line_of(vocab);
    if (begin.size() < head.size()) begin += token + '\n';
    known.insert(token);
  }
  if (fs::exists(made.vocab) && begin != head) return false;
  std::istringstream words(line_of(corpus));
  for (std::string word; words >> word;) {
    while (word.ends_with('.') || word.ends_with(',')) word.pop_back();
    if (word.empty()) return false;
    word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
    const bool is_verb = word.ends_with('s') || word.ends_with("ed");
    const std::string stem = word.substr(0, word.size() - (word.ends_with('s') ? 1 : 2));
    const bool is_ours =
        known.contains(word) || word.ends_with("\u00e9") || (is_verb && known.contains(stem));
    if (!is_ours) return false;
  }
  return true;
}

void refuse_foreign(const GeneratedText& made) {
  std::int64_t count = 0;
  if (is_made_here(made, make_vocabulary({}, count))) return;
  throw cannot_create(made.corpus.string() + " or " + made.vocab.filename().string() +
                          " was not made by `data generate text`",
                      "--overwrite replaces only what was", "choose another folder");
}

// The folder stays locked as long as the result lives.
Descriptor prepare(const GenerateTextOptions& options, const GeneratedText& made) {
  if (options.samples < 4 || options.samples > 10'000'000) {
    throw configuration("samples is " + std::to_string(options.samples), "4 to 10000000 documents");
  }
  Descriptor held = lock_output_folder(options.dir, options.overwrite);
  if (options.overwrite) refuse_foreign(made);
  return held;
}

}  // namespace

GeneratedText generate_text(const GenerateTextOptions& options) {
  GeneratedText result{.corpus = options.dir / "corpus.txt",
                       .vocab = options.dir / "vocab.txt",
                       .documents = options.samples};
  const Descriptor held = prepare(options, result);
  SampleRandom words(SampleKey{.seed = options.seed, .epoch = 0, .index = -1});
  const std::vector<Topic> topics = make_topics(words);
  write_file(result.vocab, make_vocabulary(topics, result.vocabulary));
  std::string corpus;
  for (std::int64_t i = 0; i < options.samples; ++i) {
    if (i > 0) corpus += '\n';
    corpus += make_document(topics, SampleRandom({options.seed, 0, i}), result.sentences);
  }
  result.bytes = static_cast<std::int64_t>(corpus.size());
  write_file(result.corpus, corpus);
  return result;
}

}  // namespace scalemark::data
