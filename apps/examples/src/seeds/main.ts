import process from 'node:process';
import type { Failure } from './campaign.ts';
import { campaignOf, usage, type Campaign } from './options.ts';
import { runCampaign } from './run-campaign.ts';
import { work } from './worker.ts';

/** Prints one failure of each example in full. */
function report(failures: readonly Failure[]): void {
  const reported = new Set<string>();
  for (const { example, ranks, lsaSize, delivery, seed, said } of failures) {
    if (reported.has(example)) continue;
    reported.add(example);
    console.log(`\n${example} on ${ranks} ranks, LSA size ${lsaSize}, delivery ${delivery}, seed ${seed}:\n${said}`);
  }
}

async function start(args: readonly string[]): Promise<number> {
  let campaign: Campaign | undefined;
  try {
    campaign = campaignOf(args);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (campaign === undefined) {
    console.log(usage);
    return 0;
  }
  try {
    const failures = await runCampaign(campaign, new URL(import.meta.url));
    report(failures);
    return failures.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

const args = process.argv.slice(2);
if (args[0] === 'worker') work();
else process.exitCode = await start(args);
