// Rule: one thing that Aurora DSQL refuses, with the words it has for it and how we know. Pure
// data; what in a statement breaks a rule is decided where statements are inspected.
//
// A rule may come twice with other words, or other things refused, before and after a date.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace forebay::standin {

// How sure we are of the words. That it is refused is known in any case.
enum class Certainty : std::uint8_t {
  recorded,    // a cluster's own words
  documented,  // those of AWS's documentation, or quoted by others
  presumed,    // by analogy with others
};
std::string_view in_words(Certainty certainty);

struct Rule {
  std::string_view name;     // in snake_case; what switches it
  std::string_view refuses;  // in words, for people
  std::string_view sqlstate;
  std::string_view message;  // what stands in <> is filled in
  std::string_view source;
  Certainty certainty = Certainty::recorded;
  std::string_view since = {};  // the first day, as 2026-02-03; empty: since ever
  std::string_view until = {};  // the first day on which it does not hold any more
  std::string_view detail = {};
  std::string_view hint = {};

  bool holds_on(std::string_view date) const {
    return since <= date && (until.empty() || date < until);
  }
};

struct RuleGroup {
  std::string_view title;
  std::span<const Rule> rules;
};

// All there are, in the order of the book.
std::span<const RuleGroup> rule_groups();

std::span<const Rule> rules_of_statements();
std::span<const Rule> rules_of_sessions();
std::span<const Rule> rules_of_queries();
std::span<const Rule> rules_of_tables();
std::span<const Rule> rules_of_alterations();
std::span<const Rule> rules_of_indexes();
std::span<const Rule> rules_of_limits();

}  // namespace forebay::standin
