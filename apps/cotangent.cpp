#include "studies/program/program.hpp"

int main(int argc, char** argv) {
  return cotangent::studies::run_program(argc, argv);
}
