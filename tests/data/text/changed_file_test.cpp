// A token file that somebody changes while it is read: `cp new.tokens tokens` in another terminal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/base/error.h"
#include "data/load/loader.h"
#include "data/text/corpus.h"
#include "data/text/generate.h"
#include "data/text/pretraining.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

class ChangedFile : public ::testing::Test {
 protected:
  ChangedFile() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto made = generate_text({.dir = (folder / "text").string(), .samples = 400});
    tokenize_corpus({.input = made.corpus, .vocab = made.vocab, .output = file});
  }

  // Batches until something ends it; `change` comes after the third.
  void read_while(const std::function<void()>& change) const {
    std::shared_ptr<const TokenCorpus> corpus = map_token_file(file);
    const auto dataset = open_pretraining(corpus, {0, corpus->documents()}, {.sequence_length = 64},
                                          PretrainingSplit::kTrain);
    const auto order = sample_indices({.dataset_size = dataset->size()}, 0);
    Loader loader(*dataset, order, 0, {.batch_size = 4, .workers = 2});
    for (int batch = 0; batch < 20; ++batch) {
      if (batch == 3) change();
      loader.next();
    }
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "it.tokens";
};

// A worker that reads the lost pages ends the process; where the batches that are already done are
// enough, the next one's check of the file throws what the program ends with.
TEST_F(ChangedFile, CutShortEndsTheProcessWithOneLineThatNamesIt) {
  EXPECT_EXIT(
      {
        try {
          read_while([&] {
            ASSERT_EQ(::truncate(file.c_str(), 0), 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
          });
        } catch (const Error& error) {
          std::fprintf(stderr, "%s\n", format_error_line(error.record()).c_str());
          ::_exit(static_cast<int>(error.record().exit_code));
        }
      },
      ::testing::ExitedWithCode(74),
      "error E_IO \\(exit 74\\): token file .*it.tokens (can no longer be read|was changed)");
}

TEST_F(ChangedFile, TheActIsCalledInsteadOfTheLine) {
  on_lost_mapping([](const ErrorRecord& record) {
    std::fprintf(stderr, "act: %s\n", record.what.c_str());
    ::_exit(33);
  });
  EXPECT_EXIT(
      {
        const auto corpus = map_token_file(file);
        ASSERT_EQ(::truncate(file.c_str(), 0), 0);
        std::fprintf(stderr, "%d", corpus->token(0));
      },
      ::testing::ExitedWithCode(33), "act: token file .*it.tokens can no longer be read");
  on_lost_mapping({});
}

TEST_F(ChangedFile, OverwrittenInPlaceIsNoticedWithTheNextBatch) {
  const std::string other(read_file(file).size(), '\x5a');
  const auto refused = error_of(
      [&] { read_while([&] { std::fstream(file, std::ios::in | std::ios::out) << other; }); });
  EXPECT_EQ(refused.code, "E_IO");
  EXPECT_NE(refused.what.find("it.tokens was changed while it was in use"), std::string::npos);
}

TEST_F(ChangedFile, ANewFileOfTheSameNameIsNoChange) {
  const auto next = folder.write("next", "something else");
  read_while([&] { std::filesystem::rename(next, file); });
  EXPECT_EQ(read_file(file), "something else");
}

// Somebody else's SIGBUS stays one.
TEST_F(ChangedFile, OtherAddressesDieAsBefore) {
  EXPECT_EXIT(
      {
        const auto corpus = map_token_file(file);
        ::raise(SIGBUS);
      },
      ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace scalemark::data
