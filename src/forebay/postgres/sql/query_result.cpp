// Thin accessors over PGresult or StoredAnswer, with a check where libpq would only print a
// warning, and the words for what does not fit.
#include "forebay/postgres/sql/query_result.hpp"

#include <charconv>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/base/misuse.hpp"
#include "forebay/postgres/sql/stored_answer.hpp"
#include "forebay/postgres/sql/type_name.hpp"

namespace forebay::postgres {

void FreeAnswer::operator()(StoredAnswer* answer) const noexcept { delete answer; }

int QueryResult::rows() const { return answer_ ? answer_->rows() : PQntuples(result_.get()); }

int QueryResult::columns() const { return answer_ ? answer_->columns() : PQnfields(result_.get()); }

std::string_view QueryResult::column_name(int column, std::source_location from) const {
  if (column < 0 || column >= columns()) stop_for_misuse(no_column(column).error().text(), from);
  return answer_ ? answer_->column(column).name : PQfname(result_.get(), column);
}

std::optional<int> QueryResult::find_column(std::string_view name) const {
  // Not PQfnumber: it lowers letters as SQL does, and so cannot find what was quoted there.
  for (int column = 0; column < columns(); ++column) {
    if (column_name(column) == name) return column;
  }
  return std::nullopt;
}

std::optional<std::string_view> QueryResult::value(int row, int column,
                                                   std::source_location from) const {
  if (row < 0 || row >= rows()) stop_for_misuse(no_row(row).error().text(), from);
  if (column < 0 || column >= columns()) stop_for_misuse(no_column(column).error().text(), from);
  return cell(row, column);
}

std::optional<std::string_view> QueryResult::cell(int row, int column) const {
  if (answer_) return answer_->cell(row, column);
  if (PQgetisnull(result_.get(), row, column) != 0) return std::nullopt;
  const auto length = static_cast<std::size_t>(PQgetlength(result_.get(), row, column));
  return std::string_view(PQgetvalue(result_.get(), row, column), length);
}

// Of a result that was moved away there is none.
std::string_view QueryResult::command_tag() const {
  if (answer_) return answer_->command_tag();
  return result_ ? std::string_view(PQcmdStatus(result_.get())) : std::string_view();
}

std::uint64_t QueryResult::affected_rows() const {
  if (answer_) return answer_->affected_rows();
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

Result<void> QueryResult::expect_columns(std::size_t count, Wanted wanted) const {
  if (static_cast<std::size_t>(columns()) == count) return {};
  return failure(Errc::invalid,
                 fmt::format("the statement answers with {} columns, and {}", columns(),
                             wanted == Wanted::types
                                 ? fmt::format("{} types were asked for", count)
                                 : fmt::format("the struct for its rows has {} fields", count)));
}

Result<int> QueryResult::only_column(std::string_view name) const {
  const std::optional<int> first = find_column(name);
  if (!first) return no_column(name);
  for (int column = *first + 1; column < columns(); ++column) {
    if (column_name(column) == name) {
      return failure(Errc::invalid,
                     fmt::format("columns {} and {} are both called \"{}\", and one is wanted",
                                 *first, column, name));
    }
  }
  return *first;
}

std::unexpected<Error> QueryResult::not_one_row() const {
  if (rows() == 0) return failure(Errc::not_found, "one row was expected, and there is none");
  return failure(Errc::invalid, fmt::format("one row was expected, and there are {}", rows()));
}

std::unexpected<Error> QueryResult::no_row(int row) const {
  return failure(Errc::not_found,
                 fmt::format("there is no row {}: the first is 0, and there are {}; ask rows() "
                             "first, or let query_optional() tell",
                             row, rows()));
}

std::unexpected<Error> QueryResult::no_column(int column) const {
  return failure(
      Errc::invalid,
      fmt::format("there is no column {}: the first is 0, and there are {}", column, columns()));
}

std::unexpected<Error> QueryResult::no_column(std::string_view name) const {
  std::string names;
  for (int column = 0; column < columns(); ++column) {
    names += fmt::format("{}\"{}\"", column > 0 ? ", " : "", column_name(column));
  }
  return failure(Errc::invalid, fmt::format("there is no column \"{}\", only {}", name,
                                            names.empty() ? "none" : names));
}

std::uint32_t QueryResult::column_type(int column) const {
  return answer_ ? answer_->column(column).type : PQftype(result_.get(), column);
}

std::unexpected<Error> QueryResult::misfit(int row, int column, const Error& reason) const {
  const std::uint64_t number = first_row_ + static_cast<std::uint64_t>(row);
  return failure(
      reason.with_text(fmt::format("row {}, column \"{}\" ({}): {}", number, column_name(column),
                                   type_name(column_type(column)), reason.text())));
}

bool QueryResult::is_copy() const {
  return is_copy_in() || is_copy_out() || PQresultStatus(result_.get()) == PGRES_COPY_BOTH;
}

bool QueryResult::is_copy_in() const { return PQresultStatus(result_.get()) == PGRES_COPY_IN; }

bool QueryResult::is_copy_out() const { return PQresultStatus(result_.get()) == PGRES_COPY_OUT; }

}  // namespace forebay::postgres
