// Whatever is sent: it is judged, and the same whatever its case, blanks and comments are.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "forebay/standin/statements/sql_scanner.hpp"
#include "forebay/standin/statements/statement_rules.hpp"
#include "standin/accepted_statements.hpp"
#include "standin/refused_definitions.hpp"

namespace forebay::standin {
namespace {

// Each with the day on which it is judged.
const std::vector<std::pair<std::string, std::string>>& known_statements() {
  static const std::vector<std::pair<std::string, std::string>> kKnown = [] {
    std::vector<std::pair<std::string, std::string>> known;
    for (const test::RefusedStatement& refused : test::all_refused())
      known.emplace_back(refused.sql, refused.date);
    for (const test::AcceptedStatement& accepted : test::kAcceptedStatements)
      known.emplace_back(accepted.sql, accepted.date);
    return known;
  }();
  return kKnown;
}

const StatementRules& rules_for_properties() {
  static const StatementRules kRules{RuleBook()};
  return kRules;
}

// The same tokens, words in another case, with other blanks and comments between them.
std::string dressed(const std::string& sql) {
  static const std::vector<std::string> kBetween{
      " ", "\n", "\t ", " /* ; ' \" */ ", " -- x;'\n", "\r\n/* /* $$ */ */"};
  std::string text = *rc::gen::elementOf(kBetween);
  std::size_t last = 0;
  for (const SqlToken& token : scan_sql(sql)) {
    // Operators of several characters, and what is glued to them, stay together.
    const bool may_part = token.begin > last || token.kind == SqlTokenKind::word;
    if (may_part && token.begin > 0 && token.begin > last) text += *rc::gen::elementOf(kBetween);
    std::string word(text_of(token, sql));
    const bool is_plain = token.kind == SqlTokenKind::word &&
                          std::ranges::all_of(word, [](unsigned char c) { return c < 0x80; });
    for (char& letter : word) {
      const bool is_lower = letter >= 'a' && letter <= 'z';
      const bool is_upper = letter >= 'A' && letter <= 'Z';
      if (is_plain && (is_lower || is_upper) && *rc::gen::arbitrary<bool>())
        letter = static_cast<char>(letter ^ 0x20);
    }
    text += word;
    last = token.end;
  }
  return text;
}

RC_GTEST_PROP(JudgementPropertyTest, CaseBlanksAndCommentsChangeNothing, ()) {
  const auto [sql, date] = *rc::gen::elementOf(known_statements());
  const StatementRules rules(RuleBook(date, {}, {}));
  const std::string other = dressed(sql);

  const Judgement plain = rules.judge(sql);
  const Judgement judgement = rules.judge(other);

  RC_LOG() << other << "\n";
  RC_ASSERT(judgement.is_understood);
  RC_ASSERT(judgement.statements.size() == 1u);
  RC_ASSERT(judgement.statements.front().kind == plain.statements.front().kind);
  RC_ASSERT(judgement.statements.front().writes == plain.statements.front().writes);
  const std::optional<Refusal>& refusal = judgement.statements.front().refusal;
  RC_ASSERT(refusal.has_value() == plain.statements.front().refusal.has_value());
  if (refusal) RC_ASSERT(refusal->message == plain.statements.front().refusal->message);
}

RC_GTEST_PROP(JudgementPropertyTest, StatementsAreJudgedAloneAsTogether, ()) {
  const auto chosen =
      *rc::gen::resize(6, rc::gen::container<std::vector<std::size_t>>(
                              rc::gen::inRange<std::size_t>(0, known_statements().size())));
  std::string text;
  for (const std::size_t index : chosen) text += known_statements()[index].first + ";";

  const Judgement together = rules_for_properties().judge(text);

  RC_ASSERT(together.is_understood);
  RC_ASSERT(together.statements.size() == chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Judgement alone = rules_for_properties().judge(known_statements()[chosen[i]].first);
    const StatementJudgement& statement = together.statements[i];
    RC_ASSERT(statement.kind == alone.statements.front().kind);
    RC_ASSERT(statement.refusal == alone.statements.front().refusal);
    RC_ASSERT(statement.sql == alone.statements.front().sql);
    RC_ASSERT(statement.begin + alone.statements.front().sql.size() <= text.size() + 100);
  }
}

RC_GTEST_PROP(JudgementPropertyTest, AnyBytesAreJudged, (const std::string& bytes)) {
  const Judgement judgement = rules_for_properties().judge(bytes);
  RC_ASSERT(judgement.is_understood || judgement.statements.size() == 1u);
}

// Nearly SQL: pieces of what is known, cut anywhere.
RC_GTEST_PROP(JudgementPropertyTest, PiecesOfStatementsAreJudged, ()) {
  std::string text;
  const int pieces = *rc::gen::inRange(1, 5);
  for (int i = 0; i < pieces; ++i) {
    const std::string& sql = (*rc::gen::elementOf(known_statements())).first;
    const auto begin = *rc::gen::inRange<std::size_t>(0, sql.size());
    const auto length = *rc::gen::inRange<std::size_t>(0, sql.size() + 1);
    text += sql.substr(begin, length);
  }
  const Judgement judgement = rules_for_properties().judge(text);
  RC_ASSERT(judgement.is_understood || judgement.statements.size() == 1u);
}

}  // namespace
}  // namespace forebay::standin
