import { at } from '@nccl-ts/core';
import type { Fault } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { Caller, FabricPort, HeapViews, PostedOperation, SharedRange, WindowValue } from '@nccl-ts/codegen';
import type { EndpointTable } from '../memory/endpoint-table.ts';
import type { Fabric } from './fabric.ts';
import { fabricMisuse } from './misuse-text.ts';
import type { FabricOperation, PutTarget, Tracked } from './operation.ts';
import { targetsOf } from './targets.ts';

export interface LaunchFabricInit {
  readonly fabric: Fabric;
  readonly endpoints: EndpointTable;
  readonly rank: number;
  /** Receives the thread before it uses the fabric. */
  readonly posting?: ((caller: Caller) => void) | undefined;
  fault(cta: CtaIdentity, fault: Fault): never;
}

/**
 * The fabric for the kernel of one launch. It checks the rules that NCCL does not check, and
 * computes addresses.
 */
export class LaunchFabric implements FabricPort {
  readonly #init: LaunchFabricInit;
  /** By shared memory of a CTA, then by address. */
  readonly #tracked = new WeakMap<HeapViews, Map<number, Tracked>>();

  constructor(init: LaunchFabricInit) {
    this.#init = init;
  }

  leId(window: WindowValue, endpoint: 'unicast' | 'multicast', peer: number): number {
    return this.#init.endpoints.idOf(window, peer, endpoint === 'multicast');
  }

  leBase(window: WindowValue): number {
    return this.#init.endpoints.baseOf(window);
  }

  begin(caller: Caller, shared: HeapViews, smem: SharedRange): void {
    this.#inArray(caller, smem, 16);
    const known = this.#tracked.get(shared) ?? new Map<number, Tracked>();
    this.#tracked.set(shared, known);
    if (known.has(smem.address)) this.#misuse(caller, fabricMisuse.inUse());
    const { address } = smem;
    const tracked = { shared, address, held: new Map(), present: [], phases: [], submitted: new Map() };
    known.set(address, tracked);
  }

  end(caller: Caller, shared: HeapViews, smem: SharedRange): void {
    const tracked = this.#of(caller, shared, smem);
    const held = [...tracked.held.values()].flat().length;
    if (held > 0) this.#misuse(caller, fabricMisuse.left(held, false));
    const left = tracked.present.length + tracked.phases.flatMap(({ operations }) => operations).length;
    if (left > 0) this.#misuse(caller, fabricMisuse.left(left, true));
    this.#tracked.get(shared)?.delete(smem.address);
  }

  post(caller: Caller, shared: HeapViews, smem: SharedRange, posted: PostedOperation): void {
    const tracked = this.#of(caller, shared, smem);
    const { kind, reduction, near, bytes, mask } = posted;
    this.#inArray(caller, near, bytes);
    const far = this.#targets(caller, posted);
    this.#init.posting?.(caller);
    const { fabric, rank } = this.#init;
    fabric.post(tracked, { kind, reduction, by: caller, rank, near: near.address, bytes, mask, far });
  }

  submit(caller: Caller, shared: HeapViews, smem: SharedRange): void {
    this.#init.posting?.(caller);
    this.#init.fabric.submit(this.#of(caller, shared, smem), caller.thread);
  }

  arrive(caller: Caller, shared: HeapViews, smem: SharedRange): void {
    this.#init.posting?.(caller);
    this.#init.fabric.arrive(this.#of(caller, shared, smem), caller);
  }

  arriveAt({ thread, site, watch }: Caller, { copies }: WindowValue, offset: number, peer: number): void {
    const address = at(copies.bases, peer) + offset;
    watch?.global.update(thread, address, site, true);
    this.#init.fabric.add(address);
  }

  settleReads(caller: Caller, shared: HeapViews, smem: SharedRange): void {
    const tracked = this.#of(caller, shared, smem);
    const read: readonly FabricOperation[] = tracked.submitted.get(caller.thread) ?? [];
    tracked.submitted.delete(caller.thread);
    caller.watch?.fabricRead(caller.thread, read);
  }

  #targets(caller: Caller, posted: PostedOperation): readonly PutTarget[] {
    return targetsOf(this.#init.endpoints, posted, {
      misuse: (message) => this.#misuse(caller, message),
      outside: (window, rank, address, bytes) => this.#outside(caller, window, rank, address, bytes),
    });
  }

  #of(caller: Caller, shared: HeapViews, smem: SharedRange): Tracked {
    return this.#tracked.get(shared)?.get(smem.address) ?? this.#misuse(caller, fabricMisuse.noSession());
  }

  #inArray({ cta, thread, site }: Caller, { address, region, low, high }: SharedRange, bytes: number): void {
    if (address >= low && address + bytes <= high) return;
    this.#init.fault(cta, { kind: 'outOfBounds', site, thread, space: 'shared', address, bytes, region });
  }

  #outside(
    { cta, thread, site }: Caller,
    { copies }: WindowValue,
    rank: number,
    address: number,
    bytes: number,
  ): never {
    const region = at(copies.regions, rank);
    return this.#init.fault(cta, { kind: 'outOfBounds', site, thread, space: 'global', address, bytes, region });
  }

  #misuse({ cta, thread, site }: Caller, message: string): never {
    return this.#init.fault(cta, { kind: 'misuse', site, thread, message });
  }
}
