// Settings of sessions in files and variables: by names that are the user's own.
#include <gmock/gmock.h>

#include "config/reading.hpp"
#include "forebay/config/session_settings_text.hpp"

namespace forebay::config {
namespace {

using test::accepted;
using test::read_texts;
using testing::ElementsAre;
using testing::StartsWith;

const SessionSettings kSettings = {{"app.note", "it's a \\ note"},
                                   {"jit", "off"},
                                   {"search_path", "app, public"},
                                   {"x.empty", ""}};

TEST(SessionSettingsTextTest, IsReadAsLibpqReadsItsPairs) {
  EXPECT_EQ(session_settings_value(R"( search_path='app, public'  jit=off x.empty='' )"
                                   R"(app.note='it\'s a \\ note')"),
            kSettings);
  EXPECT_EQ(session_settings_value(R"(search_path=app,\ public jit=off x.empty=)"
                                   "\t"
                                   R"(app.note=it\'s\ a\ \\\ note)"),
            kSettings);
  EXPECT_EQ(session_settings_value(" "), SessionSettings());
  EXPECT_EQ(session_settings_value(session_settings_text(kSettings)), kSettings);
}

TEST(SessionSettingsTextTest, AnythingElseIsRefusedWithItsName) {
  for (const auto& [text, told] :
       {std::pair{"search_path", "\"search_path\" has no \"=\" and no value"},
        {"search_path = app", "\"search_path\" has no \"=\" and no value"},
        {"jit=off app, public", "\"app,\" has no \"=\" and no value"},
        {"x='open", "the value of \"x\" does not end where it should"},
        {"x='a'b", "the value of \"x\" does not end where it should"},
        {"x=a\\", "the value of \"x\" does not end where it should"},
        {"x=1 x=2", "\"x\" is given twice"}}) {
    const ReadValue<SessionSettings> read = session_settings_value(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error(), StartsWith(told));
  }
}

TEST(SessionSettingsConfigTest, AFileHasThemAsAGroupOrAText) {
  const std::string group = R"(pool:
  session_settings:
    search_path: app, public
    jit: off
    app.note: 'it''s a \ note'
    x.empty: ""
)";
  const std::string text =
      R"(pool: {session_settings: "search_path='app, public' jit=off x.empty='' )"
      R"(app.note='it\\'s a \\\\ note'"})";
  const test::Variables variable = {
      {"FOREBAY_POOL_SESSION_SETTINGS", session_settings_text(kSettings)}};

  for (const Configuration& read : {accepted({}, group), accepted({}, text), accepted(variable)}) {
    EXPECT_EQ(read.pool.session_settings, kSettings);
    EXPECT_EQ(read.tenants.pool.session_settings, kSettings);
    EXPECT_EQ(test::effective(read, "pool.session_settings").value,
              session_settings_text(kSettings));
  }
}

TEST(SessionSettingsConfigTest, NothingIsSetUnlessItIsGiven) {
  EXPECT_EQ(accepted({}).pool.session_settings, SessionSettings());
  EXPECT_EQ(accepted({{"DB_HOST", "abc.dsql.eu-west-1.on.aws"}}).pool.session_settings,
            SessionSettings());
}

TEST(SessionSettingsConfigTest, MistakesAreToldWithTheirPlace) {
  const auto problems = [](const std::string& settings) {
    return read_texts({}, "pool:\n  session_settings:\n" + settings).problems;
  };

  EXPECT_THAT(
      problems("    jit: off\n    jit: on"),
      ElementsAre("app.yaml:4: pool.session_settings.jit: given twice, first in line 3; keep one"));
  EXPECT_THAT(
      problems("    jit: [off]"),
      ElementsAre(StartsWith("app.yaml:3: pool.session_settings.jit: a list stands where")));
  EXPECT_THAT(problems("    jit:"),
              ElementsAre(StartsWith("app.yaml:3: pool.session_settings.jit: there is no value")));
  EXPECT_THAT(problems("    a=b: c"),
              ElementsAre("app.yaml:2: pool.session_settings: \"a=b\" is no name of a setting"));
  EXPECT_THAT(problems("    role: admin"),
              ElementsAre(StartsWith(
                  "app.yaml:2: pool.session_settings is \"role\": each reset undoes it")));
}

}  // namespace
}  // namespace forebay::config
