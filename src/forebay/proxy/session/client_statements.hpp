// ClientStatements: the prepared statements of a client, by its own names, as they are once the
// server has done all that was sent to it. What it then does not do is undone here. Pure.
//
//   statements.define(name, statement);   // Parse goes out
//   statements.keep_first();              // and is answered; or it fails, or is skipped:
//   statements.undo_first(1);
//
// Changes are kept or undone in the order in which they were made. Undoing one leaves what later
// ones made of the same name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/proxy/session/statement_texts.hpp"
#include "forebay/wire/statement_reading.hpp"

namespace forebay::proxy {

// The statement without a name. It is not shared: each client sends another one all the time.
struct UnnamedStatement {
  bool exists = false;
  std::uint64_t id = 0;  // no other definition has it
  std::string body;      // of Parse, without the name in front
  wire::StatementReading reading;
};

class ClientStatements {
 public:
  using Names = std::map<std::string, StatementRef, std::less<>>;

  // Null: there is none of that name.
  const StatementRef* find(std::string_view name) const;
  // Empty: there is none. Of several any one.
  std::string_view name_of(std::uint64_t id) const;
  const UnnamedStatement& unnamed() const { return unnamed_; }
  std::size_t size() const { return names_.size(); }
  bool has_changes() const { return begin_ < end_; }
  std::size_t kept() const {
    return changes_.size();
  }  // changes in memory, with those that are over

  // Each of these is one change, even if nothing is different.
  void define(std::string_view name, StatementRef statement);
  void define_unnamed(std::string_view body, wire::StatementReading reading, std::uint64_t id);
  void drop(std::string_view name);
  void drop(const std::vector<std::string>& names);
  void drop_unnamed();
  void drop_all();  // that have names
  // A Query also drops the unnamed statement: one more part of the last change.
  void drop_unnamed_too();

  void keep_first();
  // Is the unnamed one gone: then the first of them tried to replace it, and failed, and neither
  // the old one nor the new one is there.
  void undo_first(std::size_t count, bool is_unnamed_gone = false);
  // Gives back memory that an idle client does not need.
  void shrink();

 private:
  struct Change {
    std::vector<std::pair<std::string, StatementRef>> before;  // nothing: was not there
    bool is_about_unnamed = false;
    UnnamedStatement unnamed;  // as it was
  };

  Change& next_change();
  void undo(std::size_t place);
  void put_back(std::size_t place, std::string_view name, StatementRef statement);
  void save_unnamed(Change& change);
  void save(Change& change, std::string_view name);
  void forget_those_over();

  Names names_;
  UnnamedStatement unnamed_;
  // Those from begin_ to end_ count; the others keep their memory for the next ones.
  std::vector<Change> changes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace forebay::proxy
