import type { CtaTask } from '../engine/launch.ts';
import { FaultError } from './fault-error.ts';
import type { FaultReport } from './fault-report.ts';

/** A CTA that has used up turn after turn. Where it is, only its program knows. */
export function outOfFuel(task: CtaTask, turns: number): FaultError {
  const { owner, state, rank } = task;
  const report: FaultReport = {
    kind: 'fuel',
    kernel: owner.kernel.name,
    launch: owner.id,
    rank,
    blockIdx: state.identity.blockIdx,
    thread: 0,
    what: 'turn',
    place: undefined,
    message:
      `a CTA ran for ${turns} turns without coming to a wait or its end: ` +
      'it may spin on memory in a loop that is not a wait (raise fuel if it only takes long)',
  };
  return new FaultError(report, owner.stream.takePrinted());
}
