import type {
  Caller,
  FabricPort,
  FabricReduction,
  PostedOperation,
  ProgramHost,
  SharedRange,
  WindowValue,
} from '../program/program.ts';
import type { HeapViews } from '../program/heap-views.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';
import type { RunningCta } from './running-cta.ts';

/** The arguments of a primitive, which start with the CTA, the thread, the site and the state. */
type StateCall = [
  cta: RunningCta,
  thread: number,
  site: number,
  address: number,
  region: number,
  low: number,
  high: number,
];

/** The state, the endpoint, the counter, and the memory of the CTA. */
type PlaceCall = [
  address: number,
  region: number,
  low: number,
  high: number,
  leId: number,
  leOffset: bigint,
  counterOffset: bigint,
  ...near: NearCall,
];

type NearCall = [address: number, region: number, low: number, high: number, bytes: number];

/** All bytes of each 16. */
const ALL = 0xffff;

/** Operations of the fabric, by the names of the primitives. */
export function fabric({ fabric: port = noFabric }: ProgramHost): SupportFunctions {
  const on =
    (does: (caller: Caller, shared: HeapViews, smem: SharedRange) => void) =>
    (...[cta, thread, site, address, region, low, high]: StateCall): void =>
      does(callerOf(cta, thread, site), sharedOf(cta), { address, region, low, high });
  return {
    cftLeId: (
      _cta: RunningCta,
      _thread: number,
      _site: number,
      kind: 'unicast' | 'multicast',
      window: WindowValue,
      peer: number,
    ): number => port.leId(window, kind, peer),
    cftLeBase: (_cta: RunningCta, _thread: number, _site: number, window: WindowValue): number => port.leBase(window),
    cftBegin: on((...args) => port.begin(...args)),
    cftEnd: on((...args) => port.end(...args)),
    cftSubmit: on((...args) => port.submit(...args)),
    cftArrive: on((...args) => port.arrive(...args)),
    cftArriveAt: (
      cta: RunningCta,
      thread: number,
      site: number,
      window: WindowValue,
      offset: number,
      peer: number,
    ): void => port.arriveAt(callerOf(cta, thread, site), window, offset, peer),
    cftSettleReads: on((...args) => port.settleReads(...args)),
    cftPost: (
      cta: RunningCta,
      thread: number,
      site: number,
      kind: PostedOperation['kind'],
      endpoint: PostedOperation['endpoint'],
      counting: PostedOperation['counting'],
      ...[address, region, low, high, leId, leOffset, counterOffset, ...near]: [...PlaceCall, mask: number]
    ): void =>
      port.post(
        callerOf(cta, thread, site),
        sharedOf(cta),
        { address, region, low, high },
        { kind, endpoint, counting, ...placed(leId, leOffset, counterOffset, near), mask: near[5] },
      ),
    cftPostRed: (
      cta: RunningCta,
      thread: number,
      site: number,
      kind: 'red' | 'pullRed',
      endpoint: PostedOperation['endpoint'],
      counting: PostedOperation['counting'],
      op: FabricReduction['op'],
      element: FabricReduction['element'],
      ...[address, region, low, high, leId, leOffset, counterOffset, ...near]: PlaceCall
    ): void =>
      port.post(
        callerOf(cta, thread, site),
        sharedOf(cta),
        { address, region, low, high },
        {
          kind: kind === 'red' ? 'put' : 'get',
          reduction: { op, element },
          endpoint,
          counting,
          ...placed(leId, leOffset, counterOffset, near),
          mask: ALL,
        },
      ),
  };
}

function placed(
  leId: number,
  leOffset: bigint,
  counterOffset: bigint,
  [address, region, low, high, bytes]: readonly [...NearCall, ...rest: unknown[]],
): Pick<PostedOperation, 'leId' | 'leOffset' | 'counterOffset' | 'near' | 'bytes'> {
  const near = { address, region, low, high };
  return { leId, leOffset: Number(leOffset), counterOffset: Number(counterOffset), near, bytes };
}

function elsewhere(): never {
  throw new Error('This thread has no compute fabric.');
}

const noFabric: FabricPort = {
  leId: elsewhere,
  leBase: elsewhere,
  begin: elsewhere,
  end: elsewhere,
  post: elsewhere,
  submit: elsewhere,
  arrive: elsewhere,
  arriveAt: elsewhere,
  settleReads: elsewhere,
};

function callerOf({ identity, trace, watch }: RunningCta, thread: number, site: number): Caller {
  return { cta: identity, thread, site, trace, watch };
}

function sharedOf({ shared }: RunningCta): HeapViews {
  if (shared === undefined) throw new RangeError('an operation of the fabric in a kernel without shared memory');
  return shared;
}
