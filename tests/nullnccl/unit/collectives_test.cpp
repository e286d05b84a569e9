// Every collective on 2 and 4 processes against the sum, block or copy written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "tests/nullnccl/unit/ranks.h"
#include "tests/nullnccl/unit/values.h"

namespace nullnccl_test {
namespace {

const TypeOf kFloat{ncclFloat32, "fp32", 4};

using Body = std::function<void(ncclComm_t comm, int rank, int size)>;

// `body` on a communicator of 2, then of 4 ranks, that ends as it should.
void on_communicators(const Body& body) {
  for (const int size : {2, 4}) {
    const ncclUniqueId id = new_id();
    expect_all_well(on_ranks(size, [&](int rank) {
      ncclComm_t comm = nullptr;
      NCCL(ncclCommInitRank(&comm, size, id, rank));
      body(comm, rank, size);
      NCCL(ncclCommFinalize(comm));
      NCCL(ncclCommDestroy(comm));
    }));
  }
}

Values filled(TypeOf type, std::size_t count, int rank) {
  Values values(type, count);
  for (std::size_t i = 0; i < count; ++i) values.set(i, value_of(rank, i));
  return values;
}

void require_values(const Values& values, const std::function<double(std::size_t)>& expected,
                    const std::string& what) {
  for (std::size_t i = 0; i < values.count(); ++i) {
    if (values.at(i) == expected(i)) continue;
    require(false, what + ": value " + std::to_string(i) + " is " + std::to_string(values.at(i)) +
                       ", expected " + std::to_string(expected(i)));
  }
}

double reduced(ncclRedOp_t op, int size, std::size_t i) {
  double result = value_of(0, i);
  for (int rank = 1; rank < size; ++rank) {
    const double value = value_of(rank, i);
    if (op == ncclSum || op == ncclAvg) result += value;
    if (op == ncclProd) result *= value;
    if (op == ncclMin) result = std::min(result, value);
    if (op == ncclMax) result = std::max(result, value);
  }
  return op == ncclAvg ? result / size : result;
}

bool is_whole(ncclDataType_t type) { return type <= ncclUint64; }

TEST(NullNcclCollectives, AllReduceOfEveryTypeAndOperation) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    for (const TypeOf& type : reducible_types()) {
      for (const ncclRedOp_t op : {ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg}) {
        // Products of four of up to 7 leave a byte.
        const bool fits = op != ncclProd || (type.size > 1 && type.type != ncclBfloat16);
        if (!fits) continue;
        Values input = filled(type, 50, rank), output(type, 50);
        NCCL(ncclAllReduce(input.data(), output.data(), 50, type.type, op, comm, kStream));
        synchronise(kStream);
        require_values(
            output,
            [&](std::size_t i) {
              const double exact = reduced(op, size, i);
              return is_whole(type.type) ? std::floor(exact) : exact;
            },
            std::string(type.name) + " op " + std::to_string(op));
      }
    }
  });
}

TEST(NullNcclCollectives, AllReduceOfEverySizeInPlace) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    for (const std::size_t count : {0, 1, 7, 300'001}) {  // the last one in two chunks
      Values values = filled(kFloat, count, rank);
      NCCL(ncclAllReduce(values.data(), values.data(), count, ncclFloat32, ncclSum, comm, kStream));
      synchronise(kStream);
      require_values(
          values, [&](std::size_t i) { return reduced(ncclSum, size, i); },
          std::to_string(count) + " values");
    }
  });
}

TEST(NullNcclCollectives, AllReduceMultipliesFirst) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    for (const TypeOf& type :
         {TypeOf{ncclFloat16, "fp16", 2}, kFloat, TypeOf{ncclFloat64, "fp64", 8}}) {
      Values factor(type, 1), values = filled(type, 20, rank);
      factor.set(0, rank == 0 ? 0.5 : 2);
      ncclRedOp_t op;
      NCCL(ncclRedOpCreatePreMulSum(&op, factor.data(), type.type, ncclScalarHostImmediate, comm));
      NCCL(ncclAllReduce(values.data(), values.data(), 20, type.type, op, comm, kStream));
      NCCL(ncclRedOpDestroy(op, comm));
      synchronise(kStream);
      require_values(
          values,
          [&](std::size_t i) {
            return 0.5 * value_of(0, i) + 2 * (reduced(ncclSum, size, i) - value_of(0, i));
          },
          type.name);
    }
  });
}

TEST(NullNcclCollectives, BroadcastAndReduceFromAndToEveryRoot) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    for (int root = 0; root < size; ++root) {
      Values values = filled(kFloat, 300'001, rank);
      NCCL(ncclBroadcast(values.data(), values.data(), 300'001, ncclFloat32, root, comm, kStream));
      synchronise(kStream);
      require_values(
          values, [&](std::size_t i) { return value_of(root, i); }, "broadcast");

      Values input = filled(kFloat, 9, rank), output = filled(kFloat, 9, 6);
      NCCL(ncclReduce(input.data(), rank == root ? output.data() : nullptr, 9, ncclFloat32, ncclSum,
                      root, comm, kStream));
      synchronise(kStream);
      require_values(
          output,
          [&](std::size_t i) { return rank == root ? reduced(ncclSum, size, i) : value_of(6, i); },
          "reduce");
    }
  });
}

TEST(NullNcclCollectives, GathersAndScatters) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    const auto ranks = static_cast<std::size_t>(size), mine = static_cast<std::size_t>(rank);
    for (const std::size_t count : {5ul, 300'001ul}) {
      Values one = filled(kFloat, count, rank), all(kFloat, count * ranks);
      NCCL(ncclAllGather(one.data(), all.data(), count, ncclFloat32, comm, kStream));
      synchronise(kStream);
      require_values(
          all, [&](std::size_t i) { return value_of(static_cast<int>(i / count), i % count); },
          "all-gather");

      Values blocks = filled(kFloat, count * ranks, rank), part(kFloat, count);
      NCCL(ncclReduceScatter(blocks.data(), part.data(), count, ncclFloat32, ncclSum, comm,
                             kStream));
      synchronise(kStream);
      require_values(
          part, [&](std::size_t i) { return reduced(ncclSum, size, mine * count + i); },
          "reduce-scatter");

      Values turned(kFloat, count * ranks);
      NCCL(ncclAlltoAll(blocks.data(), turned.data(), count, ncclFloat32, comm, kStream));
      synchronise(kStream);
      require_values(
          turned,
          [&](std::size_t i) {
            return value_of(static_cast<int>(i / count), mine * count + i % count);
          },
          "all-to-all");

      Values gathered(kFloat, count * ranks), scattered(kFloat, count);
      NCCL(ncclGather(one.data(), gathered.data(), count, ncclFloat32, 1, comm, kStream));
      NCCL(ncclScatter(blocks.data(), scattered.data(), count, ncclFloat32, 1, comm, kStream));
      synchronise(kStream);
      require_values(
          gathered,
          [&](std::size_t i) {
            return rank == 1 ? value_of(static_cast<int>(i / count), i % count) : 0;
          },
          "gather");
      require_values(
          scattered, [&](std::size_t i) { return value_of(1, mine * count + i); }, "scatter");
    }
  });
}

TEST(NullNcclCollectives, RanksSendToEachOtherInOneGroup) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (const std::size_t count : {0ul, 3ul, 100'000ul}) {  // the last one in several letters
      Values sent = filled(kFloat, count, rank), received(kFloat, count);
      NCCL(ncclGroupStart());
      NCCL(ncclSend(sent.data(), count, ncclFloat32, next, comm, kStream));
      NCCL(ncclRecv(received.data(), count, ncclFloat32, before, comm, kStream));
      NCCL(ncclGroupEnd());
      synchronise(kStream);
      require_values(
          received, [&](std::size_t i) { return value_of(before, i); }, "ring");
    }
    Values first = filled(kFloat, 2, rank), second = filled(kFloat, 3, rank + 4);
    if (rank == 0) {
      NCCL(ncclSend(first.data(), 2, ncclFloat32, 1, comm, kStream));
      NCCL(ncclSend(second.data(), 3, ncclFloat32, 1, comm, kStream));
    } else if (rank == 1) {
      NCCL(ncclRecv(first.data(), 2, ncclFloat32, 0, comm, kStream));
      NCCL(ncclRecv(second.data(), 3, ncclFloat32, 0, comm, kStream));
    }
    synchronise(kStream);
    if (rank == 1)
      require_values(
          second, [](std::size_t i) { return value_of(4, i); }, "in order");
  });
}

TEST(NullNcclCollectives, AGroupBeginsAtItsEnd) {
  on_communicators([](ncclComm_t comm, int rank, int size) {
    Values a = filled(kFloat, 4, rank), b = filled(kFloat, 4, rank);
    NCCL(ncclGroupStart());
    NCCL(ncclGroupStart());
    NCCL(ncclAllReduce(a.data(), a.data(), 4, ncclFloat32, ncclSum, comm, kStream));
    NCCL(ncclGroupEnd());
    NCCL(ncclAllReduce(b.data(), b.data(), 4, ncclFloat32, ncclMax, comm, kStream));
    require(!is_busy(kStream), "a group began before its end");
    NCCL(ncclGroupEnd());
    synchronise(kStream);
    require_values(
        a, [&](std::size_t i) { return reduced(ncclSum, size, i); }, "first");
    require_values(
        b, [&](std::size_t i) { return reduced(ncclMax, size, i); }, "second");
    require(ncclGroupEnd() == ncclInvalidUsage, "an end without a beginning passed");
  });
}

}  // namespace
}  // namespace nullnccl_test
