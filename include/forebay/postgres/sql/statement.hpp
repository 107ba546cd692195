// Statement: what a connection is asked to run; PreparedStatement: one that it remembers.
//
// A text of SQL or a PreparedStatement becomes a Statement by itself, so a caller writes either.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace forebay::postgres {

// SQL under a name, made once by the application and used on any connection:
//
//   const PreparedStatement kFindShard("find_shard", "SELECT owner FROM shard WHERE id = $1");
//
// The first use on a connection prepares it on the way; all further uses, also of later users of
// that connection, send only the parameters. The types of the parameters are taken
// from the SQL. Statements are told apart by their SQL; the name is for people who look at the
// server, which has it under "forebay_7_find_shard".
//
// Other statements are prepared, too, when they come for the second time (SessionOptions).
class PreparedStatement {
 public:
  PreparedStatement(std::string name, std::string sql)
      : name_(std::move(name)), sql_(std::move(sql)) {}

  const std::string& name() const { return name_; }
  const std::string& sql() const { return sql_; }

 private:
  std::string name_;
  std::string sql_;
};

class Statement {
 public:
  // NOLINTBEGIN(google-explicit-constructor): see above
  Statement(std::string sql) : sql_(std::move(sql)) {}
  Statement(const char* sql) : sql_(sql) {}
  Statement(std::string_view sql) : sql_(sql) {}
  Statement(const PreparedStatement& prepared) : name_(prepared.name()), sql_(prepared.sql()) {}
  // NOLINTEND(google-explicit-constructor)

  const std::string& sql() const { return sql_; }
  const std::optional<std::string>& prepared_name() const { return name_; }  // nothing: plain SQL

 private:
  std::optional<std::string> name_;
  std::string sql_;
};

}  // namespace forebay::postgres
