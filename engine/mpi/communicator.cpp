#include "engine/mpi/communicator.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "engine/mpi/mpi_check.h"

namespace scalemark::mpi {
namespace {

// MPI's counts are of type int.
int count_of(std::int64_t n) {
  if (n <= INT_MAX) return static_cast<int>(n);
  throw system_error("a collective over MPI of " + std::to_string(n) + " elements per rank",
                     "MPI counts up to " + std::to_string(INT_MAX), "use smaller messages");
}

const std::byte* part(const void* buffer, std::int64_t n, DataType type, int rank) {
  return static_cast<const std::byte*>(buffer) +
         static_cast<std::size_t>(n) * bytes_of(type) * static_cast<std::size_t>(rank);
}

// Calls piece(offset in bytes, count) until n elements are done.
template <class Piece>
void in_pieces(std::int64_t n, DataType type, Piece piece) {
  std::int64_t begun = 0;
  do {
    const std::int64_t count = std::min<std::int64_t>(n - begun, INT_MAX);
    piece(static_cast<std::size_t>(begun) * bytes_of(type), static_cast<int>(count));
    begun += count;
  } while (begun < n);
}

const std::byte* at(const void* buffer, std::size_t offset) {
  return static_cast<const std::byte*>(buffer) + offset;
}
std::byte* at(void* buffer, std::size_t offset) { return static_cast<std::byte*>(buffer) + offset; }

class MpiRequest final : public Request {
 public:
  MPI_Request* address() { return &request_; }
  bool done() override {
    int flag = 0;
    check(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  void wait() override { check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

struct Communicator::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<std::byte> scratch;  // used by reduce() and reduce_scatter() in place

  void* scratch_of(std::int64_t n, DataType type) {
    const std::size_t bytes = static_cast<std::size_t>(n) * bytes_of(type);
    scratch.resize(std::max(scratch.size(), bytes));
    return scratch.data();
  }

  const void* copy_of(const void* data, std::int64_t n, DataType type) {
    if (n == 0) return data;
    return std::memcpy(scratch_of(n, type), data, static_cast<std::size_t>(n) * bytes_of(type));
  }
};

Communicator::Communicator(const std::vector<int>& members) : handle_(std::make_unique<Handle>()) {
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check(MPI_Group_incl(world, count_of(std::ssize(members)), members.data(), &group),
        "MPI_Group_incl");
  check(MPI_Comm_create_group(MPI_COMM_WORLD, group, /*tag=*/0, &handle_->comm),
        "MPI_Comm_create_group");
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  check(MPI_Comm_set_errhandler(handle_->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_->comm, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_->comm, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() = default;

void Communicator::all_reduce(const void* in, void* out, std::int64_t n, DataType type,
                              Operation operation) {
  const MPI_Op op = mpi_operation(type, operation);
  in_pieces(n, type, [&](std::size_t offset, int count) {
    const void* from = in == out ? MPI_IN_PLACE : at(in, offset);
    check(MPI_Allreduce(from, at(out, offset), count, mpi_type(type), op, handle_->comm),
          "MPI_Allreduce");
  });
}

// Reduces a copy instead of in place: MPICH 4.0.2 reads MPI_IN_PLACE as an address on a root other
// than 0.
void Communicator::reduce(const void* in, void* out, std::int64_t n, DataType type,
                          Operation operation, int root) {
  const MPI_Op op = mpi_operation(type, operation);
  if (in == out && rank_ == root) in = handle_->copy_of(in, n, type);
  in_pieces(n, type, [&](std::size_t offset, int count) {
    void* into = rank_ == root ? at(out, offset) : nullptr;
    check(MPI_Reduce(at(in, offset), into, count, mpi_type(type), op, root, handle_->comm),
          "MPI_Reduce");
  });
}

void Communicator::broadcast(void* data, std::int64_t n, DataType type, int root) {
  in_pieces(n, type, [&](std::size_t offset, int count) {
    check(MPI_Bcast(at(data, offset), count, mpi_type(type), root, handle_->comm), "MPI_Bcast");
  });
}

void Communicator::all_gather(const void* in, void* out, std::int64_t n, DataType type) {
  const void* from = in == part(out, n, type, rank_) ? MPI_IN_PLACE : in;
  const int count = count_of(n);
  check(MPI_Allgather(from, count, mpi_type(type), out, count, mpi_type(type), handle_->comm),
        "MPI_Allgather");
}

// MPI's own in-place form puts the result at the start of the input, not into this rank's part.
void Communicator::reduce_scatter(const void* in, void* out, std::int64_t n, DataType type,
                                  Operation operation) {
  const bool in_place = out == part(in, n, type, rank_);
  const std::size_t bytes = static_cast<std::size_t>(n) * bytes_of(type);
  void* into = in_place ? handle_->scratch_of(n, type) : out;
  check(MPI_Reduce_scatter_block(in, into, count_of(n), mpi_type(type),
                                 mpi_operation(type, operation), handle_->comm),
        "MPI_Reduce_scatter_block");
  if (in_place && bytes > 0) std::memcpy(out, into, bytes);
}

void Communicator::gather(const void* in, void* out, std::int64_t n, DataType type, int root) {
  const bool in_place = rank_ == root && in == part(out, n, type, rank_);
  const int count = count_of(n);
  check(MPI_Gather(in_place ? MPI_IN_PLACE : in, count, mpi_type(type), out, count, mpi_type(type),
                   root, handle_->comm),
        "MPI_Gather");
}

void Communicator::scatter(const void* in, void* out, std::int64_t n, DataType type, int root) {
  const bool in_place = rank_ == root && out == part(in, n, type, rank_);
  const int count = count_of(n);
  check(MPI_Scatter(in, count, mpi_type(type), in_place ? MPI_IN_PLACE : out, count, mpi_type(type),
                    root, handle_->comm),
        "MPI_Scatter");
}

void Communicator::all_to_all(const void* in, void* out, std::int64_t n, DataType type) {
  const int count = count_of(n);
  check(MPI_Alltoall(in == out ? MPI_IN_PLACE : in, count, mpi_type(type), out, count,
                     mpi_type(type), handle_->comm),
        "MPI_Alltoall");
}

void Communicator::barrier() { check(MPI_Barrier(handle_->comm), "MPI_Barrier"); }

std::unique_ptr<Request> Communicator::send(const void* data, std::int64_t n, DataType type, int to,
                                            int tag) {
  auto request = std::make_unique<MpiRequest>();
  check(MPI_Isend(data, count_of(n), mpi_type(type), to, tag, handle_->comm, request->address()),
        "MPI_Isend");
  return request;
}

std::unique_ptr<Request> Communicator::receive(void* data, std::int64_t n, DataType type, int from,
                                               int tag) {
  auto request = std::make_unique<MpiRequest>();
  check(MPI_Irecv(data, count_of(n), mpi_type(type), from, tag, handle_->comm, request->address()),
        "MPI_Irecv");
  return request;
}

void Communicator::free() {
  if (handle_->comm == MPI_COMM_NULL) return;
  check(MPI_Comm_free(&handle_->comm), "MPI_Comm_free");
}

}  // namespace scalemark::mpi
