import { window } from '@nccl-ts/devcomm';
import { deviceFn, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

interface Settings {
  readonly by: number | undefined;
  readonly each: ((i: number) => number) | undefined;
}

/** Optional arguments, tested by loose comparisons, which minifiers turn into `??` and `?.`. */
const adjusted = deviceFn({ name: 'adjusted' }, (_context, i: number, settings?: Settings) => {
  // oxlint-disable-next-line eqeqeq -- what is written so becomes something else
  const by = settings == undefined ? 1 : settings.by == undefined ? 2 : settings.by;
  // oxlint-disable-next-line eqeqeq -- as above
  return settings != undefined && settings.each != undefined ? settings.each(i) * by : i + by;
});

/** Code that minifiers turn into forms that no author writes. */
export const minifiedForms = kernel(
  { name: 'minifiedForms', use: { lsa, adjusted }, params: { win: window, count: u32 } },
  ({ lsa, adjusted, threadIdx, blockIdx, u32 }, { win, count }) => {
    const out = lsa.localPointer(win, u32, 0);
    if (blockIdx.x !== 0) return;
    const t = threadIdx.x;
    let all = true;
    let some = false;
    for (let i = u32(0); i < t; i++) {
      all = all && (i * 7 + t) % 5 !== 3;
      some = some || (i + count) % 11 === t % 11;
    }
    let read = t > 2;
    read = read && out[64 + t]! > 20;
    read = read || out[65 + t]! % 3 === 1;
    out[128 + t] = (all ? 1 : 0) + (some ? 2 : 0) + (read ? 4 : 0);

    let rest = t % 4;
    if (rest) rest = out[200 + t]! % 9;
    if (!rest) {
      out[256 + t]! += 1;
      rest = t + 5;
    }
    out[320 + t] = rest;
    if (out[384 + t]) out[384 + t] = rest * 2;
    if (!out[385 + t]) out[385 + t] = 3;

    let open = t < 40;
    for (let i = u32(0); i < 4; i++) {
      if (open) {
        out[448 + t]! += i;
        open = (i + t) % 3 !== 1;
      }
    }
    const twice = (i: number): number => i * 2;
    const plain = adjusted(t, { by: undefined, each: undefined });
    const scaled = adjusted(t, { by: 4, each: undefined });
    out[512 + t] = adjusted(t) + plain * 3 + scaled * 5 + adjusted(t, { by: 6, each: twice });

    let last = u32(0);
    let k: number;
    for (k = u32(0); k < count; k++) {
      if (k % 2 === 0) continue;
      last = k;
      if (k > t) {
        last += 100;
        break;
      }
    }
    out[576 + t] = last + k + (open ? 1 << 20 : 65535);
  },
);
