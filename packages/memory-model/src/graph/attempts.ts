import { candidates } from './candidates.ts';
import type { Source } from './graph-event.ts';
import type { ByteRange } from './requests.ts';
import type { AttemptedRead, Run, RunningAgent } from './run.ts';

/** One way to pass a wait, or not to. */
export interface Attempt {
  readonly reads: readonly AttemptedRead[];
  readonly passes: boolean;
}

/** Whether a read may take its bytes from there; the read is in the graph, bound so. */
export type Accepts = (sources: readonly Source[]) => boolean;

/** Every attempt to pass a wait whose reads take their bytes from what is there, as far as `accepts` lets them. */
export function* attempts(run: Run, agent: RunningAgent, accepts: Accepts): Generator<Attempt> {
  const { blocked } = agent;
  if (blocked?.kind !== 'wait') return;
  const mark = run.graph.events.length;
  const choices: { readonly ways: readonly (readonly Source[])[]; at: number }[] = [];
  do {
    const reads: AttemptedRead[] = [];
    let passes = false;
    try {
      passes =
        blocked.attempt((range, access, site) => {
          const index = reads.length;
          const chosen = (choices[index] ??= { ways: ways(run, agent, { range, access, site }, accepts), at: 0 });
          const sources = chosen.ways[chosen.at];
          if (sources === undefined) throw new NoWay();
          const read = { range, access, site, sources };
          reads.push(read);
          return run.valueOf(run.tryRead(agent, read), sources);
        }) !== undefined;
      run.forgetTo(mark);
      yield { reads, passes };
    } catch (error) {
      run.forgetTo(mark);
      if (!(error instanceof NoWay)) throw error;
    }
  } while (next(choices));
}

function ways(
  run: Run,
  agent: RunningAgent,
  read: Omit<AttemptedRead, 'sources'>,
  accepts: Accepts,
): readonly (readonly Source[])[] {
  const mark = run.graph.events.length;
  return candidates(run.graph, read.range, -1).filter((sources) => {
    run.tryRead(agent, { ...read, sources });
    const accepted = accepts(sources);
    run.forgetTo(mark);
    return accepted;
  });
}

/** Goes to the next choice, the last one first; says whether there is one. */
function next(choices: { readonly ways: readonly unknown[]; at: number }[]): boolean {
  for (let last = choices.at(-1); last !== undefined; last = choices.at(-1)) {
    last.at++;
    if (last.at < last.ways.length) return true;
    choices.pop();
  }
  return false;
}

/** The ranges that an attempt looked at. */
export function rangesOf({ reads }: Attempt): readonly ByteRange[] {
  return reads.map(({ range }) => range);
}

/** There is nothing that a read of an attempt could read. */
class NoWay extends Error {}
