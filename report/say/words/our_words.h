// The glossary: words of our own and what they mean, for the page and for docs/GLOSSARY.md. Knows
// no reports.
#pragma once

#include <span>

namespace scalemark::reporting {

// A word of ours, or two with a comma between them, and its meaning in Markdown.
struct OurWord {
  const char *word, *meaning;
};
std::span<const OurWord> our_words();

}  // namespace scalemark::reporting
