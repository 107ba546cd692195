// The parser gives a tree as JSON. The statements at its top decide by their kind; below them only
// calls of functions and names of tables matter, wherever they stand.
#include "forebay/wire/statement_reading.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <pg_query.h>

#include "forebay/wire/builtin_functions.hpp"

namespace forebay::wire {
namespace {

namespace json = boost::json;

// A text that is longer is generated, and seldom sent twice: reading it may cost more than a reset.
constexpr std::size_t kLongestText = 32 * 1024;
constexpr int kDeepest = 500;  // levels of the tree
constexpr std::int64_t kCursorWithHold = 0x20;

std::string_view text_at(const json::object& node, std::string_view key) {
  const json::value* const value = node.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

bool flag_at(const json::object& node, std::string_view key) {
  const json::value* const value = node.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const json::object* object_at(const json::object& node, std::string_view key) {
  const json::value* const value = node.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::array* list_at(const json::object& node, std::string_view key) {
  const json::value* const value = node.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

// {"String": {"sval": "x"}} in a list of names.
std::string dotted(const json::array& names) {
  std::string text;
  for (const json::value& name : names) {
    const json::object* const node = name.if_object();
    const json::object* const string = node != nullptr ? object_at(*node, "String") : nullptr;
    if (string == nullptr) continue;
    if (!text.empty()) text += '.';
    text += text_at(*string, "sval");
  }
  return text;
}

// Those whose parts tell all: whether they leave something depends on what they call and name.
bool is_told_by_parts(std::string_view kind) {
  static constexpr auto kKinds = std::to_array<std::string_view>(
      {"SelectStmt",        "InsertStmt",       "UpdateStmt",   "DeleteStmt",         "MergeStmt",
       "CopyStmt",          "TransactionStmt",  "FetchStmt",    "ClosePortalStmt",    "LockStmt",
       "NotifyStmt",        "UnlistenStmt",     "TruncateStmt", "ConstraintsSetStmt", "CreateStmt",
       "CreateTableAsStmt", "VariableShowStmt", "IndexStmt",    "DropStmt",           "CommentStmt",
       "DeclareCursorStmt", "CallStmt",         "ExplainStmt"});
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

bool is_preparable(std::string_view kind) {
  static constexpr auto kKinds = std::to_array<std::string_view>(
      {"SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"});
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

// Savepoints are the transaction's own affair.
bool is_transaction_control(std::string_view kind, const json::object& node) {
  static constexpr auto kOfSavepoints = std::to_array<std::string_view>(
      {"TRANS_STMT_SAVEPOINT", "TRANS_STMT_RELEASE", "TRANS_STMT_ROLLBACK_TO"});
  return kind == "TransactionStmt" &&
         std::ranges::find(kOfSavepoints, text_at(node, "kind")) == kOfSavepoints.end();
}

// Those that a failed transaction lets through.
bool is_transaction_exit(std::string_view kind, const json::object& node) {
  static constexpr auto kExits = std::to_array<std::string_view>(
      {"TRANS_STMT_COMMIT", "TRANS_STMT_ROLLBACK", "TRANS_STMT_ROLLBACK_TO", "TRANS_STMT_PREPARE"});
  return kind == "TransactionStmt" &&
         std::ranges::find(kExits, text_at(node, "kind")) != kExits.end();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

class Reader {
 public:
  explicit Reader(const TrustedFunctions& trusted) : trusted_(trusted) {}

  void read_all(const json::array& statements);
  const StatementReading& reading() const { return reading_; }

 private:
  void leave(Leftover kind) { reading_.leftovers.add(kind); }
  void read_top(std::string_view kind, const json::object& node);
  void read_setting(const json::object& node);
  bool read_prepared(std::string_view kind, const json::object& node);
  void read_parts(const json::value& part, int depth);
  void read_call(const json::object& node, const json::array& names);
  void read_table(const json::object& node);

  const TrustedFunctions& trusted_;
  StatementReading reading_;
};

void Reader::read_all(const json::array& statements) {
  reading_.is_understood = true;
  for (const json::value& entry : statements) {
    const json::object* const statement = object_at(entry.as_object(), "stmt");
    if (statement == nullptr || statement->size() != 1) return leave(Leftover::everything);
    const std::string_view kind = statement->begin()->key();
    const json::object& node = statement->begin()->value().as_object();
    const bool is_alone = statements.size() == 1;
    reading_.is_preparable = is_alone && is_preparable(kind) && !node.contains("intoClause");
    reading_.is_single = is_alone && kind != "CopyStmt";
    reading_.is_transaction_control =
        reading_.is_transaction_control || is_transaction_control(kind, node);
    reading_.is_transaction_exit = is_alone && is_transaction_exit(kind, node);
    read_top(kind, node);
  }
}

void Reader::read_top(std::string_view kind, const json::object& node) {
  if (kind == "VariableSetStmt") return read_setting(node);
  if (read_prepared(kind, node)) return;
  if (kind == "ListenStmt") return leave(Leftover::channels);
  if (!is_told_by_parts(kind)) return leave(Leftover::everything);
  if (kind == "ExplainStmt") {
    // With ANALYZE it runs what it explains.
    const json::object* const query = object_at(node, "query");
    if (query == nullptr || query->size() != 1) return leave(Leftover::everything);
    return read_top(query->begin()->key(), query->begin()->value().as_object());
  }
  if (kind == "DeclareCursorStmt") {
    const json::value* const options = node.if_contains("options");
    const bool holds =
        options != nullptr && options->is_int64() && (options->get_int64() & kCursorWithHold) != 0;
    if (holds) leave(Leftover::cursors);
  }
  for (const auto& member : node) read_parts(member.value(), 0);
  read_table(node);
}

// True: it is about prepared statements, or clears or loads something, and nothing else is in it.
bool Reader::read_prepared(std::string_view kind, const json::object& node) {
  const std::string_view name = text_at(node, "name");
  if (kind == "PrepareStmt" || kind == "DeallocateStmt") {
    leave(Leftover::prepared);
    reading_.prepares = reading_.prepares || kind == "PrepareStmt";
    if (kind == "PrepareStmt") return true;
    if (name.empty()) {
      reading_.deallocates_all = true;
    } else {
      reading_.deallocates.emplace_back(name);
    }
    return true;
  }
  if (kind == "DiscardStmt" && text_at(node, "target") == "DISCARD_ALL")
    reading_.discards_all = true;
  if (kind == "LoadStmt") reading_.loads = true;
  if (kind == "ExecuteStmt") reading_.executes.emplace_back(name);
  return false;
}

// SET LOCAL and SET TRANSACTION end with the transaction.
void Reader::read_setting(const json::object& node) {
  const bool is_of_transaction =
      text_at(node, "kind") == "VAR_SET_MULTI" && text_at(node, "name").starts_with("TRANSACTION");
  if (flag_at(node, "is_local") || is_of_transaction) return;
  leave(Leftover::settings);
  const std::string_view kind = text_at(node, "kind");
  const bool is_reset = kind == "VAR_RESET" || kind == "VAR_RESET_ALL" || kind == "VAR_SET_DEFAULT";
  reading_.settings.push_back({.name = lower_case(text_at(node, "name")), .is_reset = is_reset});
}

void Reader::read_parts(const json::value& part, int depth) {
  if (depth > kDeepest) return leave(Leftover::everything);
  if (const json::array* const list = part.if_array()) {
    for (const json::value& item : *list) read_parts(item, depth + 1);
    return;
  }
  const json::object* const node = part.if_object();
  if (node == nullptr) return;
  if (const json::array* const names = list_at(*node, "funcname")) read_call(*node, *names);
  read_table(*node);
  for (const auto& member : *node) read_parts(member.value(), depth + 1);
}

bool is_constant_true(const json::value& argument) {
  const json::object* const node = argument.if_object();
  const json::object* constant = node != nullptr ? object_at(*node, "A_Const") : nullptr;
  constant = constant != nullptr ? object_at(*constant, "boolval") : nullptr;
  return constant != nullptr && flag_at(*constant, "boolval");
}

// Empty: it is no constant.
std::string_view constant_text(const json::value& argument) {
  const json::object* const node = argument.if_object();
  const json::object* constant = node != nullptr ? object_at(*node, "A_Const") : nullptr;
  constant = constant != nullptr ? object_at(*constant, "sval") : nullptr;
  return constant != nullptr ? text_at(*constant, "sval") : std::string_view();
}

// Nothing: it is not one of them.
std::optional<Leftover> left_by(std::string_view builtin) {
  static constexpr auto kKnown = std::to_array<std::pair<std::string_view, Leftover>>(
      {{"set_config", Leftover::settings},
       {"pg_advisory_lock", Leftover::locks},
       {"pg_advisory_lock_shared", Leftover::locks},
       {"pg_try_advisory_lock", Leftover::locks},
       {"pg_try_advisory_lock_shared", Leftover::locks},
       {"nextval", Leftover::sequences},
       {"setval", Leftover::sequences}});
  const auto* const found =
      std::ranges::find(kKnown, builtin, &std::pair<std::string_view, Leftover>::first);
  return found == kKnown.end() ? std::nullopt : std::optional(found->second);
}

void Reader::read_call(const json::object& node, const json::array& names) {
  const std::string called = dotted(names);
  if (std::ranges::find(trusted_, called) != trusted_.end()) return;
  std::string_view builtin = called;
  static constexpr std::string_view kCatalog = "pg_catalog.";
  if (builtin.starts_with(kCatalog)) builtin.remove_prefix(kCatalog.size());
  if (is_neutral_builtin(builtin)) return;
  const std::optional<Leftover> left = left_by(builtin);
  if (!left) return leave(Leftover::everything);
  const json::array* const arguments = list_at(node, "args");
  const bool is_config = builtin == "set_config" && arguments != nullptr && arguments->size() == 3;
  if (is_config && is_constant_true(arguments->at(2))) return;
  leave(*left);
  if (*left != Leftover::settings) return;
  const std::string_view name = is_config ? constant_text(arguments->at(0)) : std::string_view();
  reading_.settings.push_back({.name = lower_case(name), .is_reset = false});
}

void Reader::read_table(const json::object& node) {
  if (text_at(node, "relpersistence") == "t" || text_at(node, "schemaname").starts_with("pg_temp"))
    leave(Leftover::temporary);
}

}  // namespace

StatementReading read_statement(const std::string& sql, const TrustedFunctions& trusted) {
  StatementReading unknown;
  unknown.leftovers.add(Leftover::everything);
  if (sql.size() > kLongestText || sql.contains('\0')) return unknown;
  const PgQueryParseResult parsed = pg_query_parse(sql.c_str());
  json::value tree;
  boost::system::error_code error;
  if (parsed.error == nullptr) {
    json::parse_options options;
    options.max_depth = static_cast<std::size_t>(kDeepest);
    tree = json::parse(parsed.parse_tree, error, {}, options);
  }
  const bool is_read = parsed.error == nullptr && !error;
  pg_query_free_parse_result(parsed);
  const json::array* const statements =
      is_read && tree.is_object() ? list_at(tree.get_object(), "stmts") : nullptr;
  if (statements == nullptr) return unknown;
  Reader reader(trusted);
  reader.read_all(*statements);
  return reader.reading();
}

}  // namespace forebay::wire
