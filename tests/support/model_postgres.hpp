// A little PostgreSQL that keeps statements, portals, parameters and the state of its transaction,
// and nothing else: enough to tell whether a client has a server to itself, or thinks so.
//
// It knows BEGIN, COMMIT, ROLLBACK, SET name TO 'value', RESET, SHOW, DEALLOCATE, EXECUTE, DISCARD
// ALL, SELECT (a row with the text), SELECT 1/0 (fails when it runs), SELEC (fails when it is
// parsed), and LISTEN. Texts have at most one statement, but for those of SET and RESET.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/proxy/session/client_parameters.hpp"
#include "support/wire_words.hpp"

namespace forebay::test {

class ModelPostgres {
 public:
  explicit ModelPostgres(proxy::Parameters defaults)
      : defaults_(defaults), values_(defaults), told_(values_) {}

  const proxy::Parameters& defaults() const { return defaults_; }
  std::size_t statements() const { return statements_.size(); }
  bool is_listening() const { return is_listening_; }

  // Whole messages; the answers come back.
  std::string receive(std::string_view bytes) {
    wire::FrameReader reader(wire::FrameOptions{.sender = wire::Sender::client});
    reader.expect_messages();
    for (const WireMessage& message : read_messages(reader, bytes, {}).all) take(message);
    return std::exchange(out_, {});
  }

 private:
  static std::string unquoted(std::string_view text) {
    std::string plain;
    for (const char letter : text)
      if (letter != '"' && letter != '\'') plain += letter;
    return plain;
  }
  static bool is_exit(std::string_view sql) { return sql == "COMMIT" || sql == "ROLLBACK"; }
  static bool has_rows(std::string_view sql) {
    return sql.starts_with("SELECT") || sql.starts_with("SHOW") || sql.starts_with("EXECUTE");
  }

  void take(const WireMessage& message) {
    using wire::ClientMessage;
    const auto type = static_cast<ClientMessage>(message.type);
    if (type == ClientMessage::sync) return end_unit();
    if (is_skipping_) return;
    switch (type) {
      case ClientMessage::query: return on_query(std::string(wire::parse_query(message.body)->sql));
      case ClientMessage::parse: return on_parse(*wire::parse_parse(message.body));
      case ClientMessage::bind: return on_bind(*wire::parse_bind(message.body));
      case ClientMessage::describe: return on_describe(*wire::parse_describe(message.body));
      case ClientMessage::execute: return on_execute(*wire::parse_execute(message.body));
      case ClientMessage::close: return on_close(*wire::parse_close(message.body));
      default: return;
    }
  }

  bool fail(std::string_view sqlstate, const std::string& text) {
    out_ += words::error(sqlstate, text);
    if (status_ == 'T') status_ = 'E';
    if (status_ == 'I') values_ = before_;
    is_skipping_ = true;
    return false;
  }
  bool fail_aborted() {
    return fail("25P02",
                "current transaction is aborted, commands ignored until end of transaction block");
  }
  bool fail_undefined(const std::string& name) {
    return fail("26000", name.empty() ? "unnamed prepared statement does not exist"
                                      : "prepared statement \"" + name + "\" does not exist");
  }

  void end_unit() {
    is_skipping_ = false;
    if (status_ == 'I') {
      portals_.clear();
      before_ = values_;
    }
    for (const auto& [name, value] : values_) {
      const bool is_reported = told_.contains(name);
      if (is_reported && told_[name] != value) out_ += words::parameter(name, value);
      if (is_reported) told_[name] = value;
    }
    out_ += words::ready(status_);
  }

  void on_query(const std::string& text) {
    unnamed_.reset();
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string sql(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!check(sql) || !run(sql)) break;
    }
    end_unit();
  }
  bool check(const std::string& sql) {
    if (sql.starts_with("SELEC ") || sql.starts_with("refused"))
      return fail("42601", "syntax error at or near \"" + sql.substr(0, 5) + "\"");
    return status_ != 'E' || is_exit(sql) || fail_aborted();
  }

  void on_parse(const wire::ParseView& view) {
    const std::string name(view.statement);
    const std::string sql(view.sql);
    if (name.empty()) unnamed_.reset();
    if (!check(sql)) return;
    if (name.empty()) {
      unnamed_ = sql;
    } else if (!statements_.try_emplace(name, sql).second) {
      fail("42P05", "prepared statement \"" + name + "\" already exists");
      return;
    }
    out_ += words::parsed();
  }
  const std::string* find(const std::string& name) const {
    if (name.empty()) return unnamed_ ? &*unnamed_ : nullptr;
    const auto found = statements_.find(name);
    return found == statements_.end() ? nullptr : &found->second;
  }
  void on_bind(const wire::BindView& view) {
    const std::string name(view.statement);
    const std::string* const sql = find(name);
    if (sql == nullptr) return static_cast<void>(fail_undefined(name));
    if (status_ == 'E' && !is_exit(*sql)) return static_cast<void>(fail_aborted());
    portals_[std::string(view.portal)] = *sql;
    out_ += words::bound();
  }
  void on_describe(const wire::TargetView& view) {
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
      wire::write_empty(out_, wire::ServerMessage::no_data);
    }
  }
  bool fail_portal(const std::string& name) {
    return fail("34000", "portal \"" + name + "\" does not exist");
  }
  void on_execute(const wire::ExecuteView& view) {
    const std::string name(view.portal);
    const auto portal = portals_.find(name);
    if (portal == portals_.end()) return static_cast<void>(fail_portal(name));
    const std::string sql = portal->second;
    if (status_ == 'E' && !is_exit(sql)) return static_cast<void>(fail_aborted());
    if (sql.empty()) return static_cast<void>(fail("55000", "portal cannot be run"));
    portal->second.clear();  // once
    run(sql);
  }
  void on_close(const wire::TargetView& view) {
    const std::string name(view.name);
    if (view.target == wire::Target::portal) {
      portals_.erase(name);
    } else if (name.empty()) {
      unnamed_.reset();
    } else {
      statements_.erase(name);
    }
    out_ += words::closed();
  }

  void row(std::string_view value) {
    const wire::Value cell = value;
    wire::write_data_row(out_, std::span(&cell, 1));
  }
  bool done(std::string_view tag) {
    out_ += words::complete(tag);
    return true;
  }
  bool run(const std::string& sql) {
    if (sql == "BEGIN") {
      if (status_ == 'I') before_ = values_;
      status_ = 'T';
      return done("BEGIN");
    }
    if (is_exit(sql)) {
      const bool is_kept = sql == "COMMIT" && status_ != 'E';
      if (status_ != 'I' && !is_kept) values_ = before_;
      status_ = 'I';
      before_ = values_;
      portals_.clear();
      return done(is_kept ? "COMMIT" : "ROLLBACK");
    }
    if (sql == "SELECT 1/0") return fail("22012", "division by zero");
    if (sql.starts_with("SHOW ")) {
      row(values_[sql.substr(5)]);
      return done("SHOW");
    }
    if (sql.starts_with("SELECT")) {
      row(sql);
      return done("SELECT 1");
    }
    if (sql == "LISTEN c") {
      is_listening_ = true;
      return done("LISTEN");
    }
    return run_about_session(sql);
  }
  bool run_about_session(const std::string& sql) {
    if (sql.starts_with("SET ")) {
      const std::size_t to = sql.find(" TO ");
      set(unquoted(sql.substr(4, to - 4)), unquoted(sql.substr(to + 4)));
      return done("SET");
    }
    if (sql.starts_with("RESET ")) {
      const std::string name = unquoted(sql.substr(6));
      const auto found = proxy::find_parameter(defaults_, name);
      if (found == defaults_.end()) {
        values_.erase(name);
      } else {
        values_[found->first] = found->second;
      }
      return done("RESET");
    }
    if (sql == "DEALLOCATE ALL" || sql == "DISCARD ALL") {
      if (sql == "DISCARD ALL" && status_ != 'I')
        return fail("25001", "DISCARD ALL cannot run inside a transaction block");
      statements_.clear();
      if (sql == "DEALLOCATE ALL") return done(sql);
      values_ = defaults_;
      is_listening_ = false;
      return done(sql);
    }
    const bool is_execute = sql.starts_with("EXECUTE ");
    const std::string name = sql.substr(sql.find(' ') + 1);
    const auto found = statements_.find(name);
    if (found == statements_.end()) return fail_undefined(name);
    if (is_execute) {
      if (!found->second.starts_with("SELECT")) return fail("0A000", "cannot execute that here");
      return run(std::string(found->second));
    }
    statements_.erase(found);
    return done("DEALLOCATE");
  }
  void set(const std::string& name, const std::string& value) {
    const auto found = proxy::find_parameter(values_, name);
    values_[found == values_.end() ? name : found->first] = value;
  }

  proxy::Parameters defaults_;
  proxy::Parameters values_;
  proxy::Parameters before_ = values_;  // the transaction
  proxy::Parameters told_;
  std::map<std::string, std::string> statements_;
  std::optional<std::string> unnamed_;
  std::map<std::string, std::string> portals_;
  std::string out_;
  char status_ = 'I';
  bool is_skipping_ = false;
  bool is_listening_ = false;
};

}  // namespace forebay::test
