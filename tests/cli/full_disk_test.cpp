// Output that cannot be written is an error, and not a silent half.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "forebay/embedded/server_process.hpp"

namespace forebay::cli {
namespace {

TEST(FullDiskTest, WhatCouldNotBeWrittenIsTold) {
  for (const char* words :
       {"metrics reference", "config reference", "config check", "--help", "sim --list"}) {
    const Folder folder;
    embedded::Command command;
    command.words = {"/bin/sh", "-c", kProgram + " " + words + " > /dev/full"};
    command.output = folder.path() / "err";
    const Result<void> done = embedded::run_to_end(command, std::chrono::seconds(60));
    EXPECT_FALSE(done.has_value()) << words;
    EXPECT_THAT(text_of(command.output),
                testing::HasSubstr("could be written to standard output; is the disk full?"))
        << words;
  }
}

}  // namespace
}  // namespace forebay::cli
