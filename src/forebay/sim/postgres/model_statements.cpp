// What the statements of ModelPostgres do.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/sim/postgres/model_postgres.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::sim {
namespace {

using wire::ServerMessage;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string unquoted(std::string_view text) {
  std::string plain;
  for (const char letter : text)
    if (letter != '"' && letter != '\'') plain += letter;
  return plain;
}

// What stands between the parentheses that follow the name.
std::string argument_of(std::string_view sql, std::string_view call) {
  const std::size_t begin = sql.find(call) + call.size();
  return std::string(sql.substr(begin, sql.find(')', begin) - begin));
}

std::size_t count_of_series(std::string_view sql) {
  const std::size_t comma = sql.find("generate_series(1, ");
  if (comma == std::string_view::npos) return 0;
  const std::string_view digits =
      sql.substr(comma + std::string_view("generate_series(1, ").size());
  std::size_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

}  // namespace

bool ModelPostgres::is_exit(std::string_view sql) { return sql == "COMMIT" || sql == "ROLLBACK"; }

std::string ModelPostgres::name_in(const SessionParameters& parameters, std::string_view name) {
  for (const auto& [known, value] : parameters)
    if (std::ranges::equal(known, name, {}, lower, lower)) return known;
  return std::string(name);
}

bool ModelPostgres::run(const std::string& sql) {
  if (is_next_cancelled_) return fail("57014", "canceling statement due to user request");
  if (sql == "BEGIN") {
    if (status_ == 'I') before_ = state_;
    status_ = 'T';
    return done("BEGIN");
  }
  if (is_exit(sql)) return run_exit(sql);
  if (sql.starts_with("COPY ")) return run_copy(sql);
  if (sql.starts_with("SELECT")) return run_select(sql);
  return run_about_settings(sql);
}

bool ModelPostgres::run_exit(const std::string& sql) {
  const bool is_kept = sql == "COMMIT" && status_ != 'E';
  if (status_ != 'I' && !is_kept) state_ = before_;
  status_ = 'I';
  before_ = state_;
  portals_.clear();
  return done(is_kept ? "COMMIT" : "ROLLBACK");
}

bool ModelPostgres::run_select(const std::string& sql) {
  static constexpr std::string_view kSetConfig = "SELECT pg_catalog.set_config(";
  static constexpr std::string_view kLock = "SELECT pg_advisory_lock(";
  if (sql == "SELECT 1/0") return fail("22012", "division by zero");
  if (const std::size_t count = count_of_series(sql); count > 0) {
    for (std::size_t i = 1; i <= count; ++i) row(fmt::format("{}", i));
    return done(fmt::format("SELECT {}", count));
  }
  if (sql.starts_with(kSetConfig)) {
    const std::string arguments = argument_of(sql, kSetConfig);
    const std::size_t comma = arguments.find(", ");
    const std::size_t end = arguments.rfind(", ");
    set(unquoted(arguments.substr(0, comma)),
        unquoted(arguments.substr(comma + 2, end - comma - 2)));
  }
  if (sql.starts_with(kLock)) locks_.insert(argument_of(sql, kLock));
  if (sql == "SELECT pg_catalog.pg_advisory_unlock_all()") locks_.clear();
  row(sql == "SELECT * FROM session_state" ? state_text() : sql);
  return done("SELECT 1");
}

bool ModelPostgres::run_copy(const std::string& sql) {
  const bool is_in = sql.ends_with("FROM STDIN");
  const std::array<std::int16_t, 1> formats{0};
  wire::write_copy_response(
      out_, is_in ? ServerMessage::copy_in_response : ServerMessage::copy_out_response, 0, formats);
  if (is_in) {
    is_copying_ = true;
    is_copy_of_query_ = false;
    copied_rows_ = 0;
    return true;
  }
  const std::size_t count = count_of_series(sql);
  for (std::size_t i = 1; i <= count; ++i) wire::write_copy_data(out_, fmt::format("{}\n", i));
  wire::write_copy_done(out_);
  return done(fmt::format("COPY {}", count));
}

bool ModelPostgres::run_about_settings(const std::string& sql) {
  if (sql == "SET SESSION AUTHORIZATION DEFAULT") return done("SET");
  if (sql.starts_with("SHOW ")) {
    const auto found = state_.values.find(name_in(state_.values, sql.substr(5)));
    row(found == state_.values.end() ? "" : found->second);
    return done("SHOW");
  }
  if (sql.starts_with("SET ")) {
    const std::size_t to = sql.find(" TO ");
    set(unquoted(sql.substr(4, to - 4)), unquoted(sql.substr(to + 4)));
    return done("SET");
  }
  if (sql.starts_with("RESET ")) {
    reset(unquoted(sql.substr(6)));
    return done("RESET");
  }
  return run_about_session(sql);
}

void ModelPostgres::set(const std::string& name, const std::string& value) {
  state_.values[name_in(state_.values, name)] = value;
}

void ModelPostgres::reset(const std::string& name) {
  if (name == "ALL") {
    state_.values = defaults_;
    return;
  }
  const auto by_itself = defaults_.find(name_in(defaults_, name));
  if (by_itself != defaults_.end()) {
    state_.values[by_itself->first] = by_itself->second;
  } else {
    state_.values.erase(name_in(state_.values, name));
  }
}

bool ModelPostgres::run_about_session(const std::string& sql) {
  static constexpr std::string_view kTable = "CREATE TEMPORARY TABLE ";
  static constexpr std::string_view kCursor = "DECLARE ";
  if (sql.starts_with("LISTEN ")) {
    state_.channels.insert(sql.substr(7));
    return done("LISTEN");
  }
  if (sql.starts_with("UNLISTEN ")) {
    state_.channels.clear();
    return done("UNLISTEN");
  }
  if (sql.starts_with(kTable)) {
    const std::string name = sql.substr(kTable.size(), sql.find(" (") - kTable.size());
    if (!state_.tables.insert(name).second)
      return fail("42P07", "relation \"" + name + "\" already exists");
    return done("CREATE TABLE");
  }
  if (sql.starts_with(kCursor)) {
    const std::string name = sql.substr(kCursor.size(), sql.find(' ', kCursor.size()) - 8);
    if (!state_.cursors.insert(name).second)
      return fail("42P03", "cursor \"" + name + "\" already exists");
    return done("DECLARE CURSOR");
  }
  if (sql == "CLOSE ALL") {
    state_.cursors.clear();
    return done("CLOSE CURSOR ALL");
  }
  if (sql == "DISCARD TEMP") {
    state_.tables.clear();
    return done(sql);
  }
  if (sql == "DISCARD SEQUENCES") return done(sql);
  if (sql == "DISCARD ALL") return discard_all();
  return run_about_prepared(sql);
}

bool ModelPostgres::discard_all() {
  if (status_ != 'I') return fail("25001", "DISCARD ALL cannot run inside a transaction block");
  statements_.clear();
  state_ = State();
  state_.values = defaults_;
  locks_.clear();
  before_ = state_;  // it is committed at once, whatever follows in its unit
  return done("DISCARD ALL");
}

bool ModelPostgres::run_about_prepared(const std::string& sql) {
  static constexpr std::string_view kPrepare = "PREPARE ";
  if (sql == "DEALLOCATE ALL") {
    statements_.clear();
    return done(sql);
  }
  if (sql.starts_with(kPrepare)) {
    const std::size_t as = sql.find(" AS ");
    if (!prepare(sql.substr(kPrepare.size(), as - kPrepare.size()), sql.substr(as + 4)))
      return false;
    return done("PREPARE");
  }
  const bool is_execute = sql.starts_with("EXECUTE ");
  FOREBAY_CHECK(is_execute || sql.starts_with("DEALLOCATE "), sql);
  const std::string name = sql.substr(sql.find(' ') + 1);
  const auto found = statements_.find(name);
  if (found == statements_.end()) return fail_undefined(name);
  if (!is_execute) {
    statements_.erase(found);
    return done("DEALLOCATE");
  }
  if (!found->second.starts_with("SELECT")) return fail("0A000", "cannot execute that here");
  return run(std::string(found->second));
}

}  // namespace forebay::sim
