#include "data/text/sample_plan.h"

#include <algorithm>

#include "data/load/dataset.h"

namespace scalemark::data {
namespace {

class Packer {
 public:
  Packer(std::int64_t longest, double short_share) : longest_(longest), short_share_(short_share) {}

  void start(std::int64_t token) {
    begin_ = end_ = token;
    target_ = target_at(token);
  }

  // The next sentence of the document ends at `end`. A sentence longer than a sample is cut; one
  // that does not fit into the open sample closes it.
  void add_sentence(std::int64_t end) {
    if (end - begin_ > target_ && end_ > begin_) close();
    while (end - begin_ > longest_) {
      end_ = begin_ + longest_;
      close();
    }
    end_ = end;
    if (end_ - begin_ >= target_) close();
  }

  void close() {
    if (end_ - begin_ >= 2) {  // a single token cannot be cut into two parts
      plan_.first_token.push_back(static_cast<std::uint64_t>(begin_));
      plan_.length.push_back(static_cast<std::uint32_t>(end_ - begin_));
    }
    start(end_);
  }

  SamplePlan take() { return std::move(plan_); }

 private:
  std::int64_t target_at(std::int64_t token) const {
    SampleRandom random({.seed = 0, .epoch = 0, .index = token});
    if (random.uniform() >= short_share_) return longest_;
    return 2 + random.below(longest_ - 1);
  }

  std::int64_t longest_;
  double short_share_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::int64_t target_ = 0;
  SamplePlan plan_;
};

}  // namespace

SamplePlan plan_samples(const TokenCorpus& corpus, std::int64_t first_document,
                        std::int64_t last_document, std::int64_t longest, double short_share) {
  Packer packer(longest, short_share);
  for (std::int64_t document = first_document; document < last_document; ++document) {
    const std::int64_t end = corpus.first_sentence(document + 1);
    std::int64_t sentence = corpus.first_sentence(document);
    packer.start(corpus.first_token(sentence));
    for (; sentence < end; ++sentence) packer.add_sentence(corpus.first_token(sentence + 1));
    packer.close();
  }
  return packer.take();
}

}  // namespace scalemark::data
