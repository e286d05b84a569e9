#include "data/text/pretraining.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "data/text/corpus.h"
#include "data/text/generate.h"
#include "data/text/sample_plan.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

using Ints = std::vector<std::int64_t>;
using Samples = std::vector<std::vector<Ints>>;  // sample -> field -> values

// One slot, poisoned: load() has to write every byte of it.
std::vector<Ints> load(const Dataset& dataset, const SampleKey& key, int poison = 0xa5) {
  std::vector<Ints> values;
  for (const FieldSpec& field : dataset.fields()) {
    values.emplace_back(field.bytes_per_sample() / sizeof(std::int64_t));
    std::memset(values.back().data(), poison, field.bytes_per_sample());
  }
  std::vector<std::span<std::byte>> slot;
  for (Ints& v : values) slot.push_back(std::as_writable_bytes(std::span(v)));
  dataset.load(key, slot);
  return values;
}

struct Sample {
  Ints ids, types, attention, positions, labels;
  bool random_next;
};

Sample load_sample(const Dataset& dataset, const SampleKey& key) {
  auto v = load(dataset, key);
  const auto count = static_cast<std::size_t>(v[5][0]);
  v[3].resize(count);
  v[4].resize(count);
  return {v[0], v[1], v[2], v[3], v[4], v[6][0] == 1};
}

Ints unmasked(const Sample& sample) {
  Ints ids = sample.ids;
  for (std::size_t i = 0; i < sample.positions.size(); ++i) {
    ids[static_cast<std::size_t>(sample.positions[i])] = sample.labels[i];
  }
  return ids;
}

class PretrainingTest : public ::testing::Test {
 protected:
  PretrainingTest() {
    const auto made = generate_text({.dir = folder.path(), .samples = 300});
    corpus = open_corpus(made.corpus, made.vocab, false);
    special = corpus->special();
  }
  std::unique_ptr<Dataset> open(std::int64_t length, DocumentRange range = {0, 300},
                                PretrainingSplit split = PretrainingSplit::kTrain) const {
    return open_pretraining(corpus, range, {.sequence_length = length}, split);
  }
  Ints tokens(std::int64_t first, std::int64_t length) const {
    Ints ids;
    for (std::int64_t i = first; i < first + length; ++i) ids.push_back(corpus->token(i));
    return ids;
  }

  TemporaryFolder folder;
  std::shared_ptr<const TokenCorpus> corpus;
  SpecialTokens special;
};

TEST_F(PretrainingTest, ThePlanCoversTheDocumentsOnceAndInOrder) {
  for (const std::int64_t longest : {5, 29, 125, 509}) {
    const SamplePlan plan = plan_samples(*corpus, 0, 300, longest, 0.1);
    std::int64_t covered = 0, at = 0;
    for (std::size_t i = 0; i < plan.first_token.size(); ++i) {
      const auto first = static_cast<std::int64_t>(plan.first_token[i]);
      const auto last = first + plan.length[i] - 1;
      ASSERT_GE(first, at);
      ASSERT_LE(plan.length[i], longest);
      ASSERT_GE(plan.length[i], 2);
      const auto document = [&](std::int64_t token) {
        return corpus->document_of_sentence(corpus->sentence_of_token(token));
      };
      ASSERT_EQ(document(first), document(last));
      covered += plan.length[i];
      at = last + 1;
    }
    EXPECT_GT(covered, 0.97 * static_cast<double>(corpus->tokens())) << longest;
  }
}

TEST_F(PretrainingTest, EverySampleIsAPairWithRealPadding) {
  const auto dataset = open(64);
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    const Sample s = load_sample(*dataset, {1, 0, i});
    const Ints ids = unmasked(s);
    const auto total =
        static_cast<std::size_t>(std::count(s.attention.begin(), s.attention.end(), 1));
    ASSERT_EQ(ids[0], special.classify);
    ASSERT_EQ(ids[total - 1], special.separate);
    ASSERT_EQ(std::count(ids.begin(), ids.end(), special.separate), 2);
    const auto first_end =
        static_cast<std::size_t>(std::find(ids.begin(), ids.end(), special.separate) - ids.begin());
    ASSERT_GT(first_end, 1u);         // A is not empty
    ASSERT_LT(first_end + 2, total);  // nor is B
    for (std::size_t p = 0; p < ids.size(); ++p) {
      ASSERT_EQ(s.attention[p], p < total);
      ASSERT_EQ(s.types[p], p > first_end && p < total);
      ASSERT_EQ(ids[p] == special.pad, p >= total);
    }
  }
}

TEST_F(PretrainingTest, NextSentencesAreHalfTrueAndSaySo) {
  const auto dataset = open(64);
  const SamplePlan plan = plan_samples(*corpus, 0, 300, 61, 0.1);
  ASSERT_EQ(dataset->size(), plan.size());
  std::int64_t random_next = 0, true_tokens = 0, random_tokens = 0;
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    const Sample s = load_sample(*dataset, {1, 0, i});
    const Ints ids = unmasked(s);
    const auto at = static_cast<std::size_t>(i);
    Ints text;
    const auto total = std::count(s.attention.begin(), s.attention.end(), 1);
    for (const auto id : Ints(ids.begin() + 1, ids.begin() + total)) {
      if (id != special.separate) text.push_back(id);
    }
    const Ints whole = tokens(static_cast<std::int64_t>(plan.first_token[at]), plan.length[at]);
    ASSERT_EQ(text == whole, !s.random_next) << i;
    const auto a_length = std::find(ids.begin(), ids.end(), special.separate) - ids.begin() - 1;
    ASSERT_TRUE(std::equal(text.begin(), text.begin() + a_length, whole.begin()));
    ASSERT_LE(text.size(), whole.size());
    random_next += s.random_next;
    (s.random_next ? random_tokens : true_tokens) += static_cast<std::int64_t>(text.size());
  }
  const auto n = static_cast<double>(dataset->size());
  EXPECT_NEAR(static_cast<double>(random_next), n / 2, 4 * std::sqrt(n) / 2);
  // The length gives little away: the random pairs are at most 15 % shorter.
  EXPECT_GT(static_cast<double>(random_tokens) / static_cast<double>(random_next),
            0.85 * static_cast<double>(true_tokens) / (n - static_cast<double>(random_next)));
}

TEST_F(PretrainingTest, MaskingCountsAndShares) {
  const auto dataset = open(128);
  std::int64_t masked = 0, as_mask = 0, same = 0;
  std::map<std::int64_t, std::int64_t> replacements;
  for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
    for (std::int64_t i = 0; i < dataset->size(); ++i) {
      const Sample s = load_sample(*dataset, {7, epoch, i});
      const auto total = std::count(s.attention.begin(), s.attention.end(), 1);
      const auto expected = std::max(1L, std::lrint(0.15 * static_cast<double>(total)));
      ASSERT_EQ(static_cast<std::int64_t>(s.positions.size()), expected);
      ASSERT_TRUE(std::is_sorted(s.positions.begin(), s.positions.end(), std::less_equal<>()));
      for (std::size_t k = 0; k < s.positions.size(); ++k) {
        const std::int64_t now = s.ids[static_cast<std::size_t>(s.positions[k])];
        ASSERT_TRUE(s.labels[k] > special.mask) << "a special token was masked";
        ++masked;
        as_mask += now == special.mask;
        same += now == s.labels[k];
        if (now != special.mask && now != s.labels[k]) ++replacements[now];
      }
    }
  }
  const auto n = static_cast<double>(masked);
  const auto within = [n](std::int64_t count, double share) {
    EXPECT_NEAR(static_cast<double>(count) / n, share, 4 * std::sqrt(share * (1 - share) / n));
  };
  const double by_chance = 0.1 / static_cast<double>(corpus->vocabulary_size());
  within(as_mask, 0.8 + by_chance);  // a random token may be [MASK] or the token itself
  within(same, 0.1 + by_chance);
  EXPECT_GT(replacements.size(), 0.9 * static_cast<double>(corpus->vocabulary_size()));
}

TEST_F(PretrainingTest, TheKeyAloneDecidesASampleInAnyThread) {
  const auto dataset = open(64);
  const std::int64_t n = std::min<std::int64_t>(dataset->size(), 200);
  const auto draw = [&](SampleKey key, int poison) {
    Samples samples;
    for (key.index = 0; key.index < n; ++key.index) samples.push_back(load(*dataset, key, poison));
    return samples;
  };
  const Samples reference = draw({1, 3, 0}, 0);
  Samples results[3];
  {
    std::vector<std::jthread> threads;
    for (auto& r : results) threads.emplace_back([&] { r = draw({1, 3, 0}, 0xff); });
  }
  for (const auto& r : results) EXPECT_EQ(r, reference);
  EXPECT_EQ(
      [&] {
        const auto again = open(64);
        return load(*again, {1, 3, 5});
      }(),
      reference[5]);
  EXPECT_NE(draw({1, 4, 0}, 0), reference);
  EXPECT_NE(draw({2, 3, 0}, 0), reference);
}

TEST_F(PretrainingTest, EvaluationIsTheSameInEveryEpochAndForEverySeed) {
  const auto dataset = open(64, {280, 300}, PretrainingSplit::kEvaluate);
  EXPECT_EQ(load(*dataset, {1, 0, 3}), load(*dataset, {2, 9, 3}));
  EXPECT_NE(load(*dataset, {1, 0, 3}), load(*dataset, {1, 0, 4}));
}

// Rows 0, 7 and 14 of `dataset`, as a loader lays them out.
HostBatch three_rows(const Dataset& dataset) {
  HostBatch batch{.samples = 3};
  for (const FieldSpec& field : dataset.fields()) {
    std::vector<std::int64_t> shape = {3};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    batch.fields.push_back(
        {field.name, field.dtype, shape, allocate_host(3 * field.bytes_per_sample())});
  }
  for (std::int64_t row = 0; row < 3; ++row) {
    std::vector<std::span<std::byte>> slot;
    for (const HostField& field : batch.fields) {
      const auto all = field.as<std::int64_t>();
      slot.push_back(std::as_writable_bytes(
          all.subspan(static_cast<std::size_t>(row) * all.size() / 3, all.size() / 3)));
    }
    dataset.load({1, 0, row * 7}, slot);
  }
  return batch;
}

Ints values(const HostBatch& batch, const char* name) {
  const auto v = batch.field(name).as<std::int64_t>();
  return Ints(v.begin(), v.end());
}

TEST_F(PretrainingTest, CollateFillsTheMaskedListUpAsFarAsThereIsRoom) {
  const auto plain = open(64);
  const HostBatch exact = plain->collate(three_rows(*plain));
  const Ints positions = values(exact, "masked_positions"), labels = values(exact, "masked_labels");
  const std::size_t count = positions.size();
  ASSERT_GT(count, 16u);
  ASSERT_LE(count, 30u);  // room for 3 x 10
  for (const std::size_t multiple : {8u, 64u}) {
    const auto filled = open_pretraining(
        corpus, {0, 300},
        {.sequence_length = 64, .masked_multiple = static_cast<std::int64_t>(multiple)},
        PretrainingSplit::kTrain);
    const HostBatch batch = filled->collate(three_rows(*filled));
    const std::size_t full =
        std::min<std::size_t>((count + multiple - 1) / multiple * multiple, 30);
    Ints more_positions = positions, more_labels = labels;
    more_positions.resize(full, 0);
    more_labels.resize(full, kNoLabel);
    EXPECT_EQ(values(batch, "masked_positions"), more_positions);
    EXPECT_EQ(values(batch, "masked_labels"), more_labels);
    EXPECT_EQ(batch.non_pad_tokens, exact.non_pad_tokens);
  }
}

TEST_F(PretrainingTest, CollateFlattensWhatIsMasked) {
  const auto dataset = open(64);
  Ints positions, labels;
  std::int64_t non_pad = 0;
  for (std::int64_t row = 0; row < 3; ++row) {
    const Sample s = load_sample(*dataset, {1, 0, row * 7});
    for (const auto p : s.positions) positions.push_back(p + row * 64);
    labels.insert(labels.end(), s.labels.begin(), s.labels.end());
    non_pad += std::count(s.attention.begin(), s.attention.end(), 1);
  }
  const HostBatch flat = dataset->collate(three_rows(*dataset));
  EXPECT_EQ(values(flat, "masked_positions"), positions);
  EXPECT_EQ(values(flat, "masked_labels"), labels);
  EXPECT_EQ(flat.non_pad_tokens, non_pad);
  std::set<std::string> names;
  for (const auto& field : flat.fields) names.insert(field.name);
  EXPECT_EQ(names,
            (std::set<std::string>{"input_ids", "token_type_ids", "attention_mask",
                                   "masked_positions", "masked_labels", "next_sentence_label"}));
}

// Each document says one word of its own: no sample of one split may hold a word of the other.
TEST(Pretraining, HeldOutDocumentsDoNotLeak) {
  const TemporaryFolder folder;
  std::string vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", text;
  constexpr std::int64_t kDocuments = 60;
  for (std::int64_t d = 0; d < kDocuments; ++d) {
    const std::string word = std::string("w").append(std::to_string(d));
    vocab.append(word).append("\n");
    for (int line = 0; line < 9; ++line) text.append(word).append(" ").append(word).append("\n");
    text += '\n';
  }
  const std::shared_ptr<const TokenCorpus> corpus =
      open_corpus(folder.write("text", text), folder.write("vocab.txt", vocab), false);
  const PretrainingData data = open_pretraining(corpus, {.sequence_length = 16});
  const auto documents_in = [](const Dataset& dataset) {
    std::set<std::int64_t> seen;
    for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
      for (std::int64_t i = 0; i < dataset.size(); ++i) {
        for (const auto id : unmasked(load_sample(dataset, {1, epoch, i}))) {
          if (id > 4) seen.insert(id - 5);
        }
      }
    }
    return seen;
  };
  std::set<std::int64_t> first, last;
  for (std::int64_t d = 0; d < kDocuments; ++d) (d < 57 ? first : last).insert(d);
  EXPECT_EQ(documents_in(*data.train), first);
  EXPECT_EQ(documents_in(*data.evaluate), last);
  EXPECT_EQ(data.train->name_of(0), "document 1, sentence 1");
  EXPECT_EQ(data.evaluate->name_of(0), "document 58, sentence 1");
}

TEST(Pretraining, HoldOutIsFivePercentAndAtLeastTwo) {
  const auto held = [](std::int64_t n) {
    return hold_out(n).evaluate.last - hold_out(n).evaluate.first;
  };
  EXPECT_EQ(held(4), 2);
  EXPECT_EQ(held(60), 3);
  EXPECT_EQ(held(1000), 50);
  EXPECT_EQ(hold_out(1000).train.last, 950);
  EXPECT_EQ(error_of([] { hold_out(3); }).exit_code, ExitCode::kBadData);
}

// A corpus may hold one-word documents, sentences far longer than a sample, and documents of
// nothing but spelled-out special tokens.
TEST(Pretraining, OddCorporaGiveWholeSamples) {
  const TemporaryFolder folder;
  const auto vocab = folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
  std::string text = "a\n\n[SEP] [PAD]\n\na a\n\n";
  for (int i = 0; i < 1000; ++i) text += "a ";
  const std::shared_ptr<const TokenCorpus> corpus =
      open_corpus(folder.write("text", text), vocab, false);
  for (const std::int64_t length : {8, 9, 64}) {
    const auto dataset = open_pretraining(corpus, {0, corpus->documents()},
                                          {.sequence_length = length}, PretrainingSplit::kTrain);
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
      for (std::int64_t i = 0; i < dataset->size(); ++i) {
        const Sample s = load_sample(*dataset, {3, epoch, i});
        ASSERT_GE(s.positions.size(), 1u);
        const auto total = std::count(s.attention.begin(), s.attention.end(), 1);
        ASSERT_GE(total, 5);
        for (const auto p : s.positions) ASSERT_TRUE(p > 0 && p < total - 1);
      }
    }
  }
  const auto refusal = [&](DocumentRange range, std::int64_t length) {
    return error_of([&] {
             open_pretraining(corpus, range, {.sequence_length = length}, PretrainingSplit::kTrain);
           })
        .exit_code;
  };
  EXPECT_EQ(refusal({0, 4}, 7), ExitCode::kConfiguration);
  EXPECT_EQ(refusal({0, 1}, 64), ExitCode::kBadData);
  EXPECT_EQ(refusal({0, 5}, 64), ExitCode::kBadData);
}

}  // namespace
}  // namespace scalemark::data
