import type {
  Caller,
  FabricPort,
  HeapViews,
  PostedOperation,
  ProgramHost,
  SharedRange,
  WindowValue,
} from '../program.ts';
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

/** The operations of the fabric, by the names of the primitives. */
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
    cftSettleReads: on((...args) => port.settleReads(...args)),
    cftPost: (
      cta: RunningCta,
      thread: number,
      site: number,
      kind: PostedOperation['kind'],
      endpoint: PostedOperation['endpoint'],
      counting: PostedOperation['counting'],
      address: number,
      region: number,
      low: number,
      high: number,
      leId: number,
      leOffset: bigint,
      counterOffset: bigint,
      nearAddress: number,
      nearRegion: number,
      nearLow: number,
      nearHigh: number,
      bytes: number,
      mask: number,
    ): void =>
      port.post(
        callerOf(cta, thread, site),
        sharedOf(cta),
        { address, region, low, high },
        {
          kind,
          endpoint,
          counting,
          leId,
          leOffset: Number(leOffset),
          counterOffset: Number(counterOffset),
          near: { address: nearAddress, region: nearRegion, low: nearLow, high: nearHigh },
          bytes,
          mask,
        },
      ),
  };
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
  settleReads: elsewhere,
};

function callerOf({ identity, trace, watch }: RunningCta, thread: number, site: number): Caller {
  return { cta: identity, thread, site, trace, watch };
}

function sharedOf({ shared }: RunningCta): HeapViews {
  if (shared === undefined) throw new RangeError('an operation of the fabric in a kernel without shared memory');
  return shared;
}
