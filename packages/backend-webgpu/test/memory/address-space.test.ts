import { createTopology } from '@nccl-ts/topology';
import { WindowFlags } from '@nccl-ts/window';
import { describe, expect, it } from 'vitest';
import { WebgpuAddressSpace } from '../../src/memory/address-space.ts';
import type { WebgpuWindow } from '../../src/memory/webgpu-window.ts';

/** Two load-store domains of two ranks, one page between the ranks' copies. */
class Fixture {
  readonly space: WebgpuAddressSpace = new WebgpuAddressSpace(createTopology({ ranks: 4, lsaSize: 2 }));

  add(name: string, first: number, bytes: number): WebgpuWindow {
    const addresses = Uint32Array.from({ length: 4 }, (_, rank) => first + rank * 0x2000);
    return this.space.add({ name, bytes, flags: WindowFlags.Default, addresses });
  }
}

describe('AddressSpace', () => {
  it('shows each rank its own copy of a window', () => {
    const { space } = new Fixture();
    const addresses = Uint32Array.of(0x1000, 0x3000, 0x5000, 0x7000);
    const window = space.add({ name: 'window 0', bytes: 512, flags: WindowFlags.Default, addresses });
    const value = window.valueAt(3);
    expect([...value.bases]).toEqual([0x5000, 0x7000]);
    expect(value.fields).toEqual({ bytes: 512, lsaRank: 1, lsaSize: 2, worldRank: 3 });
    expect(value.lsaSize).toBe(2);
    expect(window.valueAt(2).bases).toBe(value.bases);
    const { low, high } = space.regions;
    const regions = [value.firstRegion, value.firstRegion + 1];
    expect(regions.map((region) => [low[region], high[region]])).toEqual([
      [0x5000, 0x5200],
      [0x7000, 0x7200],
    ]);
    expect(() => window.valueAt(4)).toThrow('window 0 has no rank 4.');
    expect(() => window.addressAt(4)).toThrow('window 0 has no rank 4.');
  });

  it('makes pointers within a load-store domain', () => {
    const fixture = new Fixture();
    const window = fixture.add('window 0', 0x1000, 0x1000);
    expect(fixture.space.devicePointer(window, 0, 1, 8)).toBe(0x3008);
    expect(fixture.space.devicePointer(window, 1, 1, 0x1000)).toBe(0x4000);
    expect(fixture.space.devicePointer(window, 2, 3, 0)).toBe(0x7000);
    expect(fixture.space.devicePointer(window, 0, 2, 0)).toBeUndefined();
  });

  it('converts addresses back to pointers', () => {
    const fixture = new Fixture();
    const window = fixture.add('window 0', 0x1000, 0x1000);
    const region = window.valueAt(0).firstRegion + 1;
    expect(fixture.space.pointerOf(0, 0x3008)).toEqual({ address: 0x3008, region });
    // One past the end, as in loops over pointers.
    expect(fixture.space.pointerOf(0, 0x4000)).toEqual({ address: 0x4000, region });
    expect(fixture.space.pointerOf(0, 0x4001)).toEqual({ address: 0, region: 0 });
    expect(fixture.space.pointerOf(0, 0x5000)).toEqual({ address: 0, region: 0 });
    expect(fixture.space.pointerOf(2, 0x5000).region).toBe(window.valueAt(2).firstRegion);
    expect(fixture.space.pointerOf(0, 0)).toEqual({ address: 0, region: 0 });
  });

  it('finds the memory at an address', () => {
    const fixture = new Fixture();
    const { space } = fixture;
    const window = fixture.add('window 0', 0x1000, 0x1000);
    expect(space.find(0x3010)).toEqual({ window, rank: 1, offset: 0x10 });
    expect(space.find(0x4000)).toEqual({ window, rank: 1, offset: 0x1000 });
    expect(space.find(0x4fff)).toBeUndefined();
    const next = fixture.add('window 1', 0x2000, 0x100);
    expect(space.find(0x4000)).toEqual({ window: next, rank: 1, offset: 0 });
    const region = window.valueAt(1).firstRegion + 1;
    expect(space.locate({ address: 0x2f00, region })).toEqual({ window, rank: 1, offset: -0x100 });
    expect(space.locate({ address: 0x2f00, region: 0 })).toBeUndefined();
  });

  it('selects the widest of overlapping windows', () => {
    const fixture = new Fixture();
    const narrow = fixture.add('window 0', 0x1000, 0x100);
    const wide = fixture.add('window 1', 0x1000, 0x800);
    fixture.add('window 2', 0x1000, 0x200);
    expect(fixture.space.find(0x1010)?.window).toBe(wide);
    fixture.space.remove(wide);
    expect(fixture.space.find(0x1080)?.window).not.toBe(narrow);
  });

  it('forgets windows, and remembers their owners', () => {
    const fixture = new Fixture();
    const { space } = fixture;
    const window = fixture.add('window 0', 0x1000, 0x1000);
    const region = window.valueAt(2).firstRegion;
    space.remove(window);
    space.remove(window);
    expect(space.find(0x1000)).toBeUndefined();
    expect(space.locate({ address: 0x5000, region })).toBeUndefined();
    expect(space.formerOwner(region)).toBe(window);
    expect([space.regions.low[region], space.regions.high[region]]).toEqual([0, 0]);
    // Numbers are reused once nothing runs, and each range of them once.
    space.regions.recycle();
    const two = [fixture.add('window 1', 0x1000, 0x1000), fixture.add('window 2', 0x9000, 0x1000)];
    const firsts = two.flatMap((one) => [one.valueAt(0).firstRegion, one.valueAt(2).firstRegion]);
    expect(new Set(firsts).size).toBe(4);
    expect(firsts).toContain(region);
  });
});
