// The statements at the top of the tree decide by their kind; below them only calls of functions
// and names of tables matter, wherever they stand.
#include "forebay/wire/statement_reading.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "forebay/wire/builtin_functions.hpp"
#include "forebay/wire/sql_tree.hpp"

namespace forebay::wire {
namespace {

// A text that is longer is generated, and seldom sent twice: reading it may cost more than a reset.
constexpr std::size_t kLongestText = 32 * 1024;
constexpr std::int64_t kCursorWithHold = 0x20;

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
bool is_transaction_control(std::string_view kind, const SqlNode& node) {
  static constexpr auto kOfSavepoints = std::to_array<std::string_view>(
      {"TRANS_STMT_SAVEPOINT", "TRANS_STMT_RELEASE", "TRANS_STMT_ROLLBACK_TO"});
  return kind == "TransactionStmt" &&
         std::ranges::find(kOfSavepoints, node.text("kind")) == kOfSavepoints.end();
}

// Those that a failed transaction lets through.
bool is_transaction_exit(std::string_view kind, const SqlNode& node) {
  static constexpr auto kExits = std::to_array<std::string_view>(
      {"TRANS_STMT_COMMIT", "TRANS_STMT_ROLLBACK", "TRANS_STMT_ROLLBACK_TO", "TRANS_STMT_PREPARE"});
  return kind == "TransactionStmt" && std::ranges::find(kExits, node.text("kind")) != kExits.end();
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

  void read_all(const std::vector<SqlStatement>& statements);
  const StatementReading& reading() const { return reading_; }

 private:
  void leave(Leftover kind) { reading_.leftovers.add(kind); }
  void read_top(std::string_view kind, const SqlNode& node);
  void read_setting(const SqlNode& node);
  bool read_prepared(std::string_view kind, const SqlNode& node);
  void read_parts(const SqlNode& node);
  void read_call(const SqlNode& node, const SqlNode& names);
  void read_table(const SqlNode& node);

  const TrustedFunctions& trusted_;
  StatementReading reading_;
};

void Reader::read_all(const std::vector<SqlStatement>& statements) {
  reading_.is_understood = true;
  for (const SqlStatement& statement : statements) {
    if (statement.kind.empty()) return leave(Leftover::everything);
    const std::string_view kind = statement.kind;
    const SqlNode& node = statement.node;
    const bool is_alone = statements.size() == 1;
    reading_.is_preparable = is_alone && is_preparable(kind) && !node.field("intoClause");
    reading_.is_single = is_alone && kind != "CopyStmt";
    reading_.is_transaction_control =
        reading_.is_transaction_control || is_transaction_control(kind, node);
    reading_.is_transaction_exit = is_alone && is_transaction_exit(kind, node);
    read_top(kind, node);
  }
}

void Reader::read_top(std::string_view kind, const SqlNode& node) {
  if (kind == "VariableSetStmt") return read_setting(node);
  if (read_prepared(kind, node)) return;
  if (kind == "ListenStmt") return leave(Leftover::channels);
  if (!is_told_by_parts(kind)) return leave(Leftover::everything);
  if (kind == "ExplainStmt") {
    // With ANALYZE it runs what it explains.
    const SqlNode query = node.field("query");
    if (query.kind().empty()) return leave(Leftover::everything);
    return read_top(query.kind(), query.inner());
  }
  if (kind == "DeclareCursorStmt") {
    if ((node.number("options") & kCursorWithHold) != 0) leave(Leftover::cursors);
  }
  for (const SqlPart& part : node) read_parts(part.node);
  read_table(node);
}

// True: it is about prepared statements, or clears or loads something, and nothing else is in it.
bool Reader::read_prepared(std::string_view kind, const SqlNode& node) {
  const std::string_view name = node.text("name");
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
  if (kind == "DiscardStmt" && node.text("target") == "DISCARD_ALL") reading_.discards_all = true;
  if (kind == "LoadStmt") reading_.loads = true;
  if (kind == "ExecuteStmt") reading_.executes.emplace_back(name);
  return false;
}

// SET LOCAL and SET TRANSACTION end with the transaction.
void Reader::read_setting(const SqlNode& node) {
  const bool is_of_transaction =
      node.text("kind") == "VAR_SET_MULTI" && node.text("name").starts_with("TRANSACTION");
  if (node.flag("is_local") || is_of_transaction) return;
  leave(Leftover::settings);
  const std::string_view kind = node.text("kind");
  const bool is_reset = kind == "VAR_RESET" || kind == "VAR_RESET_ALL" || kind == "VAR_SET_DEFAULT";
  reading_.settings.push_back({.name = lower_case(node.text("name")), .is_reset = is_reset});
}

// No deeper than a tree can be.
void Reader::read_parts(const SqlNode& node) {
  if (const SqlNode names = node.field("funcname"); names.is_list()) read_call(node, names);
  if (node.has_fields()) read_table(node);
  for (const SqlPart& part : node) read_parts(part.node);
}

bool is_constant_true(const SqlNode& argument) {
  return argument.field("A_Const").field("boolval").flag("boolval");
}

// Empty: it is no constant.
std::string_view constant_text(const SqlNode& argument) {
  return argument.field("A_Const").field("sval").text("sval");
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

void Reader::read_call(const SqlNode& node, const SqlNode& names) {
  const std::string called = dotted_name(names);
  if (std::ranges::find(trusted_, called) != trusted_.end()) return;
  std::string_view builtin = called;
  static constexpr std::string_view kCatalog = "pg_catalog.";
  if (builtin.starts_with(kCatalog)) builtin.remove_prefix(kCatalog.size());
  if (is_neutral_builtin(builtin)) return;
  const std::optional<Leftover> left = left_by(builtin);
  if (!left) return leave(Leftover::everything);
  const SqlNode arguments = node.field("args");
  const bool is_config = builtin == "set_config" && arguments.size() == 3;
  if (is_config && is_constant_true(arguments.item(2))) return;
  leave(*left);
  if (*left != Leftover::settings) return;
  const std::string_view name = is_config ? constant_text(arguments.item(0)) : std::string_view();
  reading_.settings.push_back({.name = lower_case(name), .is_reset = false});
}

void Reader::read_table(const SqlNode& node) {
  if (node.text("relpersistence") == "t" || node.text("schemaname").starts_with("pg_temp"))
    leave(Leftover::temporary);
}

}  // namespace

StatementReading read_statement(const std::string& sql, const TrustedFunctions& trusted) {
  StatementReading unknown;
  unknown.leftovers.add(Leftover::everything);
  if (sql.size() > kLongestText) return unknown;
  const SqlTree tree(sql);
  if (!tree.is_read()) return unknown;
  Reader reader(trusted);
  reader.read_all(tree.statements());
  return reader.reading();
}

}  // namespace forebay::wire
