// The collectives and messages of one group of ranks over MPI. MPI's own types stay inside: the
// headers of Open MPI and MPICH define the same names differently, and files that include this
// header are compiled once for both. Knows no torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace scalemark::mpi {

enum class DataType { kFloat32, kFloat64, kFloat16, kBFloat16, kInt32, kInt64, kUint8 };
enum class Operation { kSum, kMin, kMax };

std::size_t bytes_of(DataType type);

// A message on its way. Its buffer must live until the message is done.
class Request {
 public:
  virtual ~Request() = default;
  virtual bool done() = 0;
  virtual void wait() = 0;
};

// Every call is a collective of the members unless its comment says otherwise, and returns when
// this rank's part is done. Counts are elements; for a collective with parts, elements of one
// rank's part. Throws E_PEER_LOST (69) when MPI reports an error, system_error() (71) for a part of
// more than 2^31 - 1 elements.
class Communicator {
 public:
  // Collective over `members` alone, which are ranks of the world, ascending, this one included.
  explicit Communicator(const std::vector<int>& members);
  ~Communicator();  // without free(), the communicator stays until the process ends
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // The collective is in place where in == out, or where a rank's part lies at its place in the
  // other buffer.
  void all_reduce(const void* in, void* out, std::int64_t n, DataType type, Operation operation);
  void reduce(const void* in, void* out, std::int64_t n, DataType type, Operation operation,
              int root);
  void broadcast(void* data, std::int64_t n, DataType type, int root);
  void all_gather(const void* in, void* out, std::int64_t n, DataType type);
  void reduce_scatter(const void* in, void* out, std::int64_t n, DataType type,
                      Operation operation);
  void gather(const void* in, void* out, std::int64_t n, DataType type, int root);
  void scatter(const void* in, void* out, std::int64_t n, DataType type, int root);
  void all_to_all(const void* in, void* out, std::int64_t n, DataType type);
  void barrier();

  // The messages below are not collective.
  std::unique_ptr<Request> send(const void* data, std::int64_t n, DataType type, int to, int tag);
  std::unique_ptr<Request> receive(void* data, std::int64_t n, DataType type, int from, int tag);

  // Collective: gives the communicator back to MPI.
  void free();

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  int rank_ = 0, size_ = 1;
};

}  // namespace scalemark::mpi
