// Reader: takes a request's JSON apart. The first thing that is wrong is kept, and reading goes on;
// callers look at refusal() before they use anything.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "forebay/sim/dynamodb/tables.hpp"

namespace forebay::sim::dynamodb {

class Reader {
 public:
  // The object outlives it.
  explicit Reader(const boost::json::object& object) : object_(object) {}

  // What is not listed is refused: a parameter that did nothing here would do something there.
  void allow_only(std::initializer_list<std::string_view> names);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string table();
  std::string text(std::string_view name, std::string otherwise = "");
  std::int64_t number(std::string_view name, std::int64_t otherwise);
  bool flag(std::string_view name);
  const boost::json::array& list(std::string_view name);
  const boost::json::object& object(std::string_view name);
  aws::Item item(std::string_view name);   // attributes
  std::string key(std::string_view name);  // of the item { "pk": ... }
  std::string key_of(const aws::Item& item);

  // The expressions of a write or a scan, and that all words are used in them.
  Words words();
  WriteAction write(WriteAction::Kind kind);
  std::optional<ConditionExpression> condition(std::string_view name, Words& words);
  // Which attributes are asked for; nothing: all.
  std::optional<Projection> projection(Words& words);
  std::optional<Projection> only_projection();  // of a request without other expressions

  void refuse(Refusal refusal);
  void refuse_invalid(std::string text) { refuse(Refusal("ValidationException", std::move(text))); }
  const std::optional<Refusal>& refusal() const { return refusal_; }
  template <class T>
  void pass_on(const Answer<T>& answer) {
    if (!answer) refuse(answer.error());
  }

 private:
  const boost::json::value* find(std::string_view name) const;
  const boost::json::object& object_;
  std::optional<Refusal> refusal_;
};

}  // namespace forebay::sim::dynamodb
