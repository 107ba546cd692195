// Who we are in each environment of the table, in virtual time, without files and programs.
#include <set>

#include "aws/identity_table.hpp"
#include "forebay/aws/credentials/default_credentials.hpp"
#include "support/aws_world.hpp"
#include "support/places.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using boost::json::object;
using test::text_of;

constexpr const char* kHome = "/home-of-test";

class IdentitiesTest : public test::AwsWorld {
 protected:
  static std::vector<object> table() {
    return test::read_identities(test::source_file("tests/aws/identities"), kHome, kStart);
  }
  static const object& part(const object& line, const char* name) {
    static const object none;
    const test::JsonValue* const found = line.if_contains(name);
    return found == nullptr ? none : found->as_object();
  }
  static std::string at_home(std::string_view path) {
    return path.starts_with('~') ? kHome + std::string(path.substr(1)) : std::string(path);
  }

  void prepare(const object& line) {
    machine_.variables = {{"HOME", kHome}};
    machine_.files.clear();
    machine_.programs.clear();
    machine_.runs.clear();
    http_.requests.clear();
    for (const auto& [name, value] : part(line, "variables"))
      machine_.variables[std::string(name)] = text_of(value);
    for (const auto& [path, content] : part(line, "files"))
      machine_.files[at_home(path)] = text_of(content);
    for (const auto& [path, value] : part(line, "programs")) {
      const object& program = value.as_object();
      const auto text = [&program](const char* name) {
        return program.contains(name) ? text_of(program.at(name)) : std::string();
      };
      const int status =
          program.contains("status") ? static_cast<int>(program.at("status").as_int64()) : 0;
      machine_.programs.emplace(at_home(path), ProgramEnd(status, text("out"), text("err")));
    }
    http_.handler = [&line](const HttpRequest& request) -> Result<HttpResponse> {
      static const boost::json::array none;
      return test::answer_of(line.contains("http") ? line.at("http").as_array() : none, request);
    };
  }
  Result<Credentials> find() {
    const auto credentials = default_credentials(env(), http_, machine_);
    Result<Credentials> found = run(credentials->get(in(1min)));
    run(credentials->close());
    return found;
  }
  void expect_found(const object& line, const Result<Credentials>& found) {
    const test::JsonValue& expected = line.at("expected");
    if (expected.is_object()) {
      ASSERT_FALSE(found.has_value()) << found->access_key_id << " from " << found->source;
      const std::string why = text_of(expected.at("refused"));
      EXPECT_NE(found.error().text().find(why), std::string::npos) << found.error().text();
      return;
    }
    ASSERT_TRUE(found.has_value()) << found.error().text();
    const boost::json::array& values = expected.as_array();
    EXPECT_EQ(found->access_key_id, text_of(values.at(0)));
    EXPECT_EQ(found->secret_access_key, text_of(values.at(1)));
    EXPECT_EQ(found->session_token, text_of(values.at(2)));
    EXPECT_NE(found->source.find(text_of(values.at(3))), std::string::npos) << found->source;
  }
  void expect_arguments(const object& line) {
    for (const auto& [path, program] : part(line, "programs")) {
      std::vector<std::string> expected{at_home(path)};
      if (program.as_object().contains("arguments"))
        for (const test::JsonValue& word : program.at("arguments").as_array())
          expected.push_back(text_of(word));
      for (const std::vector<std::string>& words : machine_.runs) EXPECT_EQ(words, expected);
    }
  }
};

TEST_F(IdentitiesTest, EachEnvironmentLeadsToTheIdentityOfTheTable) {
  std::set<std::string> names;
  for (const object& line : table()) {
    const std::string name = text_of(line.at("name"));
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.insert(name).second) << "there are two of this name";
    prepare(line);

    expect_found(line, find());

    expect_arguments(line);
    for (const auto& [path, parts] : part(line, "afterwards"))
      for (const test::JsonValue& held : parts.as_array())
        EXPECT_NE(machine_.files[at_home(path)].find(text_of(held)), std::string::npos);
  }
  EXPECT_GE(names.size(), 60u);
}

// Fails if the table's format is broken, or a text has a secret in it.
TEST_F(IdentitiesTest, NoErrorHoldsASecret) {
  for (const object& line : table()) {
    SCOPED_TRACE(text_of(line.at("name")));
    prepare(line);

    const Result<Credentials> found = find();

    const std::string text = found ? found->source : found.error().text();
    for (const char* const secret : {"-secret", "-token", "access-1", "access-2", "refresh-"})
      EXPECT_EQ(text.find(secret), std::string::npos) << text;
  }
  for (const std::string& logged : log_.lines())
    EXPECT_EQ(logged.find("-secret"), std::string::npos) << logged;
}

}  // namespace
}  // namespace forebay::aws
