// Phase "data": every rank reads its data before the first step. One rank of each machine reads
// what it can share with the others there, in place; a rank that waits for another's reading sees
// that it progresses. Knows no kind of data.
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

// Bytes that one process of a machine has made and the others read in place. No file could be left
// behind.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes alive

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

SharedBytes held(std::string text);
SharedBytes held(std::vector<std::byte> bytes);

// A copy in anonymous memory that nobody can change any more. Other processes of this user on this
// machine may map it while this object lives; they keep what they have mapped.
class OfferedBytes {
 public:
  // Returns nothing when the system has no such memory, or not enough of it.
  static std::optional<OfferedBytes> of(std::span<const std::byte> bytes);

  const std::string& ticket() const { return ticket_; }

 private:
  OfferedBytes(Descriptor memory, std::string ticket);

  Descriptor memory_;
  std::string ticket_;
};

// Returns nothing when the ticket's bytes cannot be reached from here (another machine, another
// container), or are not those that were offered.
std::optional<SharedBytes> take_offered(const std::string& ticket);

// The way in which reading data is shared among ranks. This base class serves a rank that reads
// everything itself and for which nobody waits.
class DataAccess {
 public:
  virtual ~DataAccess() = default;

  // Long work calls this often, as a sign of life.
  virtual void still_reading() {}

  // `for_others`: whether other ranks may take what it makes.
  using Make = std::function<SharedBytes(bool for_others)>;

  // Returns what `make` returns; one rank of the machine alone calls `make`. `what` names the
  // result: the same for ranks that read the same. Throws what `make` throws, also on the ranks
  // that wait for it.
  virtual SharedBytes once_per_node(const std::string& /*what*/, const Make& make) {
    return make(false);
  }

  // Makes it once for the whole run, and waits for it on the other machines, which receive a copy:
  // it is for lists, not for data. Call it within once_per_node(), else each rank takes a copy. The
  // caller finds out whether what another machine made is right here.
  virtual SharedBytes once_per_run(const std::string& /*what*/, const Make& make) {
    return make(false);
  }

  // Returns how many ranks share what one of them makes. The others wait, so the maker may use the
  // threads of all.
  virtual int ranks_here() const { return 1; }
};

class DataPhase final : public DataAccess {
 public:
  // Enters the phase: from now on no more than its timeout may pass between two signs of life, of
  // this rank or of any rank for which it waits.
  DataPhase(RankProcess& rank_process, RankContext& context);

  void still_reading() override;
  SharedBytes once_per_node(const std::string& what, const Make& make) override;
  SharedBytes once_per_run(const std::string& what, const Make& make) override;
  int ranks_here() const override { return context_.world().local_world_size; }

  // Returns when every rank of the world has read its data, so that later phases may rely on peers
  // to answer. Throws the fault of a rank that could not read.
  void finish();

 private:
  bool is_first(const std::string& key);  // whether no other rank has asked that before
  void await(const std::string& key);

  RankProcess& rank_process_;
  RankContext& context_;
  std::chrono::milliseconds heartbeat_period_;
  std::chrono::steady_clock::time_point next_heartbeat_{};
  std::vector<OfferedBytes> offered_;
  std::vector<std::string> sent_;  // keys of what other machines take from the store
};

}  // namespace scalemark::process
