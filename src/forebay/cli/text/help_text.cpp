#include "forebay/cli/text/help_text.hpp"

#include <utility>

namespace forebay::cli {

std::string HelpText::make_usage(const CLI::App* app, std::string name) const {
  std::string text = CLI::Formatter::make_usage(app, std::move(name));
  const std::size_t end = text.find_last_not_of('\n');
  if (!operand_.empty() && end != std::string::npos) text.insert(end + 1, " " + operand_);
  return text;
}

std::string HelpText::make_option_opts(const CLI::Option* option) const {
  return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
}

std::string HelpText::make_option_desc(const CLI::Option* option) const {
  const std::string otherwise = option->get_default_str();
  return option->get_description() + (otherwise.empty() ? "" : " [" + otherwise + "]");
}

std::string HelpText::make_help(const CLI::App* app, std::string name,
                                CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

}  // namespace forebay::cli
