import type { FabricStatement, CampaignProgram, Statement } from './program.ts';

/** The alignment of an endpoint's offsets in bytes. */
const UNIT = 16;

/** The byte of the counter in the shared window. */
const COUNTER = 256;

/** The number of 4-byte words of a thread's part of shared memory. */
const PART = 8;

/** The number of 4-byte words of a shared window with a counter. */
export const FABRIC_WORDS: number = COUNTER / 4 + 2;

export function isOfFabric(statement: Statement): statement is FabricStatement {
  return statement.kind.startsWith('fabric');
}

/** True if any kernel uses the fabric. */
export function usesFabric({ kernels }: CampaignProgram): boolean {
  return kernels.some(({ parts }) => parts.some((part) => part.kind === 'thread' && part.body.some(isOfFabric)));
}

/** The session of a kernel whose threads are alone in their CTA. */
export const fabricHead: readonly string[] = [
  '  const state = sharedArray(u64, 2);',
  `  const part = sharedArray(u32, ${PART});`,
  '  const fabric = cft.session(coopThread(), state);',
];

/**
 * The lines of a statement. `register` returns a new name, and `keep` the text that keeps a value.
 */
export function fabricText(
  statement: FabricStatement,
  register: () => string,
  keep: (value: string) => string,
): readonly string[] {
  switch (statement.kind) {
    case 'fabricFill':
      return [`for (let i = 0; i < ${4 * statement.units}; i++) part.store(i, ${statement.value});`];
    case 'fabricLook': {
      const seen = register();
      return [`const ${seen} = part.load(${statement.unit * 4 + 3});`, keep(seen)];
    }
    case 'fabricPut': {
      const { peer, unit, units, counted } = statement;
      const le = register();
      const from = `const ${le} = cft.peerLeInfo(shared, ${unit * UNIT}, ${peer}, comm);`;
      const to = `coopThread(), ${le}.leId, ${le}.leOffset`;
      if (!counted) return [from, `fabric.put(${to}, part, ${units * UNIT});`];
      const counter = `${le}.leOffset + u64(${COUNTER - unit * UNIT})`;
      return [from, `fabric.putCounted(${to}, ${counter}, part, ${units * UNIT});`];
    }
    case 'fabricGet': {
      const { peer, unit } = statement;
      const le = register();
      return [
        `const ${le} = cft.peerLeInfo(shared, ${unit * UNIT}, ${peer}, comm);`,
        `fabric.get(coopThread(), ${le}.leId, ${le}.leOffset, part, ${UNIT});`,
      ];
    }
    case 'fabricSubmit':
      return ['fabric.submit(coopThread());'];
    case 'fabricFlush':
      return ['fabric.flush(coopThread());'];
    case 'fabricFlushSmem':
      return ['fabric.flushSmem(coopThread());'];
    case 'fabricFence': {
      const { order, producer, consumer, scope } = statement;
      return [`cft.memFence(coopThread(), '${order}', '${producer}', '${consumer}', '${scope}');`];
    }
    case 'fabricWait': {
      const counter = `lsa.localPointer(shared, u64, ${COUNTER})`;
      return [`fabric.waitCounted(coopThread(), '${statement.order}', 'generic', ${counter}, ${statement.least});`];
    }
  }
}
