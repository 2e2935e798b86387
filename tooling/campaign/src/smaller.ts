import type { KernelParts, KernelPart, CampaignProgram, Statement } from './program.ts';

/**
 * Lists programs that are a step smaller or simpler than `program`, with the largest reductions
 * first.
 */
export function* smaller(program: CampaignProgram): Generator<CampaignProgram> {
  yield* fewerKernels(program);
  yield* withoutOneOf(program.steps, (steps) => ({ ...program, steps }));
  for (const [index, kernel] of program.kernels.entries()) {
    const withKernel = (parts: readonly KernelPart[]): CampaignProgram => ({
      ...program,
      kernels: program.kernels.with(index, { parts } satisfies KernelParts),
    });
    yield* withoutOneOf(kernel.parts, withKernel);
    for (const [at, part] of kernel.parts.entries()) {
      for (const simpler of simplerParts(part)) yield withKernel(kernel.parts.with(at, simpler));
    }
  }
  yield* narrower(program);
  if (program.readsWords) yield { ...program, readsWords: false };
}

function* fewerKernels(program: CampaignProgram): Generator<CampaignProgram> {
  const { kernels, steps } = program;
  if (kernels.length < 2) return;
  for (const gone of kernels.keys()) {
    const left = steps.flatMap((step) => {
      if (step.kind !== 'launch' || step.kernel < gone) return [step];
      return step.kernel === gone ? [] : [{ ...step, kernel: step.kernel - 1 }];
    });
    yield { ...program, kernels: kernels.toSpliced(gone, 1), steps: left };
  }
}

/** Programs with fewer threads, CTAs and ranks, if the removed ones do nothing. */
function* narrower(program: CampaignProgram): Generator<CampaignProgram> {
  const threads = program.kernels.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'thread' ? [part] : [])),
  );
  const { ranks, grid, block, lsaSize } = program;
  const mapped = (
    change: (part: Extract<KernelPart, { readonly kind: 'thread' }>) => KernelPart,
  ): readonly KernelParts[] =>
    program.kernels.map(({ parts }) => ({
      parts: parts.map((part) => (part.kind === 'thread' ? change(part) : part)),
    }));
  if (block > 1) {
    if (threads.every(({ thread }) => thread < block - 1)) yield { ...program, block: block - 1 };
    const owners = new Set(threads.map(({ rank, cta }) => `${rank} ${cta}`));
    const places = new Set(threads.map(({ rank, cta, thread }) => `${rank} ${cta} ${thread}`));
    if (owners.size === places.size) {
      yield { ...program, block: 1, kernels: mapped((part) => ({ ...part, thread: 0 })) };
    }
  }
  if (grid > 1) {
    if (threads.every(({ cta }) => cta < grid - 1)) yield { ...program, grid: grid - 1 };
    const owners = new Set(threads.map(({ rank, thread }) => `${rank} ${thread}`));
    const places = new Set(threads.map(({ rank, cta, thread }) => `${rank} ${cta} ${thread}`));
    if (owners.size === places.size) {
      yield { ...program, grid: 1, kernels: mapped((part) => ({ ...part, cta: 0 })) };
    }
  }
  if (ranks > 1 && !JSON.stringify(program).includes(`"rank":${ranks - 1}`) && !names(program, ranks - 1)) {
    yield { ...program, ranks: ranks - 1, lsaSize: lsaSize === 1 ? 1 : ranks - 1 };
  }
}

/** True if a statement uses the rank as a peer or home. */
function names(program: CampaignProgram, rank: number): boolean {
  const text = JSON.stringify(program);
  return text.includes(`"peer":${rank}`) || text.includes(`"home":${rank}`);
}

function* simplerParts(part: KernelPart): Generator<KernelPart> {
  if (part.kind === 'sync' && part.rank !== undefined) yield { kind: 'sync' };
  if (part.kind === 'barrier' && part.order !== 'acq_rel') yield { ...part, order: 'acq_rel' };
  if (part.kind === 'thread') yield* simplerBodies(part.body, (body) => ({ ...part, body }));
}

function* simplerBodies<T>(body: readonly Statement[], make: (body: readonly Statement[]) => T): Generator<T> {
  yield* withoutOneOf(body, make);
  for (const [at, statement] of body.entries()) {
    if (statement.kind === 'load' && statement.then !== undefined) {
      const { then, ...load } = statement;
      yield make(body.toSpliced(at, 1, load, ...then.body));
      yield make(body.with(at, load));
      yield* simplerBodies(then.body, (inner) => make(body.with(at, { ...load, then: { ...then, body: inner } })));
    }
    for (const simpler of simplerStatements(statement)) yield make(body.with(at, simpler));
  }
}

/** Weaker or smaller forms of the same statement. */
function* simplerStatements(statement: Statement): Generator<Statement> {
  if ('keep' in statement && statement.keep) yield { ...statement, keep: false };
  if ('at' in statement && statement.at.bytes !== 4) yield { ...statement, at: { ...statement.at, bytes: 4 } };
  if (statement.kind === 'store' || statement.kind === 'load') {
    const { ordering, ...plain } = statement;
    if (ordering !== undefined) yield plain;
  }
  if (statement.kind === 'store' && statement.value !== 1) yield { ...statement, value: 1 };
  if ('ordering' in statement && statement.ordering !== undefined) {
    const { ordering } = statement;
    if (ordering.scope !== 'system') yield { ...statement, ordering: { ...ordering, scope: 'system' } };
    if (ordering.order !== 'relaxed' && statement.kind !== 'fence') {
      yield { ...statement, ordering: { ...ordering, order: 'relaxed' } };
    }
  }
  if (statement.kind === 'atomic' && statement.update !== 'Add') yield { ...statement, update: 'Add' };
  if (statement.kind === 'put' || statement.kind === 'putValue') {
    const { signal, ...silent } = statement;
    if (signal !== undefined) yield silent;
  }
  if (statement.kind === 'put' && statement.counter) yield { ...statement, counter: false };
  if ('context' in statement && statement.context !== 0) yield { ...statement, context: 0 };
}

function* withoutOneOf<E, T>(list: readonly E[], make: (list: readonly E[]) => T): Generator<T> {
  for (let at = list.length - 1; at >= 0; at--) yield make(list.toSpliced(at, 1));
}
