import {
  buildDeadlock,
  describeWord,
  type DeadlockReport,
  type ParkedCta,
  type WaitedWord,
  type Waiting,
  type WordChange,
  type WordHistory,
} from '@nccl-ts/findings';
import type { AttemptRead, Execution, RunningAgent } from '@nccl-ts/memory-model';
import { lsaTeamIndex } from '@nccl-ts/topology';
import { missingText, ctaIndex } from '@nccl-ts/codegen';
import { isShared, offsetInShared } from './cta-state.ts';
import type { ExploredWorld } from './explored-world.ts';
import type { Owner } from './participants.ts';

type ThreadOwner = Extract<Owner, { kind: 'thread' | 'network' }>;

/** A stuck thread with the reason. */
interface StuckThread {
  readonly owner: ThreadOwner;
  readonly waiting: Waiting;
}

/** Describes the waits of an execution in which no thread can continue. */
export function executionDeadlock(world: ExploredWorld, execution: Execution): DeadlockReport {
  const stuck = execution.blocked.flatMap((agent) => stuckThread(world, execution, agent) ?? []);
  const { topology, runner, memory, participants } = world;
  const ctas = new Map<string, { readonly owner: ThreadOwner; readonly waiting: Waiting[] }>();
  for (const { owner, waiting } of stuck) {
    const key = [owner.launch, owner.rank, ctaIndex(owner.cta)].join();
    const known = ctas.get(key) ?? { owner, waiting: [] };
    ctas.set(key, known);
    known.waiting.push(waiting);
  }
  const parked = [...ctas.values()].map(({ owner: { kernel, launch, rank, cta }, waiting }): ParkedCta => ({
    kernel,
    launch,
    rank,
    cta: ctaIndex(cta),
    sites: participants.sites,
    waiting: () => together(waiting),
  }));
  return buildDeadlock({
    parked,
    unstarted: [],
    queued: [],
    ranks: runner.hosts.map((host, rank) => {
      const last = runner.lastEnded(rank);
      return {
        host,
        last:
          last === undefined
            ? undefined
            : { kernel: last.module.name, ...(last.failure === undefined ? {} : { failure: last.failure }) },
      };
    }),
    lsaTeam: (rank) => lsaTeamIndex(topology, rank),
    describe: (word) => describeWord(word, ({ address }) => memory.byteAt(address)),
    historyOf: ({ address, space }) => (space === 'global' ? historyOf(world, execution, address) : undefined),
  });
}

/** The changes of a word. The last one is the one that it has kept. */
function historyOf({ participants }: ExploredWorld, { run, consistent }: Execution, address: number): WordHistory {
  const writes = run.graph.events.filter(({ kind, live, at }) => kind === 'write' && live && at === address);
  const [first] = writes;
  if (first === undefined) return { changes: [], instead: [] };
  const { bytes } = first;
  const last = consistent.coherence.get(run.graph.clusterOf(address, bytes))?.last(address, bytes) ?? [];
  const ordered = [
    ...writes.filter((write) => !last.includes(write)),
    ...writes.filter((write) => last.includes(write)),
  ];
  const changes = ordered.map((write): WordChange => {
    const isUpdate = write.partner !== undefined;
    const was = isUpdate ? write.partner?.sources?.[0]?.write.value : undefined;
    return {
      by: participants.label(run, write),
      isUpdate,
      ...(was === undefined ? {} : { was }),
      ...(write.value === undefined ? {} : { value: write.value }),
    };
  });
  return { changes, instead: [] };
}

function stuckThread(
  { participants }: ExploredWorld,
  { run, finals, blocked }: Execution,
  { number, blocked: by }: RunningAgent,
): StuckThread | undefined {
  const owner = participants.ownerOf(run, number);
  if (owner?.kind !== 'thread') return undefined;
  if (by?.kind === 'meet') {
    const { group, size, site } = by.meeting;
    const all = typeof size === 'number' ? size : size();
    const there = blocked.flatMap(({ blocked: other }): readonly unknown[] =>
      other?.kind === 'meet' && other.meeting.group === group ? [other.meeting.give] : [],
    );
    const needed = by.meeting.needed?.(there) ?? missingText(all - there.length, 'group');
    const at = typeof site === 'number' ? site : -1;
    return { owner, waiting: { site: at, kind: 'sync', threads: [owner.thread], words: [], needed } };
  }
  if (by?.kind === 'join' && typeof by.site === 'number') {
    const needed = owner.needed?.(() => 0n) ?? 'unknown';
    return { owner, waiting: { site: by.site, kind: 'sync', threads: [owner.thread], words: [], needed } };
  }
  if (by?.kind !== 'wait') return undefined;
  const words = new Map<number, WaitedWord>();
  const read: AttemptRead = (range) => {
    const [value = 0n] = finals([range])[0] ?? [];
    const shared = isShared(range.at);
    words.set(range.at, {
      address: shared ? offsetInShared(range.at) : range.at,
      region: 0,
      space: shared ? 'shared' : 'global',
      type: `u${8 * range.bytes}`,
      value: range.bytes > 4 ? value : Number(value),
    });
    return value;
  };
  by.probe(read);
  const needed = owner.needed?.(read) ?? 'unknown';
  const site = typeof by.site === 'number' ? by.site : -1;
  return { owner, waiting: { site, kind: 'wait', threads: [owner.thread], words: [...words.values()], needed } };
}

/** Merges threads of one CTA that wait at one source location for the same event. */
function together(all: readonly Waiting[]): readonly Waiting[] {
  const groups = new Map<string, Waiting>();
  for (const one of all) {
    const { site, kind, words, needed } = one;
    const key = JSON.stringify([site, kind, needed, words.map(({ address }) => address)]);
    const known = groups.get(key);
    const threads = [...(known?.threads ?? []), ...one.threads].toSorted((a, b) => a - b);
    groups.set(key, { ...one, threads });
  }
  return [...groups.values()];
}
