// forebay_misuse --list | NAME URL
#include "misuse/misuse.hpp"

int main(int count, char** words) {
  using namespace forebay::misuse;
  std::vector<Program> programs;
  for (auto part : {&lifetime_programs, &loop_programs, &exception_programs, &value_programs,
                    &process_programs, &loan_programs}) {
    for (const Program& program : part()) programs.push_back(program);
  }
  const std::string name = count > 1 ? words[1] : "";
  for (const Program& program : programs) {
    if (name == "--list") std::puts(program.name);
    if (name != program.name || count != 3) continue;
    program.run(words[2]);
    return 0;
  }
  return name == "--list" ? 0 : 2;
}
