#include "studies/plan.hpp"

#include "integrators/methods.hpp"

namespace cotangent::studies {

void read_method(Task& task, Plan& plan) {
  const io::Table table = task.deck.table("method");
  std::vector<std::string> names;
  for (const auto& method : integrators::method_list()) names.push_back(method.name);
  plan.method.name = table.choice("name", "gauss", names);
  plan.method.stages = static_cast<int>(table.integer_at_least("stages", 1, plan.method.stages));
  if (table.has("tolerance")) plan.method.tolerance = table.positive("tolerance");
  if (!plan.method.tolerance && !table.has("step")) {
    throw table.error("give step (fixed) or tolerance (adaptive)");
  }
  plan.method.step = plan.method.tolerance ? table.positive("step", 0.01) : table.positive("step");
  plan.method.treatment = table.choice("treatment", plan.method.treatment, {"A", "C", "E"});
  plan.lanes = static_cast<int>(table.integer_at_least("lanes", 0, 0));
}

void read_output(Task& task, Plan& plan, const std::string& name) {
  const io::Table table = task.deck.table("output");
  plan.file = table.text("file", name);
  plan.checkpoint_minutes = table.positive("checkpoint_minutes", 10.0);
  plan.wall_minutes = table.number("wall_minutes", std::numeric_limits<double>::infinity());
}

}  // namespace cotangent::studies
