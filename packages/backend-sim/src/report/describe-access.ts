import type { AddressSpace } from '../memory/address-space.ts';
import type { Fault } from '../program.ts';
import type { FaultyAccess } from './fault-report.ts';

/** Translates what generated code knows of an access, which is a place in the heap, into windows and their bytes. */
export function describeAccess(space: AddressSpace, fault: Fault): FaultyAccess | undefined {
  const { address, region } = fault;
  if (address === undefined) return undefined;
  const common = { bytes: fault.bytes ?? 0, space: fault.space ?? 'global' };
  if (common.space !== 'global' || region === undefined) return { ...common, offset: address };
  const at = space.locate({ address, region });
  if (at === undefined) {
    const gone = space.formerOwner(region);
    const lands = gone === undefined ? undefined : `${gone.name}, which is deregistered`;
    return { ...common, offset: address, ...(lands === undefined ? {} : { lands }) };
  }
  const window = { name: at.window.name, bytes: at.window.bytes, rank: at.rank };
  const stray = at.offset >= 0 && at.offset < at.window.bytes ? at.window.bytes : at.offset;
  const leaves = at.offset < 0 || at.offset + common.bytes > at.window.bytes;
  return {
    ...common,
    offset: at.offset,
    window,
    ...(leaves ? { lands: landsText(space, space.flat({ ...at, offset: stray })) } : {}),
  };
}

function landsText(space: AddressSpace, address: number): string {
  const found = space.find(address);
  return found === undefined || found.offset === found.window.bytes
    ? 'nothing'
    : `byte ${found.offset} of ${found.window.name}, rank ${found.rank}'s copy`;
}
