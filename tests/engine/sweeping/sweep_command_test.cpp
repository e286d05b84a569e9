#include "engine/sweeping/sweep_command.h"

#include <gtest/gtest.h>

namespace scalemark::sweeping {
namespace {

TEST(SweepCommand, ATaskALookAndTheFingerprintAreToldApart) {
  planning::Task task;
  task.run.id = "p0/r1";
  task.run.block = 3;
  task.attempt = 2;
  const auto run = decode_sweep_command(encode(SweepCommand{.task = task}));
  ASSERT_TRUE(run.task);
  EXPECT_EQ(run.task->run.id, "p0/r1");
  EXPECT_EQ(run.task->run.block, 3);
  EXPECT_EQ(run.task->attempt, 2);
  EXPECT_FALSE(run.quiet_check);

  const auto look = decode_sweep_command(encode(SweepCommand{.task = {}, .quiet_check = true}));
  EXPECT_TRUE(look.quiet_check);
  EXPECT_FALSE(look.task);

  for (const auto part : {FingerprintPart::kMachine, FingerprintPart::kExchange}) {
    const auto asked = decode_sweep_command(encode(SweepCommand{.task = {}, .fingerprint = part}));
    EXPECT_EQ(asked.fingerprint, part);
    EXPECT_FALSE(asked.task);
    EXPECT_FALSE(asked.quiet_check);
  }
}

}  // namespace
}  // namespace scalemark::sweeping
