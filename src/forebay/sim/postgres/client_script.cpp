#include "forebay/sim/postgres/client_script.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "forebay/wire/protocol/client_messages.hpp"

namespace forebay::sim {
namespace {

constexpr std::string_view kCopy = "copy";

void write_run(std::string& out, std::string_view statement, std::string_view portal = {}) {
  wire::write_bind(out, {.portal = portal, .statement = statement});
  wire::write_execute(out, portal);
}

// The next mark from there on, if there is one: its client, and where it ends.
struct Mark {
  int client = 0;
  std::size_t end = std::string_view::npos;
};

Mark next_mark(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('c', from); at != std::string_view::npos;
       at = text.find('c', at + 1)) {
    Mark mark;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, mark.client);
    if (error != std::errc() || rest == end || *rest != 'x') continue;
    mark.end = static_cast<std::size_t>(rest - text.data());
    return mark;
  }
  return {};
}

}  // namespace

int marked_client(std::string_view sql) { return sql.contains('"') ? 0 : next_mark(sql, 0).client; }

int marked_number(std::string_view sql) {
  const Mark mark = next_mark(sql, 0);
  if (mark.client == 0) return 0;
  int number = 0;
  std::from_chars(sql.data() + mark.end + 1, sql.data() + sql.size(), number);
  return number;
}

bool has_mark_of_another(std::string_view text, int client) {
  for (Mark mark = next_mark(text, 0); mark.client != 0; mark = next_mark(text, mark.end))
    if (mark.client != client) return true;
  return false;
}

void ClientScript::begin() { units_left_ = 0; }

std::string ClientScript::mark() { return fmt::format("c{}x{}", client_, ++marks_); }

std::string ClientScript::any_name() {
  static constexpr std::array<const char*, 4> kNames{"", "a", "b", "c"};
  return kNames[below(kNames.size())];
}

std::string ClientScript::any_select() {
  switch (below(8)) {
    case 0: return "SELECT 1/0";
    case 1: return fmt::format("SELECT generate_series(1, {})", 1 + below(300));
    case 2: return "SELECT app_function(1)";
    case 3:
    case 4: return fmt::format("SELECT '{}'", mark());
    default: return fmt::format("SELECT {}", 1 + below(3));
  }
}

// Any statement that may be prepared, or sent as a Query, by one that waits for each answer.
std::string ClientScript::any_text() {
  switch (below(habits_.resets ? 17 : 12)) {
    case 0: return "SELEC 1";
    case 1: return "SHOW TimeZone";
    case 2: return "SET TimeZone TO 'CET'";
    case 3: return "SET TimeZone TO 'UTC'";
    case 4: return "SET DateStyle TO 'German'";
    case 5: return "EXECUTE a";
    case 6: return "EXECUTE b";
    case 12: return "DEALLOCATE a";
    case 13: return "DEALLOCATE b";
    case 14: return "DEALLOCATE ALL";
    case 15: return "RESET TimeZone";
    case 16: return "DISCARD ALL";
    default: return any_select();
  }
}

std::string ClientScript::any_about_state() {
  const std::string name = mark();
  switch (below(6)) {
    case 0: return "LISTEN " + name;
    case 1: return "CREATE TEMPORARY TABLE " + name + " (n int)";
    case 2: return "SELECT pg_advisory_lock('" + name + "')";
    case 3: return "SET work_mem TO '" + name + "'";
    case 4: return "DECLARE " + name + " CURSOR WITH HOLD FOR SELECT 1";
    default: return "PREPARE " + name + " AS SELECT 1";
  }
}

ClientUnit ClientScript::simple(std::string_view sql, bool is_alone) const {
  ClientUnit unit;
  wire::write_query(unit.messages, sql);
  unit.is_alone = is_alone;
  return unit;
}

// By the unnamed statement and in one unit: right however far ahead it is sent.
ClientUnit ClientScript::plain_extended(const std::string& sql) {
  ClientUnit unit;
  wire::write_parse(unit.messages, "", sql);
  if (one_in(2)) wire::write_describe(unit.messages, wire::Target::statement, "");
  write_run(unit.messages, "");
  wire::write_sync(unit.messages);
  return unit;
}

ClientUnit ClientScript::extended() {
  ClientUnit unit;
  unit.is_alone = true;
  std::string& out = unit.messages;
  const std::uint64_t count = below(8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t kind = below(11);
    const std::string name = any_name();
    if (kind < 3) {
      wire::write_parse(out, name, any_text());
    } else if (kind < 6) {
      write_run(out, name);
    } else if (kind == 6) {
      wire::write_bind(out, {.portal = name, .statement = name});
    } else if (kind == 7) {
      wire::write_describe(out, wire::Target::statement, name);
    } else if (kind == 8) {
      wire::write_close(out, one_in(2) ? wire::Target::statement : wire::Target::portal, name);
    } else if (kind == 9) {
      wire::write_execute(out, "");
    } else {
      wire::write_flush(out);
    }
  }
  wire::write_sync(out);
  return unit;
}

ClientUnit ClientScript::sleep() {
  const std::string sql = fmt::format("SELECT pg_sleep(0.{:02}), '{}'", 1 + below(60), mark());
  ClientUnit unit = one_in(2) ? simple(sql) : plain_extended(sql);
  unit.is_worth_cancel = true;
  return unit;
}

ClientUnit ClientScript::copy_in() {
  ClientUnit unit;
  std::string& out = unit.messages;
  const bool is_simple = one_in(2);
  const std::string sql = fmt::format("COPY {} FROM STDIN", mark());
  if (is_simple) {
    wire::write_query(out, sql);
  } else {
    // Under a name that nothing else is run by: what comes after a COPY is for the COPY.
    wire::write_parse(out, kCopy, sql);
    write_run(out, kCopy, kCopy);
  }
  const std::uint64_t pieces = below(6);
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::string line = fmt::format("{}\n", std::string(1 + below(2000), 'x'));
    wire::write_copy_data(out, line);
  }
  if (one_in(4)) {
    wire::write_copy_fail(out, "on second thought");
  } else {
    wire::write_copy_done(out);
  }
  if (!is_simple) {
    wire::write_close(out, wire::Target::statement, kCopy);
    wire::write_sync(out);
  }
  unit.is_alone = true;
  return unit;
}

ClientUnit ClientScript::step_of_transaction() {
  if (--units_left_ == 0) return simple(one_in(3) ? "ROLLBACK" : "COMMIT");
  const std::uint64_t kind = below(5);
  if (kind == 0) return simple("SELECT '" + mark() + "'");
  if (kind == 1 && habits_.looks_at_state) return simple("SELECT * FROM session_state");
  if (kind == 2 && !habits_.is_hasty) return extended();
  if (kind == 3 && habits_.copies && !habits_.is_hasty) return copy_in();
  return plain_extended(any_select());
}

// One after the other, and of one alone there is no BEGIN. Half of the statements are prepared.
ClientUnit ClientScript::step_of_plain_transaction() {
  if (units_left_ == 0 && habits_.statements > 1) {
    units_left_ = habits_.statements + 1;
    return simple("BEGIN");
  }
  if (units_left_ > 0 && --units_left_ == 0) return simple("COMMIT");
  const double seconds = std::chrono::duration<double>(habits_.statement_time).count();
  const std::string sql = fmt::format("SELECT pg_sleep({:.6f}), '{}'", seconds, mark());
  return one_in(2) ? simple(sql) : plain_extended(sql);
}

ClientUnit ClientScript::next() {
  if (habits_.statements > 0) return step_of_plain_transaction();
  if (units_left_ > 0) return step_of_transaction();
  switch (below(12)) {
    case 0: units_left_ = 1 + static_cast<int>(below(5)); return simple("BEGIN");
    case 1: return habits_.sleeps ? sleep() : simple(any_select());
    case 2: return habits_.copies ? copy_in() : simple(any_select());
    case 3:
      if (!habits_.copies) return plain_extended(any_select());
      return simple(fmt::format("COPY (SELECT generate_series(1, {})) TO STDOUT", 1 + below(400)));
    case 4:
      return habits_.looks_at_state ? simple("SELECT * FROM session_state") : simple("SELECT 2");
    case 5:
      if (habits_.keeps_state && one_in(3)) return simple(any_about_state(), true);
      return simple("SELECT 3");
    case 6: return habits_.is_hasty ? plain_extended(any_select()) : simple(any_text(), true);
    case 7:
    case 8:
    case 9: return habits_.is_hasty ? plain_extended(any_select()) : extended();
    default: return simple(any_select());
  }
}

}  // namespace forebay::sim
