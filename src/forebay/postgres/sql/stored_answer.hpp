// StoredAnswer: the rows of one statement as a Dialogue read them off the wire, and AnswerShape:
// what their columns are. What a PGresult is to libpq.
//
// A value is copied once, into a block that does not move, and rows of the same statement share one
// shape. Confined to its owner but for the shape, which never changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"

namespace forebay::postgres {

class AnswerShape {
 public:
  struct Column {
    std::string_view name;
    std::uint32_t type;
  };

  // From the body of a RowDescription.
  static Result<std::shared_ptr<const AnswerShape>> read(std::string_view description);
  AnswerShape(const AnswerShape&) = delete;
  AnswerShape& operator=(const AnswerShape&) = delete;

  // As the server sent it: what reads the same is the same shape.
  const std::string& description() const { return description_; }
  const std::vector<Column>& columns() const { return columns_; }

 private:
  explicit AnswerShape(std::string_view description) : description_(description) {}

  const std::string description_;
  std::vector<Column> columns_;  // names are views of the description
};

class StoredAnswer {
 public:
  static constexpr int kMostRows = 2'147'483'647;  // they are counted in an int, as by libpq

  StoredAnswer() = default;
  StoredAnswer(const StoredAnswer&) = delete;
  StoredAnswer& operator=(const StoredAnswer&) = delete;

  // Before the first row.
  void set_shape(std::shared_ptr<const AnswerShape> shape) { shape_ = std::move(shape); }
  const std::shared_ptr<const AnswerShape>& shape() const { return shape_; }
  // REQUIRES: as many values as columns, and rows() < kMostRows.
  void add_row(const wire::ValueList& values);
  void set_command_tag(std::string_view tag) { command_tag_ = tag; }

  int rows() const { return rows_; }
  int columns() const { return shape_ ? static_cast<int>(shape_->columns().size()) : 0; }
  // REQUIRES of both: they are there.
  const AnswerShape::Column& column(int column) const {
    return shape_->columns()[static_cast<std::size_t>(column)];
  }
  std::optional<std::string_view> cell(int row, int column) const;
  std::string_view command_tag() const { return command_tag_; }
  std::uint64_t affected_rows() const;  // 0 where the tag does not say

 private:
  struct Cell {
    const char* text;  // null: NULL
    std::size_t size;
  };

  char* room_for(std::size_t bytes);

  std::shared_ptr<const AnswerShape> shape_;
  std::string command_tag_;
  int rows_ = 0;
  std::vector<Cell> cells_;
  std::array<char, 128> first_block_;  // most answers are no longer
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = first_block_.data();
  std::size_t left_ = first_block_.size();
  std::size_t block_size_ = first_block_.size();
};

}  // namespace forebay::postgres
