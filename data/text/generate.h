// `scalemark data generate text`: a small corpus in a made-up language, with its vocabulary, that
// anyone can make. Knows nothing of tokenizers or networks.
#pragma once

#include <cstdint>
#include <filesystem>

namespace scalemark::data {

struct GenerateTextOptions {
  std::filesystem::path dir;
  std::int64_t samples = 1000;  // documents, at least 4
  std::uint64_t seed = 0;
  bool overwrite = false;  // replace corpus.txt and vocab.txt
};

struct GeneratedText {
  std::filesystem::path corpus;  // dir/corpus.txt
  std::filesystem::path vocab;   // dir/vocab.txt
  std::int64_t documents = 0;
  std::int64_t sentences = 0;
  std::int64_t vocabulary = 0;
  std::int64_t bytes = 0;  // size of the corpus file
};

// Writes a corpus from which a network can learn: function words depend on their position, the
// nouns, verbs and adjectives of a document on its topic, each noun has a favourite verb, and a
// sentence often repeats the last noun of the one before (which reveals a random next sentence).
// The same options give the same bytes. Refuses (78) counts out of range, (73) a dir that is not
// empty or cannot be written.
GeneratedText generate_text(const GenerateTextOptions& options);

}  // namespace scalemark::data
