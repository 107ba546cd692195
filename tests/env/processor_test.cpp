#include "forebay/env/processor.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace forebay {
namespace {

TEST(ProcessorTest, AThreadKnowsWhereItRuns) {
  ASSERT_GE(processors(), 1);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    std::thread([processor] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      EXPECT_EQ(processor_here(), processor % processors());
    }).join();
  }
}

}  // namespace
}  // namespace forebay
