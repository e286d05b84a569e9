#include "engine/mpi/mpi_check.h"

#include "core/base/error.h"
#include "engine/mpi/float16.h"

namespace scalemark::mpi {
namespace {

template <DataType type, Operation operation>
void combine(void* in, void* inout, int* count, MPI_Datatype*) {
  combine_float16(type, operation, in, inout, *count);
}

template <DataType type, Operation operation>
MPI_Op own_operation() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    check(MPI_Op_create(&combine<type, operation>, /*commute=*/1, &made), "MPI_Op_create");
    return made;
  }();
  return op;
}

template <DataType type>
MPI_Op own_operation(Operation operation) {
  switch (operation) {
    case Operation::kSum:
      return own_operation<type, Operation::kSum>();
    case Operation::kMin:
      return own_operation<type, Operation::kMin>();
    case Operation::kMax:
      return own_operation<type, Operation::kMax>();
  }
  throw bug("an unknown operation");
}

}  // namespace

MPI_Datatype mpi_type(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return MPI_FLOAT;
    case DataType::kFloat64:
      return MPI_DOUBLE;
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return MPI_UINT16_T;
    case DataType::kInt32:
      return MPI_INT32_T;
    case DataType::kInt64:
      return MPI_INT64_T;
    case DataType::kUint8:
      return MPI_UINT8_T;
  }
  throw bug("an unknown data type");
}

MPI_Op mpi_operation(DataType type, Operation operation) {
  if (type == DataType::kFloat16) return own_operation<DataType::kFloat16>(operation);
  if (type == DataType::kBFloat16) return own_operation<DataType::kBFloat16>(operation);
  switch (operation) {
    case Operation::kSum:
      return MPI_SUM;
    case Operation::kMin:
      return MPI_MIN;
    case Operation::kMax:
      return MPI_MAX;
  }
  throw bug("an unknown operation");
}

}  // namespace scalemark::mpi
