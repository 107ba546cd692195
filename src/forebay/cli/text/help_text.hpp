// HelpText: how help looks. As CLI11's own, but for defaults in brackets behind the text, single
// blank lines, and words that are no options at the end of the usage line.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace forebay::cli {

class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(std::string operand) : operand_(std::move(operand)) { column_width(24); }

  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  std::string operand_;
};

}  // namespace forebay::cli
