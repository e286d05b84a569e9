#include "core/collectives/check.h"

#include <array>
#include <string>

#include "core/base/error.h"
#include "core/collectives/half_bits.h"

namespace scalemark::collectives {
namespace {

// Each value that the pattern has, in the form of an element.
template <class T>
using Forms = std::array<T, kMostExact + 1>;

template <class T, class Form>
Forms<T> forms(Form form) {
  Forms<T> all{};
  for (int value = 0; value <= kMostExact; ++value) {
    all[static_cast<std::size_t>(value)] = form(value);
  }
  return all;
}

Forms<float> float_forms() {
  return forms<float>([](int value) { return static_cast<float>(value); });
}
Forms<std::int32_t> int_forms() {
  return forms<std::int32_t>([](int value) { return value; });
}
Forms<std::uint16_t> half_forms(DataType type) {
  return forms<std::uint16_t>([&](int value) { return half_bits(type, value); });
}

void refuse_other_length(std::size_t length, std::int64_t expected) {
  if (static_cast<std::int64_t>(length) != expected) {
    throw bug("a buffer of " + std::to_string(length) + " elements where " +
              std::to_string(expected) + " are exchanged");
  }
}

template <class T>
void fill(const Exchange& exchange, int rank, std::span<T> input, const Forms<T>& forms) {
  refuse_other_length(input.size(), input_elements(exchange));
  for (std::size_t i = 0; i < input.size(); ++i) {
    const int value = input_value(exchange, rank, static_cast<std::int64_t>(i));
    input[i] = forms[static_cast<std::size_t>(value)];
  }
}

template <class T>
WrongElements compare(const Exchange& exchange, int rank, std::span<const T> output,
                      const Forms<T>& forms) {
  refuse_other_length(output.size(), output_elements(exchange, rank));
  WrongElements wrong;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    const int value = expected_value(exchange, rank, element);
    if (output[i] == forms[static_cast<std::size_t>(value)]) continue;
    if (wrong.count++ == 0) {
      wrong.first = element;
      wrong.from = source_of(exchange, rank, element);
    }
  }
  return wrong;
}

template <class T>
std::span<T> input_span(const Exchange& exchange, void* input) {
  return {static_cast<T*>(input), static_cast<std::size_t>(input_elements(exchange))};
}

template <class T>
std::span<const T> output_span(const Exchange& exchange, int rank, const void* output) {
  return {static_cast<const T*>(output), static_cast<std::size_t>(output_elements(exchange, rank))};
}

}  // namespace

void fill_input(const Exchange& exchange, int rank, std::span<float> input) {
  fill(exchange, rank, input, float_forms());
}
void fill_input(const Exchange& exchange, int rank, std::span<std::int32_t> input) {
  fill(exchange, rank, input, int_forms());
}
void fill_input(const Exchange& exchange, int rank, std::span<std::uint16_t> input, DataType type) {
  fill(exchange, rank, input, half_forms(type));
}

WrongElements wrong_elements(const Exchange& exchange, int rank, std::span<const float> output) {
  return compare(exchange, rank, output, float_forms());
}
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::int32_t> output) {
  return compare(exchange, rank, output, int_forms());
}
WrongElements wrong_elements(const Exchange& exchange, int rank,
                             std::span<const std::uint16_t> output, DataType type) {
  return compare(exchange, rank, output, half_forms(type));
}

void fill_input(const Exchange& exchange, int rank, DataType type, void* input) {
  switch (type) {
    case DataType::kFp32:
      return fill_input(exchange, rank, input_span<float>(exchange, input));
    case DataType::kInt32:
      return fill_input(exchange, rank, input_span<std::int32_t>(exchange, input));
    case DataType::kFp16:
    case DataType::kBf16:
      return fill_input(exchange, rank, input_span<std::uint16_t>(exchange, input), type);
  }
}

WrongElements wrong_elements(const Exchange& exchange, int rank, DataType type,
                             const void* output) {
  switch (type) {
    case DataType::kFp32:
      return wrong_elements(exchange, rank, output_span<float>(exchange, rank, output));
    case DataType::kInt32:
      return wrong_elements(exchange, rank, output_span<std::int32_t>(exchange, rank, output));
    case DataType::kFp16:
    case DataType::kBf16:
      return wrong_elements(exchange, rank, output_span<std::uint16_t>(exchange, rank, output),
                            type);
  }
  throw bug("a data type without a check");
}

}  // namespace scalemark::collectives
