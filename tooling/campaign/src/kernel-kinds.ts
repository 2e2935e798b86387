import type { Kind } from './kinds.ts';
import type { CampaignProgram, Statement } from './program.ts';

/** The kinds of a program of the kernel language. */
export function kernelKinds({ kernels, steps }: CampaignProgram): ReadonlySet<Kind> {
  const parts = kernels.flatMap((kernel) => kernel.parts);
  const statements = parts.flatMap((part) => (part.kind === 'thread' ? flattened(part.body) : []));
  const all = new Set([...parts, ...statements].map(({ kind }) => kind));
  const usesNetwork = statements.some(({ kind }) => network.has(kind));
  const usesLsa = statements.some(
    (one) => (one.kind === 'store' || one.kind === 'load' || one.kind === 'atomic') && one.at.home !== 'array',
  );
  const launches = steps.flatMap((step) => (step.kind === 'launch' ? [step.stream] : []));
  const found: readonly (readonly [Kind, boolean])[] = [
    ['GIN beside LSA', usesNetwork && usesLsa],
    ['GIN flush', all.has('flush')],
    ['GIN signals', all.has('signal') || all.has('waitSignal')],
    ['GIN counters', all.has('waitCounter') || statements.some((one) => one.kind === 'put' && one.counter)],
    ['hybrid barriers', all.has('hybridBarrier')],
    ['several launches', launches.length > 1],
    ['two streams', new Set(launches).size > 1],
  ];
  return new Set(found.flatMap(([kind, holds]) => (holds ? [kind] : [])));
}

const network: ReadonlySet<string> = new Set([
  'put',
  'putValue',
  'get',
  'signal',
  'waitSignal',
  'waitCounter',
  'flush',
]);

function flattened(body: readonly Statement[]): readonly Statement[] {
  return body.flatMap((one) =>
    one.kind === 'load' && one.then !== undefined ? [one, ...flattened(one.then.body)] : [one],
  );
}
