/** A barrier at which threads arrive: its number on a GPU, and how many threads it counts. */
export interface ReachedBarrier {
  readonly name: number;
  /** 0 for all threads of the CTA. */
  readonly threads: number;
}

/** Describes the missing threads for which a synchronization waits. */
export function missingText(missing: number, group: string, barrier?: ReachedBarrier): string {
  const others = `the other ${missing} ${missing === 1 ? 'thread' : 'threads'} of the ${group}`;
  if (barrier === undefined) return others;
  const at = `at barrier ${barrier.name % 16}`;
  if (missing === 0) return `all threads of each warp at one instruction, because those ${at} are aligned`;
  if (barrier.threads === 0) return `${others} ${at}`;
  return missing < 0
    ? `exactly ${barrier.threads} threads ${at}, where ${barrier.threads - missing} are`
    : `${missing} more of ${barrier.threads} threads ${at}`;
}
