// The tokens from which each pre-training sample starts: fixed for a corpus and a length. Pure;
// knows no masks, labels or epochs.
#pragma once

#include <cstdint>
#include <vector>

#include "data/text/token_corpus.h"

namespace scalemark::data {

// Half-open ranges of tokens, each within one document, in corpus order, with lengths from 2 to
// `longest`. There are two arrays, because a large corpus has tens of millions of samples.
struct SamplePlan {
  std::vector<std::uint64_t> first_token;
  std::vector<std::uint32_t> length;

  std::int64_t size() const { return static_cast<std::int64_t>(first_token.size()); }
};

// Packs the sentences of documents [first, last) greedily. `short_share` of the samples aim at a
// random shorter length, drawn from their place in the corpus.
SamplePlan plan_samples(const TokenCorpus& corpus, std::int64_t first_document,
                        std::int64_t last_document, std::int64_t longest, double short_share);

}  // namespace scalemark::data
