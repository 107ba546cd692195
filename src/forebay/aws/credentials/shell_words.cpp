#include "forebay/aws/credentials/shell_words.hpp"

#include <utility>

namespace forebay::aws {
namespace {

class ShellReader {
 public:
  void read(char letter) {
    if (is_escaped_) {
      // Between double quotes a backslash hides only these, and stands for itself otherwise.
      if (quote_ == '"' && letter != '"' && letter != '\\') add('\\');
      add(letter);
      is_escaped_ = false;
    } else if (letter == '\\' && quote_ != '\'') {
      is_escaped_ = true;
    } else if (quote_ != 0) {
      if (letter == quote_) {
        quote_ = 0;
      } else {
        add(letter);
      }
    } else if (letter == '"' || letter == '\'') {
      quote_ = letter;
      is_in_word_ = true;  // even if nothing stands between the quotes
    } else if (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n') {
      end_word();
    } else {
      add(letter);
    }
  }
  std::optional<std::vector<std::string>> take() {
    if (is_escaped_ || quote_ != 0) return std::nullopt;
    end_word();
    return std::move(words_);
  }

 private:
  void add(char letter) {
    word_ += letter;
    is_in_word_ = true;
  }
  void end_word() {
    if (is_in_word_) words_.push_back(std::exchange(word_, {}));
    is_in_word_ = false;
  }

  std::vector<std::string> words_;
  std::string word_;
  bool is_in_word_ = false;
  bool is_escaped_ = false;
  char quote_ = 0;
};

}  // namespace

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  ShellReader reader;
  for (const char letter : line) reader.read(letter);
  return reader.take();
}

}  // namespace forebay::aws
