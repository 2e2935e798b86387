import { group, recv, send } from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';
import { checked } from './support/checked.ts';
import './far-point-to-point.test.ts';

describe('send and recv between load-store domains', () => {
  test('fill their slots many times, also in a second call', { timeout: 120_000 }, async () => {
    const count = 19 * 2048 + 5;
    const { results, findings } = await checked({ ranks: 4, lsaSize: 2 }, async (comm) => {
      const [from, to] = [await comm.allocWindow('f32', count), await comm.allocWindow('f32', count)];
      const peer = (comm.rank + 3) % 4;
      const seen: number[] = [];
      for (let call = 0; call < 2; call++) {
        await from.write(Float32Array.from({ length: count }, (_, i) => i + 1000 * call + comm.rank));
        await group(comm, async () => {
          await send(comm, from, count, peer);
          await recv(comm, to, count, (comm.rank + 1) % 4);
        });
        const values = await to.read();
        seen.push(values.findIndex((value, i) => value !== i + 1000 * call + ((comm.rank + 1) % 4)));
      }
      return seen;
    });
    expect(findings).toEqual([]);
    expect(results).toEqual(Array.from({ length: 4 }, () => [-1, -1]));
  });
});
