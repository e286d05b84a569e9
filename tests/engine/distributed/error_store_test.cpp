#include "engine/distributed/error_store.h"

#include <gtest/gtest.h>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/error.h"

namespace scalemark::distributed {
namespace {

c10::intrusive_ptr<c10d::TCPStore> tcp_store(std::uint16_t port, bool server) {
  return c10::make_intrusive<c10d::TCPStore>(
      "127.0.0.1", c10d::TCPStoreOptions{.port = port, .isServer = server, .waitWorkers = false});
}

ErrorRecord error_of_rank(int rank, std::string code) {
  ErrorRecord record = bad_data("sample 7").record();
  record.code = std::move(code);
  record.rank = rank;
  return record;
}

// Rank 0 may end between a posted error and the moment at which rank 1 reads it.
TEST(ErrorStore, ALostStoreLeavesTheLauncherToSayWhyRank0Ended) {
  auto server = tcp_store(0, true);
  ErrorStore errors(tcp_store(server->getPort(), false), 1, 2, false);
  errors.also_ask([] { return error_of_rank(0, "E_IO"); });
  EXPECT_FALSE(errors.find_cause(std::chrono::milliseconds(0)).record) << "the store has no error";

  server.reset();
  const auto cause = errors.find_cause();
  EXPECT_FALSE(cause.store_answers);
  ASSERT_TRUE(cause.record);
  EXPECT_EQ(cause.record->code, "E_IO");
  EXPECT_EQ(cause.record->rank, 0);
}

TEST(ErrorStore, AKilledRankIsReportedWhileTheStoreAnswers) {
  const auto server = tcp_store(0, true);
  ErrorStore errors(server, 0, 2, true);
  errors.also_ask([] { return error_of_rank(1, std::string(kRankKilledCode)); });
  const auto cause = errors.find_cause();
  EXPECT_TRUE(cause.store_answers);
  ASSERT_TRUE(cause.record);
  EXPECT_EQ(cause.record->rank, 1);
}

// A lost peer without a name is what a rank sees of another's end, and never the cause.
TEST(ErrorStore, ALostRankIsPostedWhereItHasANumber) {
  const auto server = tcp_store(0, true);
  ErrorStore rank_0(server, 0, 3, true), rank_1(tcp_store(server->getPort(), false), 1, 3, false);
  ErrorRecord loss = error_of_rank(0, "E_PEER_LOST");
  loss.what = "a rank was lost: rank 2 sends no heartbeat";
  rank_0.post(loss);
  EXPECT_FALSE(rank_1.has_cause());
  loss.rank = 2;
  rank_0.post(loss);
  const auto end = rank_1.own_end();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->what, loss.what);
  EXPECT_EQ(end->rank, 2);
}

}  // namespace
}  // namespace scalemark::distributed
