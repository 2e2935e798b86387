import { at } from '@nccl-ts/core';

import type { Fault } from '@nccl-ts/findings';
import { contractText, type ScalarValue } from '@nccl-ts/ir';
import type { ProgramHost } from '../program/program.ts';
import type { RunningCta } from './running-cta.ts';
import { noLaneText, noMemberText } from '../program/lane-text.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/**
 * Operations that may fault, and the faults of checks in the text itself. All of them call
 * `host.fault`.
 */
export function faults(host: ProgramHost): SupportFunctions {
  const fail = (cta: RunningCta, thread: number, site: number, kind: Fault['kind'], message: string): never =>
    host.fault(cta.identity, { kind, site, thread, message });
  const checkDivisor = (
    cta: RunningCta,
    thread: number,
    site: number,
    a: number | bigint,
    b: number | bigint,
    least: number | bigint,
  ): void => {
    if (b === 0 || b === 0n) fail(cta, thread, site, 'divideByZero', `${a} divided by 0`);
    if (b < 0 && BigInt(b) === -1n && a === least) fail(cta, thread, site, 'overflow', `${a} divided by -1`);
  };
  return {
    div: (cta: RunningCta, thread: number, site: number, a: number, b: number, least: number): number => {
      if (b === 0 || b === -1) checkDivisor(cta, thread, site, a, b, least);
      return a / b;
    },
    rem: (cta: RunningCta, thread: number, site: number, a: number, b: number, least: number): number => {
      if (b === 0 || b === -1) checkDivisor(cta, thread, site, a, b, least);
      return a % b;
    },
    divBig: (cta: RunningCta, thread: number, site: number, a: bigint, b: bigint, least: bigint): bigint => {
      if (b === 0n || b === -1n) checkDivisor(cta, thread, site, a, b, least);
      return a / b;
    },
    remBig: (cta: RunningCta, thread: number, site: number, a: bigint, b: bigint, least: bigint): bigint => {
      if (b === 0n || b === -1n) checkDivisor(cta, thread, site, a, b, least);
      return a % b;
    },
    address: (cta: RunningCta, thread: number, site: number, value: number): number => {
      if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
      return fail(
        cta,
        thread,
        site,
        'addressRange',
        `${value} is not an address or offset: they range from 0 to 2^53 - 1`,
      );
    },
    wordsToAddress: (cta: RunningCta, thread: number, site: number, low: number, high: number): number => {
      const value = high * 4294967296 + low;
      if (high < 0x200000) return value;
      return fail(
        cta,
        thread,
        site,
        'addressRange',
        `${value} is not an address or offset: they range from 0 to 2^53 - 1`,
      );
    },
    accessFault: (
      cta: RunningCta,
      thread: number,
      site: number,
      bytes: number,
      space: 'global' | 'shared' | 'local',
      address: number,
      region: number,
      low: Float64Array,
      high: Float64Array,
    ): never => {
      const multicast = space === 'global' ? host.regions.multicast[region] : undefined;
      if (multicast !== undefined) {
        const what = `${bytes} bytes at byte ${address - multicast.address} of ${multicast.window}`;
        const rule = 'only multimem.* can read and write through multicast pointers';
        return fail(cta, thread, site, 'misuse', `a plain access to ${what} through a multicast pointer: ${rule}`);
      }
      // Shared and local addresses are offsets. The array starts at `low`.
      const [start, end] = [at(low, region), at(high, region)];
      const inside = address >= start && address + bytes <= end;
      const array = space === 'global' ? {} : { arrayBytes: end - start };
      const shown = space === 'global' ? address : address - start;
      const kind = inside ? 'misaligned' : 'outOfBounds';
      return host.fault(cta.identity, { kind, site, thread, space, address: shown, bytes, region, ...array });
    },
    laneFault: (cta: RunningCta, thread: number, site: number, index: number, width: number): never =>
      fail(cta, thread, site, 'lane', noLaneText(index, width)),
    threadFault: (cta: RunningCta, thread: number, site: number, index: number, threads: number): never =>
      fail(cta, thread, site, 'lane', noMemberText(index, threads)),
    assertFault: (cta: RunningCta, thread: number, site: number, message: string): never =>
      host.fault(cta.identity, { kind: 'assert', site, thread, message }),
    misuseFault: (
      cta: RunningCta,
      thread: number,
      site: number,
      message: string,
      values: readonly ScalarValue[] = [],
    ): never => fail(cta, thread, site, 'misuse', contractText(message, values)),
    fuelFault: (cta: RunningCta, thread: number, site: number): never =>
      fail(cta, thread, site, 'fuel', 'the loop has not ended after all rounds that a thread may run (fuel)'),
  };
}
