import type { MemoryOrder } from '@nccl-ts/core';
import {
  Clock,
  Determinacy,
  FailingLooks,
  HappensBefore,
  scopeWidth,
  type GroupClocks,
  type WatchedSite,
} from '../../src/index.ts';
import { applied, increased, passes, raisedTo, type Step } from '../graph/rising-flags.ts';

/** The results of one run of agents. */
export interface DeterminateRun {
  readonly raced: boolean;
  /** True if all agents ended: otherwise the run represents no others. */
  readonly ended: boolean;
  /** The reason why other runs may differ. */
  readonly doubt: string | undefined;
}

/** The locations, with flags before data, as in `rising-flags`. */
const FLAGS = 2;
const WORDS = 4;

/**
 * Runs agents, each alone on its rank, in the order that `choose` selects. Repeats the run as long
 * as waits may have learned less, like the simulator. A race of a repetition need not be real.
 */
export function determinateRun(
  programs: readonly (readonly Step[])[],
  choose: (able: readonly number[]) => number,
): DeterminateRun {
  const chosen: number[] = [];
  let omits: ReadonlySet<string> = new Set();
  let run = oneRun(programs, omits, (able) => {
    const next = choose(able);
    chosen.push(next);
    return next;
  });
  while (!run.raced && run.lacks.size > 0) {
    omits = new Set([...omits, ...run.lacks]);
    let at = 0;
    run = oneRun(programs, omits, () => chosen[at++] ?? 0);
    if (run.raced) return { raced: true, ended: run.ended, doubt: 'waits count as having read less than they need' };
  }
  return { raced: run.raced, ended: run.ended, doubt: run.raced ? (run.doubt ?? run.roughness) : run.doubt };
}

function oneRun(
  programs: readonly (readonly Step[])[],
  omits: ReadonlySet<string>,
  choose: (able: readonly number[]) => number,
): DeterminateRun & { readonly lacks: ReadonlySet<string>; readonly roughness: string | undefined } {
  const memory = Array.from({ length: WORDS }, () => 0n);
  const determinacy = new Determinacy({ omits, valueAt: (_shadow, address) => memory[address / 4] });
  let raced = false;
  const engine = new HappensBefore({
    onSeen: () => {
      raced = true;
    },
    determinacy,
  });
  engine.given(0, 4 * WORDS);
  const sites: WatchedSite[] = [{ kind: 'store', bytes: 4 }];
  const agents = programs.map((steps, rank) => {
    const base = sites.length;
    sites.push(...steps.map(siteOf));
    return { rank, steps, base, at: 0, raised: new Map<number, bigint>() };
  });
  engine.addSites(sites);
  const groups = agents.map(({ rank }): GroupClocks => {
    const agent = engine.addAgent({ kind: 'cta', rank });
    return engine.open(agent, 1, new Clock(0), 0, sites.length);
  });
  const isAble = ({ steps, at }: (typeof agents)[number]): boolean => {
    const step = steps[at];
    if (step === undefined) return false;
    return step.kind !== 'wait' || step.flags.every((flag) => passes(step, memory[flag] ?? 0n));
  };
  for (;;) {
    const able = agents.filter(isAble);
    if (able.length === 0) break;
    const agent = agents[choose(able.map(({ rank }) => rank))];
    const group = agent === undefined ? undefined : groups[agent.rank];
    const step = agent?.steps[agent.at];
    if (agent === undefined || group === undefined || step === undefined) throw new RangeError('nobody to go on');
    const site = agent.base + agent.at;
    const { shadow } = engine;
    switch (step.kind) {
      case 'raise': {
        const value = raisedTo(step, agent.raised.get(step.flag));
        agent.raised.set(step.flag, value);
        engine.store(group, 0, shadow, 4 * step.flag, site);
        memory[step.flag] = value;
        break;
      }
      case 'add':
        engine.update(group, 0, shadow, 4 * step.flag, site);
        memory[step.flag] = increased(step, memory[step.flag] ?? 0n);
        break;
      case 'apply': {
        const index = FLAGS + step.data;
        if (step.tries) engine.load(group, 0, shadow, 4 * index, site);
        engine.update(group, 0, shadow, 4 * index, site);
        memory[index] = applied(memory[index] ?? 0n);
        break;
      }
      case 'wait': {
        const reads = step.flags.map((flag) => ({ thread: 0, shadow, address: 4 * flag, site }));
        const looks = new FailingLooks(engine, group, reads);
        for (const read of reads) {
          engine.passes(group, read, {
            accepts: (value) => passes(step, value),
            least:
              step.exactly === true || step.atMost !== undefined || step.not !== undefined || step.flags.length > 1
                ? undefined
                : BigInt(step.least),
            isUsedAfter: step.keeps ?? false,
            isAlone: step.flags.length === 1,
          });
        }
        looks.report();
        break;
      }
      case 'fence':
        engine.fence(group, 0, step.order, scopeWidth('system'));
        break;
      case 'store':
        engine.store(group, 0, shadow, 4 * (FLAGS + step.data), site);
        memory[FLAGS + step.data] = BigInt(10 * agent.rank + agent.at);
        break;
      case 'load':
        engine.load(group, 0, shadow, 4 * (FLAGS + step.data), site);
        break;
    }
    agent.at++;
  }
  determinacy.settle();
  const { doubt, lacks, isRough } = determinacy;
  const roughness = isRough ? 'waits count as having read less than they need' : undefined;
  return { raced, ended: agents.every(({ steps, at }) => at === steps.length), doubt, lacks, roughness };
}

function siteOf(step: Step): WatchedSite {
  const access = (order: MemoryOrder) => ({ order, scope: 'system' }) as const;
  switch (step.kind) {
    case 'raise':
      return {
        kind: 'store',
        bytes: 4,
        access: step.strong ? access(step.release ? 'release' : 'relaxed') : undefined,
      };
    case 'add':
      return { kind: 'atomic', bytes: 4, access: access(step.release ? 'release' : 'relaxed'), adds: true };
    case 'apply':
      return { kind: 'atomic', bytes: 4, access: access(step.order), applies: '3 x + 1', usedAt: () => new Set() };
    case 'wait':
      return { kind: 'load', bytes: 4, access: access(step.acquire ? 'acquire' : 'relaxed') };
    case 'fence':
      return { kind: 'load', bytes: 4 };
    case 'store':
    case 'load': {
      const order = step.ordered !== true ? 'relaxed' : step.kind === 'store' ? 'release' : 'acquire';
      return { kind: step.kind, bytes: 4, access: step.strong ? access(order) : undefined };
    }
  }
}
