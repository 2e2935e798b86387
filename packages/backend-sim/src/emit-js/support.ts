import {
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

import { PEER_COLUMN_DOUBLES } from '../emit-wasm/peer-layout.ts';
import type { Cta, DevCommValue, ProgramHost, WindowValue } from '../program.ts';
import { bits } from './support-bits.ts';
import { arithmetic, bf16Bits, e5m2Bits, f16Bits } from './support-arithmetic.ts';
import { groups } from './support-groups.ts';
import { network } from './support-network.ts';
import { faults } from './support-faults.ts';
import { multicasts } from './support-multicast.ts';
import { windowSearch } from './support-windows.ts';
import type { SupportFunctions } from './support-functions.ts';
import { views } from '../memory/heap-views.ts';

/** Everything that generated code calls by name, and `more`; bound to one host. */
export function support(host: ProgramHost, more: SupportFunctions = {}): SupportFunctions {
  const parts: readonly SupportFunctions[] = [
    codecs(),
    fields,
    arithmetic,
    bits(host),
    faults(host),
    groups(host),
    network(host),
    multicasts(host),
    windowSearch(host),
    peerTables(host),
    { scratch: views(128), views },
    more,
  ];
  // Each launch makes one: to spread all parts in one literal takes fifty times as long.
  const all: Record<string, unknown> = {};
  for (const part of parts) Object.assign(all, part);
  return all;
}

/** What WebAssembly needs to find the peers of a window, and the members of a multicast address, by their numbers. */
function peerTables(host: ProgramHost): SupportFunctions {
  const write = (
    at: number,
    shift: number,
    bases: Float64Array,
    count: number,
    regionOf: Int32Array | number,
  ): void => {
    const { f64 } = host.heap;
    const { low, high } = host.regions;
    for (let row = 0; row <= count; row++) {
      const peer = row - 1;
      const region = peer < 0 ? 0 : typeof regionOf === 'number' ? regionOf + peer : (regionOf[peer] ?? 0);
      f64[at + row] = (bases[peer] ?? 0) + shift;
      f64[at + PEER_COLUMN_DOUBLES + row] = low[region] ?? 0;
      f64[at + 2 * PEER_COLUMN_DOUBLES + row] = high[region] ?? 0;
      f64[at + 3 * PEER_COLUMN_DOUBLES + row] = region;
    }
  };
  return {
    writePeers: ({ bases, firstRegion, lsaSize }: WindowValue, at: number): void =>
      write(at, 0, bases, lsaSize, firstRegion),
    writeMembers: (region: number, at: number): void => {
      const found = host.regions.multicast[region];
      if (found !== undefined) write(at, -found.address, found.bases, found.bases.length, found.regions);
    },
  };
}

function codecs(): SupportFunctions {
  return {
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
  // A peer that does not exist has no memory: its pointers have the null region, so accesses through them fault.
  peerBase: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? (window.bases[peer] ?? 0) : 0,
  peerRegion: (window: WindowValue, peer: number): number =>
    peer >= 0 && peer < window.lsaSize ? window.firstRegion + peer : 0,
};

/** A CTA as generated code builds it, as far as support functions look inside. */
export interface RunningCta extends Cta {
  readonly dead?: Uint8Array;
}
