// SqlTree: a text of SQL as PostgreSQL's own parser reads it, and views of the nodes in it. The one
// place that knows the parser, and that its trees are JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::json {
class value;
}

namespace forebay::wire {

struct SqlPart;

// A part of a tree: fields by name, a list, a text, a number, a flag, or nothing. Nothing has parts
// that are nothing, so a way down need not be checked at each step. It holds as long as its tree.
class SqlNode {
 public:
  SqlNode() = default;
  explicit SqlNode(const boost::json::value* value) : value_(value) {}

  explicit operator bool() const { return value_ != nullptr; }
  bool is_list() const;
  bool has_fields() const;

  SqlNode field(std::string_view name) const;
  // Of a field. The parser leaves out what is empty, false or zero.
  std::string_view text(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::int64_t number(std::string_view name) const;

  std::string_view as_text() const;
  // A node says what it is by its only field: {"SelectStmt": {...}}. Empty: it does not.
  std::string_view kind() const;
  SqlNode inner() const;  // what that field holds

  // Its fields, or the items of a list.
  std::size_t size() const;
  SqlPart part(std::size_t index) const;  // REQUIRES: index < size()
  SqlNode item(std::size_t index) const;  // nothing: there are not so many

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  const boost::json::value* value_ = nullptr;
};

struct SqlPart {
  std::string_view name;  // of a field
  SqlNode node;
};

class SqlNode::Iterator {
 public:
  Iterator(const SqlNode& whole, std::size_t index) : whole_(whole), index_(index) {}
  SqlPart operator*() const { return whole_.part(index_); }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  bool operator!=(const Iterator& other) const { return index_ != other.index_; }

 private:
  SqlNode whole_;
  std::size_t index_;
};

inline SqlNode::Iterator SqlNode::begin() const { return {*this, 0}; }
inline SqlNode::Iterator SqlNode::end() const { return {*this, size()}; }

// The texts of a list of names, with dots between them: {"String": {"sval": "x"}}.
std::string dotted_name(const SqlNode& names);

// One of the statements of a text.
struct SqlStatement {
  std::string_view kind;  // "SelectStmt"; empty: the tree does not say
  SqlNode node;
  // Its place in the text, with the blanks and comments before it.
  std::size_t begin = 0;
  std::size_t length = 0;
};

class SqlTree {
 public:
  // REQUIRES: the text is no larger than a thread's stack can stand: what is nested deeper than a
  // few thousand levels ends the process. See the callers' limits.
  explicit SqlTree(const std::string& sql);
  SqlTree(const SqlTree&) = delete;
  SqlTree& operator=(const SqlTree&) = delete;
  ~SqlTree();

  // False: the parser could not read it, or it is nested deeper than anything that people write.
  bool is_read() const { return is_read_; }
  std::vector<SqlStatement> statements() const;

 private:
  std::size_t text_size_;
  bool is_read_ = false;
  std::unique_ptr<boost::json::value> tree_;
};

}  // namespace forebay::wire
