#include "forebay/postgres/sql/stored_answer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::postgres {
namespace {

// Blocks double up to this; then memory grows with the rows, and not by jumps.
constexpr std::size_t kLargestBlock = 64 * 1024;

}  // namespace

Result<std::shared_ptr<const AnswerShape>> AnswerShape::read(std::string_view description) {
  std::shared_ptr<AnswerShape> shape(new AnswerShape(description));
  const Result<wire::ColumnList> columns = wire::parse_row_description(shape->description_);
  if (!columns) return failure(columns.error());
  shape->columns_.reserve(columns->size());
  for (const wire::Column& column : *columns) {
    shape->columns_.push_back(Column{column.name, column.type});
  }
  return std::shared_ptr<const AnswerShape>(std::move(shape));
}

void StoredAnswer::add_row(const wire::ValueList& values) {
  FOREBAY_CHECK(values.size() == static_cast<std::size_t>(columns()) && rows_ < kMostRows);
  if (cells_.empty()) cells_.reserve(values.size());
  for (const wire::Value value : values) {
    if (!value) {
      cells_.push_back(Cell{nullptr, 0});
      continue;
    }
    char* const place = room_for(value->size());
    std::memcpy(place, value->data(), value->size());
    cells_.push_back(Cell{place, value->size()});
  }
  ++rows_;
}

char* StoredAnswer::room_for(std::size_t bytes) {
  if (bytes > left_) {
    block_size_ = std::min(2 * block_size_, kLargestBlock);
    const std::size_t size = std::max(block_size_, bytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

std::optional<std::string_view> StoredAnswer::cell(int row, int column) const {
  const std::size_t width = shape_->columns().size();
  const Cell& cell =
      cells_[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)];
  if (cell.text == nullptr) return std::nullopt;
  return std::string_view(cell.text, cell.size);
}

// "INSERT 0 3", "UPDATE 2", "SELECT 1": the number is the last word.
std::uint64_t StoredAnswer::affected_rows() const {
  const std::string_view tag = command_tag_;
  const std::string_view number = tag.substr(tag.rfind(' ') + 1);
  std::uint64_t count = 0;
  std::from_chars(number.data(), number.data() + number.size(), count);
  return count;
}

}  // namespace forebay::postgres
