#include "forebay/cli/cli.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/cli/demo.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/cli/suggestion.hpp"

namespace forebay::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int kBadCommandLine = 2;

constexpr const char* kDemoExamples = R"(
Examples:
  forebay demo                             until Ctrl-C, on a PostgreSQL of its own
  forebay demo --lifetime 2s --rate 20     short lives, slow supply
  forebay demo --connections 5 --threads 20 --hold 50ms
                                           more callers than connections
  forebay demo --seconds 10 --json         for scripts: one JSON object on stdout
  PGPASSWORD=... forebay demo --database postgresql://app@db.example/orders

Times are 250ms, 5s, 2m or 1h. A password is best given by PGPASSWORD or ~/.pgpass.
On a terminal the view is live, and Ctrl-C or q ends it; in a pipe only the summary
is printed. Exit code: 0, 1 if there is no database to work with, 2 for a command
line that makes no sense. NO_COLOR switches colours off.)";

void add_demo_options(CLI::App& demo, DemoArguments& arguments) {
  const auto text = [&demo](const char* name, auto& value, const char* type, const char* help) {
    demo.add_option(name, value, help)->type_name(type)->take_last();
  };
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    text(name, value, type, help);
    demo.get_option(name)->default_str(value);
  };
  demo.option_defaults()->group("How long, and where");
  add("--seconds", arguments.seconds, "N", "end after N seconds; 0: at Ctrl-C");
  text("--database", arguments.database, "URL", "a server of your own instead of a throw-away one");
  add("--fill-limit", arguments.fill_limit, "TIME", "wait so long for the pool to fill");
  demo.option_defaults()->group("Pool");
  add("--connections", arguments.connections, "N", "connections at most");
  text("--ready", arguments.ready, "N", "connections kept ready; default: as --connections");
  add("--lifetime", arguments.lifetime, "TIME", "how long a connection lives");
  add("--guard", arguments.guard, "TIME", "not handed out in the last part of its life");
  add("--rate", arguments.rate, "N", "connects per second at most; 0: no limit");
  add("--burst", arguments.burst, "N", "connects at once after a rest");
  demo.option_defaults()->group("Load");
  add("--threads", arguments.threads, "N", "callers");
  add("--hold", arguments.hold, "TIME", "how long a caller keeps a session");
  demo.option_defaults()->group("Output");
  demo.add_flag("--json", arguments.is_json, "the closing summary as one JSON object");
}

// As CLI11's own, but for defaults in brackets behind the text and single blank lines.
class HelpText : public CLI::Formatter {
 public:
  HelpText() { column_width(24); }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string otherwise = option->get_default_str();
    return option->get_description() + (otherwise.empty() ? "" : " [" + otherwise + "]");
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);
    return text;
  }
};

// The command line as CLI11 sees it. What CLI11 does not know is left for us to explain.
class CommandLine {
 public:
  CommandLine()
      : app_(
            "Database connections that are ready before they are needed, and never one too many.") {
    app_.name("forebay");
    app_.set_version_flag("--version", "forebay " FOREBAY_VERSION, "show the version");
    app_.set_help_flag("-h,--help", "show this help");
    demo_->footer(kDemoExamples);
    add_demo_options(*demo_, arguments_);
    demo_->set_help_flag("-h,--help", "show this help")->group("Output");
    for (CLI::App* part : {&app_, demo_, help_}) {
      part->allow_extras();
      part->formatter(std::make_shared<HelpText>());
    }
  }

  int run(Words words);

 private:
  int dispatch(const Words& words);
  int show_help();
  int demo(const Words& words);
  void collect_unknown(const CLI::App& command, const Words& words);
  int refuse(std::string_view command) const;

  CLI::App app_;
  CLI::App* const demo_ =
      app_.add_subcommand("demo", "Watch a pool at work on a throw-away PostgreSQL");
  CLI::App* const help_ = app_.add_subcommand("help", "Show the help of a command");
  DemoArguments arguments_;
  Words problems_;
};

// A last word that lacks its value stops CLI11. It is noted and taken away, to find what else is
// wrong.
int CommandLine::run(Words words) {
  for (;;) {
    try {
      app_.parse(Words(words.rbegin(), words.rend()));
      return dispatch(words);
    } catch (const CLI::Success& wish) {  // --help, --version
      return app_.exit(wish);
    } catch (const CLI::ParseError& error) {
      const bool lacks_value = error.get_name() == "ArgumentMismatch" && !words.empty();
      problems_.push_back(lacks_value
                              ? fmt::format("{} has no value: one must follow it", words.back())
                              : std::string(error.what()));
      if (!lacks_value) return refuse("forebay");
      words.pop_back();
    }
  }
}

int CommandLine::dispatch(const Words& words) {
  if (help_->parsed()) return show_help();
  if (demo_->parsed()) return demo(words);
  for (const std::string& word : app_.remaining()) {
    const std::string meant = nearest(word, {"demo", "help", "--help", "--version"});
    problems_.push_back(fmt::format("{} is no command{}", shown(word),
                                    meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  if (problems_.empty()) problems_.emplace_back("a command is missing; try: forebay demo");
  return refuse("forebay");
}

int CommandLine::show_help() {
  for (const std::string& word : help_->remaining()) {
    problems_.push_back(
        fmt::format("there is no command {} to explain; there is demo", shown(word)));
  }
  if (!problems_.empty()) return refuse("forebay help");
  std::cout << (demo_->parsed() ? demo_->help("forebay")
                                : app_.get_formatter()->make_help(&app_, "forebay", {}))
            << std::flush;
  return 0;
}

int CommandLine::demo(const Words& words) {
  collect_unknown(*demo_, words);
  const DemoOptions options = read(arguments_, problems_);
  return problems_.empty() ? run_demo(options) : refuse("forebay demo");
}

// Shows no more of such a word than the name of an option: whatever else it is, it may be a
// password.
void CommandLine::collect_unknown(const CLI::App& command, const Words& words) {
  Words known;
  for (const CLI::Option* option : command.get_options()) known.push_back(option->get_name());
  auto place = words.begin();
  bool may_be_value = false;  // of an unknown option just before it
  for (const std::string& word : command.remaining()) {
    const auto found = std::find(place, words.end(), word);
    const bool is_next = found == place;
    if (found != words.end()) place = std::next(found);
    if (word.starts_with('-') && word.size() > 1) {
      const std::string name =
          word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const std::string meant = nearest(name, known);
      problems_.push_back(fmt::format(
          "{} is unknown{}", name, meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
      may_be_value = !word.contains('=');
      continue;
    }
    if (!may_be_value || !is_next) {
      problems_.push_back(fmt::format(
          "word {} belongs to no option: only options can follow \"demo\"", place - words.begin()));
    }
    may_be_value = false;
  }
}

int CommandLine::refuse(std::string_view command) const {
  std::string text = fmt::format("{}: nothing was started\n", command);
  for (const std::string& problem : problems_) text += fmt::format("  {}\n", problem);
  text += "See: forebay --help, forebay help demo\n";
  std::fputs(text.c_str(), stderr);
  return kBadCommandLine;
}

}  // namespace

int run(int count, char** words) {
  Words given(words + 1, words + std::max(count, 1));
  hide_secrets(count, words);
  return CommandLine().run(std::move(given));
}

}  // namespace forebay::cli
