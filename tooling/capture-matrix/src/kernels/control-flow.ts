import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Every kind of loop and exit, and nested conditions that minifiers turn into `&&`, `||` and `?:`.
 */
export const controlFlow = kernel(
  { name: 'controlFlow', use: { lsa }, params: { win: window, count: u32 } },
  ({ lsa, threadIdx, gridDim, blockIdx, u32, i32 }, { win, count }) => {
    const out = lsa.localPointer(win, u32, 0);
    const t = threadIdx.x;
    if (blockIdx.x !== 0) return;
    if (t >= count) {
      if (t === 63) out[1000] = 1;
      return;
    }
    let steps = u32(0);
    let n = t + 1;
    while (n !== 1) {
      if (n % 2 === 0) n /= 2;
      else n = 3 * n + 1;
      steps++;
      if (steps > 200) break;
    }
    out[t] = steps;

    let found = -1;
    for (let i = 0, j = 10; i < j; i++, j--) {
      if (i === 2) continue;
      if (u32(i * j) > t) {
        found = i;
        break;
      }
    }
    out[64 + t] = u32(found);

    let total = u32(0);
    let k = t % 5;
    do {
      total += k * k;
      if (k === 3) continue;
      total ^= 1;
    } while (k-- > 0);
    out[128 + t] = total;

    let depth = u32(0);
    while (true) {
      depth += 1;
      if (depth > 7) break;
      if (depth % 3 === 0) {
        if (t > 20) {
          depth += 2;
          continue;
        } else if (t > 10) {
          depth += 1;
        }
        out[192 + t] = depth;
      }
      if (depth === 5) out[700 + t] = 1;
    }
    out[256 + t] = depth;

    if (t > 5) {
      if (t < 30) {
        if (t % 2 === 1) out[320 + t] = 1;
        else out[320 + t] = 2;
      } else {
        out[320 + t] = 3;
      }
    }
    if (t > 40) {
      if (out[t] === 3) {
        out[576 + t]! += 1;
        if (total > 5) out[576 + t]! += 2;
        else if (steps > 5) return;
      }
    } else if (t % 2 === 0 && out[t] > 2) {
      steps += 1;
      if (steps > 8 || out[t + 1]! > 4) out[640 + t] = steps;
    }
    if (t === 9) out.atomicAdd(800, 1);
    else out.atomicAdd(800, t > 3 ? 4 : 5);
    let label;
    if (t < 8) label = u32(1);
    else if (t < 16) label = u32(2);
    else label = u32(3);
    let other: number;
    if (t === 3) {
      other = i32(label) - 5;
    } else {
      other = 9;
    }
    const inRange = t > 3 && (t < 12 || t === 40) && !(t === 7);
    if (!inRange) {
      out[384 + t] = label;
    } else {
      out[384 + t] = u32(other);
      if (gridDim.x > 1) out[384 + t]! += 100;
    }
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        if (a === b) continue;
        if (a + b > 3) return;
        out[448 + t]! += u32(a * 3 + b);
      }
    }
    out[512 + t] = 77;
  },
);
