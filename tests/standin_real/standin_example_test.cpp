// examples/workflow_store, unchanged, on the stand-in, as a user would run it. It counts for itself
// whether anything was lost or doubled by all the conflicts.
#include <map>
#include <sstream>

#include "cli/program.hpp"

#ifdef FOREBAY_WORKFLOW_STORE  // in the builds that have it

namespace forebay::cli {
namespace {

constexpr const char* kCluster = "forebaystandin000000000000.dsql.us-east-1.on.aws";

// "shards acquired        12" and the like, by name.
std::map<std::string, int> figures_of(const std::string& text) {
  std::map<std::string, int> figures;
  for (const std::string& line : lines_of(text)) {
    const std::size_t number = line.find_last_of(' ');
    const std::size_t name_end = line.find_last_not_of(' ', number);
    if (number != std::string::npos && name_end != std::string::npos)
      figures[line.substr(0, name_end + 1)] = std::atoi(line.c_str() + number);
  }
  return figures;
}

TEST(StandinExampleTest, WorkflowStoreLosesAndDoublesNothingWhateverConflicts) {
  const std::string cluster = kCluster;
  const std::string script = "PGPASSWORD=$(" + kProgram + " token --endpoint " + cluster +
                             ") exec " + test::built_file(FOREBAY_WORKFLOW_STORE) +
                             " --threads 5 --seconds 3 --database \"postgresql://admin@" + cluster +
                             ":$PGPORT/postgres?hostaddr=127.0.0.1\"";
  Program program({"standin", "--chaos", "conflicts=0.1", "--for", "sh", "-c", script});

  EXPECT_EQ(program.wait(120s), 0) << program.err();
  EXPECT_NE(program.out().find("Every range id, version and event in the database is as it should"),
            std::string::npos)
      << program.out() << program.err();
  std::map<std::string, int> figures = figures_of(program.out());
  for (const char* const name : {"shards acquired", "shards lost", "workflows started",
                                 "execution updates", "events taken", "conflicts", "retries"})
    EXPECT_GT(figures[name], 0) << name << '\n' << program.out();
  EXPECT_EQ(figures["unknown outcomes"], 0) << program.out();
}

}  // namespace
}  // namespace forebay::cli

#endif
