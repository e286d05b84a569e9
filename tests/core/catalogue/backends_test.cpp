#include "core/catalogue/backends.h"

#include <gtest/gtest.h>

#include "core/catalogue/memory.h"

namespace scalemark::catalogue {
namespace {

TEST(Backends, DefaultsFollowTheDevice) {
  EXPECT_EQ(default_backend(true), "nccl");
  EXPECT_EQ(default_backend(false), "gloo");
  EXPECT_TRUE(needs_one_rank_per_gpu("nccl"));
  EXPECT_FALSE(needs_one_rank_per_gpu("gloo"));
  EXPECT_FALSE(needs_one_rank_per_gpu("of another version"));
  EXPECT_EQ(find_backend("of another version"), nullptr);
}

TEST(Backends, MpiNeedsRanksOfItsOwnLauncherAndNoGpu) {
  EXPECT_TRUE(needs_mpi_ranks("mpi"));
  EXPECT_TRUE(is_cpu_only("mpi"));
  for (const char* other : {"gloo", "nccl", "of another version"}) {
    EXPECT_FALSE(needs_mpi_ranks(other));
    EXPECT_FALSE(is_cpu_only(other));
  }
}

TEST(Optimizers, KeepStateOfTheParametersSize) {
  EXPECT_EQ(state_copies("sgd", 0), 0);
  EXPECT_EQ(state_copies("sgd", 0.9), 1);
  EXPECT_EQ(state_copies("lars", 0.9), 1);
  for (const char* name : {"adam", "adamw", "lamb"}) EXPECT_EQ(state_copies(name, 0), 2);
}

}  // namespace
}  // namespace scalemark::catalogue
