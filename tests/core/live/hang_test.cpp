#include "core/live/hang.h"

#include <gtest/gtest.h>

#include "core/base/wire.h"

namespace scalemark::live {
namespace {

using monitoring::ProcessStanding;
using monitoring::Stacks;
using monitoring::ThreadStack;

ThreadStack thread(const std::string& name, const std::vector<std::string>& functions) {
  ThreadStack made{.id = 1, .name = name, .answered = true, .standing = {}, .frames = {}};
  for (const std::string& function : functions) made.frames.push_back({function, "libx.so+0x1"});
  return made;
}

Stacks stacks(const std::vector<std::string>& of_main) {
  return {
      .untaken = {},
      .threads = {thread("scalemark", of_main), thread("pt_gloo", {"epoll_wait", "gloo::Loop"})},
      .left_out = 0,
      .build_ids = {{"libx.so", "abcd"}}};
}

StandingRank rank(int number, bool late, std::optional<ProcessStanding> process,
                  std::optional<Stacks> its) {
  return {.rank = number,
          .host = "n7",
          .pid = 4711,
          .is_late = late,
          .phase = "window",
          .step = 340,
          .collectives = 357,
          .process = std::move(process),
          .stacks = std::move(its)};
}

const Stacks kAllreduce = stacks({"pthread_cond_wait", "gloo::transport::wait(int)",
                                  "gloo::allreduce(gloo::AllreduceOptions const&)",
                                  "scalemark::running::run(scalemark::data::Batch)"});

TEST(HangKinds, TellWhoHasToAct) {
  struct Case {
    StandingRank rank;
    HangKind kind;
    ErrorDomain domain;
  };
  const auto asleep = [](const char* where) {
    return ProcessStanding{ProcessState::kInKernel, where};
  };
  const ProcessStanding stopped{ProcessState::kStopped, {}}, gone{ProcessState::kGone, {}},
      sleeps{ProcessState::kSleeps, {}};
  const Stacks reading = stacks({"pthread_cond_wait", "scalemark::data::Loader::next()", "main"});
  const Stacks elsewhere = stacks({"sgemm", "at::mm(at::Tensor const&)", "main"});
  const Case cases[] = {
      {rank(1, true, stopped, std::nullopt), HangKind::kStopped, ErrorDomain::kLaunch},
      {rank(1, true, gone, std::nullopt), HangKind::kGone, ErrorDomain::kSoftware},
      {rank(1, true, asleep("nfs_wait_bit_killable"), std::nullopt), HangKind::kFileSystem,
       ErrorDomain::kData},
      {rank(1, true, asleep("ptlrpc_set_wait"), std::nullopt), HangKind::kFileSystem,
       ErrorDomain::kData},
      {rank(1, true, asleep("folio_wait_bit"), std::nullopt), HangKind::kFileSystem,
       ErrorDomain::kData},
      {rank(1, true, asleep("nvidia_ioctl"), std::nullopt), HangKind::kDriver,
       ErrorDomain::kHardware},
      {rank(1, true, sleeps, reading), HangKind::kReads, ErrorDomain::kData},
      {rank(1, true, std::nullopt, elsewhere), HangKind::kBusy, ErrorDomain::kSoftware},
      {rank(1, true, sleeps, std::nullopt), HangKind::kBusy, ErrorDomain::kSoftware},
      {rank(1, true, std::nullopt, std::nullopt), HangKind::kSilent, ErrorDomain::kNetwork},
      {rank(0, false, std::nullopt, kAllreduce), HangKind::kWaits, ErrorDomain::kNetwork}};
  for (const Case& one : cases) {
    EXPECT_EQ(kind_of(one.rank), one.kind) << in_words(one.rank);
    EXPECT_EQ(domain_of(one.kind), one.domain) << in_words(one.rank);
  }
  EXPECT_EQ(in_words(cases[0].rank), "rank 1 (pid 4711 on n7) is stopped by a signal from outside");
  EXPECT_EQ(in_words(cases[2].rank),
            "rank 1 (pid 4711 on n7) sleeps in a file system (nfs_wait_bit_killable)");
  EXPECT_EQ(
      in_words(cases[6].rank),
      "rank 1 (pid 4711 on n7) reads data: pthread_cond_wait <- scalemark::data::Loader::next "
      "<- main");
}

TEST(HangSummary, HasTheFunctionsOfTheMainThread) {
  const HungRank summary = summary_of(rank(0, false, std::nullopt, kAllreduce));
  EXPECT_EQ(
      summary.stack,
      "pthread_cond_wait <- gloo::transport::wait <- gloo::allreduce <- scalemark::running::run");
  EXPECT_EQ(summary.step, 340);
  EXPECT_EQ(summary.collectives, 357);
  EXPECT_EQ(summary.state, ProcessState::kSleeps);
  EXPECT_EQ(summary_of(rank(0, true, std::nullopt, std::nullopt)).state, ProcessState::kUnknown);
}

TEST(HangText, TellsEqualStacksOnce) {
  const Stacks other = stacks({"read", "scalemark::data::Loader::next()", "main"});
  std::vector<StandingRank> ranks{
      rank(0, false, std::nullopt, kAllreduce), rank(1, true, std::nullopt, other),
      rank(2, false, std::nullopt, kAllreduce), rank(3, false, std::nullopt, kAllreduce)};
  const std::string text = text_of(ranks, "rank 0: no progress for 3 s", "2026-12-01T00:00:00Z");
  EXPECT_NE(text.find("  ranks 0,2-3:\n    libx.so+0x1  pthread_cond_wait\n"), text.npos) << text;
  EXPECT_NE(text.find("  rank 1:\n    libx.so+0x1  read\n"), text.npos) << text;
  EXPECT_NE(text.find("  ranks 0-3: 4 x pt_gloo\n"), text.npos) << text;
  EXPECT_NE(text.find("phase window, step 340, 357 collectives begun"), text.npos) << text;
  EXPECT_NE(text.find("  libx.so  abcd\n"), text.npos) << text;
  EXPECT_EQ(text.find("gloo::allreduce("), text.rfind("gloo::allreduce(")) << text;
}

TEST(HangNotes, FitIntoTheStore) {
  HangNote note{.rank = 1,
                .number = 1,
                .host = "n7",
                .pid = 4711,
                .phase = "window",
                .step = 1,
                .collectives = 2,
                .stacks = kAllreduce,
                .beside = {}};
  EXPECT_EQ(fitted(note), to_wire(note)) << "what fits is left as it is";
  for (int i = 0; i < 200; ++i)
    note.stacks.threads.push_back(thread("t", std::vector<std::string>(60, std::string(100, 'x'))));
  const std::string bytes = fitted(note);
  EXPECT_LE(bytes.size(), 32u << 10);
  const auto read = from_wire<HangNote>(bytes);
  EXPECT_EQ(read.stacks.threads.front().frames.size(), 4u) << "the main thread stays whole";
  EXPECT_EQ(read.stacks.left_out + static_cast<int>(read.stacks.threads.size()), 202);
}

TEST(HangNotes, TellOfTheProcessesBesideThem) {
  std::vector<StandingRank> ranks(3);
  for (int i = 0; i < 3; ++i) ranks[static_cast<std::size_t>(i)].rank = i;
  ranks[1].collectives = 358;  // a newer position than that of the note
  add_notes(ranks, {{.rank = 0,
                     .number = 1,
                     .host = "n7",
                     .pid = 10,
                     .phase = "window",
                     .step = 3,
                     .collectives = 9,
                     .stacks = kAllreduce,
                     .beside = {{1, {11, {ProcessState::kStopped, {}}}}}},
                    {.rank = 1,
                     .number = 1,
                     .host = "n7",
                     .pid = 11,
                     .phase = "window",
                     .step = 1,
                     .collectives = 357,
                     .stacks = kAllreduce,
                     .beside = {}}});
  EXPECT_EQ(ranks[0].collectives, 9);
  EXPECT_EQ(ranks[1].collectives, 358);
  EXPECT_EQ(kind_of(ranks[1]), HangKind::kStopped);
  EXPECT_EQ(ranks[1].pid, 11);
  ranks[2].is_late = true;
  EXPECT_EQ(kind_of(ranks[2]), HangKind::kSilent);
}

}  // namespace
}  // namespace scalemark::live
