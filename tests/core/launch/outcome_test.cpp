#include "core/launch/outcome.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/launch/child_process.h"
#include "core/launch/describe.h"

namespace scalemark::launching {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

RankOutcome exited(int rank, int code, std::int64_t at_ns) {
  RankOutcome outcome;
  outcome.rank = rank;
  outcome.exit_code = code;
  outcome.ended_ns = at_ns;
  return outcome;
}

RankOutcome killed(int rank, int signal, std::int64_t at_ns) {
  RankOutcome outcome = exited(rank, 0, at_ns);
  outcome.signal = signal;
  return outcome;
}

RankOutcome saying(RankOutcome outcome, ExitCode code, std::int64_t at_ns) {
  RankError error;
  error.record.exit_code = code;
  error.monotonic_ns = at_ns;
  outcome.error = error;
  return outcome;
}

TEST(FindCause, EarliestFaultThatIsNotALostPeer) {
  EXPECT_FALSE(find_cause({exited(0, 0, 1), exited(1, 0, 2)}).has_value());
  const auto cause = find_cause({exited(0, 69, 1), exited(1, 65, 9), exited(2, 70, 8)});
  EXPECT_EQ(cause->rank, 2);
  EXPECT_EQ(cause->exit_code, 70);
  EXPECT_EQ(find_cause({exited(0, 69, 5), exited(1, 69, 3)})->rank, 1);
}

// The launcher ends the others when the first rank has failed; what they say of that is no cause.
TEST(FindCause, IsNoRankThatTheLauncherEnded) {
  RankOutcome preempted = saying(exited(1, 75, 9), ExitCode::kPreempted, 8);
  EXPECT_EQ(find_cause({exited(0, 69, 5), preempted})->rank, 1)
      << "somebody else's signal is a cause";
  preempted.ended_by_launcher = true;
  EXPECT_EQ(find_cause({exited(0, 69, 5), preempted})->rank, 0);
  RankOutcome failed = saying(exited(1, 70, 9), ExitCode::kBug, 4);
  failed.ended_by_launcher = true;
  EXPECT_EQ(find_cause({exited(0, 69, 5), failed})->rank, 1) << "it failed by itself";
}

// A rank's own error has reached the reader whole: what came before it may say more.
TEST(DescribeCause, DoesNotRepeatTheErrorOfTheRank) {
  RankOutcome refused = saying(exited(0, 78, 1), ExitCode::kConfiguration, 1);
  refused.error->record.code = "E_CONFIGURATION";
  refused.error->record.what = "--resume: workload was mlp, now linear";
  refused.last_lines = {
      "scalemark: error E_CONFIGURATION (exit 78): --resume: workload was mlp, no"};
  const auto described = [&] { return describe_cause(refused, *find_cause({refused})); };
  EXPECT_TRUE(described().ends_with(" exited with 78\n")) << described();
  refused.last_lines.insert(refused.last_lines.begin(), "a library warns");
  EXPECT_TRUE(described().ends_with(" exited with 78; its last lines:\n    a library warns\n"))
      << described();
}

TEST(WasExplained, AnEndThatAllRanksAgreeOnAndOneHasSpokenOf) {
  const auto explained = [](std::vector<RankOutcome> outcomes) {
    return was_explained(outcomes, *find_cause(outcomes));
  };
  RankOutcome spoke = exited(0, 80, 1);
  spoke.last_lines = {"scalemark: nothing fitted"};
  EXPECT_TRUE(explained({spoke, exited(1, 80, 2)}));
  EXPECT_TRUE(explained({exited(0, 2, 1), exited(1, 0, 2)})) << "a verdict";
  EXPECT_FALSE(explained({exited(0, 80, 1), exited(1, 80, 2)})) << "nobody said why";
  EXPECT_FALSE(explained({spoke, exited(1, 65, 2)}));
  EXPECT_FALSE(explained({saying(spoke, ExitCode::kOutOfMemory, 1), exited(1, 80, 2)}));
  EXPECT_FALSE(explained({spoke, killed(1, SIGKILL, 2)}));
}

TEST(FindCause, TheErrorFileSaysWhenAndWhy) {
  const auto late_exit = saying(exited(0, 82, 9 * kSecond), ExitCode::kNumerics, 1 * kSecond);
  EXPECT_EQ(find_cause({late_exit, exited(1, 70, 5 * kSecond)})->exit_code, 82);
  const auto aborted = saying(killed(0, SIGABRT, 9 * kSecond), ExitCode::kOutOfMemory, kSecond);
  const auto cause = find_cause({aborted, exited(1, 69, kSecond)});
  EXPECT_EQ(cause->exit_code, 80);
  EXPECT_FALSE(cause->silent);
}

TEST(FindCause, ASilentDeathIsACauseThatTheLauncherLearnsOfLate) {
  const auto cause =
      find_cause({saying(exited(0, 70, 2 * kSecond), ExitCode::kBug, 2 * kSecond - 1000),
                  killed(1, SIGKILL, 2 * kSecond)});
  EXPECT_EQ(cause->rank, 1);
  EXPECT_EQ(cause->exit_code, 69);
  EXPECT_TRUE(cause->silent);
}

// Under MPICH, UCX aborts a rank that was reading the memory of one that is killed; the ends of
// both reach the launcher within milliseconds, in any order.
TEST(FindCause, AnAbortFollowsTheDeathThatCameWithIt) {
  const auto cause_of = [](std::int64_t aborted_ns, std::int64_t killed_ns) {
    return find_cause({killed(0, SIGABRT, aborted_ns), killed(1, SIGKILL, killed_ns)})->rank;
  };
  EXPECT_EQ(cause_of(2 * kSecond, 2 * kSecond + 5'000'000), 1);
  EXPECT_EQ(cause_of(2 * kSecond + 5'000'000, 2 * kSecond), 1);
  EXPECT_EQ(cause_of(2 * kSecond, 3 * kSecond), 0) << "the kill came much later";
  const auto failed_over_it =
      saying(exited(1, 70, 2 * kSecond), ExitCode::kBug, 2 * kSecond - 1000);
  EXPECT_EQ(find_cause({killed(0, SIGABRT, 2 * kSecond), failed_over_it})->rank, 0);
}

TEST(FindCause, WhatTheLauncherEndedIsNoCause) {
  auto ended = killed(0, SIGKILL, 1);
  ended.ended_by_launcher = true;
  EXPECT_EQ(find_cause({ended, exited(1, 65, 9)})->rank, 1);
}

TEST(FindCause, VerdictsCountWhenNothingIsWorse) {
  EXPECT_EQ(find_cause({exited(0, 2, 9), exited(1, 1, 3)})->exit_code, 2);
  EXPECT_EQ(find_cause({exited(0, 2, 1), exited(1, 65, 9)})->exit_code, 65);
  EXPECT_EQ(find_cause({exited(0, 69, 1), exited(1, 1, 9)})->exit_code, 1);
}

// MKL ends the process with 2 where the working folder is gone: that is no verdict of ours.
TEST(ForeignEnd, IsACodeThatTheRankDidNotChoose) {
  for (const int code : {1, 2}) {
    EXPECT_FALSE(foreign_end(exited(0, code, 1), true));
    EXPECT_EQ(foreign_end(exited(3, code, 1), false)->exit_code, ExitCode::kSystem);
  }
  for (const int code : {3, 14, 127, 255}) EXPECT_TRUE(foreign_end(exited(0, code, 1), true));
  for (const int code : {0, 64, 69, 70, 84, 130})
    EXPECT_FALSE(foreign_end(exited(0, code, 1), false));
  EXPECT_FALSE(foreign_end(killed(0, SIGKILL, 1), false));
  EXPECT_FALSE(foreign_end(saying(exited(0, 2, 1), ExitCode::kBug, 1), false));
  const auto record = *foreign_end(exited(3, 2, 1), false);
  EXPECT_EQ(record.rank, 3);
  EXPECT_NE(record.what.find("exit code 2"), std::string::npos);
}

TEST(RunExitCode, ASignalExplainsWhatFollowsIt) {
  const std::vector<RankOutcome> after = {killed(0, SIGTERM, 2 * kSecond),
                                          exited(1, 69, 3 * kSecond)};
  EXPECT_EQ(run_exit_code(after, SIGTERM, kSecond), 75);
  EXPECT_EQ(run_exit_code(after, SIGUSR1, kSecond), 75);
  EXPECT_EQ(run_exit_code(after, SIGINT, kSecond), 130);
  EXPECT_EQ(run_exit_code({exited(0, 75, 9), exited(1, 65, 3)}, SIGTERM, 5), 65);
  EXPECT_EQ(run_exit_code({exited(0, 0, 9), exited(1, 0, 9)}, SIGTERM, 5), 0);
  EXPECT_EQ(run_exit_code(after, SIGHUP, kSecond), 75) << "the signal with the least number";
}

TEST(RunExitCode, RanksThatTheLauncherAloneEndedAreLost) {
  RankOutcome ended = killed(0, SIGKILL, 2);
  ended.ended_by_launcher = true;
  EXPECT_EQ(run_exit_code({ended}, 0, 0), 69);
}

TEST(RunExitCode, AReportThatCouldNotBeWrittenIsNotCalledFlushed) {
  EXPECT_EQ(run_exit_code({exited(0, 74, 9), exited(1, 75, 9)}, SIGTERM, 5), 74);
}

class ErrorFile : public ::testing::Test {
 protected:
  ErrorFile() {
    auto pattern = (std::filesystem::temp_directory_path() / "error-file-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~ErrorFile() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};

TEST_F(ErrorFile, KeepsEveryFieldAndTheFirstError) {
  auto record = bad_data("file \"a\xff\nb.jpg\"", "JPEG", "delete it").record();
  record.rank = 3;
  record.step = 1'000'000'000'000;
  record.phase = "data";
  write_error_file(folder / "e", record);
  write_error_file(folder / "e", io_error("later").record());
  const auto read = read_error_file(folder / "e");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->record.code, "E_BAD_DATA");
  EXPECT_EQ(read->record.exit_code, ExitCode::kBadData);
  EXPECT_EQ(read->record.domain, ErrorDomain::kData);
  EXPECT_EQ(read->record.what, "file \"a\uFFFD\nb.jpg\"");
  EXPECT_EQ(read->record.hint, "delete it");
  EXPECT_EQ(read->record.rank, 3);
  EXPECT_EQ(read->record.step, 1'000'000'000'000);
  EXPECT_LE(read->monotonic_ns, monotonic_now_ns());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(ErrorFile, IsReadByTheRanksBesideIt) {
  write_error_file(folder / "rank-3.json", Error({.code = "E_PEER_LOST"}).record());
  EXPECT_FALSE(cause_beside(folder / "rank-0.json")) << "a lost peer is no cause";
  write_error_file(folder / "rank-1.json", killed_record(killed(1, SIGKILL, 5)));
  write_error_file(folder / "rank-2.json", bad_data("sample 7").record());
  const auto seen = cause_beside(folder / "rank-0.json");
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->rank, 1);
  EXPECT_EQ(seen->exit_code, ExitCode::kPeerLost);
  EXPECT_EQ(cause_beside(folder / "rank-1.json")->what, "sample 7") << "not its own";
  EXPECT_FALSE(cause_beside(folder / "gone" / "rank-0.json"));
}

TEST_F(ErrorFile, RubbishIsNoError) {
  EXPECT_FALSE(read_error_file(folder / "none").has_value());
  std::ofstream(folder / "e") << "{\"code\": 7}";
  EXPECT_FALSE(read_error_file(folder / "e").has_value());
  EXPECT_THROW(write_error_file(folder / "no" / "where", {}), Error);
}

TEST_F(ErrorFile, TorchrunsForm) {
  write_torchelastic_error_file(folder / "e", bad_data("sample 7").record());
  std::ifstream file(folder / "e");
  const auto json = nlohmann::json::parse(file);
  const auto& message = json.at("message");
  EXPECT_EQ(message.at("message"), "scalemark: error E_BAD_DATA (exit 65): sample 7.");
  EXPECT_TRUE(message.at("extraInfo").at("py_callstack").is_string());
  EXPECT_GT(std::stoll(message.at("extraInfo").at("timestamp").get<std::string>()), 1'600'000'000);
}

TEST(LineRelay, PrefixesWholeLinesAndFlushesTheRest) {
  LineRelay relay("[3] ", LineRelay::Mode::kLines);
  EXPECT_EQ(relay.feed("a"), "");
  EXPECT_EQ(relay.feed("b\n\nc"), "[3] ab\n[3] \n");
  EXPECT_EQ(relay.finish(), "[3] c\n");
  EXPECT_EQ(relay.finish(), "");
}

TEST(LineRelay, RawPassesBytesAtOnceAndRemembersTheLastStateOfARedrawnLine) {
  LineRelay relay("[0] ", LineRelay::Mode::kRaw);
  EXPECT_EQ(relay.feed("\r10 %"), "\r10 %");
  EXPECT_EQ(relay.feed("\r20 %\nx"), "\r20 %\nx");
  EXPECT_EQ(relay.finish(), "");
  EXPECT_EQ(relay.last_lines(), (std::deque<std::string>{"20 %", "x"}));
}

TEST(LineRelay, CutsEndlessLinesAndKeepsFiveShortLastOnes) {
  LineRelay relay("", LineRelay::Mode::kLines);
  const std::string mebibyte(1 << 20, 'x');
  EXPECT_EQ(relay.feed(mebibyte + "yz\n"), mebibyte + "\nyz\n");
  relay.feed("1\n2\n3\n4\n" + std::string(500, '5') + "\n");
  EXPECT_EQ(relay.last_lines(),
            (std::deque<std::string>{"1", "2", "3", "4", std::string(400, '5')}));
}

TEST(Describe, SaysWhatCameFromWhere) {
  const auto lines = describe(detect({.environment = {{"RANK", "1"},
                                                      {"WORLD_SIZE", "2"},
                                                      {"LOCAL_RANK", "1"},
                                                      {"LOCAL_WORLD_SIZE", "2"},
                                                      {"MASTER_ADDR", "n1"},
                                                      {"MASTER_PORT", "29500"},
                                                      {"TORCHELASTIC_RUN_ID", "a"}}}));
  const std::vector<std::string> expected = {
      "launcher: torch",
      "rank: 1 of 2                                  from RANK, WORLD_SIZE",
      "local rank: 1 of 2                            from LOCAL_RANK, LOCAL_WORLD_SIZE",
      "node: 0 of 1                                  from rank / local_world_size, world_size / "
      "local_world_size",
      "rendezvous: n1:29500                          from MASTER_ADDR, MASTER_PORT",
      "run id: a                                     from TORCHELASTIC_RUN_ID"};
  EXPECT_EQ(lines, expected);
}

TEST(Describe, ProblemsComeInsteadOfThePlace) {
  EXPECT_EQ(describe(detect({.environment = {{"RANK", "1"}}})),
            (std::vector<std::string>{"problem: RANK is set but WORLD_SIZE is not; both or none. "
                                      "Hint: --standalone ignores them"}));
}

}  // namespace
}  // namespace scalemark::launching
