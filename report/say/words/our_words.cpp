#include "report/say/words/our_words.h"

namespace scalemark::reporting {

std::span<const OurWord> our_words() {
  static constexpr OurWord kWords[] = {
#define SCALEMARK_WORD(word, meaning) {word, meaning},
#include "report/say/words/word_list.inc"
  };
  return kWords;
}

}  // namespace scalemark::reporting
