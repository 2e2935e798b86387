import { includes, scopeWidth, type Place } from '@nccl-ts/memory-model';
import { describe, expect, it } from 'vitest';

const at = (domain: number | undefined, cta: number, rank = 0): Place => ({ rank, cta, thread: 0, domain });

describe('what a scope includes', () => {
  it('is, for device scope, kernels of the same memory synchronisation domain', () => {
    const device = scopeWidth('device');
    expect(includes(device, at(0, 1), at(0, 2))).toBe(true);
    expect(includes(device, at(0, 1), at(1, 2))).toBe(false);
    expect(includes(device, at(0, 1), at(0, 2, 1))).toBe(false);
  });

  it('is everybody for system scope, and the CTA for block scope, in whatever domain', () => {
    expect(includes(scopeWidth('system'), at(0, 1), at(1, 2, 1))).toBe(true);
    expect(includes(scopeWidth('block'), at(0, 1), at(0, 2))).toBe(false);
    expect(includes(scopeWidth('block'), at(1, 1), at(1, 1))).toBe(true);
  });

  it('does not ask for the domain of hosts and of the network, which have none', () => {
    expect(includes(scopeWidth('device'), at(1, 1), at(undefined, 2))).toBe(true);
    expect(includes(scopeWidth('device'), at(undefined, 2), at(1, 1))).toBe(true);
  });
});
