import { Clock, HappensBefore, type GroupClocks, type WatchedSite } from '../../../src/index.ts';

export const AGENTS = 24;
export const THREADS = 4;
export const WORDS = 3;

const relaxed = { order: 'relaxed', scope: 'system' } as const;

/** Location 0 is the source of initial values. */
export const sites: readonly WatchedSite[] = [
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4 },
  { kind: 'load', bytes: 4 },
  { kind: 'store', bytes: 4 },
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4, access: relaxed },
  { kind: 'store', bytes: 4, access: relaxed },
  { kind: 'store', bytes: 8, access: relaxed },
  { kind: 'load', bytes: 1 },
  { kind: 'store', bytes: 1 },
];

export interface Step {
  readonly agent: number;
  readonly thread: number;
  readonly site: number;
  readonly word: number;
  /** True if the threads of the agent meet first. */
  readonly meets: boolean;
}

interface Outcome {
  /** The pairs of source locations that race. */
  readonly pairs: readonly string[];
  /** The total number of races. */
  readonly sightings: number;
}

/** Runs the steps. `retained` is the number of racing accesses to a word that are kept. */
export function run(steps: readonly Step[], kept?: number): Outcome {
  const pairs = new Set<string>();
  let sightings = 0;
  const engine = new HappensBefore({
    onSeen: (seen) => {
      if (seen.kind !== 'race') throw new Error(`the engine has seen: ${seen.kind}`);
      pairs.add(`${seen.before.site} ${seen.now.site}`);
      sightings++;
    },
  });
  if (kept !== undefined) engine.accesses.retained = kept;
  engine.addSites(sites);
  engine.given(0, 8 * WORDS);
  const groups = Array.from({ length: AGENTS }, (_, rank): GroupClocks => {
    const agent = engine.addAgent({ kind: 'cta', rank });
    return engine.open(agent, THREADS, new Clock(0), 0, sites.length);
  });
  for (const { agent, thread, site, word, meets } of steps) {
    const group = groups[agent];
    const what = sites[site];
    if (group === undefined || what === undefined) throw new RangeError('no such step');
    if (meets) group.meetAll();
    const { shadow, accesses } = engine;
    if (what.access !== undefined && what.kind === 'load') engine.load(group, thread, shadow, 8 * word, site);
    else if (what.access !== undefined) engine.store(group, thread, shadow, 8 * word, site);
    else if (what.kind === 'load') accesses.read(group, thread, shadow, 8 * word, what.bytes, site);
    else accesses.write(group, thread, shadow, 8 * word, what.bytes, site);
  }
  return { pairs: [...pairs].toSorted(), sightings };
}
