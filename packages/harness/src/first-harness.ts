import { customAllReduceHarness, customAllReduceLaunch } from './custom-all-reduce-harness.ts';
import type { EntryFacts } from './first-harness/entry-facts.ts';
import type { LaunchPlan } from './first-harness/launch-plan.ts';
import { launchText } from './first-harness/launch-text.ts';
import { planLaunch } from './first-harness/plan-launch.ts';

/**
 * Writes a module that launches an entry, for users to complete. It type-checks unchanged. A value
 * that only the author of the kernel knows is a `todo`, at which a launch ends.
 *
 * @param plan the launch, if `probeLaunch` has tried it
 */
export function firstHarness(facts: EntryFacts, kernelFile: string, plan: LaunchPlan = planLaunch(facts)): string {
  const launch = customAllReduceLaunch(facts);
  if (launch !== undefined) return customAllReduceHarness(facts, launch, quoted(kernelFile), quoted(facts.title));
  return launchText(plan, facts, kernelFile);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
