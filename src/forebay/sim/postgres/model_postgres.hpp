// ModelPostgres: one session of a little PostgreSQL, as a pure thing that is shown messages and
// answers: statements, portals, parameters, transactions, COPY, and what a session can leave
// behind. Enough to tell whether a client has a server to itself, or only thinks so.
//
// It knows
//   BEGIN, COMMIT, ROLLBACK
//   SET name TO 'value', SELECT pg_catalog.set_config(...), RESET, RESET ALL, SHOW
//   PREPARE name AS ..., DEALLOCATE, EXECUTE
//   LISTEN, UNLISTEN *, CREATE TEMPORARY TABLE name ..., SELECT pg_advisory_lock(...),
//   DECLARE name CURSOR WITH HOLD ..., and what clears each of them; DISCARD ALL
//   COPY ... FROM STDIN, and COPY (... generate_series(1, n)) TO STDOUT
//   SELECT * FROM session_state: a row with all that the session carries
//   SELECT generate_series(1, n): so many rows; SELECT pg_sleep(s): takes its time, see work()
//   SELECT 1/0, which fails when it runs, and SELEC, which fails when it is parsed
//   any other SELECT: a row with its own text
// Texts have one statement, but for those about the session, which may be joined by semicolons.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::sim {

// By name.
using SessionParameters = std::map<std::string, std::string, std::less<>>;

// What a server says of itself when a session begins.
SessionParameters usual_parameters();

class ModelPostgres {
 public:
  // Those of the start that are reported from then on are those that `reported` has.
  explicit ModelPostgres(const SessionParameters& reported, const SessionParameters& start = {});

  // Ok, parameters, the key, ReadyForQuery.
  void welcome(std::string& out, const wire::CancelKeyView& key) const;
  // A whole message; the answers are added.
  void receive(char type, std::string_view body, std::string& out);
  // Whole messages, one after the other.
  std::string receive(std::string_view messages);
  // The next message's statement ends with 57014 instead of running.
  void cancel_next() { is_next_cancelled_ = true; }

  // The text of the statement that this message would run; empty: none.
  std::string statement_of(char type, std::string_view body) const;
  // How long that takes.
  static Duration work(std::string_view sql);

  bool is_in_transaction() const { return status_ != 'I'; }
  char status() const { return status_; }
  std::size_t statements() const { return statements_.size(); }
  bool is_listening() const { return !state_.channels.empty(); }
  // All that a session carries from one user to the next, but for prepared statements.
  std::string state_text() const;
  const SessionParameters& reported() const { return told_; }

 private:
  // Comes back when a transaction is rolled back.
  struct State {
    SessionParameters values;
    std::set<std::string> channels;
    std::set<std::string> tables;
    std::set<std::string> cursors;
  };

  void on_query(const std::string& text);
  void on_parse(const wire::ParseView& view);
  void on_bind(const wire::BindView& view);
  void on_describe(const wire::TargetView& view);
  void on_execute(const wire::ExecuteView& view);
  void on_close(const wire::TargetView& view);
  void on_copy(char type, std::string_view body);
  void end_unit();

  static bool is_exit(std::string_view sql);
  // The name as it stands there, whatever its case; if it does not, the name itself.
  static std::string name_in(const SessionParameters& parameters, std::string_view name);
  bool check(const std::string& sql);
  bool run(const std::string& sql);
  bool run_select(const std::string& sql);
  bool run_exit(const std::string& sql);
  bool run_copy(const std::string& sql);
  bool run_about_settings(const std::string& sql);
  bool run_about_session(const std::string& sql);
  bool run_about_prepared(const std::string& sql);
  bool discard_all();
  void set(const std::string& name, const std::string& value);
  void reset(const std::string& name);
  const std::string* find(const std::string& name) const;
  bool prepare(const std::string& name, const std::string& sql);

  bool fail(std::string_view sqlstate, const std::string& text);
  bool fail_aborted();
  bool fail_undefined(const std::string& name);
  bool fail_portal(const std::string& name);
  void row(std::string_view value);
  bool done(std::string_view tag);

  SessionParameters defaults_;
  State state_;
  State before_;  // the transaction
  SessionParameters told_;
  std::set<std::string> locks_;
  std::map<std::string, std::string> statements_;
  std::optional<std::string> unnamed_;
  std::map<std::string, std::string> portals_;
  std::string out_;
  std::size_t copied_rows_ = 0;
  char status_ = 'I';
  bool is_skipping_ = false;
  bool is_copying_ = false;
  bool is_copy_of_query_ = false;  // the simple protocol
  bool is_next_cancelled_ = false;
};

}  // namespace forebay::sim
