import { barrierCall, shownPosition, type FindingLabel } from '@nccl-ts/findings';
import { wordsFor } from './source-words.ts';

/**
 * Says what to change at a write that does not release, or at a read that does not acquire. With
 * `isInOneGpu`, device scope is enough.
 */
export function weakOrderText(
  at: FindingLabel | undefined,
  order: 'release' | 'acquire',
  isInOneGpu: boolean = false,
): string {
  const barrier = barrierText(at, order);
  if (barrier !== undefined) return barrier;
  const scope = isInOneGpu ? 'device' : 'system';
  const change = wordsFor(at)[order](scope, at?.does.startsWith('atomic') === true);
  return order === 'release'
    ? `the value read there was written ${orderText(at)}: that write must release earlier accesses, or follow a fence that does: ${change}`
    : `it is read ${orderText(at)}: that read must acquire, or precede a fence that does: ${change}`;
}

/** A barrier of the author whose order is too weak. */
function barrierText(at: FindingLabel | undefined, order: 'release' | 'acquire'): string | undefined {
  const call = barrierCall(at?.place);
  if (call === undefined || at?.place === undefined || wordsFor(at) !== wordsFor()) return undefined;
  const [, given] = /'(relaxed|acquire|release)'/.exec(call) ?? [];
  if (given === undefined) return undefined;
  const does = order === 'release' ? 'release what came before it' : 'acquire for what comes after it';
  return `the barrier at ${shownPosition(at.place)} has order '${given}', which does not ${does}: give it '${order}' or 'acq_rel'`;
}

/** `with order relaxed at system scope`. */
export function orderText(label: FindingLabel | undefined): string {
  const access = label?.access;
  return access === undefined ? 'plainly' : `with order ${access.order} at ${access.scope} scope`;
}
