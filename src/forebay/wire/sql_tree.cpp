#include "forebay/wire/sql_tree.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <pg_query.h>

namespace forebay::wire {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepest = 500;  // levels of the tree

}  // namespace

bool SqlNode::is_list() const { return value_ != nullptr && value_->is_array(); }

bool SqlNode::has_fields() const { return value_ != nullptr && value_->is_object(); }

SqlNode SqlNode::field(std::string_view name) const {
  return has_fields() ? SqlNode(value_->get_object().if_contains(name)) : SqlNode();
}

std::string_view SqlNode::text(std::string_view name) const { return field(name).as_text(); }

bool SqlNode::flag(std::string_view name) const {
  const SqlNode found = field(name);
  return found && found.value_->is_bool() && found.value_->get_bool();
}

std::int64_t SqlNode::number(std::string_view name) const {
  const SqlNode found = field(name);
  return found && found.value_->is_int64() ? found.value_->get_int64() : 0;
}

std::string_view SqlNode::as_text() const {
  return value_ != nullptr && value_->is_string() ? std::string_view(value_->get_string())
                                                  : std::string_view();
}

std::string_view SqlNode::kind() const {
  return has_fields() && size() == 1 ? part(0).name : std::string_view();
}

SqlNode SqlNode::inner() const { return has_fields() && size() == 1 ? part(0).node : SqlNode(); }

std::size_t SqlNode::size() const {
  if (has_fields()) return value_->get_object().size();
  return is_list() ? value_->get_array().size() : 0;
}

SqlPart SqlNode::part(std::size_t index) const {
  if (is_list()) return {.name = {}, .node = SqlNode(&value_->get_array()[index])};
  const json::key_value_pair& member = value_->get_object().begin()[index];
  return {.name = member.key(), .node = SqlNode(&member.value())};
}

SqlNode SqlNode::item(std::size_t index) const {
  return is_list() && index < size() ? part(index).node : SqlNode();
}

std::string dotted_name(const SqlNode& names) {
  std::string text;
  for (const SqlPart& name : names) {
    const SqlNode string = name.node.field("String");
    if (!string) continue;
    if (!text.empty()) text += '.';
    text += string.text("sval");
  }
  return text;
}

SqlTree::SqlTree(const std::string& sql) : text_size_(sql.size()) {
  if (sql.contains('\0')) return;
  const PgQueryParseResult parsed = pg_query_parse(sql.c_str());
  boost::system::error_code error;
  if (parsed.error == nullptr) {
    json::parse_options options;
    options.max_depth = kDeepest;
    tree_ = std::make_unique<json::value>(json::parse(parsed.parse_tree, error, {}, options));
  }
  is_read_ = parsed.error == nullptr && !error && SqlNode(tree_.get()).field("stmts").is_list();
  pg_query_free_parse_result(parsed);
}

SqlTree::~SqlTree() = default;

std::vector<SqlStatement> SqlTree::statements() const {
  std::vector<SqlStatement> statements;
  if (!is_read_) return statements;
  const SqlNode list = SqlNode(tree_.get()).field("stmts");
  statements.reserve(list.size());
  for (const SqlPart& entry : list) {
    SqlStatement& statement = statements.emplace_back();
    statement.kind = entry.node.field("stmt").kind();
    statement.node = entry.node.field("stmt").inner();
    const auto begin = static_cast<std::size_t>(entry.node.number("stmt_location"));
    const auto length = static_cast<std::size_t>(entry.node.number("stmt_len"));
    statement.begin = std::min(begin, text_size_);
    statement.length = length > 0 ? length : text_size_ - statement.begin;
  }
  return statements;
}

}  // namespace forebay::wire
