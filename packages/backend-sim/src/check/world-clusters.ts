import type { Finding, ScheduleId } from '@nccl-ts/findings';
import { clusterCtas } from '@nccl-ts/ir';
import type { CtaIdentity } from '@nccl-ts/transport';
import { clusterPlace, type HeapViews } from '@nccl-ts/codegen';
import type { SimLaunch } from '../engine/launch.ts';
import { ClusterWatch } from './cluster-watch.ts';
import type { ClusterMembership } from './cta-watch.ts';
import { earlyFinding, goneFinding } from './misuse-finding.ts';
import type { Participants } from './participants.ts';
import type { RemoteListener } from './remote-accesses.ts';
import type { WorldWords } from './world-words.ts';

interface WorldClustersInit {
  readonly words: WorldWords;
  readonly participants: Participants;
  /** Adds a finding, unless there is one of this key. */
  readonly add: (key: string, make: (schedule: ScheduleId) => Finding) => void;
}

/** The clusters of several CTAs of a world. */
export class WorldClusters {
  readonly #words: WorldWords;
  readonly #listener: RemoteListener;
  /** By launch, and then by the number of the cluster in the grid. */
  readonly #running = new WeakMap<SimLaunch, Map<number, ClusterWatch>>();
  /** By the number of the memory of a cluster: the bytes of one CTA. */
  readonly #bytes = new Map<number, number>();
  #count = 0;

  constructor({ words, participants, add }: WorldClustersInit) {
    this.#words = words;
    this.#listener = {
      early: (access) => {
        add(`early ${access.site}`, (schedule) => earlyFinding(participants.label(access), schedule));
      },
      gone: (access, owner) => {
        const end = { who: owner.whoBase, stamp: owner.stamp, site: -1 };
        const labels = [access, end].map((one) => participants.label(one));
        add(`gone ${access.site}`, (schedule) => goneFinding(labels, schedule));
      },
    };
  }

  /** The place of a CTA that starts; `undefined` if it is a cluster by itself. */
  join(launch: SimLaunch, cta: CtaIdentity, shared: HeapViews | undefined): ClusterMembership | undefined {
    const { cluster: size } = launch;
    if (size === undefined) return undefined;
    const { cluster, rank } = clusterPlace(cta, size);
    const running = this.#running.get(launch) ?? new Map<number, ClusterWatch>();
    this.#running.set(launch, running);
    const bytes = (shared?.u8.length ?? 0) / clusterCtas(size);
    const watch =
      running.get(cluster) ?? new ClusterWatch(this.#count++, this.#words.open(shared), bytes, this.#listener);
    running.set(cluster, watch);
    this.#bytes.set(watch.memory, bytes);
    watch.open++;
    return { watch, rank };
  }

  /** Called when a CTA has ended. */
  leave({ watch }: ClusterMembership): void {
    if (--watch.open === 0) this.#words.close(watch.memory);
  }

  /** For people, the shared memory of each CTA begins at 0. */
  addressInCta(memory: number, address: number): number {
    const bytes = this.#bytes.get(memory);
    return bytes === undefined ? address : address % bytes;
  }
}
