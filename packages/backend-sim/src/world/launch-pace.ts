import { ctaIndex } from '@nccl-ts/codegen';
import type { SimRunnerOptions } from './runner.ts';
import { interrupts, straggles, type ResolvedSimOptions } from './sim-options.ts';
import { gathersAt, type GatheringPoints } from '../schedule/gathering.ts';
import { paceOf } from '../schedule/pace.ts';

/** The options that decide how threads of launches stop. */
type PaceOptions = Pick<ResolvedSimOptions, 'mode' | 'strategy' | 'replay' | 'seed'> & {
  readonly lines?: GatheringPoints | undefined;
};

/** Returns the pace of a launch's CTAs; `undefined` if no thread ever stops. */
export function launchPace(options: PaceOptions): SimRunnerOptions['pace'] {
  const { seed, lines } = options;
  if (!interrupts(options) && lines === undefined) return undefined;
  return (launch, cta, threads, stops) =>
    paceOf({
      seed,
      launch: launch.id,
      cta: ctaIndex(cta),
      threads,
      straggles: straggles(options),
      interrupts: stops,
      gathersAt: gathersAt(lines, launch.kernel.name),
    });
}
