// Transactions and settings.
#include <algorithm>
#include <array>
#include <string>

#include "forebay/base/ascii_text.hpp"
#include "forebay/standin/statements/inspection.hpp"
#include "forebay/standin/statements/parameters.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return upper;
}

void inspect_isolation(Inspection& inspection, const SqlNode& modes) {
  for (const auto& mode : modes) {
    const SqlNode element = mode.node.field("DefElem");
    if (element.text("defname") != "transaction_isolation") continue;
    const std::string_view level = element.field("arg").field("A_Const").field("sval").text("sval");
    inspection.refuse_if(level != "repeatable read", "isolation_level", {upper_case(level)});
  }
}

struct TransactionWord {
  std::string_view kind;
  std::string_view rule;
  std::string_view word;
};

constexpr auto kTransactionWords = std::to_array<TransactionWord>({
    {"TRANS_STMT_SAVEPOINT", "savepoint", "SAVEPOINT"},
    {"TRANS_STMT_RELEASE", "savepoint", "RELEASE"},
    {"TRANS_STMT_ROLLBACK_TO", "savepoint", "ROLLBACK TO"},
    {"TRANS_STMT_PREPARE", "two_phase", "PREPARE TRANSACTION"},
    {"TRANS_STMT_COMMIT_PREPARED", "two_phase", "COMMIT PREPARED"},
    {"TRANS_STMT_ROLLBACK_PREPARED", "two_phase", "ROLLBACK PREPARED"},
});

void inspect_transaction(Inspection& inspection, const SqlNode& node) {
  const std::string_view kind = node.text("kind");
  inspect_isolation(inspection, node.field("options"));
  const auto* const word = std::ranges::find(kTransactionWords, kind, &TransactionWord::kind);
  if (word != kTransactionWords.end()) inspection.refuse(word->rule, {word->word});
  inspection.refuse_if(node.flag("chain"), "transaction_chain",
                       {kind == "TRANS_STMT_COMMIT" ? "COMMIT" : "ROLLBACK"});
}

void inspect_set(Inspection& inspection, const SqlNode& node) {
  const std::string_view kind = node.text("kind");
  const std::string_view name = node.text("name");
  if (kind == "VAR_RESET" || kind == "VAR_RESET_ALL") return;
  if (kind == "VAR_SET_MULTI") {
    inspect_isolation(inspection, node.field("args"));
    return inspection.refuse("set_transaction", {name});
  }
  // SET SESSION AUTHORIZATION DEFAULT changes nothing.
  if (name == "session_authorization" && kind == "VAR_SET_DEFAULT") return;
  if (is_same_name(name, "role")) return inspection.refuse_if(!node.flag("is_local"), "set_role");
  inspection.refuse_if(!is_allowed_parameter(name), "parameter", {name});
}

void inspect_show(Inspection& inspection, const SqlNode& node) {
  const std::string name = lower_case(node.text("name"));
  inspection.refuse_if(name == "lc_collate" || name == "lc_ctype", "show_collation", {name});
}

}  // namespace

bool is_allowed_parameter(std::string_view name) {
  static constexpr auto kAllowed = std::to_array<std::string_view>(
      {"application_name", "client_encoding", "datestyle", "extra_float_digits", "intervalstyle",
       "timezone", "search_path", "enable_bitmapscan", "enable_hashjoin", "enable_indexonlyscan",
       "enable_indexscan", "enable_material", "enable_mergejoin", "enable_nestloop",
       "enable_seqscan", "dsql.enable_batched_nestloop", "disable_sync_create_index"});
  return std::ranges::any_of(kAllowed,
                             [&](std::string_view known) { return is_same_name(known, name); });
}

void inspect_session(Inspection& inspection, const SqlStatement& statement) {
  if (statement.kind == "TransactionStmt") inspect_transaction(inspection, statement.node);
  if (statement.kind == "VariableSetStmt") inspect_set(inspection, statement.node);
  if (statement.kind == "VariableShowStmt") inspect_show(inspection, statement.node);
}

}  // namespace forebay::standin
