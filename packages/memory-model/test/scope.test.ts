import { includes, scopeWidth, type ThreadCoordinates } from '@nccl-ts/memory-model';
import { describe, expect, it } from 'vitest';

const at = (domain: number | undefined, cta: number, rank = 0): ThreadCoordinates => ({ rank, cta, thread: 0, domain });

describe('the threads that a scope includes', () => {
  it('are kernels of the same memory synchronisation domain, for device scope', () => {
    const device = scopeWidth('device');
    expect(includes(device, at(0, 1), at(0, 2))).toBe(true);
    expect(includes(device, at(0, 1), at(1, 2))).toBe(false);
    expect(includes(device, at(0, 1), at(0, 2, 1))).toBe(false);
  });

  it('are all threads for system scope and the CTA for block scope, in any domain', () => {
    expect(includes(scopeWidth('system'), at(0, 1), at(1, 2, 1))).toBe(true);
    expect(includes(scopeWidth('block'), at(0, 1), at(0, 2))).toBe(false);
    expect(includes(scopeWidth('block'), at(1, 1), at(1, 1))).toBe(true);
  });

  it('are independent of domains for hosts and the network, which have none', () => {
    expect(includes(scopeWidth('device'), at(1, 1), at(undefined, 2))).toBe(true);
    expect(includes(scopeWidth('device'), at(undefined, 2), at(1, 1))).toBe(true);
  });

  it('are the CTAs of the cluster for cluster scope, and only the CTA if it is in none', () => {
    const cluster = scopeWidth('cluster');
    const one = { ...at(0, 1), cluster: 7 };
    expect(includes(cluster, one, { ...at(0, 2), cluster: 7 })).toBe(true);
    expect(includes(cluster, one, { ...at(0, 3), cluster: 8 })).toBe(false);
    expect(includes(cluster, one, at(0, 3))).toBe(false);
    expect(includes(cluster, at(0, 1), at(0, 2))).toBe(false);
    expect(includes(cluster, at(0, 1), at(0, 1))).toBe(true);
    expect(includes(scopeWidth('block'), one, { ...at(0, 2), cluster: 7 })).toBe(false);
  });
});
