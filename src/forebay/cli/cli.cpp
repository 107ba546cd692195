#include "forebay/cli/cli.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/cli/command.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/cli/text/help_text.hpp"
#include "forebay/sim/result/report.hpp"

namespace forebay::cli {
namespace {

using Words = std::vector<std::string>;

// A command, and the part of the command line that CLI11 reads for it.
struct Entry {
  std::unique_ptr<Command> command;
  CLI::App* app;

  std::string name() const { return command->text().name; }
};

// In the order of the help.
std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const auto make : {make_demo_command, make_serve_command, make_sim_command,
                          make_leases_command, make_token_command, make_config_command,
                          make_metrics_command, make_doctor_command, make_standin_command})
    commands.push_back(make());
  return commands;
}

std::string suggestion(std::string_view word, const Words& known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

// The command line as CLI11 sees it. What CLI11 does not know is left for us to explain.
class CommandLine {
 public:
  CommandLine();

  int run(Words words);

 private:
  void cut_tail(Words& words);
  void add(std::unique_ptr<Command> command);
  int dispatch(const Words& words);
  int start(const Entry& entry, const Words& words);
  int show_help();
  void collect_others(const Entry& entry, const Words& words);
  int refuse(std::string_view command) const;
  Words names() const;
  const Entry* find(std::string_view name) const;

  CLI::App app_{
      "Database connections that are ready before they are needed, and never one too many."};
  std::vector<Entry> entries_;
  CLI::App* help_ = nullptr;
  Problems problems_;
};

std::string version() {
  const char* const lacks = "\nwithout sim --report: built where there was no npm";
  return fmt::format("forebay {}{}", FOREBAY_VERSION, sim::has_report() ? "" : lacks);
}

CommandLine::CommandLine() {
  app_.name("forebay");
  app_.set_version_flag("--version", version(), "show the version");
  app_.set_help_flag("-h,--help", "show this help");
  // Or a word behind a command could start a second one.
  app_.require_subcommand(0, 1);
  for (std::unique_ptr<Command>& command : all_commands()) add(std::move(command));
  help_ = app_.add_subcommand("help", "Show the help of a command");
  for (CLI::App* part : {&app_, help_}) {
    part->allow_extras();
    part->formatter(std::make_shared<HelpText>(""));
  }
}

void CommandLine::add(std::unique_ptr<Command> command) {
  const CommandText text = command->text();
  CLI::App* const app = app_.add_subcommand(text.name, text.summary);
  app->footer(text.examples);
  app->allow_extras();
  app->formatter(std::make_shared<HelpText>(text.operand));
  command->add_options(*app);
  app->set_help_flag("-h,--help", "show this help")->group("Output");
  entries_.push_back(Entry{std::move(command), app});
}

// What is another program's command line, CLI11 must not see.
void CommandLine::cut_tail(Words& words) {
  const Entry* const entry = words.empty() ? nullptr : find(words.front());
  if (entry == nullptr || *entry->command->tail_option() == '\0') return;
  const auto option = std::ranges::find(words, entry->command->tail_option());
  if (option == words.end()) return;
  entry->command->take_tail(Words(std::next(option), words.end()));
  words.erase(option, words.end());
}

// A last word that lacks its value stops CLI11. It is noted and taken away, to find what else is
// wrong.
int CommandLine::run(Words words) {
  cut_tail(words);
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
      if (!lacks_value) return refuse("");
      words.pop_back();
    }
  }
}

int CommandLine::dispatch(const Words& words) {
  if (help_->parsed()) return show_help();
  for (const Entry& entry : entries_) {
    if (entry.app->parsed()) return start(entry, words);
  }
  Words known = names();
  known.insert(known.end(), {"help", "--help", "--version"});
  for (const std::string& word : app_.remaining()) {
    problems_.push_back(fmt::format("{} is no command{}", shown(word), suggestion(word, known)));
  }
  if (problems_.empty()) problems_.emplace_back("a command is missing; try: forebay demo");
  return refuse("");
}

int CommandLine::start(const Entry& entry, const Words& words) {
  collect_others(entry, words);
  const int code = entry.command->run(problems_);
  return problems_.empty() ? code : refuse(entry.name());
}

int CommandLine::show_help() {
  const Entry* wanted = nullptr;
  for (const std::string& word : help_->remaining()) {
    const Entry* const found = find(word);
    if (wanted == nullptr) wanted = found;
    if (found != nullptr) continue;
    problems_.push_back(fmt::format("there is no command {} to explain{}; there is {}", shown(word),
                                    suggestion(word, names()), fmt::join(names(), ", ")));
  }
  if (!problems_.empty()) return refuse("help");
  std::cout << (wanted != nullptr ? wanted->app->help("forebay")
                                  : app_.get_formatter()->make_help(&app_, "forebay", {}))
            << std::flush;
  return kDone;
}

// Words that belong to no option. Shows no more of such a word than the name of an option: whatever
// else it is, it may be a password.
void CommandLine::collect_others(const Entry& entry, const Words& words) {
  Words known;
  for (const CLI::Option* option : entry.app->get_options()) known.push_back(option->get_name());
  auto place = std::find(words.begin(), words.end(), entry.name());
  if (place != words.end()) ++place;
  bool may_be_value = false;  // of an unknown option just before it
  for (const std::string& word : entry.app->remaining()) {
    const auto found = std::find(place, words.end(), word);
    const bool is_next = found == place;
    if (found != words.end()) place = std::next(found);
    if (word.starts_with('-') && word.size() > 1) {
      const std::string name =
          word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
      problems_.push_back(fmt::format("{} is unknown{}", name, suggestion(name, known)));
      may_be_value = !word.contains('=');
      continue;
    }
    const bool is_excused = may_be_value && is_next;
    if (!is_excused && !entry.command->take(word)) {
      problems_.push_back(fmt::format("word {} belongs to no option: {}", place - words.begin(),
                                      entry.command->text().may_follow));
    }
    may_be_value = false;
  }
}

int CommandLine::refuse(std::string_view command) const {
  std::string text =
      fmt::format("forebay{}{}: nothing was started\n", command.empty() ? "" : " ", command);
  for (const std::string& problem : problems_) text += fmt::format("  {}\n", problem);
  text += fmt::format("See: forebay --help, forebay help {}\n",
                      find(command) != nullptr ? command : entries_.front().name());
  std::fputs(text.c_str(), stderr);
  return kBadCommandLine;
}

Words CommandLine::names() const {
  Words names;
  for (const Entry& entry : entries_) names.push_back(entry.name());
  return names;
}

const Entry* CommandLine::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(entries_, [name](const Entry& entry) { return entry.name() == name; });
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace

int run(int count, char** words) {
  Words given(words + 1, words + std::max(count, 1));
  hide_secrets(count, words);
  const int code = CommandLine().run(std::move(given));
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && std::cout && std::ferror(stdout) == 0) return code;
  // Otherwise a reader of the redirected output would believe that all of it is there.
  std::fputs("forebay: not all of it could be written to standard output; is the disk full?\n",
             stderr);
  return code == kDone ? kFailed : code;
}

}  // namespace forebay::cli
