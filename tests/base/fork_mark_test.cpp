// ForkMark: a child knows that it is one, and what it makes itself is its own.
#include "forebay/base/fork_mark.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay {
namespace {

int in_child(const ForkMark& mark) {
  const pid_t child = ::fork();
  if (child == 0) {
    const ForkMark own;
    ::_exit((mark.is_in_child() ? 1 : 0) + (own.is_in_child() ? 2 : 0));
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(ForkMarkTest, TellsTheChildFromTheParent) {
  const ForkMark mark;

  EXPECT_EQ(in_child(mark), 1);
  EXPECT_FALSE(mark.is_in_child());
}

}  // namespace
}  // namespace forebay
