// The command "forebay". Everything it does is in src/forebay/cli.
#include "forebay/cli/cli.hpp"

int main(int count, char** words) { return forebay::cli::run(count, words); }
