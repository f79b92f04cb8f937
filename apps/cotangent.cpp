// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/program.hpp"

int main(int argc, char** argv) {
  return cotangent::studies::run_program(argc, argv);
}
