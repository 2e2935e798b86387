import { valueOrigin } from '@nccl-ts/ir';
import { buildFault, describeAccess, FaultError, type Fault } from '@nccl-ts/findings';
import { printedLine, type CtaIdentity } from '@nccl-ts/transport';
import type { SimAddressSpace, PointerValue } from '../memory/address-space.ts';
import type { Heap } from '../memory/heap.ts';
import type { SimWorldMemory } from '../memory/world-memory.ts';
import { LaunchNetwork } from '../network/launch-network.ts';
import type { NetworkRules } from '../network/network-rules.ts';
import type { Network } from '../network/network.ts';
import type {
  Caller,
  FabricPort,
  HeapViews,
  LinearMemory,
  NetworkPort,
  ProgramHost,
  Regions,
  TimedLook,
  WindowLocation,
} from '@nccl-ts/codegen';
import type { EndpointTable } from '../memory/endpoint-table.ts';
import type { Fabric } from '../fabric/fabric.ts';
import { LaunchFabric } from '../fabric/launch-fabric.ts';
import type { GivesUp } from '../schedule/scheduler.ts';
import type { CycleCounter } from './cycle-counter.ts';
import { GridDependency } from './grid-dependency.ts';
import { LaunchClusters } from './launch-clusters.ts';
import type { SimLaunch } from './launch.ts';
import { TimeLimits } from './time-limits.ts';

/**
 * The cycles for which the thread of a wait that gives up was suspended: more than any time limit.
 */
const AWAY_CYCLES = 1n << 50n;

export interface LaunchHostInit {
  readonly launch: SimLaunch;
  readonly memory: SimWorldMemory;
  readonly network: Network;
  readonly fabric: Fabric;
  readonly endpoints: EndpointTable;
  readonly rules: NetworkRules;
  readonly cycles: CycleCounter;
  readonly trace: ProgramHost['trace'];
  readonly watch: ProgramHost['watch'];
  readonly pace: ProgramHost['pace'];
  readonly isLate: () => boolean;
  /** Receives the thread that posts something. */
  readonly posting?: ((caller: Caller) => void) | undefined;
  /** Receives the thread that uses the fabric. */
  readonly initiating?: ((caller: Caller) => void) | undefined;
  /** Called when a CTA lets the next launch begin. */
  readonly onTrigger: () => void;
  /** Decides if a wait with a time limit gives up. If absent, the clock decides. */
  readonly givesUp?: GivesUp | undefined;
  /** Called when a thread reads the clock and uses the value for more than a wait's time limit. */
  readonly onClock?: (() => void) | undefined;
}

/** The parts of the world that a launch's generated code may use. */
export class LaunchHost implements ProgramHost {
  readonly network: NetworkPort;
  readonly fabric: FabricPort;
  readonly dependency: GridDependency;
  readonly clusters: LaunchClusters | undefined;
  readonly trace: ProgramHost['trace'];
  readonly watch: ProgramHost['watch'];
  readonly pace: ProgramHost['pace'];
  readonly isLate: () => boolean;
  readonly #launch: SimLaunch;
  readonly #heap: Heap;
  readonly #space: SimAddressSpace;
  readonly #cycles: CycleCounter;
  readonly #limits: TimeLimits | undefined;
  readonly #onClock: LaunchHostInit['onClock'];

  constructor(init: LaunchHostInit) {
    const {
      launch,
      memory,
      network,
      fabric,
      endpoints,
      rules,
      cycles,
      trace,
      watch,
      pace,
      posting,
      onTrigger,
      onClock,
    } = init;
    const { heap, space } = memory;
    this.network = new LaunchNetwork({
      network,
      rules,
      heap,
      launch: launch.id,
      rank: launch.rank,
      posting,
      fault: (cta, fault) => this.fault(cta, fault),
    });
    this.fabric = new LaunchFabric({
      fabric,
      endpoints,
      rank: launch.rank,
      posting: init.initiating,
      fault: (cta, fault) => this.fault(cta, fault),
    });
    this.dependency = new GridDependency(launch, network, onTrigger);
    const { cluster, block } = launch;
    this.clusters =
      cluster === undefined
        ? undefined
        : new LaunchClusters({ size: cluster, block, fault: (cta, fault) => this.fault(cta, fault) });
    this.trace = trace;
    this.watch = watch;
    this.pace = pace;
    this.isLate = init.isLate;
    this.#launch = launch;
    this.#heap = heap;
    this.#space = space;
    this.#cycles = cycles;
    this.#limits = init.givesUp === undefined ? undefined : new TimeLimits(launch.kernel.name, init.givesUp);
    this.#onClock = onClock;
  }

  get heap(): HeapViews {
    return this.#heap.views;
  }

  get linear(): LinearMemory {
    return this.#heap.linear;
  }

  get regions(): Regions {
    return this.#space.regions;
  }

  clock(timesWaits = false, look?: TimedLook): bigint {
    if (!timesWaits) this.#onClock?.();
    const now = this.#cycles.read();
    const isOver = look !== undefined && this.#limits?.runsOut(look) === true;
    return isOver ? BigInt.asUintN(64, now + AWAY_CYCLES) : now;
  }

  print(cta: CtaIdentity, thread: number, parts: readonly (string | number | bigint | boolean)[]): void {
    this.#launch.stream.print(printedLine({ rank: cta.rank, blockIdx: cta.blockIdx, thread }, parts));
  }

  windowAt(pointer: PointerValue): WindowLocation | undefined {
    const at = this.#space.locate(pointer);
    const { rank } = this.#launch;
    if (at === undefined || at.rank !== rank || at.offset < 0 || at.offset >= at.window.bytes) return undefined;
    return { window: at.window.valueAt(rank), offset: at.offset };
  }

  pointerAt(address: number): PointerValue {
    return this.#space.deviceAddress(this.#launch.rank, address);
  }

  addressOf(address: number, region: number): number {
    return this.#space.addressOf(address, region);
  }

  fault(cta: CtaIdentity, fault: Fault): never {
    const { kernel, code, id, stream } = this.#launch;
    const access = describeAccess(fault, this.#space);
    const span = code.sites[fault.site]?.span;
    const origin = span === undefined || code.body === undefined ? undefined : valueOrigin(code.body, span);
    const report = buildFault({ kernel, launch: id, sites: code.sites, cta, fault, access, origin });
    throw new FaultError(report, stream.takePrinted());
  }
}
