// Phase "data": what every rank reads before the first step. One rank of each machine reads what it
// can hand over to the others there, in place; whoever waits for another's reading knows that it
// goes on. Knows no kind of data.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "engine/process/rank_context.h"
#include "engine/process/rank_process.h"

namespace scalemark::process {

// Bytes that one process of a machine has made and the others read in place, without a file that
// could be left behind.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps them alive

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

SharedBytes held(std::string text);
SharedBytes held(std::vector<std::byte> bytes);

// A copy in anonymous memory that nobody can change any more. Other processes of this user on this
// machine may take it while this object lives; what they have taken stays theirs.
class OfferedBytes {
 public:
  // Empty when the system has no such memory, or not enough of it.
  static std::optional<OfferedBytes> of(std::span<const std::byte> bytes);

  const std::string& ticket() const { return ticket_; }

 private:
  OfferedBytes(Descriptor memory, std::string ticket);

  Descriptor memory_;
  std::string ticket_;
};

// Empty when the ticket's bytes cannot be reached from here (another machine, another container),
// or are not those that were offered.
std::optional<SharedBytes> take_offered(const std::string& ticket);

// Reading data asks this of whoever has it done. By itself it serves a rank that reads everything
// itself and whom nobody waits for.
class DataAccess {
 public:
  virtual ~DataAccess() = default;

  // A sign of life: called often by what takes long.
  virtual void still_reading() {}

  // Returns what `make` returns, made by one rank of the machine alone. `what` names it: the same
  // for ranks that read the same. Throws what `make` throws, on the ranks that wait for it, too.
  virtual SharedBytes once_per_node(const std::string& /*what*/,
                                    const std::function<SharedBytes()>& make) {
    return make();
  }

  // How many ranks wait for what one of them makes: so many times its threads are free.
  virtual int ranks_here() const { return 1; }
};

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
  std::chrono::milliseconds heartbeat_period_;
  std::chrono::steady_clock::time_point next_heartbeat_{};
  std::vector<OfferedBytes> offered_;
};

}  // namespace scalemark::process
