// Thin accessors over PGresult, with a check where libpq would only print a warning.
#include "forebay/postgres/query_result.hpp"

#include <charconv>

#include <libpq-fe.h>

#include "forebay/base/check.hpp"

namespace forebay::postgres {

int QueryResult::rows() const { return PQntuples(result_.get()); }

int QueryResult::columns() const { return PQnfields(result_.get()); }

std::string_view QueryResult::column_name(int column) const {
  FOREBAY_CHECK(column >= 0 && column < columns());
  return PQfname(result_.get(), column);
}

std::optional<std::string_view> QueryResult::value(int row, int column) const {
  FOREBAY_CHECK(row >= 0 && row < rows() && column >= 0 && column < columns());
  if (PQgetisnull(result_.get(), row, column) != 0) return std::nullopt;
  const auto length = static_cast<std::size_t>(PQgetlength(result_.get(), row, column));
  return std::string_view(PQgetvalue(result_.get(), row, column), length);
}

std::string_view QueryResult::command_tag() const { return PQcmdStatus(result_.get()); }

std::uint64_t QueryResult::affected_rows() const {
  const std::string_view text = PQcmdTuples(result_.get());
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

bool QueryResult::is_copy() const {
  const ExecStatusType status = PQresultStatus(result_.get());
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

}  // namespace forebay::postgres
