#include "forebay/sim/postgres/model_postgres.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::sim {
namespace {

using wire::ClientMessage;
using wire::ServerMessage;

constexpr std::string_view kSleep = "SELECT pg_sleep(";

bool has_rows(std::string_view sql) {
  return sql.starts_with("SELECT") || sql.starts_with("SHOW") || sql.starts_with("EXECUTE");
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string joined(const auto& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

SessionParameters usual_parameters() {
  return {{"DateStyle", "ISO, MDY"},
          {"TimeZone", "UTC"},
          {"application_name", ""},
          {"client_encoding", "UTF8"},
          {"server_version", "15.0"}};
}

ModelPostgres::ModelPostgres(const SessionParameters& reported, const SessionParameters& start)
    : defaults_(reported) {
  for (const auto& [name, value] : start) defaults_[name_in(defaults_, name)] = value;
  state_.values = defaults_;
  before_ = state_;
  for (const auto& [name, value] : reported) told_[name] = defaults_[name];
}

void ModelPostgres::welcome(std::string& out, const wire::CancelKeyView& key) const {
  wire::write_authentication(out, wire::AuthenticationKind::ok);
  for (const auto& [name, value] : told_) wire::write_parameter_status(out, name, value);
  wire::write_backend_key_data(out, key);
  wire::write_ready_for_query(out, wire::TransactionStatus::idle);
}

std::string ModelPostgres::receive(std::string_view messages) {
  std::string out;
  while (!messages.empty()) {
    const std::size_t size = 1 + wire::read_uint32(messages, 1);
    receive(messages[0], messages.substr(5, size - 5), out);
    messages.remove_prefix(size);
  }
  return out;
}

void ModelPostgres::receive(char type, std::string_view body, std::string& out) {
  out_.swap(out);
  const auto kind = static_cast<ClientMessage>(type);
  if (is_copying_) {
    on_copy(type, body);
  } else if (kind == ClientMessage::sync) {
    end_unit();
  } else if (!is_skipping_) {
    switch (kind) {
      case ClientMessage::query: on_query(std::string(wire::parse_query(body)->sql)); break;
      case ClientMessage::parse: on_parse(*wire::parse_parse(body)); break;
      case ClientMessage::bind: on_bind(*wire::parse_bind(body)); break;
      case ClientMessage::describe: on_describe(*wire::parse_describe(body)); break;
      case ClientMessage::execute: on_execute(*wire::parse_execute(body)); break;
      case ClientMessage::close: on_close(*wire::parse_close(body)); break;
      default: break;
    }
  }
  is_next_cancelled_ = false;
  out_.swap(out);
}

// ---- what takes time

std::string ModelPostgres::statement_of(char type, std::string_view body) const {
  if (is_copying_ || is_skipping_) return {};
  const auto kind = static_cast<ClientMessage>(type);
  if (kind == ClientMessage::query) return std::string(wire::parse_query(body)->sql);
  if (kind != ClientMessage::execute) return {};
  const auto portal = portals_.find(std::string(wire::parse_execute(body)->portal));
  return portal == portals_.end() ? std::string() : portal->second;
}

Duration ModelPostgres::work(std::string_view sql) {
  if (!sql.starts_with(kSleep)) return Duration::zero();
  const std::string_view number = sql.substr(kSleep.size());
  double seconds = 0;
  std::from_chars(number.data(), number.data() + number.size(), seconds);
  return Duration(static_cast<std::int64_t>(seconds * 1e9));
}

std::string ModelPostgres::state_text() const {
  std::string text;
  for (const auto& [name, value] : state_.values) {
    // Each session has names of its own; a parameter that was set and reset is as one never set.
    if (!value.empty()) text += fmt::format("{}={} ", name, value);
  }
  return fmt::format("{}channels: {}; tables: {}; locks: {}; cursors: {}", text,
                     joined(state_.channels), joined(state_.tables), joined(locks_),
                     joined(state_.cursors));
}

// ---- how a message ends

bool ModelPostgres::fail(std::string_view sqlstate, const std::string& text) {
  wire::write_error(out_, wire::ErrorReport(wire::Severity::error, std::string(sqlstate), text));
  if (status_ == 'T') status_ = 'E';
  if (status_ == 'I') state_ = before_;
  is_skipping_ = true;
  return false;
}

bool ModelPostgres::fail_aborted() {
  return fail("25P02",
              "current transaction is aborted, commands ignored until end of transaction block");
}

bool ModelPostgres::fail_undefined(const std::string& name) {
  return fail("26000", name.empty() ? "unnamed prepared statement does not exist"
                                    : "prepared statement \"" + name + "\" does not exist");
}

bool ModelPostgres::fail_portal(const std::string& name) {
  return fail("34000", "portal \"" + name + "\" does not exist");
}

void ModelPostgres::row(std::string_view value) {
  const wire::Value cell = value;
  wire::write_data_row(out_, std::span(&cell, 1));
}

bool ModelPostgres::done(std::string_view tag) {
  wire::write_command_complete(out_, tag);
  return true;
}

void ModelPostgres::end_unit() {
  is_skipping_ = false;
  if (status_ == 'I') {
    portals_.clear();
    before_ = state_;
  }
  for (auto& [name, value] : told_) {
    const std::string& now = state_.values[name];
    if (value == now) continue;
    wire::write_parameter_status(out_, name, now);
    value = now;
  }
  wire::write_ready_for_query(out_, static_cast<wire::TransactionStatus>(status_));
}

// ---- messages

void ModelPostgres::on_query(const std::string& text) {
  unnamed_.reset();
  std::string_view rest = text;
  bool is_empty = true;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string sql(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (sql.empty()) continue;
    is_empty = false;
    if (!check(sql) || !run(sql)) break;
    if (is_copying_) {
      is_copy_of_query_ = true;
      return;
    }
  }
  if (is_empty) wire::write_empty(out_, ServerMessage::empty_query_response);
  end_unit();
}

bool ModelPostgres::check(const std::string& sql) {
  if (sql.starts_with("SELEC ") || sql.starts_with("refused"))
    return fail("42601", "syntax error at or near \"" + sql.substr(0, 5) + "\"");
  return status_ != 'E' || is_exit(sql) || fail_aborted();
}

bool ModelPostgres::prepare(const std::string& name, const std::string& sql) {
  if (statements_.try_emplace(name, sql).second) return true;
  return fail("42P05", "prepared statement \"" + name + "\" already exists");
}

void ModelPostgres::on_parse(const wire::ParseView& view) {
  const std::string name(view.statement);
  const std::string sql(view.sql);
  if (name.empty()) unnamed_.reset();
  if (!check(sql)) return;
  if (name.empty()) {
    unnamed_ = sql;
  } else if (!prepare(name, sql)) {
    return;
  }
  wire::write_empty(out_, ServerMessage::parse_complete);
}

const std::string* ModelPostgres::find(const std::string& name) const {
  if (name.empty()) return unnamed_ ? &*unnamed_ : nullptr;
  const auto found = statements_.find(name);
  return found == statements_.end() ? nullptr : &found->second;
}

void ModelPostgres::on_bind(const wire::BindView& view) {
  const std::string name(view.statement);
  const std::string* const sql = find(name);
  if (sql == nullptr) {
    fail_undefined(name);
  } else if (status_ == 'E' && !is_exit(*sql)) {
    fail_aborted();
  } else {
    portals_[std::string(view.portal)] = *sql;
    wire::write_empty(out_, ServerMessage::bind_complete);
  }
}

void ModelPostgres::on_describe(const wire::TargetView& view) {
  const std::string name(view.name);
  const bool is_statement = view.target == wire::Target::statement;
  const std::string* sql = is_statement ? find(name) : nullptr;
  if (is_statement && sql == nullptr) return static_cast<void>(fail_undefined(name));
  if (!is_statement) {
    const auto portal = portals_.find(name);
    if (portal == portals_.end()) return static_cast<void>(fail_portal(name));
    sql = &portal->second;
  }
  // A real one would describe what has no rows; no other server can be brought to do it then.
  if (status_ == 'E' && !is_exit(*sql)) return static_cast<void>(fail_aborted());
  if (is_statement) wire::write_parameter_description(out_, {});
  const wire::Column column{.name = "c"};
  if (has_rows(*sql)) {
    wire::write_row_description(out_, std::span(&column, 1));
  } else {
    wire::write_empty(out_, ServerMessage::no_data);
  }
}

void ModelPostgres::on_execute(const wire::ExecuteView& view) {
  const std::string name(view.portal);
  const auto portal = portals_.find(name);
  if (portal == portals_.end()) return static_cast<void>(fail_portal(name));
  const std::string sql = portal->second;
  if (status_ == 'E' && !is_exit(sql)) return static_cast<void>(fail_aborted());
  if (sql.empty()) return static_cast<void>(fail("55000", "portal cannot be run"));
  portal->second.clear();  // once
  run(sql);
}

void ModelPostgres::on_close(const wire::TargetView& view) {
  const std::string name(view.name);
  if (view.target == wire::Target::portal) {
    portals_.erase(name);
  } else if (name.empty()) {
    unnamed_.reset();
  } else {
    statements_.erase(name);
  }
  wire::write_empty(out_, ServerMessage::close_complete);
}

// A Sync or a Flush that was sent ahead is swallowed.
void ModelPostgres::on_copy(char type, std::string_view body) {
  const auto kind = static_cast<ClientMessage>(type);
  if (kind == ClientMessage::sync || kind == ClientMessage::flush) return;
  if (kind == ClientMessage::copy_data) {
    copied_rows_ += static_cast<std::size_t>(std::ranges::count(body, '\n'));
    return;
  }
  is_copying_ = false;
  if (kind == ClientMessage::copy_done && !is_next_cancelled_) {
    done(fmt::format("COPY {}", copied_rows_));
  } else if (kind == ClientMessage::copy_done) {
    fail("57014", "canceling statement due to user request");
  } else if (kind == ClientMessage::copy_fail) {
    fail("57014", fmt::format("COPY from stdin failed: {}", wire::parse_copy_fail(body)->reason));
  } else {
    fail("08P01", fmt::format("unexpected message type {} during COPY from stdin", int{type}));
  }
  if (std::exchange(is_copy_of_query_, false)) end_unit();
}

}  // namespace forebay::sim
