// Phase "data": what every rank reads before the first step. One rank of each machine reads what it
// can hand over to the others there; whoever waits for another's reading knows that it goes on.
// Knows no kind of data.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/process/data_access.h"
#include "engine/process/rank_context.h"
#include "engine/process/rank_process.h"

namespace scalemark::process {

class DataPhase final : public DataAccess {
 public:
  // Enters the phase: from now on no more than its timeout may pass between two signs of life, this
  // rank's or that of any rank it waits for.
  DataPhase(RankProcess& rank_process, RankContext& context);

  void still_reading() override;
  SharedBytes once_per_node(const std::string& what,
                            const std::function<SharedBytes()>& make) override;
  int ranks_here() const override { return context_.world().local_world_size; }

  // Returns when every rank of the world has read its data: what follows may count on peers that
  // answer. Throws the fault of one that could not.
  void finish();

 private:
  void await(const std::string& key);

  RankProcess& rank_process_;
  RankContext& context_;
  std::chrono::milliseconds beat_period_;
  std::chrono::steady_clock::time_point next_beat_{};
  std::vector<OfferedBytes> offered_;
};

}  // namespace scalemark::process
