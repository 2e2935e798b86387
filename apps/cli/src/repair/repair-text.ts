import { findingJson } from '@nccl-ts/findings';
import { errorOf, type Repair, type RepairReport } from '@nccl-ts/relax';
import { diffLines } from '../output/diff-lines.ts';

/** The report as text: the error, and the repairs with their diffs. */
export function repairText({ finding, repairs, reason }: RepairReport): string {
  if (finding === undefined) return 'The check finds no error: there is nothing to repair.\n';
  const error = `${errorOf(finding)}: ${finding.message}`;
  const facts = finding.missing.map(({ message }) => `  ${message}`);
  const head = reason === undefined ? [error] : [[error, ...facts].join('\n'), none[reason]];
  const parts = repairs.map((one, i) => `${i + 1}. ${repairHead(one)}\n\n${diffLines(one.diff)}`);
  return `${[...head, ...parts].join('\n\n')}\n`;
}

/** The first repair with its diff, or why there is none. */
export function firstRepairText({ finding, repairs: [first], reason }: RepairReport): string {
  if (first !== undefined) return `${repairHead(first)}\n\n${diffLines(first.diff)}`;
  if (finding === undefined || reason === undefined) return 'The search for repairs does not find the error again.';
  return none[reason];
}

const none: Readonly<Record<NonNullable<RepairReport['reason']>, string>> = {
  time: 'No repair was found in time. nccl-ts repair --patience gives the search more.',
  protocol: `No change that was tried mends it: stronger orders, fences, barriers and waits, near these places.
Another place or form may be needed; or an index, an epoch, the condition of a wait, or the size of
an access is wrong.`,
  misuse: 'A call breaks a rule of the API, and no order, fence or barrier mends that: change the call.',
};

function repairHead({ title, proven, sampled, fails }: Repair): string {
  return [
    title,
    ...(proven.length === 0 ? [] : [`   right in every schedule: ${proven.join('; ')}`]),
    ...(sampled.length === 0 ? [] : [`   right in all schedules that were tried: ${sampled.join('; ')}`]),
    ...fails.map(({ input, why }) => `   wrong as before: ${input}: ${why}`),
  ].join('\n');
}

/** The same as JSON. */
export function repairJson({ finding, repairs, reason, checks }: RepairReport): string {
  const value = {
    format: 'nccl-ts repair',
    version: 1,
    ...(finding === undefined ? {} : { finding: findingJson(finding, 1) }),
    repairs: repairs.map(jsonOfRepair),
    ...(reason === undefined ? {} : { reason }),
    checks,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The first repair for the JSON of another command; `reason` if there is none. */
export function firstRepairJson({ repairs: [first], reason }: RepairReport): unknown {
  return { ...(first === undefined ? {} : jsonOfRepair(first)), ...(reason === undefined ? {} : { reason }) };
}

function jsonOfRepair({ changes, ...one }: Repair): Readonly<Record<string, unknown>> {
  return {
    changes: changes.map(({ kind, does, instruction, lines, silences }) => ({
      kind,
      does,
      instruction,
      lines,
      ...(silences ? { silences } : {}),
    })),
    cost: one.cost,
    silences: one.silences,
    proven: one.proven,
    sampled: one.sampled,
    fails: one.fails,
    isSource: one.isSource,
    diff: one.diff,
    ...(one.source === undefined ? {} : { text: one.source }),
  };
}
