// `corpus generate DIR DOCUMENTS` and `corpus tokenize INPUT VOCAB OUTPUT cased|uncased`:
// the C++ side of corpus_oracle.py.
#include <iostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "data/text/corpus.h"
#include "data/text/generate.h"
#include "tools/programs/commands.h"

using namespace scalemark::data;

int scalemark::commands::corpus(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "generate") {
    generate_text({.dir = words[1], .samples = std::stoll(words[2])});
  } else if (words.size() == 5 && words[0] == "tokenize") {
    tokenize_corpus({.input = words[1],
                     .vocab = words[2],
                     .output = words[3],
                     .cased = words[4] == "cased",
                     .threads = 2});
  } else {
    throw scalemark::usage("corpus generate DIR N | tokenize INPUT VOCAB OUTPUT CASING");
  }
  return 0;
} catch (const scalemark::Error& error) {
  std::cerr << scalemark::format_error_line(error.record()) << '\n';
  return static_cast<int>(error.record().exit_code);
}
