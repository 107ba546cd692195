#include <fmt/format.h>

#include "forebay/sim/dynamodb/expression_parser.hpp"

namespace forebay::sim::dynamodb {
namespace {

class ProjectionParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Answer<Projection> parse() {
    Projection projection;
    if (tokens_.is_empty()) note_problem("The expression can not be empty;");
    while (!tokens_.is_empty()) {
      std::string attribute = parse_path();
      if (!projection.attributes.insert(attribute).second) {
        note_problem(
            fmt::format("Two document paths overlap with each other; must remove or "
                        "rewrite one of these paths; path one: [{0}], path two: [{0}]",
                        attribute));
      }
      if (has_syntax_error() || !tokens_.take_sign(",")) break;
    }
    if (!tokens_.is_at_end()) note_syntax_error();
    if (const auto refused = refusal()) return std::unexpected(*refused);
    return projection;
  }
};

}  // namespace

aws::Item Projection::of(const aws::Item& item) const {
  aws::Item seen;
  for (const auto& [name, value] : item)
    if (attributes.contains(name)) seen.emplace(name, value);
  return seen;
}

Answer<Projection> parse_projection(std::string_view text, Words& words) {
  return ProjectionParser(text, "ProjectionExpression", words).parse();
}

}  // namespace forebay::sim::dynamodb
