// BERT's pre-training samples over a tokenized corpus: sentence pairs, next-sentence labels, masked
// tokens. Knows nothing of text, batches in flight or ranks.
#pragma once

#include <cstdint>
#include <memory>

#include "data/load/dataset.h"
#include "data/text/token_corpus.h"

namespace scalemark::data {

struct PretrainingOptions {
  std::int64_t sequence_length = 128;
  // This share of the samples aims at a shorter length, as in BERT.
  double short_sequence_share = 0.1;
  // A batch's list of masked positions is padded to a multiple of this, as far as there is space,
  // with rows that no loss counts (label kNoLabel, position 0): on a GPU a length that varies per
  // batch would be a new shape for every kernel of the MLM head.
  std::int64_t masked_multiple = 1;
};

inline constexpr std::int64_t kNoLabel = -100;  // cross-entropy's ignore_index

// A half-open range.
struct DocumentRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct HeldOut {
  DocumentRange train;
  DocumentRange evaluate;
};

// Returns the last 5 % of the documents, rounded, and at least 2 (a random next sentence comes from
// another document). Refuses (65) fewer than 4 documents.
HeldOut hold_out(std::int64_t documents);

enum class PretrainingSplit {
  kTrain,     // pairs and masks follow the key: new ones in every epoch
  kEvaluate,  // pairs and masks depend on the sample alone: the same in every evaluation
};

// Makes samples [CLS] A [SEP] B [SEP] from the documents of `range`. Where a sample starts is
// planned once, from the corpus alone: consecutive sentences of a document are packed greedily up
// to sequence_length - 3 tokens, and longer sentences are cut. A sample is cut into A and B at a
// random sentence; with probability 1/2, B is replaced by text of about the same length from
// another document of `range`.
//
// Fields of a slot: "input_ids", "token_type_ids", "attention_mask" i64 [s]; "masked_positions",
// "masked_labels" i64 [most that can be masked] and "masked_count" i64; "next_sentence_label" i64
// (0: B follows A, 1: random, as in Hugging Face). collate() turns the masked_* fields into those
// of dataset.h, in the same memory.
//
// max(1, round(0.15 x tokens)) positions are masked, where [CLS] and [SEP] count but are never
// masked (round half to even, as in Python): 80 % become [MASK], 10 % a random token, 10 % stay.
//
// Refuses (78) sequence_length below 8, (65) a range of fewer than 2 documents or without samples.
std::unique_ptr<Dataset> open_pretraining(std::shared_ptr<const TokenCorpus> corpus,
                                          DocumentRange range, const PretrainingOptions& options,
                                          PretrainingSplit split);

struct PretrainingData {
  std::unique_ptr<Dataset> train;
  std::unique_ptr<Dataset> evaluate;
};

// Opens training and evaluation data, divided by hold_out().
PretrainingData open_pretraining(const std::shared_ptr<const TokenCorpus>& corpus,
                                 const PretrainingOptions& options);

}  // namespace scalemark::data
