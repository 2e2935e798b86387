import { at, WARP_SIZE } from '@nccl-ts/core';
import { clusterCtas, type ClusterSize } from '@nccl-ts/ir';
import type { CtaIdentity, Dim3 } from '@nccl-ts/transport';
import {
  clusterPlace,
  viewsOf,
  type ClusterArrival,
  type ClusterCaller,
  type ClusterMember,
  type ClusterPort,
  type HeapViews,
} from '@nccl-ts/codegen';
import type { Fault } from '@nccl-ts/findings';

export interface LaunchClustersInit {
  readonly size: ClusterSize;
  readonly block: Dim3;
  readonly fault: (cta: CtaIdentity, fault: Fault) => never;
}

/** The clusters of one launch: their shared memory and their barriers. */
export class LaunchClusters implements ClusterPort {
  readonly #init: LaunchClustersInit;
  readonly #threads: number;
  readonly #ctas: number;
  /** By the number of the cluster in the grid. */
  readonly #clusters = new Map<number, Cluster>();

  constructor(init: LaunchClustersInit) {
    this.#init = init;
    this.#threads = init.block.x * init.block.y * init.block.z;
    this.#ctas = clusterCtas(init.size);
  }

  join(cta: CtaIdentity, bytes: number, regions: number): ClusterMember {
    const { cluster, rank } = clusterPlace(cta, this.#init.size);
    const known = this.#clusters.get(cluster) ?? new Cluster(this.#ctas, this.#threads, bytes);
    this.#clusters.set(cluster, known);
    return { rank, shared: known.shared, base: rank * bytes, regions: rank * regions };
  }

  arrive({ cta, thread, site, watch }: ClusterCaller, { releases, isAligned }: ClusterArrival): void {
    const [cluster, number] = this.#thread(cta, thread);
    if (!cluster.arrive(number, site, isAligned)) {
      const message = 'lanes of one warp arrive at the cluster barrier by different instructions that are .aligned';
      this.#init.fault(cta, { kind: 'misuse', site, thread, message });
    }
    watch?.clusterArrives(thread, releases);
  }

  isMet(cta: CtaIdentity, thread: number): boolean {
    const [cluster, number] = this.#thread(cta, thread);
    return cluster.isMet(number);
  }

  lacks(cta: CtaIdentity, thread: number): number {
    const [cluster, number] = this.#thread(cta, thread);
    return cluster.lacks(number);
  }

  acquire({ thread, watch }: ClusterCaller): void {
    watch?.clusterPasses(thread);
  }

  leave(cta: CtaIdentity, thread: number): void {
    const [cluster, number] = this.#thread(cta, thread);
    cluster.leave(number);
  }

  #thread(cta: CtaIdentity, thread: number): readonly [Cluster, number] {
    const place = clusterPlace(cta, this.#init.size);
    const cluster = this.#clusters.get(place.cluster);
    if (cluster === undefined) throw new RangeError('a CTA uses its cluster before it has started');
    return [cluster, place.rank * this.#threads + thread];
  }
}

/** The CTAs of a cluster that are resident together. Their threads are numbered by rank. */
class Cluster {
  readonly shared: HeapViews;
  /** By thread: how often it has arrived. */
  readonly #arrivals: Uint32Array;
  readonly #ended: Uint8Array;
  /** By warp: where its first lane has arrived last, and how often it had arrived then. */
  readonly #sites: { site: number; arrivals: number; isAligned: boolean }[] = [];
  /** How often the barrier has been completed. */
  #completed = 0;
  /** The threads that the next completion lacks. */
  #missing: number;

  constructor(ctas: number, threads: number, bytes: number) {
    this.shared = viewsOf(new ArrayBuffer(ctas * bytes));
    this.#arrivals = new Uint32Array(ctas * threads);
    this.#ended = new Uint8Array(ctas * threads);
    this.#missing = ctas * threads;
  }

  /** Returns false if another lane of the warp has arrived elsewhere, which `.aligned` forbids. */
  arrive(thread: number, site: number, isAligned: boolean): boolean {
    const arrivals = at(this.#arrivals, thread) + 1;
    this.#arrivals[thread] = arrivals;
    if (arrivals === this.#completed + 1) this.#came();
    const warp = Math.floor(thread / WARP_SIZE);
    const first = this.#sites[warp];
    if (first === undefined || first.arrivals < arrivals) {
      this.#sites[warp] = { site, arrivals, isAligned };
      return true;
    }
    return first.site === site || !(isAligned || first.isAligned);
  }

  isMet(thread: number): boolean {
    return this.#completed >= at(this.#arrivals, thread);
  }

  /** The threads that have not ended and arrived less often. */
  lacks(thread: number): number {
    const arrivals = at(this.#arrivals, thread);
    return this.#arrivals.reduce((sum, one, i) => sum + Number(one < arrivals && this.#ended[i] === 0), 0);
  }

  leave(thread: number): void {
    if (this.#ended[thread] === 1) return;
    this.#ended[thread] = 1;
    if (at(this.#arrivals, thread) <= this.#completed) this.#came();
  }

  #came(): void {
    this.#missing--;
    while (this.#missing === 0) {
      this.#completed++;
      let isOver = true;
      for (const [thread, ended] of this.#ended.entries()) {
        if (ended === 1) continue;
        isOver = false;
        if (at(this.#arrivals, thread) <= this.#completed) this.#missing++;
      }
      if (isOver) return;
    }
  }
}
