#include "data/text/pretraining.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/load/dataset.h"
#include "data/text/sample_plan.h"

namespace scalemark::data {
namespace {

constexpr std::int64_t kSpecialsOfPair = 3;  // [CLS], [SEP], [SEP]
constexpr std::int64_t kShortestSequence = 8;
constexpr double kMaskedShare = 0.15;
constexpr std::uint64_t kEvaluationSeed = 0x6576616c;  // any constant
constexpr int kTriesForWholeSentence = 8;

// The index of each field in a slot, for fields() and load().
enum Field { kInputIds, kTypes, kAttention, kPositions, kLabels, kCount, kNextSentence };

struct TokenRange {
  std::int64_t first = 0;
  std::int64_t length = 0;
};

struct Pair {
  TokenRange a;
  TokenRange b;
  bool random_next = false;
};

std::int64_t masked_of(std::int64_t tokens) {
  return std::max<std::int64_t>(1, std::lrint(kMaskedShare * static_cast<double>(tokens)));
}

// Returns the next multiple, but at most `room`.
std::size_t filled_up(std::size_t count, std::size_t room, std::int64_t multiple) {
  const auto unit = static_cast<std::size_t>(multiple);
  return std::min((count + unit - 1) / unit * unit, room);
}

std::span<std::int64_t> ints(const std::span<std::byte>& bytes) {
  return {reinterpret_cast<std::int64_t*>(bytes.data()), bytes.size() / sizeof(std::int64_t)};
}

class Pretraining final : public Dataset {
 public:
  Pretraining(std::shared_ptr<const TokenCorpus> corpus, DocumentRange range,
              const PretrainingOptions& options, PretrainingSplit split)
      : corpus_(std::move(corpus)),
        range_(range),
        length_(options.sequence_length),
        masked_multiple_(std::max<std::int64_t>(1, options.masked_multiple)),
        split_(split),
        plan_(plan_samples(*corpus_, range.first, range.last, length_ - kSpecialsOfPair,
                           options.short_sequence_share)) {}

  std::int64_t size() const override { return plan_.size(); }
  std::vector<FieldSpec> fields() const override;
  void load(const SampleKey& key, SampleSlot slot) const override;
  HostBatch collate(HostBatch batch) const override;
  std::string name_of(std::int64_t index) const override;
  std::string identity() const override { return corpus_->identity(); }

 private:
  std::int64_t cut_of(TokenRange whole, SampleRandom& random) const;
  void refuse_outside(bool inside) const;
  TokenRange random_next(std::int64_t own_document, std::int64_t limit, SampleRandom& random) const;
  Pair choose_pair(std::int64_t index, SampleRandom& random) const;
  std::vector<std::int64_t> write_tokens(const Pair& pair, SampleSlot slot) const;
  void mask(std::vector<std::int64_t> maskable, std::int64_t count, SampleRandom& random,
            SampleSlot slot) const;

  std::shared_ptr<const TokenCorpus> corpus_;
  DocumentRange range_;
  std::int64_t length_;
  std::int64_t masked_multiple_;
  PretrainingSplit split_;
  SamplePlan plan_;
};

std::vector<FieldSpec> Pretraining::fields() const {
  const std::int64_t most = masked_of(length_);
  return {
      {"input_ids", DType::kInt64, {length_}},      {"token_type_ids", DType::kInt64, {length_}},
      {"attention_mask", DType::kInt64, {length_}}, {"masked_positions", DType::kInt64, {most}},
      {"masked_labels", DType::kInt64, {most}},     {"masked_count", DType::kInt64, {}},
      {"next_sentence_label", DType::kInt64, {}}};
}

void Pretraining::load(const SampleKey& key, SampleSlot slot) const {
  const bool fixed = split_ == PretrainingSplit::kEvaluate;
  SampleRandom random(fixed ? SampleKey{kEvaluationSeed, 0, key.index} : key);
  for (const auto& field : slot) std::fill(field.begin(), field.end(), std::byte{0});
  const Pair pair = choose_pair(key.index, random);
  ints(slot[kNextSentence])[0] = pair.random_next ? 1 : 0;
  const std::int64_t tokens = pair.a.length + pair.b.length + kSpecialsOfPair;
  mask(write_tokens(pair, slot), masked_of(tokens), random, slot);
}

Pair Pretraining::choose_pair(std::int64_t index, SampleRandom& random) const {
  const auto at = static_cast<std::size_t>(index);
  const TokenRange whole{static_cast<std::int64_t>(plan_.first_token[at]), plan_.length[at]};
  const std::int64_t cut = cut_of(whole, random);
  Pair pair{{whole.first, cut}, {whole.first + cut, whole.length - cut}, false};
  if (random.uniform() < 0.5) {
    const auto document = corpus_->document_of_sentence(corpus_->sentence_of_token(whole.first));
    refuse_outside(document >= range_.first && document < range_.last);
    pair.b = random_next(document, pair.b.length, random);
    pair.random_next = true;
  }
  return pair;
}

// In a file that is being overwritten offsets may have any value.
void Pretraining::refuse_outside(bool inside) const {
  if (inside) return;
  corpus_->refuse_if_changed();
  throw bug("a sample lies outside its corpus");
}

// Returns the length of A in tokens: up to a random sentence's end, or half of a sample without
// one.
std::int64_t Pretraining::cut_of(TokenRange whole, SampleRandom& random) const {
  const std::int64_t first = corpus_->sentence_of_token(whole.first);
  const std::int64_t last = corpus_->sentence_of_token(whole.first + whole.length - 1);
  if (first == last) return whole.length / 2;
  refuse_outside(first >= 0 && first < last && last < corpus_->sentences());
  const std::int64_t cut =
      corpus_->first_token(first + 1 + random.below(last - first)) - whole.first;
  refuse_outside(cut > 0 && cut < whole.length);
  return cut;
}

// Takes whole sentences of up to `limit` tokens, the true B's length, so that the length reveals
// nothing. A longer first sentence is drawn again, and cut when that happens too often.
TokenRange Pretraining::random_next(std::int64_t own_document, std::int64_t limit,
                                    SampleRandom& random) const {
  const std::int64_t documents = range_.last - range_.first;
  TokenRange chosen;
  for (int tries = 0; tries < kTriesForWholeSentence; ++tries) {
    const std::int64_t step = 1 + random.below(documents - 1);  // never returns to its own document
    const std::int64_t document = range_.first + (own_document - range_.first + step) % documents;
    const std::int64_t begin = corpus_->first_sentence(document);
    const std::int64_t end = corpus_->first_sentence(document + 1);
    refuse_outside(begin >= 0 && begin < end && end <= corpus_->sentences());
    std::int64_t sentence = begin + random.below(end - begin);
    chosen = {corpus_->first_token(sentence), 0};
    const auto upto = [&](std::int64_t s) { return corpus_->first_token(s + 1) - chosen.first; };
    for (; sentence < end && upto(sentence) <= limit; ++sentence) chosen.length = upto(sentence);
    if (chosen.length > 0) break;
  }
  if (chosen.length == 0) chosen.length = limit;
  refuse_outside(chosen.first >= 0 && chosen.length > 0 &&
                 chosen.first + chosen.length <= corpus_->tokens());
  return chosen;
}

// Writes [CLS] A [SEP] B [SEP]; returns the positions that may be masked. Special tokens that a
// corpus spells out ("[SEP]") are not masked either, unless there is nothing else.
std::vector<std::int64_t> Pretraining::write_tokens(const Pair& pair, SampleSlot slot) const {
  const SpecialTokens& special = corpus_->special();
  const auto ids = ints(slot[kInputIds]);
  std::vector<std::int64_t> ordinary;
  std::vector<std::int64_t> spelled_out;
  std::size_t at = 0;
  ids[at++] = special.classify;
  for (const auto* part : {&pair.a, &pair.b}) {
    const std::size_t begin = at;
    for (std::int64_t i = part->first; i < part->first + part->length; ++i) {
      const std::int32_t id = corpus_->token(i);
      const bool is_special = id == special.pad || id == special.classify ||
                              id == special.separate || id == special.mask;
      (is_special ? spelled_out : ordinary).push_back(static_cast<std::int64_t>(at));
      ids[at++] = id;
    }
    ids[at++] = special.separate;
    if (part != &pair.b) continue;
    const auto types = ints(slot[kTypes]);
    std::fill(types.begin() + static_cast<std::ptrdiff_t>(begin),
              types.begin() + static_cast<std::ptrdiff_t>(at), 1);
  }
  const auto attention = ints(slot[kAttention]);
  std::fill_n(attention.begin(), at, 1);
  std::fill(ids.begin() + static_cast<std::ptrdiff_t>(at), ids.end(), special.pad);
  return ordinary.empty() ? spelled_out : ordinary;
}

void Pretraining::mask(std::vector<std::int64_t> maskable, std::int64_t count, SampleRandom& random,
                       SampleSlot slot) const {
  const auto n =
      static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(maskable.size())));
  for (std::size_t i = 0; i < n; ++i) {  // the first n steps of a shuffle
    const auto rest = static_cast<std::int64_t>(maskable.size() - i);
    std::swap(maskable[i], maskable[i + static_cast<std::size_t>(random.below(rest))]);
  }
  std::sort(maskable.begin(), maskable.begin() + static_cast<std::ptrdiff_t>(n));
  const auto ids = ints(slot[kInputIds]);
  ints(slot[kCount])[0] = static_cast<std::int64_t>(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t& id = ids[static_cast<std::size_t>(maskable[i])];
    ints(slot[kPositions])[i] = maskable[i];
    ints(slot[kLabels])[i] = id;
    const double choice = random.uniform();
    if (choice < 0.8) {
      id = corpus_->special().mask;
    } else if (choice < 0.9) {
      id = random.below(corpus_->vocabulary_size());
    }
  }
}

// Moves the masked slots together to one list, row by row, in their buffers (which may be pinned);
// masked_count is dropped.
HostBatch Pretraining::collate(HostBatch batch) const {
  corpus_->refuse_if_changed();
  auto& positions = batch.fields[kPositions];
  auto& labels = batch.fields[kLabels];
  const auto from_positions = positions.as<std::int64_t>();
  const auto from_labels = labels.as<std::int64_t>();
  const auto counts = batch.fields[kCount].as<std::int64_t>();
  const std::size_t most = counts.empty() ? 0 : from_positions.size() / counts.size();
  std::size_t to = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts[row]); ++i, ++to) {
      from_positions[to] =
          from_positions[row * most + i] + static_cast<std::int64_t>(row) * length_;
      from_labels[to] = from_labels[row * most + i];
    }
  }
  const std::size_t full = filled_up(to, from_positions.size(), masked_multiple_);
  std::ranges::fill(from_positions.subspan(to, full - to), 0);
  std::ranges::fill(from_labels.subspan(to, full - to), kNoLabel);
  positions.shape = labels.shape = {static_cast<std::int64_t>(full)};
  const auto attention = batch.fields[kAttention].as<std::int64_t>();
  batch.non_pad_tokens = std::count(attention.begin(), attention.end(), 1);
  batch.fields.erase(batch.fields.begin() + kCount);
  return batch;
}

std::string Pretraining::name_of(std::int64_t index) const {
  const auto token =
      static_cast<std::int64_t>(plan_.first_token.at(static_cast<std::size_t>(index)));
  const std::int64_t sentence = corpus_->sentence_of_token(token);
  const std::int64_t document = corpus_->document_of_sentence(sentence);
  return "document " + std::to_string(document + 1) + ", sentence " +
         std::to_string(sentence - corpus_->first_sentence(document) + 1);
}

}  // namespace

HeldOut hold_out(std::int64_t documents) {
  constexpr std::int64_t kFewest = 4;
  if (documents < kFewest) {
    throw bad_data("the corpus has " + std::to_string(documents) + " documents",
                   "at least 4, of which 2 are held out for evaluation",
                   "separate documents with blank lines");
  }
  const std::int64_t held =
      std::max<std::int64_t>(2, std::lrint(0.05 * static_cast<double>(documents)));
  return {{0, documents - held}, {documents - held, documents}};
}

std::unique_ptr<Dataset> open_pretraining(std::shared_ptr<const TokenCorpus> corpus,
                                          DocumentRange range, const PretrainingOptions& options,
                                          PretrainingSplit split) {
  if (options.sequence_length < kShortestSequence) {
    throw configuration("sequence_length is " + std::to_string(options.sequence_length),
                        "8 or more");
  }
  if (!(options.short_sequence_share >= 0 && options.short_sequence_share <= 1)) {
    throw configuration("short_sequence_share is " + std::to_string(options.short_sequence_share),
                        "0 to 1");
  }
  if (range.first < 0 || range.last > corpus->documents() || range.last - range.first < 2) {
    throw bad_data("documents " + std::to_string(range.first) + " to " +
                       std::to_string(range.last) + " of " + std::to_string(corpus->documents()),
                   "at least 2 documents: a random next sentence comes from another one");
  }
  auto dataset = std::make_unique<Pretraining>(std::move(corpus), range, options, split);
  if (dataset->size() == 0) {
    throw bad_data("no document has two tokens", "sentences to make pairs of");
  }
  return dataset;
}

PretrainingData open_pretraining(const std::shared_ptr<const TokenCorpus>& corpus,
                                 const PretrainingOptions& options) {
  const HeldOut held = hold_out(corpus->documents());
  return {open_pretraining(corpus, held.train, options, PretrainingSplit::kTrain),
          open_pretraining(corpus, held.evaluate, options, PretrainingSplit::kEvaluate)};
}

}  // namespace scalemark::data
