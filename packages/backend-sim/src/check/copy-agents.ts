import type { Agent, GroupClocks, HappensBefore } from '@nccl-ts/memory-model';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { SimLaunch } from '../engine/launch.ts';
import { BULK_THREADS, type BulkAgent } from './bulk-copies.ts';
import { ASYNC, BULK } from './episodes.ts';
import type { Participants } from './participants.ts';
import type { RunningLaunch } from './stream-order.ts';

/** A CTA that copies, or stores asynchronously. */
export interface CopyingCta {
  readonly launch: SimLaunch;
  readonly running: RunningLaunch;
  readonly cta: CtaIdentity;
  readonly group: GroupClocks;
  /** The number of its cluster, if that has more than one CTA. */
  readonly number: number | undefined;
}

/** The agents that make the bulk copies and the asynchronous stores of CTAs. */
export class CopyAgents {
  readonly #order: HappensBefore;
  readonly #participants: Participants;
  /** By the agent of the CTA. */
  readonly #bulk = new Map<number, Agent>();
  readonly #stores = new Map<number, Agent>();
  /** The groups of the copies of running CTAs, by the agent of the copies. */
  readonly groups: Map<number, GroupClocks> = new Map();

  constructor(order: HappensBefore, participants: Participants) {
    this.#order = order;
    this.#participants = participants;
  }

  /** Begins the copies of a CTA, or its asynchronous stores (`isGeneric`). */
  open(isGeneric: boolean, { launch, running, cta, group, number }: CopyingCta): BulkAgent {
    const { siteBase, sites, ordered } = running;
    const known = isGeneric ? this.#stores : this.#bulk;
    const { rank, domain } = launch;
    const kind = isGeneric ? 'store' : 'bulk';
    const agent = known.get(group.agent) ?? this.#order.addAgent({ kind, rank, domain, of: group.agent });
    known.set(group.agent, agent);
    const opened = this.#order.open(agent, BULK_THREADS, ordered.begin, siteBase, sites, number);
    opened.bridged = group.bridged;
    running.open.add(opened);
    this.groups.set(agent.index, opened);
    const episode = { launch: launch.id, purpose: launch.purpose, cta, by: isGeneric ? ASYNC : BULK } as const;
    return {
      group: opened,
      begins: (thread) => this.#participants.begins(agent.index, { ...episode, from: opened.stamp, thread }),
    };
  }

  /** The copies of a CTA end with its kernel. */
  close(copies: readonly GroupClocks[], { open, ordered }: RunningLaunch): void {
    for (const copier of copies) {
      open.delete(copier);
      this.groups.delete(copier.agent);
      this.#order.close(copier, ordered.end);
    }
  }
}
