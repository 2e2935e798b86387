import {
  at,
  bf16ToNumber,
  e4m3DecodeTable,
  e5m2DecodeTable,
  f16DecodeTable,
  NcclError,
  numberToE4m3,
  roundToBf16,
  roundToE4m3,
  roundToE5m2,
  roundToF16,
} from '@nccl-ts/core';

import { PEER_COLUMN_DOUBLES } from '../program/peer-layout.ts';
import type { BoundRegions } from '../program/region.ts';
import type { DevCommValue, ProgramHost, WindowValue } from '../program/program.ts';
import { bits } from './support-bits.ts';
import { arithmetic, bf16Bits, e5m2Bits, f16Bits } from '../emit-shared/support-arithmetic.ts';
import { groups } from './support-groups.ts';
import { bulkCopies } from './support-bulk.ts';
import { fabric } from './support-fabric.ts';
import { clusters } from './support-cluster.ts';
import { dependencies } from './support-dependency.ts';
import { network } from './support-network.ts';
import { faults } from './support-faults.ts';
import { multicasts } from './support-multicast.ts';
import { addresses } from './support-addresses.ts';
import { turns } from './support-turns.ts';
import { windowSearch } from './support-windows.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';
import { views } from '../program/heap-views.ts';
import { strayBase, strayStart } from '../program/stray-peer.ts';

/** The support for one launch, in groups. A launch makes only those that its code uses. */
const groupsOfHost = [
  bits,
  faults,
  groups,
  network,
  fabric,
  dependencies,
  clusters,
  bulkCopies,
  multicasts,
  addresses,
  windowSearch,
  turns,
  peerTables,
] as const;

/** Everything that generated code calls by name, bound to one host. */
export function support(host: ProgramHost, regions: BoundRegions | undefined): SupportFunctions {
  const made = new HostSupport(host, regions);
  if (!isPrepared) Object.defineProperties(HostSupport.prototype, namesOf(made));
  isPrepared = true;
  return made;
}

let isPrepared = false;

/** Once the first name has been resolved, all are properties of the prototype. */
class HostSupport {
  readonly regions: BoundRegions | undefined;
  readonly #host: ProgramHost;
  readonly #groups: SupportFunctions[] = [];
  readonly [name: string]: unknown;

  constructor(host: ProgramHost, regions: BoundRegions | undefined) {
    this.#host = host;
    this.regions = regions;
  }

  group(index: number): SupportFunctions {
    const made = this.#groups[index] ?? groupsOfHost[index]?.(this.#host) ?? {};
    this.#groups[index] = made;
    return made;
  }
}

/**
 * Constant functions are shared, and the others are made on demand. `sample` may belong to any
 * host.
 */
function namesOf(sample: HostSupport): PropertyDescriptorMap {
  const properties: PropertyDescriptorMap = {};
  for (const [name, value] of Object.entries(common())) properties[name] = { value };
  groupsOfHost.forEach((_, index) => {
    for (const name of Object.keys(sample.group(index))) {
      properties[name] = {
        get(this: HostSupport): unknown {
          return this.group(index)[name];
        },
      };
    }
  });
  return properties;
}

/**
 * The tables with which WebAssembly finds the peers of a window, and the members of a multicast
 * address, by number.
 */
function peerTables(host: ProgramHost): SupportFunctions {
  const write = (
    place: number,
    shift: number,
    bases: Float64Array,
    count: number,
    regionOf: Int32Array | number,
  ): void => {
    const { f64 } = host.heap;
    const { low, high } = host.regions;
    for (let row = 0; row <= count; row++) {
      const peer = row - 1;
      // The null region comes before the first peer.
      const region = peer < 0 ? 0 : typeof regionOf === 'number' ? regionOf + peer : at(regionOf, peer);
      f64[place + row] = (peer < 0 ? 0 : at(bases, peer)) + shift;
      f64[place + PEER_COLUMN_DOUBLES + row] = at(low, region);
      f64[place + 2 * PEER_COLUMN_DOUBLES + row] = at(high, region);
      f64[place + 3 * PEER_COLUMN_DOUBLES + row] = region;
    }
  };
  return {
    writePeers: ({ bases, firstRegion, lsaSize }: WindowValue, place: number): void =>
      write(place, 0, bases, lsaSize, firstRegion),
    writeMembers: (region: number, place: number): void => {
      const found = host.regions.multicast[region];
      if (found !== undefined) write(place, -found.address, found.bases, found.bases.length, found.regions);
    },
  };
}

function common(): SupportFunctions {
  return {
    ...fields,
    ...arithmetic,
    views,
    scratch: views(128),
    roundToF16,
    roundToBf16,
    roundToE4m3,
    roundToE5m2,
    f16Bits,
    bf16Bits,
    numberToE4m3,
    e5m2Bits,
    bf16ToNumber,
    f16Table: f16DecodeTable(),
    e4m3Table: e4m3DecodeTable(),
    e5m2Table: e5m2DecodeTable(),
  };
}

const fields: SupportFunctions = {
  strayStart,
  numberField: (handle: WindowValue | DevCommValue, name: string): number => {
    const value = handle.fields[name];
    if (value === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `A handle has no number '${name}'.`);
    return value;
  },
  windowField: (handle: DevCommValue, name: string): WindowValue => {
    const value = handle.windows[name];
    if (value === undefined)
      throw new NcclError('NCCL_INTERNAL_ERROR', `A device communicator has no window '${name}'.`);
    return value;
  },
  // A peer that does not exist has no memory. Its pointers have the null region, so accesses
  // through them fault.
  peerBase: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? at(window.bases, peer) : strayBase(window.lsaSize, peer),
  peerRegion: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? window.firstRegion + peer : 0,
};
